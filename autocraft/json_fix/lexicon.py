"""The small patterns of the tolerant reader: blanks and comments, quotes, keys, numbers, literals.

Each pattern needs linear time: repetitions are possessive, and every part that may be examined twice is bounded.
"""

from __future__ import annotations

import re
from functools import lru_cache

BLANK = r"\s\x00-\x1a\x1c-\x20\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u061c\u180e"
"""For a character class: white space, control characters, zero-width characters and marks of direction."""
BLANK_SIGNS = " \t\r\n\x0b\x0c\x00\u00a0\u200b\u2060\ufeff\u3000"

_DIVIDED = r"[ \t]*+\d[\d._]*+[ \t]*+(?:[\n\r,}\]]|\Z)"
"""A number alone after two slashes, which are then Python's division."""
COMMENT = rf"//(?!{_DIVIDED})[^\n\r\u2028\u2029]*+|\#(?!!)[^\n\r\u2028\u2029]*+|/\*(?:[^*]|\*(?!/)){{0,4000}}+\*/"
COMMENTS = re.compile(COMMENT)
_SHORT_COMMENT = r"(?://|\#)[^\n\r\u2028\u2029]{0,200}+[\n\r\u2028\u2029]|/\*(?:[^*]|\*(?!/)){0,200}+\*/"

_COLOUR = r"\x1b(?:\[[\d;]{0,20}+[A-Za-z])?"
COLOUR = re.compile(_COLOUR)

SKIP = re.compile(rf"(?:[{BLANK}]++|{_COLOUR}|{COMMENT})*+")
BLANKS = re.compile(rf"(?:[{BLANK}]++|{_COLOUR})*+")
BLANKS_BEFORE = re.compile(rf"(?:[{BLANK}]|{_COLOUR})\Z")
_ROOM = rf"(?:[{BLANK}]|{_COLOUR})*+"
GAP = rf"{_ROOM}(?:{_SHORT_COMMENT}{_ROOM}){{0,4}}+"
"""Blanks and a few short comments, for patterns that look ahead from every quote and bracket."""

COLONS = ":："
COMMAS = ",，;；、"
OPENERS = {"{": "{", "｛": "{", "[": "[", "［": "["}
CLOSERS = {"}": "{", "｝": "{", "]": "[", "］": "[", ")": "("}

QUOTES: dict[str, str] = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": "”“",
    "”": "”“",
    "„": "“”„",
    "‟": "”‟",
    "«": "»",
    "‘": "’‘",
    "’": "’‘",
    "‚": "‘’",
    "＂": "＂",
    "＇": "＇",
    "ʺ": "ʺ",
    "″": "″",
    "「": "」",
}
"""Opening quote -> the characters that may close it."""

BARE_KEY = re.compile(r"[^\W\d][\w$.\-]{0,79}+")
STRICT_NUMBER = re.compile(r"-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?", re.ASCII)
NUMBER = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F]{1,32}+|[1-9]\d{0,2}(?:_\d{3})++|\d++\.?\d*+(?:[eE][+-]?\d++)?|\.\d++(?:[eE][+-]?\d++)?)"
)
WORD = re.compile(r"-?[^\W\d][\w$.\-]*+")


def blanks_end(text: str, pos: int) -> int:
    """Return the end of the blanks at `pos`."""
    return BLANKS.match(text, pos).end()  # type: ignore[union-attr]


def visible(text: str) -> str:
    """Return the text without invisible characters at its start and end, and a single line without its margin."""
    start, end = blanks_end(text, 0), blanks_start(text, len(text))
    if end <= start:
        return ""
    if text[:start].strip(" \t\r\n") == "" and "\n" in text[start:end]:
        start = 0
    return text[start:] if text[end:].isspace() else text[start:end]


def blanks_start(text: str, end: int) -> int:
    """Return the start of the blanks that end at `end`."""
    while end and (match := BLANKS_BEFORE.search(text, max(0, end - 24), end)) is not None:
        end = match.start()
    return end


LITERALS: dict[str, bool | None] = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
    "null": None,
    "None": None,
    "NULL": None,
    "Null": None,
}
NOT_NUMBERS = frozenset({"NaN", "nan", "-NaN", "Infinity", "-Infinity", "inf", "-inf", "Inf", "-Inf"})

_BARE_AHEAD = r"[^\W\d][\w$\-]{0,79}+"


def _quoted_key(opener: str) -> str:
    closers = re.escape(QUOTES[opener])
    return rf"{re.escape(opener)}[^{closers}\\\n]{{0,80}}+[{closers}]"


@lru_cache(maxsize=64)
def key_ahead(style: str) -> re.Pattern[str]:
    """Return the pattern of a key with its colon.

    `style` is the opening quote of the document's keys, "bare", "call" or "any".
    """
    if style == "any":
        others = "|".join(_quoted_key(opener) for opener in QUOTES if opener != '"')
        start = re.escape("".join(QUOTES).replace('"', ""))
        common = _quoted_key('"')
        key = rf"{common}|{_BARE_AHEAD}|(?=[{start}])(?:{others})"
    else:
        key = _BARE_AHEAD if style in ("bare", "call") else _quoted_key(style)
    return re.compile(rf"(?:{key}){GAP}(?:[{COLONS}{'=' if style == 'call' else ''}]|=>)")


SPACES = re.compile(r"[ \t\r\n]*+")
SPACE = r"[ \t\r\n]*+"
SIMPLE_KEY = re.compile(rf'"([^"\\\n]{{0,80}}+)"{SPACE}:{SPACE}')
"""A key and its colon as in strict JSON, up to the value."""
NEXT_KEY = re.compile(rf'{SPACE},{SPACE}"[^"\\\n]{{0,80}}+"{SPACE}:')
"""The usual text after a value."""
_NEXT = rf"""{SPACE},{SPACE}(?=(["']?)[A-Za-z_][A-Za-z_0-9]{{0,79}}+\6{SPACE}:)"""
_END = rf"""\}}{SPACE},{SPACE}["'][^"'\\\n]{{0,80}}+["']{SPACE}:"""
_LAST = rf",{SPACE}\}}|\}}[}}\s]*+(?:```|\Z)"
_STRICT = r"""(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"""
_SCALAR = r"-?(?:0|[1-9]\d{0,14}+)(?![\w.])|(?:true|false|null|True|False|None)\b"
SIMPLE_PAIR = re.compile(
    rf"""{SPACE}(["']?)([A-Za-z_][A-Za-z_0-9]{{0,79}}+)\1{SPACE}:{SPACE}"""
    rf"""(?:(?:"({_STRICT})"|'([^'\\\x00-\x1f]*+)'|({_SCALAR}))(?:{_NEXT}|{SPACE}(?={_END}|{_LAST}))|(?=([{{\["'])))"""
)
"""Key, strict string or other scalar, up to the next key or the end of the object; or a key up to a bracket or quote.

The fast way through most objects. Groups: the key's quote, the key, a double-quoted string, a single-quoted one,
another scalar, the next key's quote, the bracket or quote."""


@lru_cache(maxsize=64)
def first_quote(closers: str) -> re.Pattern[str]:
    """Return the pattern from just after the opening quote to the first closing one without a backslash."""
    inner = re.escape(closers)
    return re.compile(rf"(?:[^{inner}\\]++|\\.)*+[{inner}]", re.DOTALL)


@lru_cache(maxsize=256)
def likely_close(closers: str, style: str, in_list: bool) -> re.Pattern[str]:
    """Return the pattern from inside a string to the next closing quote after which the structure could go on.

    After the quote must come a comma and a key in the document's own style (in a list: a value), a closing bracket, or
    a line break and a key. `reader.py` then checks the brackets.
    """
    inner = re.escape(closers)
    item = rf"[{re.escape(''.join(QUOTES))}\d\-{{\[tfnTFN]" if in_list else key_ahead(style).pattern
    closers = r"}\]｝］)" if style == "call" else r"}\]｝］"
    follow = rf"{GAP}(?:[{COMMAS}]{GAP}(?:{item}|[{closers}])|[{closers}])"
    if not in_list:
        follow = rf"(?:{follow}|[ \t\r]*+\n{GAP}{key_ahead(style).pattern})"
    return re.compile(rf"(?:[^{inner}\\]++|\\.|[{inner}](?!{follow}))*+[{inner}]", re.DOTALL)
