"""Clean values for a page.

The results hold no control, bidirectional or zero-width character, since each is written as its escape. They hold no
number that JSON does not have.
"""

from __future__ import annotations

from autocraft.text.phrases import beginning
from autocraft.text.sanitize import clean

_MOST = 10**12


def text(value: object) -> str:
    """Return `value` as text that can be shown. Return "" for None."""
    if value is None:
        return ""
    try:
        plain = value if isinstance(value, str) else str(value)
    except (ValueError, RecursionError):  # a number of too many digits, a list that holds itself
        return "?"
    return clean(plain)


def line(value: object, most: int = 200) -> str:
    """Return `value` as text on one line of at most `most` characters."""
    return beginning(text(value).replace("\n", "\\n").replace("\t", "\\t"), most)


def whole(value: object) -> int | None:
    """Return a whole number of at most 10¹². Return None for anything else."""
    return value if type(value) is int and abs(value) <= _MOST else None


def number(value: object) -> float | None:
    """Return a finite number of at most 10¹². Return None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) <= _MOST else None  # false for "not a number"
