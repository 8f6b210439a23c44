"""Writes answers by hand, so that each part of the JSON can be written wrongly. Used by `answer_breaker.py`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any


def dump(value: Any, rng: Random) -> str:
    indent = rng.choice([None, 2, 4])
    return json.dumps(value, ensure_ascii=rng.random() < 0.3, indent=indent)


def strings_of(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings_of(item)
    elif isinstance(value, str):
        yield value


def write(
    value: Any,
    *,
    quote: Callable[[str], str] = json.dumps,
    key: Callable[[str], str] | None = None,
    comma: str = ",",
    colon: str = ": ",
    words: tuple[str, str, str] = ("true", "false", "null"),
    indent: int | None = None,
    trailing: str = "",
    note: str = "",
    level: int = 0,
) -> str:
    """Return a value as JSON. Each argument can make one part of it wrong."""
    options = {
        "quote": quote,
        "key": key,
        "comma": comma,
        "colon": colon,
        "words": words,
        "indent": indent,
        "trailing": trailing,
        "note": note,
    }
    if isinstance(value, str):
        return quote(value)
    if value is None or isinstance(value, bool):
        return words[2 if value is None else 0 if value else 1]
    if not isinstance(value, (dict, list)):
        return json.dumps(value)
    pad = "" if indent is None else "\n" + " " * indent * (level + 1)
    end = "" if indent is None else "\n" + " " * indent * level
    if isinstance(value, dict):
        parts = [
            f"{pad}{note}{pad if note else ''}{(key or quote)(name)}{colon}{write(item, level=level + 1, **options)}"
            for name, item in value.items()
        ]
        opening, closing = "{}"
    else:
        parts = [f"{pad}{write(item, level=level + 1, **options)}" for item in value]
        opening, closing = "[]"
    if not parts:
        return opening + closing
    gap = " " if indent is None else ""
    return opening + (comma + gap).join(parts) + trailing + end + closing


def all_raw_control(text: str) -> str:
    """Escape quotes and backslashes, but leave line breaks and tabs unchanged."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def bare_quotes(text: str) -> str:
    """Escape only backslashes."""
    return '"' + text.replace("\\", "\\\\") + '"'


def wholly_raw(text: str) -> str:
    return '"' + text + '"'


def single(text: str) -> str:
    return "'" + json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"


def smart(opening: str, closing: str) -> Callable[[str], str]:
    return lambda text: opening + json.dumps(text, ensure_ascii=False)[1:-1] + closing


def plain_key(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z_]\w*", text) else json.dumps(text)
