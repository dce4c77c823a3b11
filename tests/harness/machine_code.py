#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What compilers make of tkf_keep(), tkf_opaque(), tkf_clobber() and tkf_loop(): the machine code tells.

machine_code.py SOURCE ARCH OBJDUMP LANGUAGE,... -- COMPILER...: each of the compilers that exists, for each language, at -O0
to -O3, and with -flto. A compiler may be several words.
"""

import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from disassembly import functions, loops

SOURCE, ARCH, OBJDUMP, LANGUAGES = pathlib.Path(sys.argv[1]), *sys.argv[2:5]
COMPILERS = [shlex.split(words) for words in sys.argv[6:]]
LEVELS = (["-O0"], ["-O1"], ["-O2"], ["-O3"], ["-O2", "-flto"], ["-O3", "-flto"])

# What an instruction is called here.
NAMES = {
    "amd64": {
        "and": r"\b(and|test)\w?\b",
        "multiply": r"\bi?mul\w?\b",
        "divide": r"\bdivs[sd]\b|\bfdiv\w*\b",
        "call": r"\b(call|jmp)\b.*<(malloc|free)",
        "first": r"\$0x457\b",  # 1111
        "second": r"\$0x8ae\b",  # 2222
    },
    "arm64": {
        "and": r"\b(ands?|tst|[us]bfx)\b",
        "multiply": r"\b(mul|madd)\b",
        "divide": r"\bfdiv\b|__divtf3",
        "call": r"\bbl?\b.*<(malloc|free)",
        "first": r"#0x457\b",
        "second": r"#0x8ae\b",
    },
}[ARCH]

# Function: what must be there at every level, what must be gone from -O1 on.
KEPT = {
    "keep_multiply": "multiply",
    "keep_double": "divide",
    "keep_float": "divide",
    "keep_long_double": "divide",
    "keep_char": "multiply",
    "keep_bool": "and",
    "keep_pair": "multiply",
    "keep_wide": "multiply",
    "keep_pointee": "multiply",
    "keep_array": "multiply",
    "keep_allocation": "call",
    "opaque_multiply": "multiply",
    "opaque_double": "divide",
    "opaque_pair": "multiply",
    "opaque_each_time": "multiply",
    "clobber_stores": "first",
}
# The same without the macro: were it kept as well, the table above would show nothing.
DROPPED = {
    "drop_multiply": "multiply",
    "drop_allocation": "call",
    "folded_multiply": "multiply",
    "merged_stores": "first",
}
TIGHT = ("loop_empty", "loop_clobber", "loop_keep")


def complaints(code, level):
    optimised = level != ["-O0"]
    for name, what in {**KEPT, **DROPPED}.items():
        if name not in code:
            yield f"{name}: not in the program"
            continue
        body = "\n".join(text for _, text in code[name])
        there = re.search(NAMES[what], body)
        if name in KEPT and not there:
            yield f"{name}: no {what} is left\n{body}"
        if name in DROPPED and there and optimised:
            yield f"{name}: the {what} is still there, so this test shows nothing\n{body}"
    for name in TIGHT:
        lengths = [len(loop) for loop in loops(code.get(name, []))]
        # A decrement and a branch; the constant that tkf_keep() holds may have a register move.
        if optimised and (not lengths or min(lengths) > 2 + (name == "loop_keep")):
            yield f"{name}: loops of {lengths} instructions\n" + "\n".join(
                text for _, text in code.get(name, [])
            )


def check(compiler, language, level, folder):
    program = folder / "program"
    source = SOURCE / "tests/harness/code.c"
    main = SOURCE / "tests/harness/code_main.c"
    include = ["-I", SOURCE / "core/include", "-I", SOURCE / "arch" / ARCH / "include"]
    objects = []
    for path, as_language in ((source, language), (main, "c")):
        objects.append(folder / f"{path.stem}.o")
        command = [*compiler, "-Wall", "-Wextra", "-Werror", *level, *include]
        command += ["-x", as_language, "-c", path, "-o", objects[-1]]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode != 0:
            return [done.stderr]
    linker = ["-fuse-ld=lld"] if "clang" in compiler[0] and "-flto" in level else []
    command = [*compiler, *level, *linker, *objects, "-o", program]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        return [done.stderr]
    return list(complaints(functions(OBJDUMP, program), level))


def main():
    failed, checked = False, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for compiler in COMPILERS:
            if shutil.which(compiler[0]) is None:
                print(f"{compiler[0]} is not installed: not checked", file=sys.stderr)
                continue
            for language in LANGUAGES.split(","):
                for level in LEVELS:
                    if "clang" in compiler[0] and "-flto" in level and not shutil.which("ld.lld"):
                        print("ld.lld is not installed: clang -flto not checked", file=sys.stderr)
                        continue
                    checked += 1
                    for complaint in check(compiler, language, level, folder):
                        failed = True
                        print(f"{shlex.join(compiler)} -x {language} {' '.join(level)}: {complaint}\n")
    if checked == 0:
        print("no compiler of the list is installed: no machine code was checked", file=sys.stderr)
        return 77
    print(f"{checked} combinations of compiler, language and level")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
