"""Reads a strict command after thoughts that cannot be read, if no other command can be meant."""

from __future__ import annotations

import re
from typing import Any

from autocraft.json_fix import plain

MAX_CHARS = 60_000
_KEY = re.compile(r"(?:\"command\"?|command\")\s{0,20}:\s{0,200}(?=\{)")
_ANY_KEY = re.compile(r"command[\"']?\s{0,20}:")
_THOUGHTS = re.compile(r"\{(\s*)\"thoughts\"\s*:")
_BEFORE = re.compile(r"[,}\]]\s*(?:```\w{0,10}\s*)?\Z")
_REST = re.compile(r"\s*\}\s*(?:```\s*)?\Z")
_FENCE = re.compile(r"```\w{0,10}\s*\Z")
_QUOTE = re.compile(r'(?<!\\)(?:\\\\)*"')


def read(text: str, pos: int) -> tuple[dict[str, Any], int] | None:
    """Read the object at `pos`, with its thoughts as text. Return it with its end, or None if the command is unsure."""
    thoughts = _THOUGHTS.match(text, pos)
    if thoughts is None or len(text) - pos > MAX_CHARS or len(_ANY_KEY.findall(text)) != 1:
        return None
    key = _KEY.search(text, thoughts.end())
    if key is None or not _at_same_depth(text, key.start(), thoughts[1]):
        return None
    before = text[thoughts.end() : key.start()]
    if len(_QUOTE.findall(before)) % 2 or _BEFORE.search(before[-200:]) is None:
        return None
    pair = plain.at(text, key.end())
    if pair is None or _REST.match(text, pair[1]) is None or not _is_command(pair[0]):
        return None
    return {"thoughts": {"text": before.strip().rstrip(",")}, "command": pair[0]}, len(text)


def _at_same_depth(text: str, at: int, margin: str) -> bool:
    """Return whether the key begins a line at the indent of `thoughts`, or follows the bracket that ends them."""
    if "\n" in margin:
        return text[text.rfind("\n", 0, at) + 1 : at] == margin.rsplit("\n", 1)[-1]
    return _FENCE.sub("", text[max(0, at - 200) : at]).rstrip(", \r\n\t").endswith("}")


def _is_command(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"name", "args"}
        and isinstance(value["name"], str)
        and isinstance(value["args"], dict)
    )
