#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hold a source tree against the rules of doc/design.md: check.py ROOT.

Each rule is a function from a Tree to complaints, one line each. check_test.py shows that each can
complain.
"""

import pathlib
import re
import sys

FOLDERS = ("arch", "core", "bench", "man", "tests", "scripts", ".ci")
C_SUFFIXES = (".c", ".h", ".S")
SOURCE_SUFFIXES = C_SUFFIXES + (".py", ".sh", ".build", ".map", ".ini", ".1", ".3", ".yml")
SOURCE_NAMES = ("meson_options.txt",)

# Lowest first; a file belongs to the longest prefix that fits. It may include from its own layer
# and from lower ones.
LAYERS = ("arch", "core/include", "core/measure", "core/judge", "bench/host", "bench", "tests")

CPU_MACROS = re.compile(
    r"\b(__x86_64(__)?|__amd64(__)?|__i[3-6]86(__)?|i386|__aarch64__|__arm64__|__arm__|__ARM_\w+|"
    r"__riscv\w*|__powerpc\w*|__ppc\w*|__s390\w*|__mips\w*|__loongarch\w*|"
    r"_M_(X64|AMD64|IX86|ARM\w*))\b"
)
OS_MACROS = re.compile(
    r"\b(__linux(__)?|linux|__gnu_linux__|__APPLE__|_WIN32|_WIN64|__CYGWIN__|__MINGW\w+|"
    r"__unix(__)?|__FreeBSD__|__NetBSD__|__OpenBSD__|__ANDROID__|TARGET_OS_\w+)\b"
)
OS_FOLDERS = ("bench/host/linux/", "bench/host/macos/", "bench/uefi/")

# Reviewed exceptions: (file, macro): why.
MACROS_ALLOWED = {}

# Reviewed exceptions: what one architecture has beside what all of them have.
ARCH_OWN = {"arm64/midr.c", "arm64/midr.h"}  # the part numbers of arm64's cores, by their names

# They stand in for headers of macOS: who includes one means the system's.
STAND_INS = ("tests/macos/fake/", "tests/macos/sdk/")

FREESTANDING = ("float.h", "limits.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h")


def strip_comments(text):
    """Without comments, and with continued lines joined."""
    text = text.replace("\\\n", " ")
    return re.sub(
        r"/\*.*?\*/|//[^\n]*", lambda match: "\n" * match[0].count("\n"), text, flags=re.S
    )


class Tree:
    """The source files of a tree: path from its root, with forward slashes, to text."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.files = {}
        paths = [self.root / "meson.build", self.root / "meson_options.txt"]
        for folder in FOLDERS:
            paths += sorted((self.root / folder).rglob("*"))
        for path in paths:
            if path.is_file() and "__pycache__" not in path.parts:
                self.files[path.relative_to(self.root).as_posix()] = path.read_text(
                    errors="replace"
                )
        self.c_files = [name for name in self.files if name.endswith(C_SUFFIXES)]
        self.texts = [
            path.relative_to(self.root).as_posix()
            for path in sorted([*self.root.glob("*.md"), *self.root.glob("*/*.md")])
        ]
        self.stripped = {name: strip_comments(self.files[name]) for name in self.c_files}

    def includes(self, name):
        """Each #include of a file: (line, its name, the files of the tree that it can mean)."""
        for number, line in enumerate(self.stripped[name].splitlines(), 1):
            directive = re.match(r"\s*#\s*include\b\s*(.*)", line)
            if not directive:
                continue
            target = re.match(r'(["<])([^">]+)[">]', directive[1])
            if not target:
                yield number, None, []
                continue
            yield number, target[2], self.resolve(name, target[1], target[2])

    def resolve(self, name, quote, target):
        """
        The compiler would look beside the file first and then go through its -I; which of those it
        has is the build's affair, so every file of the tree that the name could mean counts.
        """
        if quote == '"':
            beside = (self.root / name).parent.joinpath(target).resolve()
            try:
                beside = beside.relative_to(self.root.resolve()).as_posix()
            except ValueError:
                beside = None
            if beside in self.files:
                return [beside]
        return [
            other for other in self.c_files
            if ("/" + other).endswith("/" + target) and not other.startswith(STAND_INS)
        ]


def layer(name):
    fits = [prefix for prefix in LAYERS if name.startswith(prefix + "/")]
    return LAYERS.index(max(fits, key=len)) if fits else None


def check_arrows(tree):
    for name in tree.c_files:
        mine = layer(name)
        if mine is None:
            yield f"{name}: belongs to no layer; put it under one of {', '.join(LAYERS)}"
            continue
        for line, target, candidates in tree.includes(name):
            if target is None:
                yield f"{name}:{line}: an #include that is not a plain name cannot be followed"
            for other in candidates:
                if (layer(other) or 0) > mine:
                    yield f"{name}:{line}: includes {other}, against arch <- core <- bench <- tests"


def check_macros(tree):
    for name in tree.c_files:
        for number, line in enumerate(tree.stripped[name].splitlines(), 1):
            if not re.match(r"\s*#\s*(if|ifdef|ifndef|elif|define)\b", line):
                continue
            line = re.sub(r'"(\\.|[^"\\])*"', '""', line)
            found = []
            if not name.startswith("arch/"):
                found += [(match[0], "CPU", "arch/") for match in CPU_MACROS.finditer(line)]
            if not name.startswith(OS_FOLDERS):
                found += [
                    (match[0], "OS", ", ".join(OS_FOLDERS)) for match in OS_MACROS.finditer(line)
                ]
            for macro, kind, where in found:
                if (name, macro) not in MACROS_ALLOWED:
                    yield f"{name}:{number}: {kind} macro {macro} outside {where}"


def check_freestanding(tree):
    """core/measure links into firmware: nothing that it reaches in core may need a C library."""
    seen, queue = set(), [name for name in tree.c_files if name.startswith("core/measure/")]
    while queue:
        name = queue.pop()
        if name in seen:
            continue
        seen.add(name)
        for line, target, candidates in tree.includes(name):
            if not candidates and target not in FREESTANDING:
                yield f"{name}:{line}: <{target}> is not freestanding, core/measure needs it"
            queue += [other for other in candidates if other.startswith("core/")]


def check_arch_folders(tree):
    """The same names; kernels are in assembly where the CPU is known, and in C elsewhere."""
    folders = {}
    for name in tree.files:
        parts = name.split("/", 2)
        if parts[0] == "arch" and len(parts) == 3 and parts[1] != "include" and name[len("arch/") :] not in ARCH_OWN:
            folders.setdefault(parts[1], set()).add(re.sub(r"\.S$", ".c", parts[2]))
    everything = set().union(*folders.values())
    for folder in sorted(folders):
        for missing in sorted(everything - folders[folder]):
            yield f"arch/{folder}: has no {missing}, another architecture has"


def check_spdx(tree):
    for name, text in tree.files.items():
        is_source = (
            name.endswith(SOURCE_SUFFIXES)
            or name.rsplit("/", 1)[-1] in SOURCE_NAMES
            or text.startswith("#!")
        )
        if is_source and "SPDX-License-Identifier: MIT" not in "\n".join(text.splitlines()[:3]):
            yield f"{name}:1: no SPDX-License-Identifier: MIT in the first three lines"


def check_links(tree):
    for name in tree.texts:
        for number, line in enumerate((tree.root / name).read_text().splitlines(), 1):
            for target in re.findall(r"\]\(([^)#:]+)\)", line):
                if not (tree.root / name).parent.joinpath(target).exists():
                    yield f"{name}:{number}: links to {target}, which does not exist"


RULES = (
    check_arrows,
    check_macros,
    check_freestanding,
    check_arch_folders,
    check_spdx,
    check_links,
)


def main():
    tree = Tree(sys.argv[1])
    if not tree.c_files:
        sys.exit(f"{sys.argv[1]}: no source files here")
    complaints = [complaint for rule in RULES for complaint in rule(tree)]
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    print(f"{len(tree.files)} files, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
