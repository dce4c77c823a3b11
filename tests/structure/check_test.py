#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py finds what it is there to find: each case plants one fault in a small sound tree."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import check

SPDX = "/* SPDX-License-Identifier: MIT */\n"
SOUND = {
    "meson.build": "# SPDX-License-Identifier: MIT\n",
    "arch/arch.h": SPDX + '#include <stdint.h>\n#include "kernels.h"\n',
    "arch/one/kernels.h": SPDX + "#ifdef __x86_64__\n#endif\n",
    "arch/two/kernels.h": SPDX,
    "core/include/tickfloor/now.h": SPDX + "#include <stdint.h>\n",
    "core/include/tickfloor/profile.h": SPDX + "#include <stdio.h>\n#include <tickfloor/now.h>\n",
    "core/measure/floor.c": SPDX
    + '#include <float.h>\n#include <tickfloor/now.h>\n#include "arch.h"\n',
    "core/judge/judge.c": SPDX + "#include <stdlib.h>\n#include <tickfloor/profile.h>\n",
    "bench/host/host.h": SPDX + "/* not\n#ifdef __linux__\n*/\n#include <tickfloor/profile.h>\n",
    "bench/host/linux/facts.c": SPDX + '#ifdef __linux__\n#include "host.h"\n#endif\n',
    "bench/cli/cli.h": SPDX + '#include "host.h"\n',
    "tests/cli_test.c": SPDX + '#include "cli.h"\n',
}


class CheckTest(unittest.TestCase):
    def run_check(self, changes):
        with tempfile.TemporaryDirectory() as root:
            for name, text in {**SOUND, **changes}.items():
                path = pathlib.Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run(
                [sys.executable, check.__file__, root], capture_output=True, text=True
            )
        return done.returncode, done.stderr.splitlines()

    def expect(self, changes, *complaints):
        """Exactly these complaints, each given by its beginning."""
        status, lines = self.run_check(changes)
        self.assertEqual(len(lines), len(complaints), lines)
        for line, beginning in zip(lines, complaints):
            self.assertTrue(line.startswith(beginning), line)
        self.assertEqual(status, 1 if complaints else 0)

    def test_sound_tree_passes(self):
        self.expect({})

    def test_include_against_the_arrow(self):
        core = "core/judge/judge.c"
        self.expect({core: SPDX + '#include "host.h"\n'}, f"{core}:2: includes bench/host/host.h")
        self.expect(
            {core: SPDX + '#include "../../bench/host/host.h"\n'},
            f"{core}:2: includes bench/host/host.h",
        )
        self.expect({core: SPDX + "# include <host.h>\n"}, f"{core}:2: includes bench/host/host.h")
        self.expect(
            {"arch/arch.h": SPDX + "#include <tickfloor/now.h>\n"},
            "arch/arch.h:2: includes core/include",
        )
        self.expect(
            {"bench/host/host.h": SPDX + '#include "cli.h"\n'},
            "bench/host/host.h:2: includes bench/cli/cli.h",
        )
        self.expect(
            {"bench/cli/cli.h": SPDX + '#include "t.h"\n', "tests/t.h": SPDX},
            "bench/cli/cli.h:2: includes tests/t.h",
        )

    def test_public_header_needs_a_private_one(self):
        header = "core/include/tickfloor/now.h"
        changes = {header: SPDX + '#include "inner.h"\n', "core/measure/inner.h": SPDX}
        self.expect(changes, f"{header}:2: includes core/measure/inner.h")

    def test_include_that_cannot_be_followed(self):
        self.expect(
            {"bench/cli/cli.h": SPDX + "#include HEADER\n"},
            "bench/cli/cli.h:2: an #include that is not",
        )

    def test_file_without_layer(self):
        self.expect({"core/stray.c": SPDX}, "core/stray.c: belongs to no layer")

    def test_cpu_macro(self):
        for line in (
            "#ifdef __x86_64__",
            "#if defined(__aarch64__)",
            "#if A && \\\n defined(__arm__)",
        ):
            self.expect(
                {"core/judge/judge.c": SPDX + line + "\n#endif\n"},
                "core/judge/judge.c:2: CPU macro",
            )
        self.expect(
            {"bench/host/linux/facts.c": SPDX + "#if __x86_64__\n#endif\n"},
            "bench/host/linux/facts.c:2: CPU macro",
        )

    def test_os_macro(self):
        for macro in ("__linux__", "__APPLE__", "_WIN32"):
            text = SPDX + f"#if defined({macro})\n#endif\n"
            self.expect({"bench/host/host.h": text}, f"bench/host/host.h:2: OS macro {macro}")
            self.expect({"arch/arch.h": text}, f"arch/arch.h:2: OS macro {macro}")

    def test_macro_name_in_a_string(self):
        self.expect({"bench/host/host.h": SPDX + '#define OS "linux"\n'})

    def test_hosted_header_in_measure(self):
        floor = "core/measure/floor.c"
        self.expect(
            {floor: SPDX + "#include <stdlib.h>\n"}, f"{floor}:2: <stdlib.h> is not freestanding"
        )
        # Also by way of a public header.
        self.expect(
            {floor: SPDX + "#include <tickfloor/profile.h>\n"},
            "core/include/tickfloor/profile.h:2: <stdio.h>",
        )

    def test_arch_folders_differ(self):
        self.expect({"arch/two/extra.c": SPDX}, "arch/one: has no extra.c")

    def test_arch_folders_alike(self):
        self.expect({"arch/one/kernels.S": SPDX, "arch/two/kernels.c": SPDX})

    def test_licence(self):
        self.expect({"core/judge/judge.c": "int x;\n"}, "core/judge/judge.c:1: no SPDX")
        self.expect({"core/meson.build": "x = 1\n"}, "core/meson.build:1: no SPDX")
        self.expect({"scripts/run": "#!/bin/sh\necho\n"}, "scripts/run:1: no SPDX")

    def test_dead_link(self):
        self.expect(
            {"README.md": "a\n[b](arch/arch.h), [c](doc/gone.md)\n"},
            "README.md:2: links to doc/gone.md",
        )
        self.expect({"doc/a.md": "[b](../arch/arch.h) [c](https://example.org) [d](#part)\n"})

    def test_empty_tree_is_no_success(self):
        with tempfile.TemporaryDirectory() as root:
            done = subprocess.run([sys.executable, check.__file__, root], capture_output=True)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
