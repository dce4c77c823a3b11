#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A fleet under Open MPI: four ranks on this machine, each calibrates, all in one stream: mpirun.py TICKFLOOR"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

RANKS = 4

if not shutil.which("mpirun"):
    print("skipped: no mpirun here (Debian: openmpi-bin)", file=sys.stderr)
    sys.exit(77)
version = subprocess.run(["mpirun", "--version"], stdout=subprocess.PIPE, text=True).stdout
if "Open MPI" not in version:
    print("skipped: this mpirun is not Open MPI's", file=sys.stderr)
    sys.exit(77)

emulator = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))  # of a cross build
tickfloor = [*emulator, os.path.abspath(sys.argv[1])]
calibrate = [*tickfloor, "calibrate", "--quick", "--json", "--no-save", "--host"]
launch = ["mpirun", "--oversubscribe", "--tag-output", "-n", str(RANKS)]
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

with tempfile.TemporaryDirectory() as folder:
    environment.update(HOME=folder, TMPDIR=folder)
    for _ in range(3):  # a busy machine may leave a rank no quiet window
        ranks = subprocess.run([*launch, *calibrate], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if ranks.returncode == 0 or b"undisturbed windows" not in ranks.stderr:
            break
if ranks.returncode != 0:
    sys.stderr.buffer.write(ranks.stderr)
    if b"undisturbed windows" in ranks.stderr or b"ORTE" in ranks.stderr or b"orte" in ranks.stderr:
        print("skipped: mpirun cannot start four ranks here, or the machine is too busy for them", file=sys.stderr)
        sys.exit(77)
    sys.exit("the ranks failed")

fleet = subprocess.run([*tickfloor, "fleet", "--json"], input=ranks.stdout, stdout=subprocess.PIPE)
table = json.loads(fleet.stdout)
if fleet.returncode not in (0, 1) or table["summary"]["machines"] != RANKS or table["bad"] or table["summary"]["strays"]:
    sys.exit(f"exit status {fleet.returncode}: {table['summary']}, {table['bad']}")
if len({machine["name"] for machine in table["machines"]}) != RANKS or len(table["models"]) != 1:
    sys.exit(f"{[machine['name'] for machine in table['machines']]}, {len(table['models'])} models")
