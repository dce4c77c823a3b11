#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prometheus takes what is written for it: promtool.py TEST_FLEET

promtool parses with the library by which the node exporter reads its text files.
"""

import os
import shlex
import shutil
import subprocess
import sys

if not shutil.which("promtool"):
    print("skipped: no promtool here (Debian: prometheus)", file=sys.stderr)
    sys.exit(77)
emulator = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))  # of a cross build
metrics = subprocess.run([*emulator, sys.argv[1], "rewrite", "metrics"], check=True, stdout=subprocess.PIPE).stdout
check = subprocess.run(["promtool", "check", "metrics"], input=metrics, stderr=subprocess.PIPE)
# What it would name in another way is on stderr, and a failure here.
sys.stderr.buffer.write(check.stderr)
sys.exit(check.returncode != 0 or bool(check.stderr.strip()))
