# SPDX-License-Identifier: MIT
"""Functions and their loops, as objdump shows them."""

import re
import subprocess

BRANCH = re.compile(r"^(j\w+|b\.\w+|cbn?z|tbn?z|b)\b")


def functions(objdump, program):
    """Name to [(address, instruction)], of all functions that have a symbol."""
    text = subprocess.run(
        [objdump, "-d", "--no-show-raw-insn", program], check=True, capture_output=True, text=True
    ).stdout
    return {
        match[1]: [
            (int(address, 16), instruction)
            for address, instruction in re.findall(r"^ +([0-9a-f]+):\t(.*)$", match[2], re.M)
        ]
        for match in re.finditer(r"<([\w.]+)>:\n((?:.+\n?)+)", text)
    }


def loops(code):
    """The instructions of each loop: from the target of a jump back to the jump."""
    index = {address: i for i, (address, _) in enumerate(code)}
    found = []
    for i, (_, text) in enumerate(code):
        if BRANCH.match(text):
            for word in re.findall(r"\b(?:0x)?([0-9a-f]+)\b", text):
                start = index.get(int(word, 16), i + 1)
                if start <= i:
                    found.append([instruction for _, instruction in code[start : i + 1]])
    return found
