"""Reads ``command:`` in a part of YAML: mappings of scalars, and short lists.

Anything else is refused. YAML has no closing bracket, so a value counts only if a line end follows it.
"""

from __future__ import annotations

import re
from typing import Any

from autocraft.json_fix import lexicon, plain
from autocraft.json_fix.reader import GarbledText, Reader
from autocraft.json_fix.reply import unreadable

_INDENTED = r"(?:[ \t][^\n]*(?:\n|\Z)|[ \t\r]*\n)*+"
_BLOCK = re.compile(_INDENTED)
_COMMAND = re.compile(
    rf"[\"']?command[\"']?:[^\n]*(?:\n|\Z){_INDENTED}(?:[\"']?args[\"']?:[^\n]*(?:\n|\Z){_INDENTED})?"
)
_PAIR = re.compile(r"([\"']?)([A-Za-z_][\w\-]*)\1:(?:[ \t]+(.*))?", re.DOTALL)
_PLAIN = re.compile(r"[^\W\d][^:#\n]*(?<!\s)|(?:\.(?![in\d])|[/~])[^:#\n]*(?<!\s)")
_AMBIGUOUS = frozenset({"yes", "no", "on", "off", "y", "n", "none", "nan", "inf", "infinity"})
_LITERALS = {"~": None, **{word: value for word, value in lexicon.LITERALS.items() if word != "None"}}
_COMMENTED = re.compile(r"(\"(?:[^\"\\]|\\.)*\"|'[^']*'|-?\d[\d.]*|true|false|null)[ \t]+#.*")
"""A value that shows where it ends, and a comment."""


def command(text: str, start: int, stop: int) -> tuple[Any, int]:
    """Read the line ``command:`` at `start` and its block, up to `stop`. Return a command-shaped value and its end.

    Raises UnreadableReply.
    """
    match = _COMMAND.match(text, start, stop)
    if match is None or not match[0].endswith("\n"):
        raise unreadable("truncated")  # the value may go on where the text ends
    lines = [line for line in match[0].split("\n") if line.strip()]
    value, used = _block(lines, 0)
    if used < len(lines) or not isinstance(value, dict):
        raise unreadable("garbled")
    if value["command"] is None:
        raise unreadable("no command")
    return value, match.end()


def block_end(text: str, pos: int) -> int:
    """Return the end of the indented lines after the line at `pos`."""
    return _BLOCK.match(text, text.find("\n", pos) + 1 or len(text)).end()  # type: ignore[union-attr]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _block(lines: list[str], at: int, depth: int = 0) -> tuple[Any, int]:
    """Read the mapping or list that begins with this line. Return it, and the index of the line after it."""
    if depth > 8:
        raise unreadable("too deep")
    indent = _indent(lines[at])
    mapping: dict[str, Any] = {}
    items: list[Any] = []
    while at < len(lines) and _indent(lines[at]) >= indent:
        line, deeper = lines[at].strip(), _indent(lines[at]) > indent
        at += 1
        pair = _PAIR.fullmatch(line)
        if line.startswith("- ") and not deeper and not mapping:
            items.append(_scalar(line[2:].strip()))
            continue
        if deeper or pair is None or items:
            raise unreadable("garbled")
        if pair[2] in mapping:
            raise unreadable("doubtful")
        if pair[3]:
            mapping[pair[2]] = _scalar(pair[3].strip())
        elif at == len(lines):
            raise unreadable("truncated")
        elif _indent(lines[at]) > indent or lines[at].lstrip().startswith("- "):
            mapping[pair[2]], at = _block(lines, at, depth + 1)
        else:
            mapping[pair[2]] = None
    return (items or mapping), at


def _flow(raw: str) -> Any:
    """Read ``{a: 1}``. Raises UnreadableReply if it is not complete."""
    try:
        reading = Reader(raw).read(0)
    except GarbledText as error:
        raise unreadable(error.flag) from None
    if reading.state.open or reading.state.doubtful or reading.end < len(raw):
        raise unreadable("garbled")
    return reading.value


def _scalar(raw: str) -> Any:
    commented = _COMMENTED.fullmatch(raw)
    raw = raw if commented is None else commented[1]
    if raw in _LITERALS:
        return _LITERALS[raw]
    if raw[:1] in "\"'[{-" or raw[:1].isdigit():
        if raw[:1] == "'" and raw.endswith("'") and len(raw) > 1 and "'" not in raw[1:-1].replace("''", ""):
            return raw[1:-1].replace("''", "'")
        value = plain.loads(raw)
        if value is None and raw[:1] == "{":
            value = _flow(raw)
        if value is None:
            raise unreadable("garbled")
        if isinstance(value, float) and repr(value) != raw:
            raise unreadable("doubtful")  # 1.10 may be a version, 1e3 a word
        return value
    if raw.lower() in _AMBIGUOUS or not _PLAIN.fullmatch(raw):
        raise unreadable("doubtful")
    return raw
