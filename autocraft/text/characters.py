"""Makes incoming text well-formed, without half characters.

JSON, JavaScript and Java can send the two UTF-16 halves of an emoji apart, and Python reads a byte that is not UTF-8 as
a half as well. A half cannot be encoded, so it can be neither sent nor stored.
"""

from __future__ import annotations

from typing import Any, TypeVar

import orjson

T = TypeVar("T")


def well_formed(value: T) -> T:
    """Join neighbouring halves and replace other halves by U+FFFD, in every text of a JSON value.

    Keys are texts too. If two become equal, the last one stays. Return the same object if nothing changes.
    """
    try:
        orjson.dumps(value)
        return value
    except TypeError:  # there is a half, or something else that orjson does not encode
        joined = _joined(value)
        return value if joined == value else joined


def _joined(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        return {_joined(key): _joined(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [_joined(item) for item in value]
        return items if isinstance(value, list) else tuple(items)
    return value


class Pieces:
    """Makes a text in pieces well-formed. A first half at the end of a piece waits for the next piece."""

    def __init__(self) -> None:
        self._half = ""

    def take(self, piece: str) -> str:
        """Return the text that can be used now; empty after only a half."""
        text = self._half + piece
        self._half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return well_formed(text.removesuffix(self._half) if self._half else text)
