"""The fast way to read an object with simple faults only. An object with other faults needs the tolerant reader.

Simple faults are missing and superfluous commas, keys without quotes, Python's literals, strings in single quotes,
comments, and line breaks and invalid escapes in a string. Each is corrected in the text, which is then strict JSON.
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
    """Return the place, from `pos` on, of the first character that strict JSON does not have there."""
    return _STRICT.match(text, pos).end()  # type: ignore[union-attr]


def read(text: str, pos: int, stop: int) -> tuple[dict[str, Any], int, tuple[str, ...]] | None:
    """Read the object at `pos` if it ends with the last bracket of the text. Return its value, end and flags.

    Return None if it has another fault. `stop` is the result of `sound_until`.
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
            try:
                parts.append(orjson.dumps(string).decode())
            except TypeError:
                return None  # half a character, which orjson does not write
            flags.update(dict.fromkeys(names if "\\" in fault[kind] else ("raw line breaks",)))
        else:
            parts.append(_as_json(kind, fault[kind]))
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
    if not isinstance(value, dict) or plain.has_long_number(source) or plain.repeats(source):
        return None
    return value, end, tuple(flags)


def _as_json(kind: str, text: str) -> str:
    """Return one fault as JSON has it."""
    if kind in ("comma", "comment"):
        return ""
    if kind == "gap":
        return f"{text},"
    if kind == "word":
        return {True: "true", False: "false", None: "null"}[lexicon.LITERALS[text]]
    if "\\" in text or '"' in text:
        text = _ESCAPE.sub(lambda match: {"\\'": "'", '"': '\\"'}.get(match[0], match[0]), text)
    return f'"{text}"'
