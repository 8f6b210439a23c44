"""Calls written as text: ``f(a=1)``, lists of them, and Action / Action Input."""

from __future__ import annotations

import re

from autocraft.json_fix import lexicon
from autocraft.json_fix.families import arguments
from autocraft.json_fix.reader import GarbledText, Reader, Reading
from autocraft.json_fix.reply import unreadable

CALL = re.compile(r"([A-Za-z_][\w.]{0,127}+)\(")
ACTION = re.compile(
    r"[ \t]*[*_]*(?:Action|Tool)[ \t*_]*:[ \t*_]*[`\[\"']?([\w.\-]{1,128}+)[`\]\"']?[ \t*_]*\r?\n\s*"
    r"[ \t*_]*(?:Action[ _]Input|Tool[ _]Input|Input|Args|Arguments|Parameters)[ \t*_]*:[ \t*_]*",
    re.IGNORECASE,
)
_KEYWORDS = frozenset(
    ["if", "elif", "for", "while", "def", "class", "with", "assert", "return", "print", "not", "and", "or", "in", "is",
     "lambda", "switch", "catch", "function", "await", "async", "new", "typeof", "del", "raise", "except", "import",
     "from", "yield", "else", "try", "super", "range", "len", "str", "int", "list", "dict", "set", "json.loads",
     "json.dumps", "console.log"]
)  # fmt: skip
_PYTHON = re.compile(r"(?<!\\)(?:\\\\)*+\\(?:x[0-9a-fA-F]{2}|[0-7]|U[0-9a-fA-F]{8}|N\{|\r?\n)")
"""An escape of Python that JSON does not have."""
_FENCE = re.compile(r"\s*(?:```\w*\s*)?")
_NOTHING = re.compile(r"(?:null|None|none|\{\})?`*[ \t]*\r?\n\s*(?:$|Observation\b|Thought\b)")
_BETWEEN = re.compile(r"\s*,\s*")
_LIST_END = re.compile(r"\s*\]")


def call_start(text: str, pos: int) -> re.Match[str] | None:
    """Match the start of a call at `pos`. Return None if there is none, or only a keyword of a programming language."""
    match = CALL.match(text, pos)
    return None if match is None or match[1] in _KEYWORDS else match


def call(text: str, start: re.Match[str]) -> Reading:
    """Read ``name(a=1, b="x")``. `start` is from `call_start`. Raises UnreadableReply for arguments without names."""
    inside = lexicon.SKIP.match(text, start.end()).end()  # type: ignore[union-attr]
    try:
        reading = Reader(text).read(start.end() - 1, kind="(")
    except GarbledText:
        is_named = lexicon.key_ahead("call").match(text, inside)
        raise unreadable("garbled" if is_named else "positional") from None
    if "escapes guessed" in reading.flags and _PYTHON.search(text, inside, reading.end):
        raise unreadable("doubtful")
    return reading._replace(value={"name": start[1], "args": reading.value})


def calls(text: str, pos: int) -> list[Reading] | None:
    """Read the calls of a list ``[f(a=1), g()]`` at `pos`. Return None if there is no such list. Raises
    UnreadableReply.
    """
    pos += 1
    readings: list[Reading] = []
    while (start := call_start(text, lexicon.BLANKS.match(text, pos).end())) is not None:  # type: ignore[union-attr]
        readings.append(call(text, start))
        end = _LIST_END.match(text, readings[-1].end)
        if end is not None:
            readings[-1] = readings[-1]._replace(end=end.end())
            return readings
        between = _BETWEEN.match(text, readings[-1].end)
        if between is None:
            raise unreadable("truncated")
        pos = between.end()
    if readings:
        raise unreadable("garbled")
    return None


def action(text: str, start: re.Match[str]) -> Reading:
    """Read ``Action: name`` with ``Action Input: {…}`` on the next line. Raises UnreadableReply."""
    pos = _FENCE.match(text, start.end()).end()  # type: ignore[union-attr]
    if text.startswith(("{", "｛"), pos):
        args = arguments(text, pos)
        return args._replace(value={"name": start[1], "args": args.value})
    nothing = _NOTHING.match(text, pos)
    if nothing is not None:
        return Reading({"name": start[1], "args": {}}, nothing.end())
    raise unreadable("positional" if text[pos:].strip() else "truncated")
