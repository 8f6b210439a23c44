"""Reads ``command:`` in a part of YAML: mappings of scalars, short lists and literal blocks.

Anything else is refused. YAML has no closing bracket, so a value counts only if a line end follows it.
"""

from __future__ import annotations

import re
from typing import Any

from autocraft.json_fix import lexicon, plain
from autocraft.json_fix.reader import GarbledText, Reader
from autocraft.json_fix.reply import unreadable

_HEAD = re.compile(r"[\"']?command[\"']?:([^\n]*)\n")
_ARGS = re.compile(r"[\"']?args[\"']?:([^\n]*)\n")
_BLOCK = re.compile(r"(?:[ \t][^\n]*(?:\n|\Z)|[ \t\r]*\n)*+")
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
    first = _HEAD.match(text, start, stop)
    if first is None:
        raise unreadable("truncated")  # the value may go on where the text ends
    inline = first[1].strip()
    lines, end = _indented_lines(text, first.end(), stop)
    if inline:
        if any(line.strip() for line in lines):
            raise unreadable("garbled")
        beside = _ARGS.match(text, end, stop)
        if beside is None:
            return {"command": _scalar(inline)}, end
        lines, end = _indented_lines(text, beside.end(), stop)
        args: Any = _scalar(beside[1].strip()) if beside[1].strip() else {}
        if any(line.strip() for line in lines):
            args = _mapping(lines)
        return {"command": _scalar(inline), "args": args}, end
    if not any(line.strip() for line in lines):
        raise unreadable("truncated" if end >= stop else "no command")
    return {"command": _mapping(lines)}, end


def block_end(text: str, pos: int) -> int:
    """Return the end of the indented lines after the line at `pos`."""
    return _BLOCK.match(text, text.find("\n", pos) + 1 or len(text)).end()  # type: ignore[union-attr]


def _indented_lines(text: str, pos: int, stop: int) -> tuple[list[str], int]:
    """Return the lines up to the first one without indent. The last line counts only with its line end."""
    end = _BLOCK.match(text, pos, stop).end()  # type: ignore[union-attr]
    lines = [line + "\n" for line in text[pos:end].split("\n")[:-1]]
    if end > pos and text[end - 1] != "\n":
        raise unreadable("truncated")
    return ([*lines, ""] if end < stop else lines), end


def _mapping(lines: list[str]) -> dict[str, Any]:
    value, used = _block(lines, 0, _indent(lines, 0), 0)
    if any(line.strip() for line in lines[used:]) or not isinstance(value, dict):
        raise unreadable("garbled")
    return value


def _indent(lines: list[str], at: int) -> int:
    while at < len(lines) and not lines[at].strip():
        at += 1
    if at >= len(lines):
        raise unreadable("garbled")
    return len(lines[at]) - len(lines[at].lstrip(" "))


def _block(lines: list[str], at: int, indent: int, depth: int) -> tuple[Any, int]:
    """Read a mapping or list whose lines have this `indent`. Return it, and the index of the line after it."""
    if depth > 8:
        raise unreadable("too deep")
    mapping: dict[str, Any] = {}
    items: list[Any] = []
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        here = len(lines[at]) - len(lines[at].lstrip(" "))
        if here < indent:
            break
        line = lines[at].strip(" \t\r\n")
        if here > indent:
            raise unreadable("garbled")
        if line.startswith("- "):
            items.append(_scalar(line[2:].strip()))
            at += 1
            continue
        match = _PAIR.fullmatch(line)
        if match is None:
            raise unreadable("garbled")
        if match.group(2) in mapping:
            raise unreadable("doubtful")
        mapping[match.group(2)], at = _value(lines, at + 1, indent, match.group(3) or "", depth)
    if items and mapping:
        raise unreadable("garbled")
    return (items or mapping), at


def _value(lines: list[str], at: int, indent: int, inline: str, depth: int) -> tuple[Any, int]:
    if inline in ("|", "|-"):
        return _literal(lines, at, indent, keep=inline == "|")
    if inline:
        return _scalar(inline.strip()), at
    following = at
    while following < len(lines) and not lines[following].strip():
        following += 1
    if following >= len(lines):
        raise unreadable("truncated")
    inner = _indent(lines, following)
    if inner > indent or (inner == indent and lines[following].lstrip().startswith("- ")):
        return _block(lines, following, inner, depth + 1)
    return None, at


def _literal(lines: list[str], at: int, indent: int, *, keep: bool) -> tuple[str, int]:
    """Read a ``|`` block. Something must follow it, since otherwise its end is unknown."""
    start, inner = at, _indent(lines, at)
    if inner <= indent:
        raise unreadable("garbled")
    while at < len(lines) and lines[at] and (not lines[at].strip() or lines[at].startswith(" " * inner)):
        at += 1
    if at >= len(lines):
        raise unreadable("truncated")
    body = "".join(line[inner:] if line.strip() else "\n" for line in lines[start:at]).rstrip("\n")
    return body + ("\n" if keep else ""), at


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
