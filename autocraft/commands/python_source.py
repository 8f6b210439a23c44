"""What Python makes of a program's file: its coding, and which files of the workspace it would import.

It is for the person who approves the program. The text is read and never run. What it imports runs as well. A program
can import by a name that it works out, so nothing here is a wall: the sandbox is the wall.
"""

from __future__ import annotations

import ast
import codecs
import io
import sys
import tokenize
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from autocraft.commands import showing
from autocraft.commands.workspace import Workspace
from autocraft.errors import CommandError
from autocraft.session.atomic import sha256
from autocraft.text.phrases import count

_MOST_PROGRAM = 1_000_000
"""Bytes of the longest program: a person must be able to see it whole."""
_LONGEST = 32_000
"""Bytes of the longest module that is read for its own imports: the parser cannot be interrupted."""
_MOST_PARSED = 1_000_000
"""Bytes of modules that are read for their own imports, for one program."""
_MOST = 100
"""Modules that are named for one program."""
_MOST_BYTES = 20_000_000
"""Bytes of modules whose hash is taken for one program."""
_SUFFIXES = (".py", ".pyc", ".so")


def check_readable(file: str, data: bytes) -> None:
    """Raise CommandError unless Python reads the program as it is shown: as UTF-8, and not too long to be shown."""
    if len(data) > _MOST_PROGRAM:
        raise CommandError(f"{file} has {len(data):,} bytes; a program may have {_MOST_PROGRAM:,}: make it shorter")
    if b"\0" in data:
        raise CommandError(f"{file} holds a zero character, at which some versions of Python end a line; remove it")
    coding = _coding_of(data)
    if coding not in ("utf-8", "utf-8-sig"):
        raise CommandError(f"{file} is in {coding}; only programs in UTF-8 are run: save it as UTF-8, without a coding")


def _coding_of(data: bytes) -> str:
    """The name of the coding in which Python reads a program; ``another coding`` where it cannot."""
    lines = io.BytesIO(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))  # as Python splits them
    try:
        coding = codecs.lookup(tokenize.detect_encoding(lines.readline)[0]).name
        data.decode(coding)
    except (SyntaxError, UnicodeError, LookupError):
        return "another coding"
    return coding


@dataclass(frozen=True, slots=True)
class Module:
    """One file that would be imported; `sha256` is the hash of its bytes, empty where it was too long to be read."""

    name: str
    size: int
    sha256: str
    shadows: str = ""
    """The module of the standard library that it hides, because both have the same name; "" if it hides none."""


@dataclass(frozen=True, slots=True)
class Imports:
    """What a program would import: `modules` in the order of their names, `whole` where nothing was left unread.

    `files` is the number of Python files of the workspace, each of which can be imported by name.
    """

    program: str
    """The sha256 of the program itself."""
    modules: tuple[Module, ...]
    whole: bool
    files: int

    @property
    def fingerprint(self) -> str:
        """One hash over the program and the modules that were found."""
        rows = [self.program, *(f"{each.name}\0{each.size}\0{each.sha256}" for each in self.modules)]
        return sha256("\n".join(rows))


def imports_of(workspace: Workspace, file: str, program: bytes, check: Callable[[], None] = lambda: None) -> Imports:
    """Follow the import statements of `program`, which lies at `file`, through the workspace. Raises CommandError.

    `check` is called before each module and may raise what ends this.
    """
    names = {workspace.name_of(path) for path in workspace.files() if not path.is_symlink()}  # links are not copied
    python = sorted(name for name in names if name.endswith(_SUFFIXES))
    found: dict[str, Module] = {}
    top = PurePosixPath(file).parent
    tree = _Tree(top, python)
    waiting = [*tree.imported_by(PurePosixPath(file), program), *tree.shadowing()]
    whole, room = True, _MOST_BYTES
    while waiting and len(found) < _MOST:
        check()
        name = waiting.pop()
        if name in found or name == file:
            continue
        try:
            path = workspace.resolve(name)
            seen = workspace.stat(path)
            data = workspace.read(path) if seen and seen.st_size <= room else b""
        except CommandError:
            continue  # it is left out of the copy as well
        if seen is None or data is None:
            continue
        unread = seen.st_size > room
        room -= len(data)
        hashed = "" if unread else sha256(data)
        found[name] = Module(name, seen.st_size, hashed, tree.shadowed_by(name))
        whole = whole and not unread
        waiting += tree.imported_by(PurePosixPath(name), data)
    whole = whole and tree.whole and not waiting
    modules = tuple(found[name] for name in sorted(found))
    return Imports(sha256(program), modules, whole, len(python))


def import_lines(found: Imports) -> list[str]:
    """What else of the workspace would run, a line each."""
    lines = []
    for each in found.modules:
        seen = f"sha256 {each.sha256[:12]}" if each.sha256 else "not read"
        file = f"{showing.one_line(each.name)} of the workspace ({count(each.size, 'byte')}, {seen})"
        lines.append(f"{file} stands in place of Python's own {each.shadows}" if each.shadows else f"imports {file}")
    if not found.whole:
        lines.append("imports more than could be looked through")
    if found.files > 1:
        lines.append(f"at run time it can import any of the {found.files:,} Python files of the workspace by name")
    return lines


class _Tree:
    """The Python files of a workspace as a program sees them whose folder is `top`."""

    def __init__(self, top: PurePosixPath, files: list[str]) -> None:
        self.top = top
        self.whole = True
        """Whether no module was too long to be read for its imports."""
        self._room = _MOST_PARSED
        self.files: dict[PurePosixPath, list[str]] = {}
        """Where a module would be looked for, without its suffix -> the files that are there."""
        self.folders: dict[PurePosixPath, list[str]] = {}
        for name in files:
            path = PurePosixPath(name)
            folder = path.parent.parent if path.parent.name == "__pycache__" else path.parent
            self.files.setdefault(folder / path.name.split(".")[0], []).append(name)
            self.folders.setdefault(folder, []).append(name)

    def shadowing(self) -> list[str]:
        """Return the modules at the top that hide a module of the standard library of the same name."""
        bases = [self.top / name for name in sys.stdlib_module_names]
        return [name for base in bases for name in self._at(base)]

    def shadowed_by(self, name: str) -> str:
        """Return the module of the standard library that this file hides. Return "" if it hides none."""
        inner = PurePosixPath(name).relative_to(self.top) if PurePosixPath(name).is_relative_to(self.top) else None
        first = inner.parts[0].split(".")[0] if inner else ""
        return first if first in sys.stdlib_module_names else ""

    def imported_by(self, file: PurePosixPath, data: bytes) -> Iterator[str]:
        """The files that the import statements of a module name; none where it cannot be read."""
        if len(data) > min(_LONGEST, self._room):
            self.whole = False
            return
        if file.suffix != ".py":
            return
        self._room -= len(data)
        for level, parts, star in _statements(data):
            base = file.parents[level - 1] if 0 < level <= len(file.parents) else self.top
            for part in parts:
                base = base / part
                yield from self._at(base)
            if star:
                yield from self.folders.get(base, [])

    def _at(self, base: PurePosixPath) -> list[str]:
        """The files of one module or package."""
        return [*self.files.get(base, []), *self.files.get(base / "__init__", [])]


def _statements(data: bytes) -> Iterator[tuple[int, list[str], bool]]:
    """(level, the parts of the name, whether all of it is imported) for each import; level 0 is absolute."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # Python does not run it either
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                yield 0, each.name.split("."), False
        elif isinstance(node, ast.ImportFrom):
            start = node.module.split(".") if node.module else []
            for each in node.names:
                yield node.level, start if each.name == "*" else [*start, each.name], each.name == "*"
