#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fuzz every target for its share of the time, from the samples of its format.

usage: fuzz.py FUZZER [TARGET...]

TICKFLOOR_FUZZ_SECONDS is for all targets together; 60 when it is not set. What reached new code is
kept beside the fuzzer for the next run, in fuzz-corpus/TARGET. An input that crashes, leaks, takes
more than 5 s or more than 2 GiB is kept in fuzz-findings/ and ends the run of its target.
Exit status: 1 when there was any.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
SAMPLES = TESTS.parent.parent / "shared" / "samples"
INPUT_SECONDS = 5
INPUT_MIB = 2048
LENGTH_MAX = 32768  # larger inputs take the time of many small ones and reach no other code
START_SECONDS = 300  # for running the seeds on a busy machine
TELLING = ("ERROR", "SUMMARY", "runtime error", "broken:", "Test unit written to")


def seeds(target):
    """The folders of inputs to begin with."""
    folders = {"any": [TESTS / "formats"], "profile": [TESTS / "profiles"]}.get(
        target, [TESTS / "formats" / target, SAMPLES / target]
    )
    folders.append(TESTS / "fuzz" / "regressions" / target)
    return [folder for folder in folders if folder.is_dir()]


def fuzz(fuzzer, target, seconds):
    """What went wrong, for people; empty when nothing did."""
    corpus = fuzzer.parent / "fuzz-corpus" / target
    findings = fuzzer.parent / "fuzz-findings"
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(exist_ok=True)
    command = [
        fuzzer,
        f"-max_total_time={seconds}",
        f"-timeout={INPUT_SECONDS}",
        f"-rss_limit_mb={INPUT_MIB}",
        f"-max_len={LENGTH_MAX}",
        f"-artifact_prefix={findings}/{target}-",
        corpus,
        *seeds(target),
    ]
    environment = {**os.environ, "TICKFLOOR_FUZZ": target}
    try:
        run = subprocess.run(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds + START_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{target}: still running {START_SECONDS} s after its time"
    if run.returncode == 0:
        return ""
    said = run.stdout.decode(errors="replace").splitlines()
    why = [line for line in said if any(sign in line for sign in TELLING)] or said[-5:]
    again = f"again: TICKFLOOR_FUZZ={target} {fuzzer} FILE"
    return "\n  ".join([f"{target}: failed", *why, again])


def main():
    fuzzer = pathlib.Path(sys.argv[1]).resolve()
    targets = sys.argv[2:]
    if not targets:
        run = subprocess.run([fuzzer, "--targets"], stdout=subprocess.PIPE, check=True)
        targets = run.stdout.decode().split()
    seconds = float(os.environ.get("TICKFLOOR_FUZZ_SECONDS", "60"))
    workers = min(os.cpu_count() or 1, len(targets))
    share = max(1, round(seconds * workers / len(targets)))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        said = pool.map(lambda target: fuzz(fuzzer, target, share), targets)
        problems = [problem for problem in said if problem]
    for problem in problems:
        print(problem)
    print(f"{len(targets)} targets, {share} s each, {len(problems)} failed")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
