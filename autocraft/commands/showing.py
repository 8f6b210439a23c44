"""What a person sees of a change to a file before it is made: diffs, first lines, sizes.

Neighbours: `files.py` says what would change, `console/render.py` cleans and colours it.
"""

from __future__ import annotations

import difflib

_PREVIEW_LINES = 40
_DIFF_LINES = 400
_DIFF_COST = 4_000_000  # lines of one side times lines of the other, about a second of difflib at worst


def diff(old: str, new: str, name: str) -> str:
    """A unified diff; a last line without its newline says so, as that may be all that differs."""
    before, after = _ended(old), _ended(new)
    if len(before) * len(after) > _DIFF_COST:
        return f"replaces {len(_lines(old)):,} lines by {size(new)}, too long to compare:\n{first_lines(new)}"
    lines = list(difflib.unified_diff(before, after, f"{name} (now)", f"{name} (then)", lineterm=""))
    return _headed(lines, _DIFF_LINES)


def passage_diff(text: str, at: int, old: str, new: str, name: str) -> str:
    """The diff of one passage at `at`, with the lines around it; quick however long the file is."""
    start, end = _around(text, at, at + len(old))
    before = text[start:end]
    after = before[: at - start] + new + before[at - start + len(old) :]
    shown = diff(before, after, name)
    first = 1 + text.count("\n", 0, start)
    return f"from line {first:,} on:\n{shown}" if first > 1 else shown


def _around(text: str, start: int, end: int, lines: int = 3) -> tuple[int, int]:
    """From so many lines before to so many after."""
    for _ in range(lines + 1):
        start = text.rfind("\n", 0, max(0, start)) if start > 0 else -1
    for _ in range(lines + 1):
        end = text.find("\n", end) + 1 or len(text)
    return start + 1, end


def first_lines(text: str) -> str:
    return _headed(_lines(text), _PREVIEW_LINES)


def size(text: str) -> str:
    """``12 bytes in 1 line``, as UTF-8."""
    return f"{count(len(text.encode('utf-8', 'replace')), 'byte')} in {count(len(_lines(text)), 'line')}"


def one_line(name: str) -> str:
    """A name on one line whatever its characters: what another program made may hold a newline."""
    return name if name.isprintable() else ascii(name)


def count(number: int, what: str) -> str:
    """``1 byte``, ``2,000 bytes``"""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _ended(text: str) -> list[str]:
    if not text or text.endswith("\n"):
        return text.split("\n")[:-1]
    *lines, last = text.split("\n")
    return [*lines, f"{last} [no newline at the end]"]


def _headed(lines: list[str], most: int) -> str:
    if len(lines) <= most:
        return "\n".join(lines)
    return "\n".join([*lines[:most], f"[{len(lines) - most:,} more lines are not shown.]"])
