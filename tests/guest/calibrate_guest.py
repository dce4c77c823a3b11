#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calibrate inside the guest, where hardware events are exact, and hold the profile against them.

Usage: calibrate_guest.py GUEST_ARM64 CACHE TICKFLOOR [--kinds]

QEMU counts one cycle for each instruction there, so what is known is how many instructions each body has. The cycles that
the counter's windows give must agree with those that the events give: a loop's cycles, times what a link of the chain costs
by the events, are its events.

With --kinds the guest's two CPUs are of two kinds: each has its entry, and counts its own events.
"""
import json
import subprocess
import sys

INSTRUCTIONS = {"fused": 2, "compare": 3, "register": 2}
CHAIN = (64 + 2) / 64  # links, and the loop around them


def near(value, wanted, relative, what):
    if value is None or abs(value / wanted - 1) > relative:
        sys.exit(f"{what} is {value}, not {wanted} within {relative:.2%}")


def check_cpu(cpu):
    if not cpu["pmu"]["available"]:
        sys.exit(f"CPU {cpu['cpu']}: no hardware events: {cpu['pmu']['reason']}")
    chains = {chain["name"]: chain for chain in cpu["chains"]}
    near(chains["xor"]["event_cycles"], CHAIN, 1e-3, "a link of the XOR chain, by events,")
    near(chains["add"]["event_cycles"], CHAIN, 1e-3, "a link of the ADD chain, by events,")
    for loop in cpu["loops"]:
        wanted = INSTRUCTIONS[loop["shape"]]
        near(loop["event_instructions"], wanted, 1e-3, f"instructions of {loop['name']}")
        near(loop["event_cycles"], wanted, 1e-3, f"cycles of {loop['name']}, by events,")
        near(loop["cycles"]["mid"] * chains["xor"]["event_cycles"], loop["event_cycles"], 2e-3,
             f"cycles of {loop['name']}, by the counter and the chain,")
    print(f"CPU {cpu['cpu']}: {len(cpu['loops'])} loops agree with the events, read by {cpu['pmu']['how']}")


def main():
    guest, cache, tickfloor, *kinds = sys.argv[1:]
    run = subprocess.run(
        [guest, "--cache", cache, *kinds, tickfloor, "calibrate", "--json", "--no-save"],
        stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"the guest ended with {run.returncode}:\n{run.stdout}")
    profile = json.loads(run.stdout[run.stdout.index("{"):run.stdout.rindex("}") + 1])

    if not profile["machine"]["emulated"]:
        sys.exit("the guest is not called emulated")
    found = {cpu["kind"]: cpu["cpu"] for cpu in profile["cpus"]}
    if kinds and (found != {"capacity 1024": 0, "capacity 512": 1} or profile["machine"]["kinds"] != 2):
        sys.exit(f"the kinds are {found}, {profile['machine']['kinds']} of them")
    if not kinds and list(found) != [None]:
        sys.exit(f"the guest of one kind has {found}")
    for cpu in profile["cpus"]:
        check_cpu(cpu)


main()
