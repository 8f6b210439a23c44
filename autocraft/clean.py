"""The one place where text that nobody of ours wrote is made fit to be shown.

Control characters can move the cursor or forge a line, bidirectional and zero-width ones can make a text read
differently from what it is. Each is shown as its escape, so that nothing is hidden. Neighbours: `render.py` calls
this for every untrusted text, `events.py` for the JSON lines.
"""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 except tab and newline, DEL, C1
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb"  # zero width, bidi, separators, blanks that are no space
    "\ud800-\udfff"  # lone surrogates, which no terminal can print
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"  # shorthand, music, tags
    "|(?<![\u2190-\u2bff\U0001f000-\U0001faff])\ufe0f"  # the emoji style, where no emoji stands before it
)


def clean(text: str) -> str:
    """`text` with every character that is not plainly visible written as an escape; newlines and tabs stay."""
    return _UNSAFE.sub(_escape, text.replace("\r\n", "\n"))


def clean_line(text: str) -> str:
    """The same on one line: newlines and tabs are escaped too."""
    return clean(text).replace("\n", "\\n").replace("\t", "\\t")


def clean_json(line: str) -> str:
    """A line of JSON in which what a terminal might obey is written as an escape; it reads back the same."""
    return _UNSAFE.sub(lambda found: _json_escape(ord(found[0])), line)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(code: int) -> str:
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
