#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""In the linked program, every kernel's loop is what its row in kernels.h says.

It lies at that offset in its 64-byte line, and has as many links or instructions as the row says.

placement.py OBJDUMP PROGRAM ARCH KERNELS_H
"""

import re
import sys

from disassembly import disassemble, fail, skip

objdump, program, arch, header = sys.argv[1:]
if not objdump:
    skip("needs llvm-objdump or objdump")

with open(header) as file:
    rows = re.findall(r'\bX\((\w+), "\w+", (\w+), (\d+), (\d+), "(.*)"\)', file.read())
if not rows:
    fail(f"{header}: no kernels found")

symbols = disassemble(objdump, program)
sources = re.findall(rf"^tkf_{arch}_([a-z]+)_burst$", "\n".join(symbols), re.MULTILINE)
if not sources:
    fail(f"{program}: no kernels of {arch} found")


def check(symbol, role, offset, ops, text):
    if symbol not in symbols:
        return "not in the program"
    # The one jump backward closes the loop, so where it goes the loop starts.
    loops = []
    for instruction in symbols[symbol]:
        jump = re.match(r"(?:j[a-z]+|b\.[a-z]+) (?:0x)?([0-9a-f]+)\b", instruction.text)
        if jump and int(jump[1], 16) <= instruction.address:
            loops.append((int(jump[1], 16), instruction.address))
    if len(loops) != 1:
        return f"{len(loops)} loops, not one"
    start, end = loops[0]
    if start % 64 != int(offset):
        return f"the loop starts at {start % 64}, not {offset}"
    length = sum(start <= instruction.address <= end for instruction in symbols[symbol])
    if role == "CHAIN" and length != int(ops) + 2:  # and a decrement and the jump
        return f"{length - 2} links, not {ops}"
    if role == "LOOP" and length != len(text.split(";")):
        return f"{length} instructions, not {text}"
    return None


wrong = []
for source in sorted(sources):
    for name, *row in rows:
        symbol = f"tkf_{arch}_{source}_{name}"
        if reason := check(symbol, *row):
            wrong.append(f"{symbol}: {reason}")
if wrong:
    fail("\n".join(wrong))
print(f"{len(rows)} kernels of {len(sources)} sources are as their rows say")
