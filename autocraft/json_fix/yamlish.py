"""Reads ``command:`` written as YAML, of which it knows mappings of scalars, short lists and literal blocks.

Anything else is refused: YAML has no closing bracket, so a value counts only when a line end follows it.
Neighbours: `brace_slice.py` calls it when an answer holds no object.
"""

from __future__ import annotations

import re
from typing import Any

from autocraft.json_fix import plain
from autocraft.json_fix.reader import Garbled, Reader
from autocraft.json_fix.reply import unreadable

COMMAND = re.compile(r"^command:(?:[ \t]+([^\n]*))?$", re.MULTILINE)
_PAIR = re.compile(r"([A-Za-z_][\w\-]*):(?:[ \t]+(.*))?")
_PLAIN = re.compile(r"[^\W\d][^:#\n]*(?<!\s)|[./~][^:#\n]*(?<!\s)")
_AMBIGUOUS = frozenset({"yes", "no", "on", "off", "y", "n"})


def command(text: str) -> Any:
    """A command-shaped value, or None when there is no such mapping. Raises UnreadableReply."""
    starts = list(COMMAND.finditer(text))
    if not starts:
        return None
    if len(starts) > 1:
        raise unreadable("two commands")
    rest = text[starts[0].end() :]
    inline = (starts[0].group(1) or "").strip()
    if not rest.startswith("\n"):
        raise unreadable("truncated")  # the value may go on where the text ends
    lines = _indented(rest[1:])
    if inline:
        if any(line.strip() for line in lines):
            raise unreadable("garbled")
        outer = _beside(text, starts[0].start())
        return {"command": _scalar(inline), **outer}
    if not lines:
        return None
    return {"command": _mapping(lines)}


def _indented(text: str) -> list[str]:
    """The lines up to the first that is not indented. The last line counts only with its line end."""
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        if line.strip() and line[0] not in " \t":
            return [*lines, ""]
        lines.append(line)
    if lines and not lines[-1].endswith("\n"):
        raise unreadable("truncated")
    return lines


def _beside(text: str, start: int) -> dict[str, Any]:
    """``args:`` at top level, next to ``command: name``."""
    found = re.compile(r"^args:(?:[ \t]+([^\n]*))?\n", re.MULTILINE).search(text)
    if found is None:
        return {}
    inline = (found.group(1) or "").strip()
    if inline:
        return {"args": _scalar(inline)}
    lines = _indented(text[found.end() :])
    return {"args": _mapping(lines) if any(line.strip() for line in lines) else {}}


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
    """A mapping or list whose lines are indented by `indent`, and the index after it."""
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
        line = lines[at].strip()
        if here > indent:
            raise unreadable("garbled")
        if line.startswith("- "):
            items.append(_scalar(line[2:].strip()))
            at += 1
            continue
        found = _PAIR.fullmatch(line)
        if found is None:
            raise unreadable("garbled")
        mapping[found.group(1)], at = _value(lines, at + 1, indent, found.group(2) or "", depth)
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
    """A ``|`` block; it must be followed by something, since its end cannot be seen otherwise."""
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
    """``{a: 1}``, which is whole or nothing."""
    try:
        parsed = Reader(raw).read(0)
    except Garbled as error:
        raise unreadable(error.flag) from None
    if parsed.open or parsed.doubtful or parsed.end < len(raw):
        raise unreadable("garbled")
    return parsed.value


def _scalar(raw: str) -> Any:
    if (
        raw[:1] in "\"'[{"
        or raw[:1].isdigit()
        or raw[:1] == "-"
        or raw in ("null", "~", "true", "false", "True", "False")
    ):
        if raw[:1] == "'" and raw.endswith("'") and len(raw) > 1 and "'" not in raw[1:-1].replace("''", ""):
            return raw[1:-1].replace("''", "'")
        if raw == "~":
            return None
        value = plain.loads(raw.lower() if raw in ("True", "False") else raw)
        if value is None and raw[0] == "{":
            value = _flow(raw)
        if value is None and raw != "null":
            raise unreadable("garbled")
        return value
    if raw.lower() in _AMBIGUOUS or not _PLAIN.fullmatch(raw):
        raise unreadable("doubtful")
    return raw
