#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The firmware image measures with the same machine code as the command, at the same places in a line.

kernels.py OBJDUMP ARCH IMAGE PROGRAM
kernels.py OBJDUMP ARCH IMAGE --assemble CLANG KERNELS_S

PROGRAM is a linked program of this build; where the build is for another CPU than the image, the ELF object of the kernels
stands in. Beside IMAGE lies IMAGE.map. Every instruction of every kernel is looked up in the image itself: its bytes must be
there, at the same offset from a multiple of 64. A call whose distance the linker filled in must lead to the function of the
same name. What fills the space before an aligned loop is left out, as each assembler pads its own way.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../arch"))
from disassembly import disassemble, fail, skip  # noqa: E402

LINE = 64


class Image:
    """A PE image: its bytes by relative virtual address, its symbols by name."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        pe = struct.unpack_from("<I", self.data, 0x3C)[0]
        nsections, optional = struct.unpack_from("<2xH12xH", self.data, pe + 4)
        self.alignment = struct.unpack_from("<I", self.data, pe + 24 + 32)[0]
        base = struct.unpack_from("<Q", self.data, pe + 24 + 24)[0]
        self.sections = [struct.unpack_from("<8x4I", self.data, pe + 24 + optional + 40 * i)
                         for i in range(nsections)]
        self.symbols = {}
        with open(path + ".map", encoding="utf-8") as file:
            for match in re.finditer(r"^ \d{4}:[0-9a-f]{8}\s+(\w+)\s+([0-9a-f]{16})\s", file.read(),
                                     re.MULTILINE):
                self.symbols[match[1]] = int(match[2], 16) - base

    def bytes(self, address, size):
        for virtual_size, start, raw_size, raw in self.sections:
            if start <= address and address + size <= start + min(virtual_size, raw_size):
                return self.data[raw + address - start:raw + address - start + size]
        return b""


def code_bytes(arch, code):
    """What objdump printed; some print arm64's instructions as words."""
    found = bytes.fromhex(code.replace(" ", ""))
    return found[::-1] if arch == "arm64" and " " not in code else found


def call_target(arch, address, code):
    """Where a call leads; None when it is none."""
    if arch == "amd64" and len(code) == 5 and code[0] == 0xE8:
        return address + 5 + struct.unpack("<i", code[1:])[0]
    if arch == "arm64":
        word = struct.unpack("<I", code)[0]
        if word >> 26 == 0b100101:
            distance = word & 0x3FFFFFF
            return address + 4 * (distance - (distance >> 25 << 26))
    return None


def compare(arch, image, name, body):
    """None, or how one kernel differs."""
    if name not in image.symbols:
        return "not in the image"
    start = image.symbols[name]
    if start % LINE != body[0].address % LINE:
        return f"begins at byte {start % LINE} of its line, not {body[0].address % LINE}"
    for instruction in body:
        if instruction.is_padding:
            continue
        address = start + instruction.address - body[0].address
        wanted = code_bytes(arch, instruction.code)
        found = image.bytes(address, len(wanted))
        named = re.search(r"<(\w+)>$", instruction.text)
        callee = instruction.relocation or (named and named[1])
        target = call_target(arch, address, found)
        if callee in image.symbols and target is not None:
            if target != image.symbols[callee]:
                return f"+{address - start}: does not call {callee}"
        elif found != wanted:
            return f"+{address - start}: {found.hex()}, not {wanted.hex()} ({instruction.text})"
    return None


def main():
    objdump, arch, path, *program = sys.argv[1:]
    if not objdump:
        skip("needs llvm-objdump: install llvm")
    image = Image(path)
    if image.alignment % LINE:
        fail(f"{path}: its sections are aligned to {image.alignment} only")
    if program[0] == "--assemble":
        _, clang, source = program
        cpu = {"amd64": "x86_64", "arm64": "aarch64"}[arch]
        with tempfile.TemporaryDirectory() as folder:
            made = os.path.join(folder, "kernels.o")
            subprocess.run([clang, f"--target={cpu}-unknown-linux-gnu", "-c", source, "-o", made], check=True)
            symbols = disassemble(objdump, made)
        what = "the ELF object"
    else:
        symbols = disassemble(objdump, program[0])
        what = os.path.basename(program[0])
    kernels = {name: body for name, body in symbols.items()
               if re.match(rf"tkf_{arch}_(rdtscp?|cntvct(ss)?|clock)_", name)}
    if not kernels:
        fail(f"{what}: no kernels of {arch} found")
    wrong = {name: reason for name, body in kernels.items() if (reason := compare(arch, image, name, body))}
    if wrong:
        fail("\n".join(f"{name}: {reason}" for name, reason in wrong.items()))
    print(f"{arch}: {len(kernels)} kernels of {what} are the same in the image")


main()
