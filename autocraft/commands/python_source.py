"""Reads the file of a Python program as Python does: its encoding, and the files of the workspace that it would import.

This informs the person who approves the program, since its imports run as well. It is no protection, because a program
can compute the name of a module. The sandbox protects.
"""

from __future__ import annotations

import ast
import codecs
import io
import sys
import tokenize
import warnings
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from autocraft.commands import previews
from autocraft.commands.workspace import Workspace
from autocraft.errors import CommandError
from autocraft.session.atomic import sha256
from autocraft.text.phrases import count

_MOST_PROGRAM = 1_000_000
"""Most bytes of a program: a person must be able to see it whole."""
_LONGEST = 32_000
"""Most bytes of a module that is parsed for its own imports, since the parser cannot be interrupted."""
_MOST_PARSED = 1_000_000
"""Most bytes of modules that are parsed for their own imports, for one program."""
_MOST = 100
"""Most modules that are named for one program."""
_MOST_BYTES = 20_000_000
"""Most bytes of modules that are hashed for one program."""
_SUFFIXES = (".py", ".pyc", ".so")


def check_readable(file: str, data: bytes) -> None:
    """Raise CommandError unless the program is UTF-8, as Python reads it, and short enough to be shown whole."""
    if len(data) > _MOST_PROGRAM:
        raise CommandError(f"{file} has {len(data):,} bytes; a program may have {_MOST_PROGRAM:,}: make it shorter")
    if b"\0" in data:
        raise CommandError(f"{file} holds a zero character, at which some versions of Python end a line; remove it")
    coding = _coding_of(data)
    if coding not in ("utf-8", "utf-8-sig"):
        raise CommandError(f"{file} is in {coding}; only programs in UTF-8 are run: save it as UTF-8, without a coding")


def _coding_of(data: bytes) -> str:
    """Return the encoding in which Python reads a program, or ``another coding`` if it cannot read it."""
    lines = io.BytesIO(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))  # as Python splits them
    try:
        coding = codecs.lookup(tokenize.detect_encoding(lines.readline)[0]).name
        data.decode(coding)
    except (SyntaxError, UnicodeError, LookupError):
        return "another coding"
    return coding


class Module(NamedTuple):
    """One file that would be imported. `sha256` is the hash of its bytes, or '' if it was too long to be read."""

    name: str
    size: int
    sha256: str
    shadows: str = ""
    """The module of the standard library that it hides, because both have the same name. '' if it hides none."""


class Imports(NamedTuple):
    """The modules that a program would import, in the order of their names. `whole` means that all of them were read.

    `files` is the number of Python files of the workspace. The program can import each of them by name at run time.
    """

    program: str
    """The sha256 of the program itself."""
    modules: tuple[Module, ...]
    whole: bool
    files: int

    @property
    def fingerprint(self) -> str:
        """Return one hash over the program and the modules that were found."""
        rows = [self.program, *(f"{module.name}\0{module.size}\0{module.sha256}" for module in self.modules)]
        return sha256("\n".join(rows))


def imports_of(workspace: Workspace, file: str, program: bytes, check: Callable[[], None] = lambda: None) -> Imports:
    """Follow the import statements of `program` in `file` through the workspace. Raises CommandError.

    `check` is called before each module and may raise to end this.
    """
    names = {workspace.name_of(path) for path in workspace.files() if not path.is_symlink()}  # links are not copied
    python = sorted(name for name in names if name.endswith(_SUFFIXES))
    modules_by_name: dict[str, Module] = {}
    top = PurePosixPath(file).parent
    tree = _Tree(top, python)
    waiting = [*tree.imported_by(PurePosixPath(file), program), *tree.shadowing()]
    whole, remaining = True, _MOST_BYTES
    while waiting and len(modules_by_name) < _MOST:
        check()
        name = waiting.pop()
        if name in modules_by_name or name == file:
            continue
        try:
            path = workspace.resolve(name)
            status = workspace.stat(path)
            data = workspace.read(path) if status and status.st_size <= remaining else b""
        except CommandError:
            continue  # the copy of the workspace does not have it either
        if status is None or data is None:
            continue
        unread = status.st_size > remaining
        remaining -= len(data)
        digest = "" if unread else sha256(data)
        modules_by_name[name] = Module(name, status.st_size, digest, tree.shadowed_by(name))
        whole = whole and not unread
        waiting += tree.imported_by(PurePosixPath(name), data)
    whole = whole and tree.whole and not waiting
    modules = tuple(modules_by_name[name] for name in sorted(modules_by_name))
    return Imports(sha256(program), modules, whole, len(python))


def import_lines(imports: Imports) -> list[str]:
    """Return the files of the workspace that would run with the program, one a line."""
    lines = []
    for module in imports.modules:
        state = f"sha256 {module.sha256[:12]}" if module.sha256 else "not read"
        file = f"{previews.one_line(module.name)} of the workspace ({count(module.size, 'byte')}, {state})"
        lines.append(
            f"{file} stands in place of Python's own {module.shadows}" if module.shadows else f"imports {file}"
        )
    if not imports.whole:
        lines.append("imports more than could be looked through")
    if imports.files > 1:
        lines.append(f"at run time it can import any of the {imports.files:,} Python files of the workspace by name")
    return lines


class _Tree:
    """The Python files of a workspace, as a program in the folder `top` can import them."""

    def __init__(self, top: PurePosixPath, files: list[str]) -> None:
        self.top = top
        self.whole = True
        """Whether all modules were short enough to be parsed for their imports."""
        self._room = _MOST_PARSED
        self.files: dict[PurePosixPath, list[str]] = {}
        """Path of a module without its suffix -> its files."""
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
        """Yield the files that the import statements of a module name. Yield nothing if it cannot be parsed."""
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
        """Return the files of one module or package."""
        return [*self.files.get(base, []), *self.files.get(base / "__init__", [])]


def _statements(data: bytes) -> Iterator[tuple[int, list[str], bool]]:
    """Yield (level, parts of the name, whether it imports ``*``) for each import. Level 0 is absolute."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # Python does not run it either
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield 0, alias.name.split("."), False
        elif isinstance(node, ast.ImportFrom):
            start = node.module.split(".") if node.module else []
            for alias in node.names:
                yield node.level, start if alias.name == "*" else [*start, alias.name], alias.name == "*"
