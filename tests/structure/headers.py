#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each public header compiles alone.

headers.py ROOT ARCH LANGUAGE STANDARD HEADER... -- COMPILER...
"""

import pathlib
import subprocess
import sys
import tempfile

FLAGS = ["-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]


def main():
    split = sys.argv.index("--")
    root, arch, language, standard, *headers = sys.argv[1:split]
    root = pathlib.Path(root)
    command = sys.argv[split + 1 :] + ["-x", language, standard, *FLAGS]
    for folder in ("core/include", "arch/include", f"arch/{arch}/include"):
        command += ["-I", str(root / folder)]

    def compiles(header):
        # Twice: the second time its guard has to hold.
        source = f'#include "{pathlib.Path(header).resolve()}"\n' * 2
        return subprocess.run(command + ["-"], input=source, text=True, capture_output=True)

    with tempfile.TemporaryDirectory() as directory:
        for name, text in (
            ("undeclared.h", "size_t size;\n"),
            ("unguarded.h", "struct twice { int x; };\n"),
        ):
            bad = pathlib.Path(directory, name)
            bad.write_text(text)
            if compiles(bad).returncode == 0:
                sys.exit(
                    f"{command[0]} accepts {text.strip()} from {name}: this test could not fail"
                )

    failed = False
    for header in headers:
        done = compiles(header)
        if done.returncode != 0:
            failed = True
            print(f"{header} does not compile alone as {standard}:\n{done.stderr}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
