"""Stage one: strict JSON, read exactly.

orjson turns integers over 64 bits into floats, and rejects lone surrogates and NaN. The standard library reads a text
that may have one of these.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

import orjson

from autocraft.json_fix.keys import ARG_KEYS, CALL_KEYS, NAME_KEYS

ONCE = frozenset({*NAME_KEYS, *ARG_KEYS, *CALL_KEYS, "response"})
"""Keys of a command. If one is there twice with different values, nobody can tell which was meant."""
_IN_QUOTES = [f'"{key}"' for key in ONCE]
_LONG_NUMBER = re.compile(r"[0-9]{19}")
_EVERY_NINTH = re.compile(r"[0-9][0-9]")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError("number out of range")
    return value


def _refuse(constant: str) -> None:
    raise ValueError(constant)


_STRICT = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
_SCANNER = json.JSONDecoder(parse_constant=lambda _: None, parse_float=_finite)


def loads(text: str) -> Any:
    """Parse a whole text. Return None if it is not strict JSON. NaN and the infinities become null."""
    return whole(text)[0]


def whole(text: str) -> tuple[Any, bool]:
    """Parse a whole text as `loads` does. Return also whether parts of it may be strict JSON."""
    try:
        value = orjson.loads(text)
        # in a number of 19 digits two successive ninth characters are digits
        if _EVERY_NINTH.search(text[::9]) is None or _LONG_NUMBER.search(text) is None:
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
    """Parse a whole text. Return also whether it is strict JSON without NaN and without numbers out of range."""
    try:
        return _STRICT.decode(text), True
    except (ValueError, RecursionError):
        return None, False


def repeats(source: str, value: Any) -> bool:
    """Return whether a strict text, whose value is `value`, names two commands by one key.

    Equal keys in arguments do not count.
    """
    if "\\u00" not in source:
        try:
            if orjson.dumps(value).count(b'"') == source.count('"'):
                return False  # as many quotes as were written, so no key is lost
        except (TypeError, ValueError):
            pass  # a number over 64 bits, a lone surrogate, or too deep
        if all(source.count(key) < 2 for key in _IN_QUOTES):
            return False
    return _names_two(source)


def _names_two(source: str) -> bool:
    several: dict[int, Any] = {}

    def keep(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) < len(pairs) and any(key in ONCE and item != value[key] for key, item in pairs):
            several[id(value)] = value
        return value

    try:
        waiting = [json.loads(source, object_pairs_hook=keep)]
    except (ValueError, RecursionError):
        return True  # nobody can tell
    for item in waiting:
        if isinstance(item, dict):
            if id(item) in several:
                return True
            waiting += [inner for key, inner in item.items() if key not in ARG_KEYS]
        elif isinstance(item, list):
            waiting += item
    return False


def at(text: str, pos: int) -> tuple[Any, int] | None:
    """Parse the strict JSON value that starts at `pos`, and return it with its end. Return None if it is not strict, or
    names two commands.
    """
    try:
        value, end = _SCANNER.raw_decode(text, pos)
    except (ValueError, RecursionError):
        return None
    return None if repeats(text[pos:end], value) else (value, end)
