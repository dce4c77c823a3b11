#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""In the linked program, every kernel's loop lies where in its 64-byte line kernels.h says.

placement.py OBJDUMP PROGRAM ARCH KERNELS_H
"""

import re
import sys

from disassembly import disassemble, fail

objdump, program, arch, header = sys.argv[1:]

with open(header) as file:
    rows = re.findall(r'\bX\((\w+), "\w+", (?:CHAIN|LOOP|COST), (\d+),', file.read())
if not rows:
    fail(f"{header}: no kernels found")

symbols = disassemble(objdump, program)
sources = re.findall(rf"^tkf_{arch}_([a-z]+)_burst$", "\n".join(symbols), re.MULTILINE)
if not sources:
    fail(f"{program}: no kernels of {arch} found")

wrong = []
for source in sorted(sources):
    for name, offset in rows:
        symbol = f"tkf_{arch}_{source}_{name}"
        if symbol not in symbols:
            wrong.append(f"{symbol}: not in the program")
            continue
        # The one jump backward closes the loop, so where it goes the loop starts.
        starts = []
        for instruction in symbols[symbol]:
            jump = re.match(r"(?:j[a-z]+|b\.[a-z]+) (?:0x)?([0-9a-f]+)\b", instruction.text)
            if jump and int(jump[1], 16) <= instruction.address:
                starts.append(int(jump[1], 16))
        if len(starts) != 1:
            wrong.append(f"{symbol}: {len(starts)} loops, not one")
        elif starts[0] % 64 != int(offset):
            wrong.append(f"{symbol}: the loop starts at {starts[0] % 64}, not {offset}")
if wrong:
    fail("\n".join(wrong))
print(f"{len(rows)} kernels of {len(sources)} sources lie where they should")
