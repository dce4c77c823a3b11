# SPDX-License-Identifier: MIT
"""What the scripts beside this one share: reading GNU and LLVM objdump, skipping loudly."""

import re
import subprocess
import sys
from typing import NamedTuple, Optional


class Instruction(NamedTuple):
    address: int
    code: str  # hexadecimal, as printed
    text: str  # one blank between mnemonic and operands
    relocation: Optional[str]  # the symbol that the linker would fill in

    @property
    def mnemonic(self):
        return self.text.split(" ")[0]

    @property
    def is_padding(self):
        return self.mnemonic.startswith("nop") or self.text in (
            "data16", "cs", "xchg %ax,%ax", "xchgw %ax, %ax",
            "add %al,(%rax)", "addb %al, (%rax)") or " nop" in self.text


SYMBOL = re.compile(r"^([0-9a-f]+) <([^>]+)>:$")
INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\s+((?:[0-9a-f]{2,8} ?)+)\s*\t(.*)$")
RELOCATION = re.compile(r"^\s+([0-9a-f]+):\s+\S+\t(\S+)")


def skip(reason):
    print("skipped: " + reason, file=sys.stderr)
    sys.exit(77)


def fail(reason):
    print(reason, file=sys.stderr)
    sys.exit(1)


def disassemble(objdump, path):
    """{symbol: [Instruction]} of an object or program; names without Mach-O's underscore."""
    output = subprocess.run([objdump, "-d", "-r", path], check=True, stdout=subprocess.PIPE,
                            universal_newlines=True).stdout
    symbols, current = {}, []
    for line in output.splitlines():
        if match := SYMBOL.match(line):
            current = symbols.setdefault(match[2].lstrip("_"), [])
        elif match := INSTRUCTION.match(line):
            text = re.sub(r"\s+", " ", match[3].split(" //")[0]).strip()
            current.append(Instruction(int(match[1], 16), match[2].strip(), text, None))
        elif (match := RELOCATION.match(line)) and current:
            name = re.sub(r"[-+]0x[0-9a-f]+$", "", match[2]).lstrip("_")
            current[-1] = current[-1]._replace(relocation=name)
    return symbols
