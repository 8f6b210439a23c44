"""Values made fit to be shown on a page.

What passes here holds no control, bidirectional or zero-width character (each is written as its escape) and no number
that JSON has not.
"""

from __future__ import annotations

from autocraft.text.phrases import beginning
from autocraft.text.sanitize import clean

_MOST = 10**12


def text(value: object) -> str:
    """`value` as text that can be shown; "" for None."""
    if value is None:
        return ""
    try:
        plain = value if isinstance(value, str) else str(value)
    except (ValueError, RecursionError):  # a number of too many digits, a list that holds itself
        return "?"
    return clean(plain)


def line(value: object, most: int = 200) -> str:
    """The same on one line of at most `most` characters."""
    return beginning(text(value).replace("\n", "\\n").replace("\t", "\\t"), most)


def whole(value: object) -> int | None:
    """A whole number that is not absurd, or None."""
    return value if type(value) is int and abs(value) <= _MOST else None


def number(value: object) -> float | None:
    """A finite number that is not absurd, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) <= _MOST else None  # which "not a number" is not
