#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Install into an empty folder and use what lies there, as a stranger would.

With pkg-config, in C and C++, shared and static.

install_test.py SOURCE BUILD PREFIX VERSION -- CC... [-- CXX...]
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest


def split_arguments(arguments):
    groups = [[]]
    for argument in arguments:
        if argument == "--":
            groups.append([])
        else:
            groups[-1].append(argument)
    return groups


(SOURCE, BUILD, PREFIX, VERSION), CC, *CXX = split_arguments(sys.argv[1:])
SOURCE = pathlib.Path(SOURCE)
MAN_PAGES = {
    "man1/tickfloor.1",
    "man1/tickfloor-bench.1",
    "man1/tickfloor-calibrate.1",
    "man1/tickfloor-compare.1",
    "man1/tickfloor-explore.1",
    "man1/tickfloor-fleet.1",
    "man1/tickfloor-report.1",
    "man1/tickfloor-show.1",
    "man3/libtickfloor.3",
    "man7/tickfloor.efi.7",
}


def run(command, **options):
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, **options
    )
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def exported(map_text):
    """The names that the map exports."""
    return set(re.findall(r"^\s*(tkf_\w+);$", map_text, re.M))


def declared(header):
    """The functions that a public header declares and does not define."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", header, flags=re.S)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
    text = re.sub(r"^\s*#.*$", "", text.replace("\\\n", " "), flags=re.M)
    without_bodies = None
    while text != without_bodies:
        without_bodies, text = text, re.sub(r"\{[^{}]*\}", "", text)
    text = re.sub(r"static inline [^()]*\([^()]*\)", "", text)
    return {match[1] for match in re.finditer(r"\b(tkf_\w+)\s*\([^;]*\)\s*;", text)}


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="tickfloor install ")
        cls.addClassCleanup(cls.folder.cleanup)
        stage = pathlib.Path(cls.folder.name, "stage")
        run([os.environ["MESON"], "install", "--no-rebuild", "-C", BUILD, "--destdir", stage])
        cls.prefix = stage / PREFIX.lstrip("/")
        (cls.pc,) = cls.prefix.rglob("tickfloor.pc")
        cls.libdir = cls.pc.parent.parent
        # The staged tree is moved to where it lies, by the one line that says where it was meant to
        # lie; a space is written there as Meson writes it.
        cls.pc_text = cls.pc.read_text()
        moved = str(cls.prefix).replace(" ", "\\ ")
        cls.pc.write_text(cls.pc_text.replace(f"prefix={PREFIX}\n", f"prefix={moved}\n"))

    def pkg_config(self, *arguments):
        path = f"{self.pc.parent}:{os.environ.get('PKG_CONFIG_PATH', '')}"
        text = run(
            ["pkg-config", *arguments, "tickfloor"], env={**os.environ, "PKG_CONFIG_PATH": path}
        )
        return shlex.split(text)

    def build(self, compiler, language, source, link_arguments):
        program = pathlib.Path(self.folder.name, "use")
        run(
            [
                *compiler,
                "-Wall",
                "-Wextra",
                "-Werror",
                "-x",
                language,
                source,
                "-x",
                "none",
                "-o",
                program,
                *self.pkg_config("--cflags"),
                *link_arguments,
            ],
            cwd=self.folder.name,
        )
        return program

    def build_and_run(self, compiler, language, link_arguments, environment):
        program = self.build(compiler, language, SOURCE / "tests/install/use.c", link_arguments)
        self.assertNotEqual(run([program], env={**os.environ, **environment}), "")
        return run(["readelf", "--dynamic", program])

    def build_shared(self, compiler, language):
        dynamic = self.build_and_run(
            compiler, language, self.pkg_config("--libs"), {"LD_LIBRARY_PATH": str(self.libdir)}
        )
        self.assertIn("[libtickfloor.so.0]", dynamic)

    def build_static(self, compiler, language):
        # Where there is no shared library -ltickfloor means the static one. All of it is linked, so
        # that what `pkg-config --static` names has to be complete.
        hidden = pathlib.Path(self.folder.name, "hidden")
        hidden.mkdir()
        for library in self.libdir.glob("libtickfloor.so*"):
            library.rename(hidden / library.name)
        try:
            libraries = self.pkg_config("--static", "--libs")
            whole = [
                "-Wl,--whole-archive",
                self.libdir / "libtickfloor.a",
                "-Wl,--no-whole-archive",
            ]
            at = libraries.index("-ltickfloor")
            dynamic = self.build_and_run(
                compiler, language, libraries[:at] + whole + libraries[at + 1 :], {}
            )
            self.assertNotIn("libtickfloor", dynamic)
            self.build_and_run(compiler, language, libraries, {})
        finally:
            for library in hidden.iterdir():
                library.rename(self.libdir / library.name)
            hidden.rmdir()

    def test_shared_c(self):
        self.build_shared(CC, "c")

    def test_static_c(self):
        self.build_static(CC, "c")

    @unittest.skipUnless(CXX, "no C++ compiler")
    def test_shared_cxx(self):
        self.build_shared(CXX[0], "c++")

    @unittest.skipUnless(CXX, "no C++ compiler")
    def test_static_cxx(self):
        self.build_static(CXX[0], "c++")

    def test_examples_of_the_manual(self):
        pages = [(SOURCE / name).read_text() for name in ("README.md", "doc/bench.md")]
        page = (SOURCE / "man/libtickfloor.3").read_text()
        examples = re.findall(r"^```c\n(.*?)^```", "".join(pages), re.M | re.S)
        displays = re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", page, re.M | re.S)
        examples += [text.replace("\\e", "\\") for text in displays]
        self.assertEqual(len(examples), 3)
        for text in examples:
            source = pathlib.Path(self.folder.name, "example.c")
            source.write_text(text)
            self.build(CC, "c", source, self.pkg_config("--libs"))

    def test_project_of_benchmarks(self):
        """examples/ is a project that a user copies: it builds and runs with what is installed."""
        project = pathlib.Path(self.folder.name, "project")
        shutil.copytree(SOURCE / "examples", project)
        environment = {
            **os.environ,
            "CC": shlex.join(CC),
            "PKG_CONFIG_PATH": f"{self.pc.parent}:{os.environ.get('PKG_CONFIG_PATH', '')}",
            "LD_LIBRARY_PATH": str(self.libdir),
            "TICKFLOOR_MEM_LIBRARY": str(self.libdir / "tickfloor/libtickfloor-mem.so"),
        }
        setup = [os.environ["MESON"], "setup", "--werror", project / "build", project]
        run(setup, env=environment)
        run(["ninja", "-C", project / "build"], env=environment)
        command = [project / "build/benchmarks", "--time", "100x"]
        output = run(command, env=environment)
        rows = re.findall(r"^Benchmark(\S+)\s+100\t.* ns/op", output, re.M)
        sizes = [f"HashBuffer/{size}" for size in (64, 1024, 16384)]
        self.assertEqual(rows, ["HashDiscarded", "Hash", *sizes])
        self.assertEqual(run([*command, "--mem"], env=environment).count("\t       0 allocs/op"), 5)

    def test_pkg_config(self):
        self.assertEqual(self.pkg_config("--modversion"), [VERSION])
        self.assertIn(f"prefix={PREFIX}\n", self.pc_text)
        # Whoever links the shared library does not need the libraries that it uses itself.
        self.assertEqual(
            [word for word in self.pkg_config("--libs") if word.startswith("-l")], ["-ltickfloor"]
        )
        self.assertIn("hwloc", self.pkg_config("--print-requires-private"))

    def test_command(self):
        self.assertIn(VERSION, run([self.prefix / "bin/tickfloor", "--version"]))

    def test_headers(self):
        source = {
            path.relative_to(SOURCE / "core/include")
            for path in SOURCE.glob("core/include/tickfloor/*.h")
        }
        source |= {pathlib.Path("tickfloor/arch/cpu.h"), pathlib.Path("tickfloor/arch/read.h")}
        include = self.prefix / "include"
        self.assertEqual({path.relative_to(include) for path in include.rglob("*.h")}, source)
        umbrella = (include / "tickfloor/tickfloor.h").read_text()
        for header in include.glob("tickfloor/*.h"):
            if header.name != "tickfloor.h":
                self.assertIn(f"#include <tickfloor/{header.name}>", umbrella)

    def test_man_pages(self):
        man = self.prefix / "share/man"
        self.assertEqual({path.relative_to(man).as_posix() for path in man.rglob("*.*")}, MAN_PAGES)

    def test_exports(self):
        wanted = exported((SOURCE / "core/libtickfloor.map").read_text())
        functions = set()
        headers = [*SOURCE.glob("core/include/**/*.h"), *SOURCE.glob("arch/*/include/**/*.h")]
        for header in headers:
            functions |= declared(header.read_text())
        self.assertEqual(wanted, functions, "core/libtickfloor.map and the public headers differ")

        (library,) = self.libdir.glob("libtickfloor.so.0")
        symbols = {
            line.split()[-1]
            for line in run(["nm", "--dynamic", "--defined-only", library]).splitlines()
        }
        versions = {
            name for name in symbols if re.match(r"TICKFLOOR_[\d.]+$", name.partition("@")[0])
        }
        versioned = {name.partition("@@") for name in symbols - versions}
        self.assertEqual({name for name, _, _ in versioned}, wanted)
        self.assertEqual({version for _, _, version in versioned}, {"TICKFLOOR_0.1"})

    def test_static_library_keeps_to_its_names(self):
        lines = run(
            ["nm", "--extern-only", "--defined-only", self.libdir / "libtickfloor.a"]
        ).splitlines()
        names = {line.split()[-1] for line in lines if re.match(r"[0-9a-f]+ [A-Z] ", line)}
        self.assertTrue(names)
        self.assertEqual({name for name in names if not name.startswith("tkf_")}, set())


if __name__ == "__main__":
    if shutil.which("pkg-config") is None:
        print("pkg-config is not installed: the installation is not checked", file=sys.stderr)
        sys.exit(77)
    if not CXX:
        print("no C++ compiler: the library is tried from C only", file=sys.stderr)
    unittest.main(argv=sys.argv[:1])
