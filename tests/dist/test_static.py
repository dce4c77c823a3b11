#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The static programs that scripts/dist makes: the same bytes each time, and nothing of the machine is needed.

test_static.py SOURCE
"""

import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
EPOCH = "1700000000"
CPUS = {"x86_64": ["amd64", "arm64"], "aarch64": ["arm64"]}.get(platform.machine(), [])
NATIVE = CPUS[:1]
# A root of its own, in namespaces of its own, so that what is mounted goes with the last process.
ISOLATED = ["unshare", "--mount", "--pid", "--fork", *(["--map-root-user"] if os.getuid() else [])]
BARE = 'exec chroot "$0" "$@"'
MOUNTED = 'mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && ' + BARE


def skip(reason):
    print("skipped: " + reason, file=sys.stderr)
    sys.exit(77)


def run(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def dist(source, output):
    run([source / "scripts/dist", "--output", output],
        env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH})
    return {path.name: path.read_bytes() for path in output.iterdir()}


class StaticTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tickfloor dist ")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.made = dist(SOURCE, cls.folder / "made")

    def root(self, cpu):
        """An empty root with the program, and for another CPU what emulates it; (root, command)."""
        root = self.folder / ("root-" + cpu)
        if not root.exists():
            for name in ("proc", "sys"):
                (root / name).mkdir(parents=True)
            (archive,) = (self.folder / "made").glob(f"tickfloor-*-linux-{cpu}.tar.gz")
            with tarfile.open(archive) as tar:
                (program,) = (member for member in tar if member.name.endswith("/bin/tickfloor"))
                program.name = "tickfloor"
                tar.extract(program, root)
            if cpu not in NATIVE:
                shutil.copy(shutil.which("qemu-aarch64-static"), root / "qemu")
        return root, ["/tickfloor"] if cpu in NATIVE else ["/qemu", "/tickfloor"]

    def call(self, cpu, script, *arguments, **options):
        root, command = self.root(cpu)
        return run([*ISOLATED, "sh", "-c", script, root, *command, *arguments],
                   env={"PATH": os.environ["PATH"], "HOME": "/"}, **options)

    def measure(self, script):
        for cpu in CPUS:
            with self.subTest(cpu):
                profile = json.loads(self.call(cpu, script, "--quick", "--no-save", "--json"))
                self.assertEqual(profile["machine"]["arch"], cpu)
                self.assertEqual(profile["machine"]["os"], "linux")
                self.assertGreater(profile["suspect_below_ns"], 0)
                self.assertTrue(profile["cpus"][0]["pinned"])

    def test_measures_without_proc_and_sys(self):
        self.measure(BARE)

    def test_measures_with_proc_and_sys(self):
        self.measure(MOUNTED)

    def test_saves_and_judges(self):
        for cpu in CPUS:
            with self.subTest(cpu):
                self.call(cpu, BARE, "--quick")
                card = self.call(cpu, BARE, "show")
                self.assertIn("suspect below", card)
                verdicts = self.call(cpu, BARE, "report", input="BenchmarkReal 1000 1000000 ns/op\n")
                self.assertIn("BenchmarkReal", verdicts)

    def test_needs_no_library(self):
        for cpu in CPUS:
            with self.subTest(cpu):
                root, _ = self.root(cpu)
                self.assertNotIn("INTERP", run(["readelf", "--program-headers", "--wide", root / "tickfloor"]))
                self.assertNotIn("NEEDED", run(["readelf", "--dynamic", "--wide", root / "tickfloor"]))

    def test_sums(self):
        run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=self.folder / "made")
        sums = self.made["SHA256SUMS"].decode()
        self.assertEqual({line.split()[1] for line in sums.splitlines()}, set(self.made) - {"SHA256SUMS"})

    def test_holds_the_terms_and_the_manual(self):
        for cpu in CPUS:
            (archive,) = (self.folder / "made").glob(f"tickfloor-*-linux-{cpu}.tar.gz")
            with tarfile.open(archive) as tar:
                names = {name.split("/", 1)[-1] for name in tar.getnames()}
                self.assertEqual({member.mtime for member in tar}, {int(EPOCH)})
            for name in ("LICENSE", "LICENSES", "README.md", "share/man/man1/tickfloor.1",
                         "share/tickfloor/harness/go/empty_test.go"):
                self.assertIn(name, names)

    def test_same_bytes_from_another_place(self):
        copy = self.folder / "another place"

        def of_no_build(folder, names):
            top = pathlib.Path(folder) == SOURCE
            return {name for name in names if top and (name in (".git", "dist") or name.startswith("build"))}

        shutil.copytree(SOURCE, copy, symlinks=True, ignore=of_no_build)
        again = dist(copy, self.folder / "again")
        self.assertEqual(set(again), set(self.made))
        for name, content in self.made.items():
            self.assertTrue(again[name] == content, f"{name} differs")


if __name__ == "__main__":
    if not CPUS:
        skip("scripts/dist makes programs for amd64 and arm64, and this is " + platform.machine())
    if subprocess.run([*ISOLATED, "true"], capture_output=True).returncode != 0:
        skip("needs namespaces (unshare --mount --pid), which are refused here")
    if CPUS != NATIVE and not shutil.which("qemu-aarch64-static"):
        skip("needs qemu-aarch64-static to run the arm64 program: install qemu-user-static")
    unittest.main()
