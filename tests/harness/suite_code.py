#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The built-in benchmarks are what they say: the dead are dead, the honest are not. By machine code.

suite_code.py TICKFLOOR ARCH OBJDUMP
"""

import re
import sys

from disassembly import functions, loops

# Between the loop's decrement and its branch there is nothing, and nothing is called but the harness.
DEAD = (
    "DeadAlloc_discarded",
    "FoldPopcount_literal",
    "Hoist_call",
    "HoistSum_8",
    "HoistSum_64",
    "HoistSum_512",
    "HoistSum_4096",
)

# What a function calls, somewhere in it or in the helpers named after it.
CALLS = {
    "DeadAlloc_noinline": (["make_buffer_apart"], ["malloc", "free"]),
    "DeadAlloc_sink": ([], ["malloc", "free"]),
    "DeadAlloc_kept": ([], ["fill_buffer"]),
    "Timer_bracketed": ([], ["tkf_bench_stop", "tkf_bench_start", "fixture", "operation"]),
    "Timer_pair": ([], ["tkf_bench_stop", "tkf_bench_start"]),
    "Op_lock": ([], ["pthread_mutex_lock", "pthread_mutex_unlock"]),
    "Op_clock": ([], ["clock_gettime"]),
    "Op_syscall": ([], ["getppid"]),
}

# An instruction, how often it is in the longest loop; amd64 only, where the names are these.
IN_LOOP = {
    "FoldPopcount_opaque": (r"^and\b", 1),
    "Hoist_opaque": (r"^imul\b", 8),
    "Op_add": (r"^add +%r\w+,%r\w+", 16),
    "Op_mul": (r"^imul\b", 16),
    "Op_load": (r"^mov +\(%r\w+\),%r\w+", 16),
    "Op_atomic_load": (r"^mov +\(%r\w+\),%r\w+", 16),
    "SinkPlace_inside": (r"<sink>", 1),
    "SinkPlace_after": (r"<sink>", 0),
}


def body(code, name):
    for symbol, instructions in code.items():
        if symbol == name or symbol.startswith(name + "."):  # name.constprop.0
            return instructions
    return []


def complaints(code, arch):
    for name in DEAD:
        own = body(code, "tkf_body_" + name)
        lengths = [len(loop) for loop in loops(own)]
        text = "\n".join(instruction for _, instruction in own)
        called = set(re.findall(r"\b(?:call|bl) .*<([\w.]+)", text)) - {"tkf_bench_next"}
        if not lengths or min(lengths) != 2 or called:
            yield f"{name} is not dead: loops of {lengths}, calls {sorted(called)}\n{text}"
    for name, (helpers, wanted) in CALLS.items():
        parts = [body(code, "tkf_body_" + name), *(body(code, helper) for helper in helpers)]
        text = "\n".join(instruction for part in parts for _, instruction in part)
        for called in wanted:
            if f"<{called}" not in text:
                yield f"{name} does not call {called}\n{text}"
    for name, (instruction, times) in IN_LOOP.items() if arch == "amd64" else ():
        # Of a loop that begins with a separate first test there are two; the body is in the longest.
        longest = max(loops(body(code, "tkf_body_" + name)), key=len, default=[])
        count = sum(bool(re.search(instruction, text)) for text in longest)
        if not longest or (count < times if times else count):
            yield f"{name}: {count} of {instruction} in its loop\n" + "\n".join(longest)


def main():
    program, arch, objdump = sys.argv[1:]
    found = list(complaints(functions(objdump, program), arch))
    for complaint in found:
        print(complaint + "\n", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
