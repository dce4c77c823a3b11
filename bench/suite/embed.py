#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The suite's sources as C strings, for --explain: embed.py OUTPUT FILE..."""

import pathlib
import sys

ESCAPES = {"\\": "\\\\", '"': '\\"', "\t": "\\t"}


def literal(line):
    return '    "' + "".join(ESCAPES.get(c, c) for c in line) + '\\n"\n'


def main():
    output, *paths = sys.argv[1:]
    text = "/* SPDX-License-Identifier: MIT */\n"
    text += '#include "suite.h"\n\nconst struct tkf_suite_source tkf_suite_sources[] = {\n'
    for path in map(pathlib.Path, paths):
        lines = path.read_text(encoding="utf-8").splitlines()
        text += f'{{"{path.name}",\n{"".join(map(literal, lines))}}},\n'
    text += "{NULL, NULL},\n};\n"
    pathlib.Path(output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
