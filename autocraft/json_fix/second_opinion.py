"""json-repair as a second opinion on a small object that the tolerant reader could not read.

json-repair never refuses. So its value counts only if it has every string, number and word of the source in the same
order and nothing else, and if the source closes every bracket that it opens.
"""

from __future__ import annotations

import json
import re
from typing import Any

MAX_CHARS = 2_000
MAX_BRACKETS = 100
_TOKEN = re.compile(r'"((?:[^"\\]++|\\.)*+)"|([^\s{}\[\]:,"]++)|([{}\[\]:,])', re.DOTALL)


def read(text: str, pos: int) -> tuple[Any, int] | None:
    """Repair the object at `pos`, and return it with its end. Return None if that is unsure.

    Only blanks or a fence may follow it.
    """
    end = len(text.rstrip().removesuffix("```").rstrip())
    source = text[pos:end]
    if len(source) > MAX_CHARS or not source.endswith("}"):
        return None
    tokens = _tokens(source)
    if tokens is None:
        return None
    value = repair(source, is_broken=True)
    if not isinstance(value, dict) or _flat(value) != tokens:
        return None
    return value, end


def repair(text: str, *, is_broken: bool = False) -> Any:
    """Return json-repair's value of a text, unchecked, or None if it raises. `is_broken` says that it is not JSON."""
    from json_repair import repair_json

    try:
        return repair_json(text[:MAX_CHARS], return_objects=True, skip_json_loads=is_broken)
    except (RecursionError, ValueError, IndexError, KeyError, TypeError, AttributeError):
        return None


def _tokens(source: str) -> list[Any] | None:
    """Return keys and values of the source in order. Return None for other text, or for unbalanced brackets."""
    tokens: list[Any] = []
    opening = closing = 0
    at = 0
    for match in _TOKEN.finditer(source):
        if source[at : match.start()].strip():
            return None
        at = match.end()
        string, word, mark = match.groups()
        if mark:
            opening += mark in "{["
            closing += mark in "}]"
            continue
        try:
            tokens.append(json.loads(f'"{string}"' if string is not None else word))
        except ValueError:
            return None
    return tokens if at == len(source) and opening == closing <= MAX_BRACKETS else None


def _flat(value: Any) -> list[Any]:
    """Return keys and values of a value in order, without recursion."""
    flat: list[Any] = []
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            for key, child in reversed(item.items()):
                waiting += [child, key]
        elif isinstance(item, list):
            waiting += reversed(item)
        else:
            flat.append(item)
    return flat
