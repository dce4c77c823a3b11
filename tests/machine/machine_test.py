#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`tickfloor show --root` of machines that are not here, against golden files.

Usage: machine_test.py TICKFLOOR SCHEMA

TICKFLOOR_UPDATE_GOLDEN=1 writes the golden files anew: read the diff.
"""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

import jsonschema

import machines

GOLDEN = pathlib.Path(__file__).parent / "golden"
CARDS = ("alder-lake", "rk3588", "container")


def run(*words, status=0):
    wrapper = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))
    done = subprocess.run([*wrapper, *words], capture_output=True, text=True, check=False,
                          env=os.environ | {"LC_ALL": "C"})
    if done.returncode != status:
        sys.exit(f"{words}: status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done


def hold(name, text):
    """Whether a text is what the golden file has."""
    path = GOLDEN / name
    if os.environ.get("TICKFLOOR_UPDATE_GOLDEN"):
        path.write_text(text)
    if path.read_text() == text:
        return True
    print(f"{name} differs; now it is\n{text}", file=sys.stderr)
    return False


def shorten(description):
    """Of the checks what was seen: what each costs and mends is the business of another test."""
    description["root"] = "ROOT"
    description["tool"] = "TOOL"
    description["readiness"] = {check["code"]: f"{check['status']}: {check['seen']}"
                                for check in description["readiness"]}
    return description


def main():
    tickfloor, schema = sys.argv[1:]
    validator = jsonschema.Draft202012Validator(json.loads(pathlib.Path(schema).read_text()))
    good = True
    for name in machines.MACHINES:
        with tempfile.TemporaryDirectory(prefix="tickfloor machine.") as folder:
            machines.write(name, folder)
            done = run(tickfloor, "show", "--json", "--root", folder)
            description = json.loads(done.stdout)
            for error in validator.iter_errors(description):
                print(f"{name}: {error.json_path}: {error.message}", file=sys.stderr)
                good = False
            if description["root"] != folder or done.stderr:
                sys.exit(f"{name}: root {description['root']}, stderr {done.stderr}")
            text = json.dumps(shorten(description), indent=1, ensure_ascii=False) + "\n"
            good = hold(f"{name}.json", text) and good
            if name in CARDS:
                card = run(tickfloor, "show", "--root", folder).stdout
                lines = card.replace(folder, "ROOT").splitlines(keepends=True)
                good = hold(f"{name}.txt", "".join(lines[2:] if lines[1].startswith(" ") else lines[1:])) and good

    # This machine, and one that is none.
    for error in validator.iter_errors(json.loads(run(tickfloor, "show", "--machine", "--json").stdout)):
        sys.exit(f"this machine: {error.json_path}: {error.message}")
    with tempfile.TemporaryDirectory() as folder:
        said = run(tickfloor, "show", "--root", folder, status=2).stderr
        if "neither proc nor sys is there; name a folder" not in said:
            sys.exit(f"an empty folder: {said}")
    sys.exit(not good)


main()
