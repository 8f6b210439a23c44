"""What a person sees of a change to a file before it is made: diffs, texts, sizes.

Nothing is left out of what stands here: the view folds long texts and shows the rest behind /page.
"""

from __future__ import annotations

import re

from autocraft.commands.comparing import Edit, compare
from autocraft.text.phrases import count

_DIFF_CHARS = 4_000_000
"""Characters of both sides, above which nothing is compared."""
_CONTEXT = 3
LINE_ENDS = ""
"""No characters beside the newline end a line."""
JAVASCRIPT = "\r\u2028\u2029"
"""What ends a line of JavaScript beside the newline."""
PYTHON = "\r"
"""What ends a line of Python beside the newline."""


def rows(text: str, ends: str = LINE_ENDS) -> list[str]:
    """The lines of a text as an interpreter has them, to be shown. `ends` are line ends beside the newline."""
    return [piece.removesuffix("\n").removesuffix("\r") for piece in _pieces(text, ends)]


def diff(old: str, new: str, name: str) -> str:
    """A unified diff with the names of both sides above it; empty only where both are equal."""
    changes = changed_rows(old, new)
    if changes is None:
        return f"replaces {count(len(rows(old)), 'line')} by {size(new)}, too long to compare:\n{whole(new)}"
    return "\n".join([f"--- {name} (now)", f"+++ {name} (then)", *changes] if changes else [])


def changed_rows(old: str, new: str, ends: str = LINE_ENDS) -> list[str] | None:
    """The rows of a unified diff from its first @@ on: none where both are equal, None where it would take too long.

    The pieces that are compared make up the texts again, so texts that differ in anything differ in a row.
    """
    if len(old) + len(new) > _DIFF_CHARS:
        return None
    before, after = _pieces(old, ends), _pieces(new, ends)
    edits = compare(before, after)
    if edits is None:
        return None
    found: list[str] = []
    for hunk in _hunks(edits):
        found += _shown(hunk, before, after)
    return found


def passage_diff(text: str, at: int, old: str, new: str, name: str) -> str:
    """The diff of one passage at `at`, with the lines around it; quick however long the file is."""
    start, end = _around(text, at, at + len(old))
    before = text[start:end]
    after = before[: at - start] + new + before[at - start + len(old) :]
    shown = diff(before, after, name)
    first = 1 + text.count("\n", 0, start)
    return f"from line {first:,} on:\n{shown}" if first > 1 else shown


def _around(text: str, start: int, end: int) -> tuple[int, int]:
    """From so many lines before to so many after."""
    for _ in range(_CONTEXT + 1):
        start = text.rfind("\n", 0, max(0, start)) if start > 0 else -1
    for _ in range(_CONTEXT + 1):
        end = text.find("\n", end) + 1 or len(text)
    return start + 1, end


def whole(text: str) -> str:
    """All lines of a text."""
    return text.removesuffix("\n")


def size(text: str) -> str:
    """``12 bytes in 1 line``, as UTF-8."""
    return f"{count(len(text.encode('utf-8', 'replace')), 'byte')} in {count(len(rows(text)), 'line')}"


def one_line(name: str) -> str:
    """A name on one line whatever its characters: what another program made may hold a newline."""
    return name if name.isprintable() else ascii(name)


def _pieces(text: str, ends: str) -> list[str]:
    """The lines with what ends each; joined, they are the text again."""
    *lines, last = text.split("\n")
    pieces = [f"{line}\n" for line in lines] + ([last] if last else [])
    if not any(end in text for end in ends):
        return pieces
    after_end = re.compile(rf"(?<=[{ends}])(?!\n)")
    return [part for piece in pieces for part in after_end.split(piece) if part]


def _hunks(edits: list[Edit]) -> list[list[Edit]]:
    """The edits in groups, each with at most so many unchanged lines around it."""
    groups: list[list[Edit]] = []
    for edit in edits:
        if groups and edit.at - groups[-1][-1].end <= 2 * _CONTEXT:
            groups[-1].append(edit)
        else:
            groups.append([edit])
    return groups


def _shown(hunk: list[Edit], before: list[str], after: list[str]) -> list[str]:
    first, last = hunk[0], hunk[-1]
    start, lead = max(0, first.at - _CONTEXT), min(first.at, _CONTEXT)
    end = min(len(before), last.end + _CONTEXT)
    new_start = first.new_at - lead
    new_end = last.new_end + end - last.end
    found = [f"@@ -{_range(start, end)} +{_range(new_start, new_end)} @@"]
    at = start
    for edit in hunk:
        found += [f" {_row(each)}" for each in before[at : edit.at]]
        found += [f"-{_row(each)}" for each in before[edit.at : edit.end]]
        found += [f"+{_row(each)}" for each in after[edit.new_at : edit.new_end]]
        at = edit.end
    return [*found, *(f" {_row(each)}" for each in before[at:end])]


def _range(start: int, end: int) -> str:
    """As diff has it: the first line, and how many where that is not one."""
    length = end - start
    return f"{start + 1}" if length == 1 else f"{start + 1 if length else start},{length}"


def _row(piece: str) -> str:
    """One line of a diff: what ends it shows where that is not a newline alone, as it may be all that differs."""
    line = piece.removesuffix("\n")
    shown = f"{line[:-1]}\\x0d" if line.endswith("\r") else line
    return shown if piece.endswith(("\n", *JAVASCRIPT)) else f"{shown} [no newline at the end]"
