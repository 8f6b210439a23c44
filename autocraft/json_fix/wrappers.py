"""Forms around or instead of an object: tool-call tags, Action / Action Input, and ``f(a=1)``.

Each returns a command-shaped value that `shape.py` judges like any other, or None. Values in tags are typed as JSON
where they read as a number, literal or container, and are strings otherwise.
Neighbours: `brace_slice.py` finds where they start, `yamlish.py` reads YAML.
"""

from __future__ import annotations

import re
from typing import Any

from autocraft.json_fix import lexicon, plain
from autocraft.json_fix.reader import Garbled, Parsed, Reader
from autocraft.json_fix.reply import unreadable
from autocraft.json_fix.work import Work

_ATTRIBUTE = r"[\"']?([\w.\-:/]{1,128}+)[\"']?"
FUNCTION = re.compile(rf"<(?:function\s*=|invoke\s+name\s*=|tool\s+name\s*=|function\s+name\s*=)\s*{_ATTRIBUTE}\s*>")
_PARAMETER = re.compile(rf"\s*<(?:parameter|arg|param)(?:\s*=\s*|\s+name\s*=\s*){_ATTRIBUTE}[^<>\n]{{0,80}}>")
_END = re.compile(r"\s*</(?:function|invoke|tool)\s*>")
ACTION = re.compile(
    r"^[ \t*_#>]*(?:Action|Tool)[ \t*_]*:[ \t*_]*[`\[\"']?([\w.\-]{1,128}+)[`\]\"']?[ \t*_]*\r?\n\s*"
    r"[ \t*_]*(?:Action[ _]Input|Tool[ _]Input|Input|Args|Arguments|Parameters)[ \t*_]*:[ \t*_]*",
    re.MULTILINE | re.IGNORECASE,
)
NAMED = re.compile(r"\[TOOL_CALLS\]\s*([\w.\-]{1,128}+)\s*(?:\[ARGS\])?\s*(?=\{)")
CALL = re.compile(r"([A-Za-z_][\w.]{0,127}+)[ \t]*\(")
_FENCE = re.compile(r"\s*(?:```\w*\s*)?")
_NOTHING = re.compile(r"(?:null|None|none|\{\})?`*[ \t]*\r?\n\s*(?:$|Observation\b|Thought\b)")
_SCALAR = re.compile(r"[\d\[{\-\"]|(?:true|false|null)$")


def function(text: str, start: re.Match[str], work: Work) -> tuple[Any, int, Parsed | None]:
    """``<function=name>`` or ``<invoke name="…">`` with an object or parameter tags: the value and where it ends."""
    name, pos = start.group(1), start.end()
    args: dict[str, Any] = {}
    found = _PARAMETER.match(text, pos)
    if found is None:
        brace = lexicon.BLANKS.match(text, pos).end()  # type: ignore[union-attr]
        if text.startswith("{", brace):
            return _with_object(text, name, brace, work)
    while found is not None:
        close = text.find("</", found.end())
        while close >= 0 and not re.compile(r"</(?:parameter|arg|param)\s*>").match(text, close):
            close = text.find("</", close + 2)
        if close < 0:
            raise unreadable("truncated")
        args[found.group(1)] = _typed(text[found.end() : close])
        pos = text.index(">", close) + 1
        found = _PARAMETER.match(text, pos)
    end = _END.match(text, pos)
    if end is None:
        raise unreadable("truncated")
    return {"name": name, "args": args}, end.end(), None


def _typed(raw: str) -> Any:
    if raw.startswith("\n") and raw.endswith("\n") and len(raw) > 1:
        raw = raw[1:-1]
    if _SCALAR.match(raw.strip()):
        value = plain.loads(raw)
        if value is not None or raw.strip() == "null":
            return value if not isinstance(value, str) else raw
    return raw


def _with_object(text: str, name: str, brace: int, work: Work) -> tuple[Any, int, Parsed | None]:
    strict = plain.at(text, brace)
    if strict is not None:
        return {"name": name, "args": strict[0]}, strict[1], None
    try:
        parsed = Reader(text, work).read(brace)
    except Garbled as error:
        raise unreadable(error.flag) from None
    return {"name": name, "args": parsed.value}, parsed.end, parsed


def action(text: str, start: re.Match[str], work: Work) -> tuple[Any, int, Parsed | None]:
    """``Action: name`` and ``Action Input: {…}`` on the next line."""
    pos = _FENCE.match(text, start.end()).end()  # type: ignore[union-attr]
    if text.startswith("{", pos):
        return _with_object(text, start.group(1), pos, work)
    nothing = _NOTHING.match(text, pos)
    if nothing is not None:
        return {"name": start.group(1), "args": {}}, nothing.end(), None
    raise unreadable("positional" if text[pos:].strip() else "truncated")


def named(text: str, start: re.Match[str], work: Work) -> tuple[Any, int, Parsed | None]:
    """``[TOOL_CALLS]name{…}``."""
    return _with_object(text, start.group(1), start.end(), work)


def call(text: str, start: re.Match[str], work: Work) -> tuple[Any, int, Parsed | None]:
    """``name(a=1, b="x")``; `start` is a match of CALL. Arguments without names are refused."""
    pos = start.end()
    inside = lexicon.SKIP.match(text, pos).end()  # type: ignore[union-attr]
    reader = Reader(text, work)
    try:
        parsed = reader.read(pos - 1, kind="(")
    except Garbled:
        named_argument = lexicon.key_ahead("call").match(text, inside)
        raise unreadable("garbled" if named_argument else "positional") from None
    return {"name": start.group(1), "args": parsed.value}, parsed.end, parsed
