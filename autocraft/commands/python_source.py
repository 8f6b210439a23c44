"""Checks that a Python program is shown as Python reads it, and names the files that it can import.

This informs the person who approves the program. The sandbox protects, and a program runs only if no file that it sees
has changed since it was approved.
"""

from __future__ import annotations

import codecs
import io
import sys
import tokenize
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from autocraft.commands import previews
from autocraft.errors import CommandError
from autocraft.text.phrases import count

if TYPE_CHECKING:
    from autocraft.sandbox.folder import CopiedFile

_MOST_PROGRAM = 1_000_000
"""Most bytes of a program: a person must be able to see it whole."""
_MOST_SHOWN = 100
"""Most Python files that are named for one program."""
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


def module_lines(files: Mapping[str, CopiedFile], program: str) -> list[str]:
    """Return a line for each Python file beside the program, which can import it. The first hide a module of Python."""
    hidden = {name: _hidden_by(name, program) for name in files if name.endswith(_SUFFIXES) and name != program}
    lines = []
    for name in sorted(hidden, key=lambda name: (not hidden[name], name))[:_MOST_SHOWN]:
        size, digest = files[name]
        what = f"{previews.one_line(name)} of the workspace ({count(size, 'byte')}, sha256 {digest[:12]})"
        lines.append(f"{what} stands in place of Python's own {hidden[name]}" if hidden[name] else f"can import {what}")
    if len(hidden) > _MOST_SHOWN:
        lines.append(f"can import {len(hidden) - _MOST_SHOWN:,} more Python files of the workspace")
    return lines


def _hidden_by(name: str, program: str) -> str:
    """Return the module of the standard library that this file hides from the program. Return '' if it hides none."""
    top = PurePosixPath(program).parent
    inner = PurePosixPath(name).relative_to(top) if PurePosixPath(name).is_relative_to(top) else None
    first = inner.parts[0].split(".")[0] if inner else ""
    return first if first in sys.stdlib_module_names else ""
