"""The one place where text that nobody of ours wrote is made fit to be shown.

Control characters can move the cursor or forge a line, bidirectional and zero-width ones can make a text read
differently from what it is. Each is shown as its escape, so that nothing is hidden. Neighbours: `render.py` calls
this for every untrusted text, `events.py` for the JSON lines.
"""

from __future__ import annotations

import re

_MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"  # drawn over a letter
_NONE = "\ufdd0-\ufdef" + "".join(f"{chr(end)}-{chr(end + 1)}" for end in range(0xFFFE, 0x110000, 0x10000))
"""Codes that are no characters, which terminals leave out."""
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 except tab and newline, DEL, C1
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb"  # zero width, bidi, separators, blanks that are no space
    f"{_NONE}\ud800-\udfff"  # lone surrogates, which no terminal can print
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"  # shorthand, music, tags
    "|(?<![\u2190-\u2bff\U0001f000-\U0001faff])\ufe0f"  # the emoji style, where no emoji stands before it
    f"|(?<=[{_MARKS}]{{4}})[{_MARKS}]"  # a pile that would grow into the rows above
)

_UNCLEAR = re.compile(
    "[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u0600-\u0605\u06dd\u070f\u0890\u0891"  # blanks, format characters
    f'\u08e2\U000110bd\U000110cd\U00013430-\U00013455]|(?<=["{_MARKS}])[{_MARKS}]'  # marks drawn over a quotation mark
)
"""What shows, but could be taken for something else where every character counts."""


def clean(text: str) -> str:
    """`text` with every character that is not plainly visible written as an escape; newlines and tabs stay."""
    return _UNSAFE.sub(lambda found: escaped(ord(found[0])), text.replace("\r\n", "\n"))


def clean_line(text: str) -> str:
    """The same on one line: newlines and tabs are escaped too."""
    return clean(text).replace("\n", "\\n").replace("\t", "\\t")


def clean_json(line: str) -> str:
    """A line of JSON in which what a terminal might obey is written as an escape; it reads back the same."""
    return _UNSAFE.sub(lambda found: _json_escape(ord(found[0])), line)


def exact_json(line: str) -> str:
    """The same where a person decides by it: blanks that are no space and marks over quotes are escapes as well."""
    return _UNCLEAR.sub(lambda found: _json_escape(ord(found[0])), clean_json(line))


def escaped(code: int) -> str:
    """How a character that must not be obeyed is shown."""
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(code: int) -> str:
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
