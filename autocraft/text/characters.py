"""Makes incoming text well-formed, without half characters.

JSON, JavaScript and Java can send the two UTF-16 halves of an emoji apart, and Python reads a byte that is not UTF-8 as
a half as well. A half cannot be encoded, so it can be neither sent nor stored.
"""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")


def well_formed(value: T) -> T:
    """Join neighbouring halves and replace other halves by U+FFFD, in every text of a JSON value.

    Keys are texts too. If two become equal, the last one stays. Return the same object if nothing changes.
    """
    result: Any = value
    if isinstance(value, str):
        result = _text(value)
    elif isinstance(value, dict):
        pairs = [(well_formed(key), well_formed(item)) for key, item in value.items()]
        if any(key is not old or item is not value[old] for (key, item), old in zip(pairs, value, strict=True)):
            result = dict(pairs)
    elif isinstance(value, (list, tuple)):
        items = [well_formed(item) for item in value]
        if any(item is not old for item, old in zip(items, value, strict=True)):
            result = items if isinstance(value, list) else tuple(items)
    return result  # type: ignore[no-any-return]


def _text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


class Pieces:
    """Makes a text in pieces well-formed. A first half at the end of a piece waits for the next piece."""

    def __init__(self) -> None:
        self._half = ""

    def take(self, piece: str) -> str:
        """Return the text that can be used now; empty after only a half."""
        text = self._half + piece
        self._half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return well_formed(text.removesuffix(self._half) if self._half else text)
