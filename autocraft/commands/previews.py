"""Previews of a change to a file for a person: diffs, texts, sizes.

A preview is always complete. The view folds long texts, and shows the rest with /page.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import NamedTuple, TypeVar

from autocraft.errors import CommandError
from autocraft.protocols import Call
from autocraft.text.phrases import FAILS, count

F = TypeVar("F")

_DIFF_CHARS = 4_000_000
"""Most characters of both sides together that are compared."""
_DIFF_LINES = 3_000
"""Most lines of both sides together that are compared, between the equal lines at the start and at the end.

The worst texts of this length take difflib about a second.
"""
_POPULAR = 10
"""A line that occurs more often starts no equal passage, as difflib's work grows with the number of equal pairs."""
_CONTEXT = 3
JAVASCRIPT = "\r\u2028\u2029"
"""Other characters that end a line of JavaScript."""
PYTHON = "\r"
"""Other characters that end a line of Python."""


class _Edit(NamedTuple):
    """Lines ``at`` to ``end`` of the old list become lines ``new_at`` to ``new_end`` of the new one."""

    at: int
    end: int
    new_at: int
    new_end: int


def or_refusal(preview: Callable[[F, Call], str]) -> Callable[[F, Call], str]:
    """Decorate a preview: if it raises CommandError, it returns why the command will be refused."""

    @wraps(preview)
    def preview_or_refusal(family: F, call: Call) -> str:
        try:
            return preview(family, call)
        except CommandError as error:
            return f"{FAILS}{error}"

    return preview_or_refusal


def rows(text: str, ends: str = "") -> list[str]:
    """Return the lines of a text as an interpreter sees them. `ends` are line ends besides the newline."""
    return [piece.removesuffix("\n").removesuffix("\r") for piece in _pieces(text, ends)]


def diff(old: str, new: str, name: str) -> str:
    """Return a unified diff with the names of both sides above it. Return '' only if both are equal."""
    changes = changed_rows(old, new)
    if changes is None:
        return f"replaces {count(len(rows(old)), 'line')} by {size(new)}, too long to compare:\n{all_lines(new)}"
    return "\n".join([f"--- {name} (now)", f"+++ {name} (then)", *changes] if changes else [])


def changed_rows(old: str, new: str, ends: str = "") -> list[str] | None:
    """Return the rows of a unified diff, beginning with its first @@.

    Return [] if both texts are equal, and None if the comparison would take too long. The compared pieces join into the
    whole texts, so any difference of the texts shows in a row.
    """
    if len(old) + len(new) > _DIFF_CHARS:
        return None
    before, after = _pieces(old, ends), _pieces(new, ends)
    edits = _edits(before, after)
    if edits is None:
        return None
    result: list[str] = []
    for hunk in _hunks(edits):
        result += _hunk_rows(hunk, before, after)
    return result


def passage_diff(text: str, at: int, old: str, new: str, name: str) -> str:
    """Return the diff of the passage at `at`, with the lines around it. It is fast for a file of any length."""
    start, end = _around(text, at, at + len(old))
    before = text[start:end]
    after = before[: at - start] + new + before[at - start + len(old) :]
    text_diff = diff(before, after, name)
    first = 1 + text.count("\n", 0, start)
    return f"from line {first:,} on:\n{text_diff}" if first > 1 else text_diff


def _around(text: str, start: int, end: int) -> tuple[int, int]:
    """Extend a range by the lines of context before and after it."""
    for _ in range(_CONTEXT + 1):
        start = text.rfind("\n", 0, max(0, start)) if start > 0 else -1
    for _ in range(_CONTEXT + 1):
        end = text.find("\n", end) + 1 or len(text)
    return start + 1, end


def all_lines(text: str) -> str:
    """Return a text without its last line end."""
    return text.removesuffix("\n")


def size(text: str) -> str:
    """Return the size of a text in UTF-8, as in ``12 bytes in 1 line``."""
    return f"{count(len(text.encode('utf-8', 'replace')), 'byte')} in {count(len(rows(text)), 'line')}"


def one_line(name: str) -> str:
    """Return the name of a file on one line. Characters that do not print, such as a newline, are escaped."""
    return name if name.isprintable() else ascii(name)


def _pieces(text: str, ends: str) -> list[str]:
    """Return the lines with their ends. Joined, they are the text again."""
    *lines, last = text.split("\n")
    pieces = [f"{line}\n" for line in lines] + ([last] if last else [])
    if not any(end in text for end in ends):
        return pieces
    after_end = re.compile(rf"(?<=[{ends}])(?!\n)")
    return [part for piece in pieces for part in after_end.split(piece) if part]


def _edits(old: list[str], new: list[str]) -> list[_Edit] | None:
    """Return the edits that turn `old` into `new`, in order. Return None if that would take too long."""
    same = _common(old, new)
    tail = _common(old[same:][::-1], new[same:][::-1])
    a, b = old[same : len(old) - tail], new[same : len(new) - tail]
    if len(a) + len(b) > _DIFF_LINES:
        return None
    popular = {line for line, times in Counter(b).items() if times > _POPULAR}
    steps = difflib.SequenceMatcher(popular.__contains__, a, b, autojunk=False).get_opcodes()
    return [_Edit(*(same + place for place in places)) for kind, *places in steps if kind != "equal"]


def _common(old: list[str], new: list[str]) -> int:
    """Return how many lines at the start are equal."""
    return next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))


def _hunks(edits: list[_Edit]) -> list[list[_Edit]]:
    """Return the edits in groups. Edits whose lines of context touch are in one group."""
    groups: list[list[_Edit]] = []
    for edit in edits:
        if groups and edit.at - groups[-1][-1].end <= 2 * _CONTEXT:
            groups[-1].append(edit)
        else:
            groups.append([edit])
    return groups


def _hunk_rows(hunk: list[_Edit], before: list[str], after: list[str]) -> list[str]:
    """Return the rows of one group of edits: the line with @@, and the lines with their marks."""
    first, last = hunk[0], hunk[-1]
    start, lead = max(0, first.at - _CONTEXT), min(first.at, _CONTEXT)
    end = min(len(before), last.end + _CONTEXT)
    new_start = first.new_at - lead
    new_end = last.new_end + end - last.end
    result = [f"@@ -{_range(start, end)} +{_range(new_start, new_end)} @@"]
    at = start
    for edit in hunk:
        result += [f" {_row(piece)}" for piece in before[at : edit.at]]
        result += [f"-{_row(piece)}" for piece in before[edit.at : edit.end]]
        result += [f"+{_row(piece)}" for piece in after[edit.new_at : edit.new_end]]
        at = edit.end
    return [*result, *(f" {_row(piece)}" for piece in before[at:end])]


def _range(start: int, end: int) -> str:
    """Return a range as diff writes it: the first line, and the number of lines if it is not 1."""
    length = end - start
    return f"{start + 1}" if length == 1 else f"{start + 1 if length else start},{length}"


def _row(piece: str) -> str:
    """Return one line of a diff. It shows a line end other than the newline, which may be the only difference."""
    line = piece.removesuffix("\n")
    visible = f"{line[:-1]}\\x0d" if line.endswith("\r") else line
    return visible if piece.endswith(("\n", *JAVASCRIPT)) else f"{visible} [no newline at the end]"
