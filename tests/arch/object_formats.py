#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kernels.S assembles to the same instructions, at the same places, as ELF, COFF and Mach-O.

So the firmware and the command on every system measure the same machine code. What fills the space
before an aligned loop is left out, as each assembler pads its own way; a call or an address that
one format leaves to the linker is compared by name.

object_formats.py CLANG OBJDUMP KERNELS_S [PROGRAM COMPILER...]

The kernels in a linked program and in the object of the compiler that made it are compared as well.
"""

import os
import re
import subprocess
import sys
import tempfile

from disassembly import disassemble, fail, skip

clang, objdump, source, *built = sys.argv[1:]
if not clang or not objdump:
    skip("needs clang and llvm-objdump for other systems' object formats: install clang and llvm")
arch = os.path.basename(os.path.dirname(os.path.abspath(source)))
cpu = {"amd64": "x86_64", "arm64": "aarch64"}[arch]

formats = {
    "ELF": [clang, f"--target={cpu}-unknown-linux-gnu"],
    "COFF": [clang, f"--target={cpu}-unknown-windows"],
    "Mach-O": [clang, f"--target={'arm64' if cpu == 'aarch64' else cpu}-apple-macos"],
}
if built:
    formats["the object of " + os.path.basename(built[1])] = built[1:]


def kernels(path):
    """{name: {offset in the kernel: Instruction}}"""
    symbols = disassemble(objdump, path)
    sources = tuple(name[:-len("burst")] for name in symbols if name.endswith("_burst"))
    return {
        name: {i.address - body[0].address: i for i in body if not i.is_padding}
        for name, body in symbols.items() if name.startswith(sources)
    }


def target(instruction):
    """What a relocated instruction means, whether or not the assembler resolved it."""
    named = re.search(r"<_?(\w+)>$", instruction.text)
    return instruction.mnemonic, instruction.relocation or (named and named[1])


def same(a, b):
    if a.relocation or b.relocation:
        return target(a) == target(b)
    return a.code == b.code


objects = {}
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "kernels.o")
    for name, command in formats.items():
        subprocess.run([*command, "-c", source, "-o", path], check=True)
        objects[name] = kernels(path)
if built:
    objects["the program"] = kernels(built[0])

reference = objects.pop("ELF")
if not reference:
    fail(f"{source}: no kernels found")
wrong = []
for name, found in objects.items():
    if found.keys() != reference.keys():
        wrong.append(f"{name}: not the same kernels: {sorted(found.keys() ^ reference.keys())}")
        continue
    for kernel, body in reference.items():
        for offset in sorted(body.keys() | found[kernel].keys()):
            a, b = body.get(offset), found[kernel].get(offset)
            if not a or not b or not same(a, b):
                wrong.append(f"{kernel}+{offset}: ELF: {a and a.text}, {name}: {b and b.text}")
                break
if wrong:
    fail("\n".join(wrong))
print(f"{arch}: {len(reference)} kernels are the same in ELF, {', '.join(objects)}")
