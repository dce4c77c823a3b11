#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the linker made for macOS: the right kind of file, with nothing missing that only a Mac would miss.

mach_o.py OBJDUMP NM CPU TICKFLOOR DYLIB EXPORTS

CPU is as in Meson; EXPORTS is core/libtickfloor.map.
"""

import re
import subprocess
import sys

objdump, nm, cpu, program, dylib, exports = sys.argv[1:]
wrong = []


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout


def check(condition, reason):
    if not condition:
        wrong.append(reason)


for path, kind in (program, "EXECUTE"), (dylib, "DYLIB"):
    header = output(objdump, "--macho", "--private-header", path).splitlines()[-1].split()
    check(header[0] == "MH_MAGIC_64" and header[1] == {"aarch64": "ARM64", "x86_64": "X86_64"}[cpu],
          f"{path}: for {header[0]} {header[1]}, not for {cpu}")
    check(header[4] == kind, f"{path}: {header[4]}, not {kind}")

    # Every name is bound to the library that has it; one that is looked up in all of them could be missing.
    undefined = re.findall(r"\(undefined\).* (_\w+) \(([^)]*)\)", output(nm, "-u", "-m", path))
    check(undefined, f"{path}: no undefined names could be read")
    for name, where in undefined:
        check(re.fullmatch(r"from lib(System|cairo|capstone|expat|hwloc|jansson|z)", where),
              f"{path}: {name} is not of a library that it may need: {where}")
        # What these return is in ticks of another counter than the one that is read.
        check(name not in ("_mach_timebase_info", "_mach_absolute_time"), f"{path}: uses {name}")
    for library in re.findall(r"^\t(\S+)", output(objdump, "--macho", "--dylibs-used", path), re.M):
        check(re.match(r"@rpath/libtickfloor\.|/usr/local/lib/|/usr/lib/libSystem\.B\.dylib$", library),
              f"{path}: needs {library}")

check(re.search(r"^@rpath/libtickfloor\.0\.dylib$|/libtickfloor\.0\.dylib$",
                output(objdump, "--macho", "--dylib-id", dylib), re.M), f"{dylib}: its own name is wrong")
with open(exports) as file:
    wanted = set(re.findall(r"^\s+(tkf_\w+);$", file.read(), re.M))
found = set(re.findall(r" [A-Z] _(\w+)$", output(nm, "-gU", dylib), re.M))
check(wanted and found == wanted, f"{dylib}: exports are not those of {exports}: {sorted(found ^ wanted)}")

if wrong:
    sys.exit("\n".join(wrong))
print(f"{program} and {dylib} are for macOS on {cpu}; {len(found)} names are exported")
