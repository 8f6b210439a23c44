"""Stage one: strict JSON, read exactly.

orjson turns integers over 64 bits into floats and rejects lone surrogates and NaN; where a text may hold one, the
standard library reads it instead.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

import orjson

_LONG_NUMBER = re.compile(r"[0-9]{19}")
_EVERY_NINTH = re.compile(r"[0-9][0-9]")


def _not_a_number(_: str) -> None:
    return None


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError("number out of range")
    return value


def _refused(constant: str) -> None:
    raise ValueError(constant)


_STRICT = json.JSONDecoder(parse_constant=_refused, parse_float=_finite)
_SCANNER = json.JSONDecoder(parse_constant=_not_a_number, parse_float=_finite)


def has_long_number(text: str) -> bool:
    """Whether a number in `text` may have 19 digits: of every ninth character, two in a row are digits then."""
    return _EVERY_NINTH.search(text[::9]) is not None and _LONG_NUMBER.search(text) is not None


def loads(text: str) -> Any:
    """The value of a whole text, or None when it is not strict JSON. NaN and the infinities become null."""
    return whole(text)[0]


def whole(text: str) -> tuple[Any, bool]:
    """The value as `loads` gives it, and whether it is worth trying the strict parser on a part of the text."""
    try:
        value = orjson.loads(text)
        if not has_long_number(text):
            return value, False
    except orjson.JSONDecodeError as error:
        surrogates = "\\u" in text or error.msg.startswith("str is not valid")
        if not surrogates and "NaN" not in text and "Infinity" not in text:
            return None, error.msg.startswith("unexpected content after")
    try:
        return _SCANNER.decode(text), False
    except (ValueError, RecursionError):
        return None, True


def strictly(text: str) -> tuple[Any, bool]:
    """The value of a whole text, and whether it is strict JSON with no number out of range and no NaN."""
    try:
        return _STRICT.decode(text), True
    except (ValueError, RecursionError):
        return None, False


def at(text: str, pos: int) -> tuple[Any, int] | None:
    """The strict value that starts at `pos` and where it ends, or None."""
    try:
        return _SCANNER.raw_decode(text, pos)
    except (ValueError, RecursionError):
        return None
