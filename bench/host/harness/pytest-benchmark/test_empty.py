# SPDX-License-Identifier: MIT
"""pytest-benchmark's empty call."""


def test_empty(benchmark):
    benchmark(lambda: None)
