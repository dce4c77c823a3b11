#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual has the options that the command has: man_options.py COMMAND PAGE..."""

import os
import pathlib
import re
import shlex
import subprocess
import sys


def options_of_help(command, verb):
    emulator = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))  # of a cross build
    help_command = [*emulator, command, verb, "--help"]
    text = subprocess.run(help_command, check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"--(?:\[no-\])?([a-z][a-z-]*)", text))


def options_of_page(page):
    return set(re.findall(r"\bFl Fl (?:\[no-\])?([a-z][a-z-]*)", page.read_text()))


def main():
    command, pages = sys.argv[1], [pathlib.Path(page) for page in sys.argv[2:]]
    failed = False
    for page in pages:
        _, _, verb = page.stem.partition("-")
        if not verb:
            continue
        help_options, page_options = options_of_help(command, verb), options_of_page(page)
        if not help_options:
            sys.exit(f"{command} {verb} --help names no option")
        for option in sorted(help_options ^ page_options):
            failed = True
            where = f"only in {page.name}" if option in page_options else f"not in {page.name}"
            print(f"tickfloor {verb}: --{option} is {where}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
