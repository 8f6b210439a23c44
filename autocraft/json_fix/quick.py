"""The short way through an object whose only faults are of the plainest kinds; any other goes to the tolerant reader.

The faults: commas too many or too few, keys without quotes, Python's literals, strings between single quotes, comments,
line breaks and invalid escapes in a string. Each is written as JSON has it, and the strict parser reads the whole.
"""

from __future__ import annotations

import re
from typing import Any

import orjson

from autocraft.json_fix import lexicon, plain, strings

MAX_FAULTS = 2_000
_BLANKS = r"[ \t\r\n]*+"
_AHEAD = rf"(?={_BLANKS}[:,}}\]])"
_STRING = r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
_SCALAR = r"-?\d[\d.eE+\-]*+|true|false|null"
_STRICT = re.compile(
    rf'(?:[ \t\r\n{{\[:]++|[}}\]](?!{_BLANKS}")|,(?!{_BLANKS}[}}\]])|(?:{_STRING}|{_SCALAR}){_AHEAD})*+'
)
_FAULT = re.compile(
    r"(?P<comma>,)|(?P<key>[A-Za-z_][A-Za-z_0-9]{0,79}+)(?=[ \t]*+:)"
    rf"|(?P<word>True|False|None){_AHEAD}|'(?P<single>(?:[^'\\\x00-\x1f]++|\\['\"\\/bfnrt])*+)'{_AHEAD}"
    rf'|(?P<gap>{_STRING}|{_SCALAR}|[}}\]])(?=[ \t\r\n]++"[^"\\\n]{{0,80}}+"{_BLANKS}:)'
    rf"|(?P<comment>{lexicon.COMMENT})"
    rf'|"(?P<raw>(?:[^"\\]++|\\.)*+)"(?={_BLANKS}[,}}\]])',
    re.DOTALL,
)
_ESCAPE = re.compile(r'\\.|"', re.DOTALL)
_FLAGS = {
    "comma": "trailing commas",
    "key": "unquoted keys",
    "word": "python literals",
    "single": "other quotes",
    "gap": "missing commas",
    "comment": "comments",
}


def sound_until(text: str, pos: int) -> int:
    """Where the first sign stands, from `pos` on, that strict JSON does not have there."""
    return _STRICT.match(text, pos).end()  # type: ignore[union-attr]


def read(text: str, pos: int, stop: int) -> tuple[dict[str, Any], int, tuple[str, ...]] | None:
    """The object at `pos` if it goes on to the last bracket of the text, where it ends, and what was mended.

    None where another fault stands in it. `stop` is what `sound_until` says.
    """
    end = text.rfind("}") + 1
    parts: list[str] = []
    flags: dict[str, None] = {}
    for _ in range(MAX_FAULTS):
        parts.append(text[pos:stop])
        if stop >= end:
            break
        fault = _FAULT.match(text, stop, end)
        if fault is None:
            return None
        kind = fault.lastgroup or ""
        if kind == "comment" and sum(map(fault[kind].count, "}]")) > sum(map(fault[kind].count, "{[")):
            return None  # it may have swallowed brackets
        if kind == "raw":
            string, names, doubt = strings.decode(fault[kind])
            if doubt:
                return None
            parts.append(orjson.dumps(string).decode())
            flags.update(dict.fromkeys(names if "\\" in fault[kind] else ("raw line breaks",)))
        else:
            parts.append(_written(kind, fault[kind]))
            flags[_FLAGS[kind]] = None
        pos = fault.end()
        stop = _STRICT.match(text, pos, end).end()  # type: ignore[union-attr]
    else:
        return None
    if not flags:
        return None  # nothing to mend: the strict parser has seen it
    source = "".join(parts)
    try:
        value = orjson.loads(source)
    except ValueError:
        return None
    if not isinstance(value, dict) or plain.has_long_number(source):
        return None
    return value, end, tuple(flags)


def _written(kind: str, text: str) -> str:
    """One fault as JSON has it."""
    if kind in ("comma", "comment"):
        return ""
    if kind == "gap":
        return f"{text},"
    if kind == "word":
        return {True: "true", False: "false", None: "null"}[lexicon.LITERALS[text]]
    if "\\" in text or '"' in text:
        text = _ESCAPE.sub(lambda found: {"\\'": "'", '"': '\\"'}.get(found[0], found[0]), text)
    return f'"{text}"'
