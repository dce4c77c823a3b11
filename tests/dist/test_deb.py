#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Debian packages that scripts/dist makes: lintian finds nothing, and in a fresh Debian they install and work.

test_deb.py SOURCE
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
PACKAGES = {"tickfloor", "libtickfloor0", "libtickfloor-dev"}


def skip(reason):
    print("skipped: " + reason, file=sys.stderr)
    sys.exit(77)


def run(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class DebTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tickfloor-deb-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.made = cls.make("made")

    @classmethod
    def make(cls, name):
        run([SOURCE / "scripts/dist", "--deb", "--output", cls.folder / name])
        return {path.name: path.read_bytes() for path in (cls.folder / name).iterdir()}

    def debs(self):
        return sorted((self.folder / "made").glob("*.deb"))

    def test_packages(self):
        self.assertEqual({path.name.split("_")[0] for path in self.debs()}, PACKAGES)

    def test_lintian(self):
        output = run(["lintian", "--fail-on", "error,warning", "--info",
                      *(["--allow-root"] if os.getuid() == 0 else []),
                      *self.debs(), *(self.folder / "made").glob("*.dsc")])
        self.assertEqual(output, "")

    def test_same_bytes(self):
        again = self.make("again")
        self.assertEqual(set(again), set(self.made))
        for name, content in self.made.items():
            self.assertTrue(again[name] == content, f"{name} differs")

    def test_installs_and_works(self):
        # mmdebstrap mounts what is needed, and unmounts it. Its output is thrown away.
        names = [path.name for path in self.debs()]
        hooks = [f"copy-in {path} /var/tmp" for path in self.debs()]
        hooks += [
            f"copy-in {SOURCE / 'debian/tests/smoke'} /var/tmp",
            'chroot "$1" apt-get -qq install --yes --no-install-recommends '
            + " ".join("/var/tmp/" + name for name in names),
            'chroot "$1" /var/tmp/smoke',
            'chroot "$1" apt-get -qq purge --yes ' + " ".join(sorted(PACKAGES)),
            'test ! -e "$1/usr/share/tickfloor"',
        ]
        run(["mmdebstrap", "--quiet", "--variant=apt", "--format=null",
             "--include=gcc,libc6-dev,pkg-config",
             *("--customize-hook=" + hook for hook in hooks), "bookworm", "/dev/null"])


if __name__ == "__main__":
    for program in ("dpkg-buildpackage", "dh", "lintian", "mmdebstrap"):
        if not shutil.which(program):
            skip(f"needs {program}: install dpkg-dev, debhelper, lintian and mmdebstrap")
    unittest.main()
