#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long a fleet takes: benchmark.py TICKFLOOR [COUNT]

Makes 10,000 profiles out of one of this machine by changing its numbers a little, and prints the time and the memory that
tabling them takes: one stream, one file each, and a stream with labels whose lines are mixed. For a release build.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time


def varied(value, random_numbers):
    """The value with its numbers changed by some tenths of a percent, bands still in order."""
    if isinstance(value, dict):
        if set(value) == {"lo", "mid", "hi"} and None not in value.values():
            factor = random_numbers.gauss(1, 0.002)
            return {key: float("%.7g" % (number * factor)) for key, number in value.items()}
        return {key: varied(member, random_numbers) for key, member in value.items()}
    if isinstance(value, list):
        return [varied(entry, random_numbers) for entry in value]
    if isinstance(value, float):
        return float("%.7g" % min(value * random_numbers.gauss(1, 0.002), max(value, 1)))
    return value


def mixed(begin, texts, random_numbers):
    """The lines of a few machines, with labels, mixed."""
    machines = [[f"node{begin - i}", iter(text.splitlines())] for i, text in enumerate(texts)]
    while machines:
        machine = random_numbers.choice(machines)
        for _ in range(random_numbers.randrange(1, 100)):
            line = next(machine[1], None)
            if line is None:
                machines.remove(machine)
                break
            yield f"{machine[0]}: {line}\n"


def make(profile, count, folder):
    """Write them into the folder: stream, labelled, N.json. None is kept: a child's memory counts from what we have."""
    random_numbers = random.Random(20261130)
    size, texts = 0, []
    with open(f"{folder}/stream", "w", encoding="utf-8") as stream, open(
        f"{folder}/labelled", "w", encoding="utf-8"
    ) as labelled:
        for i in range(count):
            one = varied(profile, random_numbers)
            one["machine"] = profile["machine"]
            text = json.dumps(one, indent=2) + "\n"
            size += len(text)
            stream.write(text)
            with open(f"{folder}/{i}.json", "w", encoding="utf-8") as out:
                out.write(text)
            texts.append(text)
            if len(texts) == 16 or i == count - 1:
                labelled.writelines(mixed(i, texts, random_numbers))
                texts = []
    print(f"{count} profiles of {size // count} bytes")


def measure(what, command, stdin, profiles):
    begin = time.monotonic()
    process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, text=True)
    head = process.stdout.read().splitlines()[0]
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 1) or not head.startswith(f"{profiles} profiles, 1 model,") or not head.endswith(" 0 not read"):
        sys.exit(f"{what}: exit status {code}, {head}")
    print(
        f"{what:28} {profiles} profiles in {seconds:.2f} s ({usage.ru_utime + usage.ru_stime:.2f} s of CPU time), "
        f"{usage.ru_maxrss / 1024:.0f} MB"
    )


def main():
    tickfloor = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    made = subprocess.run(
        [tickfloor, "calibrate", "--quick", "--json", "--no-save"], check=True, stdout=subprocess.PIPE
    )
    with tempfile.TemporaryDirectory() as folder:
        make(json.loads(made.stdout), count, folder)
        os.chdir(folder)
        for what, name in ("one stream", "stream"), ("one stream, labelled, mixed", "labelled"):
            with open(name, encoding="utf-8") as text:
                measure(what, [tickfloor, "fleet"], text, count)
        measure("one file each", [tickfloor, "fleet", *(f"{i}.json" for i in range(count))], None, count)


main()
