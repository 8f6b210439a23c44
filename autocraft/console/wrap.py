"""Wraps long rows, so that no part of an untrusted text begins at the left edge of a terminal.

Terminals differ in how wide they draw a character, and one that draws wider than was thought wraps by itself. So every
character counts as wide as any terminal may draw it, and tabs become blanks.
"""

from __future__ import annotations

import re
import shutil
import unicodedata

INDENT = "    "
TAB = 4
LEAST = 20
"""The least columns for wrapping."""


def cells(text: str) -> int:
    """Return the most columns that a terminal may need for this text. A mark that is drawn over a letter counts too."""
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def _cells_of(char: str) -> int:
    wide = ord(char) >= 0x1F000 or unicodedata.east_asian_width(char) in "WF"
    return 2 if wide else 1


def wrap_row(row: str, columns: int) -> list[str]:
    """Return a row in parts that fit, all but the first indented. Every character stays, except tabs.

    A row breaks after a near space, else anywhere.
    """
    width = max(LEAST, columns - 1)
    rows, line, width_used = [], "", 0
    for word in re.findall(r"[^ ]* +|[^ ]+", row.expandtabs(TAB)):
        size = cells(word)
        if width_used + size > width and width_used > len(INDENT) and size <= width - len(INDENT):
            rows.append(line)
            line, width_used = INDENT, len(INDENT)
        while width_used + size > width:  # longer than a whole row
            head = clip(word, width - width_used)
            rows.append(line + head)
            word = word[len(head) :]
            line, width_used, size = INDENT, len(INDENT), cells(word)
        line, width_used = line + word, width_used + size
    return [*rows, line] if line.strip() or not rows else rows


def for_terminal(text: str, *, terminal: bool) -> str:
    """Return a page of autocraft, whose rows may quote others, wrapped for a terminal. A pipe gets it unchanged."""
    if not terminal:
        return text
    columns = shutil.get_terminal_size().columns
    rows: list[str] = []
    for row in text.split("\n"):
        margin = row[: len(row) - len(row.lstrip(" "))][: columns // 2]
        parts = wrap_row(row[len(margin) :], columns - len(margin))
        rows += [margin + part for part in parts]
    return "\n".join(rows)


def clip(word: str, room: int) -> str:
    """Return as many characters as fit into so many columns."""
    for at, char in enumerate(word):
        room -= _cells_of(char)
        if room < 0:
            return word[:at]
    return word
