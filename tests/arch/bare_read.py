#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tkf_now() is the bare fenced read: at -O2 a function that returns it is those instructions alone.

Also, <tickfloor/now.h> compiles alone, without a warning, as C11 and as C++.

bare_read.py ARCH CORE_INCLUDE ARCH_INCLUDE OBJDUMP COMPILER...    one compiler command, words apart
"""

import os
import re
import subprocess
import sys
import tempfile

from disassembly import disassemble, fail, skip

arch, core_include, arch_include, objdump, *compiler = sys.argv[1:]
if not compiler:
    skip(f"no compiler for {arch} here")
if not objdump:
    skip("needs llvm-objdump or objdump")

JOIN_HALVES = [r"shlq? \$(?:32|0x20), ?%rdx", r"orq? %rdx, ?%rax"]
EXPECTED = {
    "amd64": {
        "tkf_now": ["lfence", "rdtsc", "lfence", *JOIN_HALVES, "retq?"],
        "tkf_now_unfenced": ["rdtsc", *JOIN_HALVES, "retq?"],
    },
    "arm64": {
        "tkf_now": ["isb", "mrs x0, cntvct_el0", "isb", "ret"],
        "tkf_now_unfenced": ["mrs x0, cntvct_el0", "ret"],
    },
    # A call of the system's clock: nothing to promise but a header that compiles.
    "generic": {},
}[arch]

# Freestanding, as a cross compiler may have no libc. No branch protection, as that adds a landing
# pad to the function and not to the read.
flags = ["-O2", "-ffreestanding", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
flags += ["-I", core_include, "-I", arch_include]
flags += {
    "amd64": ["-fcf-protection=none"],
    "arm64": ["-mbranch-protection=none"],
    "generic": [],
}[arch]


def compile_to(path, code, extra):
    return subprocess.run([*compiler, *extra, *flags, "-c", "-", "-o", path], input=code,
                          universal_newlines=True)


def has_cxx():
    return subprocess.run([*compiler, "-x", "c++", "-E", "-"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


header = "#include <tickfloor/now.h>\n"
# A function before the others, as a Mach-O disassembly calls the first one by another name.
functions = "void first(void);\nvoid first(void) {}\n"
functions += "".join(f"uint64_t f_{name}(void);\nuint64_t f_{name}(void) {{ return {name}(); }}\n"
                     for name in EXPECTED)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "now.o")
    if not has_cxx():
        print(f"{' '.join(compiler)}: no C++ here, the header was tried in C only", file=sys.stderr)
    elif compile_to(path, header, ["-x", "c++", "-std=c++11", "-nostdinc++"]).returncode != 0:
        fail("<tickfloor/now.h> does not compile alone as C++")
    if compile_to(path, header + functions, ["-x", "c", "-std=c11"]).returncode != 0:
        fail("<tickfloor/now.h> does not compile alone as C11")
    symbols = disassemble(objdump, path)

wrong = []
for name, expected in EXPECTED.items():
    found = [i.text.lower() for i in symbols[f"f_{name}"] if not i.is_padding]
    if len(found) != len(expected) or not all(map(re.fullmatch, expected, found)):
        wrong.append(f"{' '.join(compiler)}: {name}() is {'; '.join(found)}")
if wrong:
    fail("\n".join(wrong))
print(f"{' '.join(compiler)}: <tickfloor/now.h> for {arch} is as it should be")
