#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A fleet under Slurm: its daemons run for this test on one node, this machine, with four tasks: slurm.py TICKFLOOR

Their sockets, keys and files are in a folder of the test; a Slurm that is in use here is left alone. They need root.
"""

import json
import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time

TASKS = 4
NEEDED = ("munged", "slurmctld", "slurmd", "srun", "sinfo")

CONFIGURATION = """\
ClusterName=tickfloor-test
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser=root
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def skip(reason):
    print(f"skipped: {reason}", file=sys.stderr)
    sys.exit(77)


def free_ports():
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]


def start(command, environment, folder):
    with open(f"{folder}/{command[0]}.out", "wb") as out:
        return subprocess.Popen(command, env=environment, stdout=out, stderr=out)


def wait_for_node(environment):
    """Until the node is idle; False when it does not become so."""
    for _ in range(60):
        state = subprocess.run(
            ["sinfo", "--noheader", "--format=%T"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        if state.stdout.strip() == b"idle":
            return True
        time.sleep(0.5)
    return False


def run_tasks(command, environment):
    for _ in range(3):  # a busy machine may leave a task no quiet window
        tasks = subprocess.run(
            ["srun", "--ntasks", str(TASKS), "--overcommit", "--label", *command],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=120,
        )
        if tasks.returncode == 0 or b"undisturbed windows" not in tasks.stderr:
            break
    if tasks.returncode != 0:
        sys.stderr.buffer.write(tasks.stderr)
        if b"undisturbed windows" in tasks.stderr:
            skip("the machine is too busy for four tasks")
        sys.exit("the tasks failed")
    return tasks.stdout


def check(tickfloor, text):
    fleet = subprocess.run([*tickfloor, "fleet", "--json"], input=text, stdout=subprocess.PIPE)
    table = json.loads(fleet.stdout)
    summary = table["summary"]
    if fleet.returncode not in (0, 1) or summary["machines"] != TASKS or table["bad"] or summary["strays"]:
        sys.exit(f"exit status {fleet.returncode}: {summary}, {table['bad']}")
    if [machine["name"] for machine in sorted(table["machines"], key=lambda machine: machine["name"])] != list("0123"):
        sys.exit(f"the labels are not the names: {table['machines']}")


def main():
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing:
        skip(f"no {', '.join(missing)} here (Debian: slurmctld, slurmd, slurm-client, munge)")
    if os.geteuid() != 0:
        skip("Slurm's daemons need root")
    emulator = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))  # of a cross build
    tickfloor = [*emulator, os.path.abspath(sys.argv[1])]
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        key = pathlib.Path(folder, "munge.key")
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        for name in ("state", "spool", "home"):
            os.mkdir(f"{folder}/{name}")
        pathlib.Path(folder, "slurm.conf").write_text(
            CONFIGURATION.format(
                host=socket.gethostname().split(".")[0], folder=folder, ports=free_ports(), cpus=os.cpu_count()
            )
        )
        environment = dict(os.environ, SLURM_CONF=f"{folder}/slurm.conf", HOME=f"{folder}/home")
        paths = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
        munged = ["munged", "--force", "--foreground", *(f"--{name}={folder}/munge.{end}" for name, end in paths.items())]
        daemons = []
        try:
            for command in (munged, ["slurmctld", "-D"], ["slurmd", "-D"]):
                daemons.append(start(command, environment, folder))
                time.sleep(0.5)
            if not wait_for_node(environment):
                for log in sorted(pathlib.Path(folder).glob("*.out")):
                    print(f"{log.name}: {log.read_text(errors='replace')[-500:]}", file=sys.stderr)
                skip("Slurm's daemons do not start here")
            check(tickfloor, run_tasks([*tickfloor, "calibrate", "--quick", "--json", "--no-save"], environment))
        finally:
            for daemon in reversed(daemons):
                daemon.terminate()
            for daemon in daemons:
                daemon.wait(30)


main()
