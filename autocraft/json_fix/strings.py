"""Decodes the characters between two quotes.

Invalid escapes follow the policy. A backslash before ``_ ' ` `` is dropped, and stays before any other character. A
Windows path with an invalid escape is taken literally. A string with two different readings is doubtful, and `shape.py`
refuses arguments with a doubtful string.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

_INVALID = re.compile(r'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})', re.DOTALL)
_DROPPED = re.compile(r"\\(?=[_'`])")
_KEPT = re.compile(r"\\(?![\"\\/bfnrt_'`]|u[0-9a-fA-F]{4})", re.DOTALL)
_LINE_ESCAPE = re.compile(r"\\[nrtbf]")
_PATH = re.compile(r"(?:[A-Za-z]:\\|\\\\)[^\\]")
_PATH_INSIDE = re.compile(r"(?:^|[^A-Za-z])[A-Za-z]:\\")
_PATH_LIKE = re.compile(r"[\w.\-~]*+(?:\\[\w.\-~]++)++\\?")
_CONTROL = re.compile(r"[\x00-\x1f]")
_BROKEN_LINE = re.compile(r"\\\r?\n")
"""A backslash before a raw line break, which may join two lines or be a backslash of the text."""
_RAW_QUOTE = re.compile(r'(?<!\\)"')
LENIENT = json.JSONDecoder(strict=False)
"""Decodes JSON whose strings may hold raw control characters."""


class DecodedString(NamedTuple):
    """A decoded string. `doubt` is True if another reading of the same characters is as likely."""

    text: str
    flags: tuple[str, ...] = ()
    doubt: bool = False


def decode(raw: str, *, guessed: bool = False, verbatim: bool = False) -> DecodedString:
    """Decode `raw`, a string without its quotes.

    `guessed` means that it has unescaped quotes. `verbatim` means that its delimiters are those of raw text: three
    quotes, or backticks.
    """
    flags: tuple[str, ...] = ("raw line breaks",) if _CONTROL.search(raw) else ()
    if "\\" not in raw:
        return DecodedString(raw, flags)
    mark = _absent(raw)
    pairs_marked = raw.replace("\\\\", mark)
    if verbatim:
        return _verbatim(raw, pairs_marked, mark, flags)
    if guessed:
        return _with_bare_quotes(raw, pairs_marked, mark, flags)
    invalid = _KEPT.search(pairs_marked) is not None
    dropped = _DROPPED.search(pairs_marked) is not None
    breaks = _LINE_ESCAPE.search(pairs_marked)
    if invalid or dropped:
        flags = (*flags, "escapes guessed")
    if invalid and _PATH.match(raw):
        doubled_inside = "\\\\" in raw[2:]
        return DecodedString(raw, flags, doubt=doubled_inside or '\\"' in pairs_marked)
    text = _escapes(pairs_marked, mark)
    two_breaks = "\n" in raw and (breaks is not None or _BROKEN_LINE.search(pairs_marked) is not None)
    odd = invalid and breaks is not None and _odd(raw, pairs_marked)
    return DecodedString(text, flags, two_breaks or odd)


def _odd(raw: str, pairs_marked: str) -> bool:
    r"""Return whether a valid \n, \t, \b… beside an invalid escape may mean a backslash and a letter."""
    if re.search(r"\\[bf]", pairs_marked) or _PATH_INSIDE.search(raw):
        return True
    return _PATH_LIKE.fullmatch(raw) is not None


def _with_bare_quotes(raw: str, pairs_marked: str, mark: str, flags: tuple[str, ...]) -> DecodedString:
    """Return whether backslashes are doubled in a string with unescaped quotes."""
    single = "\\" in pairs_marked
    invalid = _KEPT.search(pairs_marked) is not None
    # Some quotes escaped and some not: besides, a path that ends in a backslash may have swallowed the next value.
    mixed = '\\"' in pairs_marked
    if single and (invalid or "\n" in raw):
        # Nothing at all was escaped: the text stands as it was meant, unless something was doubled after all.
        return DecodedString(raw, (*flags, "escapes guessed"), doubt=mixed or mark in pairs_marked or not invalid)
    return DecodedString(_escapes(pairs_marked, mark), flags, doubt=mixed)


def _verbatim(raw: str, pairs_marked: str, mark: str, flags: tuple[str, ...]) -> DecodedString:
    if mark in pairs_marked:
        return DecodedString(_escapes(pairs_marked, mark), flags, doubt=True)
    if _INVALID.search(pairs_marked) and not re.search(r"\\[`$\"']", pairs_marked):
        return DecodedString(raw, (*flags, "escapes guessed"))
    return DecodedString(_escapes(pairs_marked, mark), flags, doubt=True)


def _escapes(pairs_marked: str, mark: str) -> str:
    """Decode valid escapes, and treat invalid ones by the policy. `mark` stands for a doubled backslash."""
    text = _KEPT.sub(mark, _DROPPED.sub("", pairs_marked))
    # Every backslash left starts a valid escape, so a quote without one before it was never escaped.
    text = _RAW_QUOTE.sub('\\\\"', text).replace(mark, "\\\\")
    result: str = LENIENT.decode(f'"{text}"')
    return result


def _absent(text: str) -> str:
    """Return a private-use character that `text` does not have."""
    for code in range(0xE000, 0xF8FF):
        if chr(code) not in text:
            return chr(code)
    return next(chr(code) for code in range(0xF0000, 0x10FFFD) if chr(code) not in text)
