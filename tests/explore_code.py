#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What compilers make of the work that an exploration times: the machine code tells.

explore_code.py SOURCE ARCH OBJDUMP -- COMPILER...: each of the compilers that exists, optimised. A compiler may be several words.
"""

import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent / "harness"))
from disassembly import functions, loops  # noqa: E402

SOURCE, ARCH, OBJDUMP = pathlib.Path(sys.argv[1]), *sys.argv[2:4]
COMPILERS = [shlex.split(words) for words in sys.argv[5:]]

UNROLL = 16

# Function: {what: (pattern, at least, at most)} in its longest loop; a limit of 0 is: none.
WORK = {
    "amd64": {
        "tkf_work_divide": {"division": (r"^divq?\s+%r([a-z]\w|\d+)$", UNROLL, UNROLL)},
        "tkf_work_chase": {
            "load through itself": (r"^movq?\s+\((%r\w+)\),\1$", UNROLL, UNROLL),
            "store": (r"^mov\w*\s+.*,.*\)$", 0, 0),
        },
        "tkf_work_forward": {
            "store": (r"^movq?\s+%r\w+,\(%r\w+\)$", UNROLL, UNROLL),
            "load": (r"^movq?\s+\(%r\w+\),%r\w+$", UNROLL, UNROLL),
        },
        "tkf_work_branch": {
            "test": (r"^testq?\s", UNROLL, UNROLL + 1),
            "branch": (r"^j(?!mp)", UNROLL + 1, UNROLL + 1),
        },
        "tkf_work_random_branch": {
            "branch": (r"^j(n?e|ne|z|nz)\b", UNROLL + 1, UNROLL + 1),
            "move instead of a branch": (r"^(cmov|set|adc|sbb)", 0, 0),
        },
        "tkf_work_atomic": {"atomic addition": (r"^lock (add|inc|xadd)q?\s", UNROLL, UNROLL)},
    },
    "arm64": {
        "tkf_work_divide": {"division": (r"^udiv\s", UNROLL, UNROLL)},
        "tkf_work_chase": {
            "load through itself": (r"^ldr\s+(x\d+), \[\1\]$", UNROLL, UNROLL),
            "store": (r"^st[rp]", 0, 0),
        },
        "tkf_work_forward": {
            "store": (r"^str\s+x\d+, \[x\d+\]$", UNROLL, UNROLL),
            "load": (r"^ldr\s+x\d+, \[x\d+\]$", UNROLL, UNROLL),
        },
        "tkf_work_branch": {"branch": (r"^(cbn?z|tbn?z|b\.)", UNROLL + 1, UNROLL + 1)},
        "tkf_work_random_branch": {
            "branch": (r"^(b\.\w+|cbn?z|tbn?z)\s", UNROLL + 1, UNROLL + 1),
            "move instead of a branch": (r"^(csel|cset|cinc|csinc)", 0, 0),
        },
        "tkf_work_atomic": {"atomic addition": (r"^(ldadd|bl\s.*ldadd|ldaxr)", UNROLL, UNROLL)},
    },
}

# How a whole register goes from memory and back; of a pair, two do.
STREAMS = {
    "amd64": {
        "sse2": (r"^mov\w+\s+(-?0x\w+)?\(%r\w+.*\),%xmm\d", r"^mov\w+\s+%xmm\d+,(-?0x\w+)?\(%r"),
        "avx": (r"^vmov\w+\s+(-?0x\w+)?\(%r\w+.*\),%ymm\d", r"^vmov\w+\s+%ymm\d+,(-?0x\w+)?\(%r"),
        "avx512": (r"^vmov\w+\s+(-?0x\w+)?\(%r\w+.*\),%zmm\d", r"^vmov\w+\s+%zmm\d+,(-?0x\w+)?\(%r"),
    },
    "arm64": {"simd": (r"^ldu?[rp]\s+q\d", r"^stu?[rp]\s+q\d")},
}


def longest(code):
    found = loops(code)
    return max(found, key=len) if found else []


def registers(code, pattern):
    return sum(
        2 if re.match(r"(ldp|stp)\s", text) else 1 for text in code if re.search(pattern, text)
    )


def complaints(work, stream):
    for name, wanted in WORK[ARCH].items():
        loop = longest(work.get(name, []))
        for what, (pattern, least, most) in wanted.items():
            # clang divides in 32 bits where both are small, on a path of its own: its loop has no one end.
            where = [text for _, text in work.get(name, [])] if what == "division" else loop
            count = sum(1 for text in where if re.search(pattern, text))
            if not least <= count <= most:
                yield f"{name}: {count} times a {what}, not {least} to {most}\n" + "\n".join(where)
    for name, (load, store) in STREAMS[ARCH].items():
        for way, loads, stores in (("read", 16, 0), ("write", 0, 16), ("copy", 16, 16)):
            loop = min(
                (loop for loop in loops(stream.get(f"{way}_{name}", [])) if len(loop) >= 16 / 2),
                key=len,
                default=[],
            )
            counts = registers(loop, load), registers(loop, store)
            if counts != (loads, stores):
                yield f"{way}_{name}: {counts} registers loaded and stored, not {loads, stores}\n" + "\n".join(loop)


def compiled(compiler, level, path, folder):
    target = folder / (path.stem + ".o")
    include = ["-I", SOURCE / "arch", "-I", SOURCE / "arch" / ARCH]
    command = [*compiler, "-std=gnu11", "-Wall", "-Wextra", "-Werror", level, *include]
    command += ["-fno-inline", "-c", path, "-o", target]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return functions(OBJDUMP, target)


def main():
    failed, checked = False, 0
    with tempfile.TemporaryDirectory() as name:
        for compiler in COMPILERS:
            if shutil.which(compiler[0]) is None:
                print(f"{compiler[0]} is not installed: not checked", file=sys.stderr)
                continue
            for level in ("-O2", "-O3"):
                checked += 1
                folder = pathlib.Path(name)
                work = compiled(compiler, level, SOURCE / "bench/host/explore/work.c", folder)
                stream = compiled(compiler, level, SOURCE / "arch" / ARCH / "stream.c", folder)
                for complaint in complaints(work, stream):
                    failed = True
                    print(f"{shlex.join(compiler)} {level}: {complaint}\n")
    if checked == 0:
        print("no compiler of the list is installed: no machine code was checked", file=sys.stderr)
        return 77
    print(f"{checked} combinations of compiler and level")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
