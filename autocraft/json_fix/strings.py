"""Decodes the characters between two quotes, and judges guesses about where a string or a container ends.

Invalid escapes follow the policy. A backslash before ``_ ' ` `` is dropped, and stays before any other character. A
Windows path with an invalid escape is taken literally. A string with two different readings is doubtful, and `shape.py`
refuses arguments with a doubtful string.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any, NamedTuple

from autocraft.json_fix import lexicon
from autocraft.json_fix.reply import Json

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


# ------------------------------------------------------------ guessed ends

_APOSTROPHES = "'’‘＇"
_BEFORE_OPENING = frozenset("([{=:,<>+-/|&!?'`~*#;")
_AFTER_CLOSING = frozenset(",:;}])")
_JOINED = re.compile(r"\s*(?:[+|]|\bor\b|\band\b|\s|或者?|还是|還是|和|与|與|及|または|と|か)\s*")
_HALF_TYPOGRAPHIC = re.compile(r'[„“][^„“”"]*"')
"""A quote that begins with a typographic mark and ends with a plain one, as German and Chinese models write it."""
_NO_BLANKS = "\u2e80"
"""The first sign of the scripts that have no blanks between words."""
_QUOTE = re.escape("".join(lexicon.QUOTES))
_MARK = re.compile(
    rf"(?P<bracket>[{{}}\[\]])|(?P<key>[{_QUOTE}]:|"
    rf",\s{{0,80}}+(?:[{_QUOTE}]\w[\w \-]{{0,40}}+[{_QUOTE}]?|\w[\w \-]{{0,40}}+[{_QUOTE}])\s{{0,20}}+:|"
    rf",\s{{0,80}}+\w{{1,40}}+:\s{{0,20}}+[{_QUOTE}])"
)
"""A bracket, or a text that looks like the key of the next value."""


def holds_structure(raw: str) -> bool:
    """Return whether a guessed string closes a bracket that it did not open, or has a key outside all brackets.

    Then a quote is probably missing, and not one too many in the text.
    """
    depth = 0
    for match in _MARK.finditer(raw):
        if match.lastgroup == "key":
            if depth == 0:
                return True
        elif match.group() in "{[":
            depth += 1
        else:
            depth -= 1
            if depth < 0:
                return True
    return False


def is_two(raw: str, opener: str) -> bool:
    """Return whether a guessed string, which began with the quote `opener`, may be two, as in ``"one" + "two"``.

    Return True too if it has one delimiter too many.
    """
    inner = re.escape(lexicon.QUOTES.get(opener, '"'))
    raw = _HALF_TYPOGRAPHIC.sub("x", raw.replace("\\\\", "xx"))
    places = [match.start() for match in re.finditer(rf"(?<!\\)[{inner}]", raw)]
    if not places:
        return False
    if opener not in _APOSTROPHES and sum(not _is_alone(raw, at) for at in places) % 2:
        return True
    if opener in _APOSTROPHES:
        outside = [at for at in places if not (raw[at - 1 : at].isalnum() and raw[at + 1 : at + 2].isalnum())]
        first, *others = outside or [0]
        before, after = raw[:first][-1:], raw[first + 1 : first + 2]
        if others and before.strip() and (before not in _BEFORE_OPENING or after.isspace()):
            return True  # the first of them closes, although none was opened
        if len(places) % 2 and not (raw[: places[0]].strip() and raw[places[-1] + 1 :].strip()):
            return True
        ends = any(raw[at + 1 : at + 2] in _AFTER_CLOSING for at in places)
        return ends or any(_JOINED.fullmatch(raw, left + 1, right) for left, right in pairwise(places))
    before, after = raw[: places[0]][-1:], raw[places[0] + 1 : places[0] + 2]
    if len(places) == 1 or not before.strip():
        return after in _AFTER_CLOSING or (len(places) > 1 and after.isspace())
    if before >= _NO_BLANKS and after >= _NO_BLANKS and after.isalnum():
        return any(_JOINED.fullmatch(raw, left + 1, right) for left, right in pairwise(places))
    return before not in _BEFORE_OPENING


def _is_alone(raw: str, at: int) -> bool:
    """Return whether the quote at `at` has no partner: inches, as in ``5" pipe``, or a literal, as in ``'"'``."""
    before, after = raw[max(0, at - 1) : at], raw[at + 1 : at + 2]
    return (before.isdigit() and bool(after) and not after.isalnum()) or (before == after and before in ("'", "`"))


def late(text: str, end: int, root: Json, still_open: frozenset[int], at: int, *, begun: bool) -> frozenset[int]:
    """Return the ids of containers that closed last, if nothing shows where they end.

    Only containers of several items count. Their end shows by the margin, or by what follows. The text ends at `end`
    with the open containers `still_open`. The innermost of them starts `at`, and an item or comma was `begun` in it.
    """
    ids: set[int] = set()
    value: Any = root
    while isinstance(value, (dict, list)) and value:
        if len(value) > 1 and id(value) not in still_open:
            ids.add(id(value))
        value = value[-1] if isinstance(value, list) else next(reversed(value.values()))
    if not ids or (len(still_open) == 1 and not begun):
        return frozenset()
    closer = len(text[:end].rstrip("\n\r\t `")) - 1
    line = text.rfind("\n", 0, max(closer, 0)) + 1
    margin = text[line:closer]
    indent = text[text.rfind("\n", 0, at) + 1 : at]
    if line and margin.isspace() and len(margin) > len(indent) - len(indent.lstrip()):
        return frozenset()
    return frozenset(ids)
