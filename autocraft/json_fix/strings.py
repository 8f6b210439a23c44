"""Finds where a string ends, decodes it, and judges guesses about where it or a container ends.

The first quote without a backslash ends a string if what follows it fits. If it does not fit, assume unescaped quotes
inside: take the next quote that is followed by a key in the document's own style, or by brackets that fit the depth.
The brackets before it must be balanced.

Invalid escapes follow the policy. A backslash before ``_ ' ` `` is dropped, and stays before any other character. A
Windows path with an invalid escape is taken literally. A string with two different readings is doubtful, and `shape.py`
refuses arguments with a doubtful string.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
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


# ------------------------------------------------------------ where a string ends

_BRACKETS = (("{", "}"), ("[", "]"), ("(", ")"))
_VALUE_STARTS = frozenset([*lexicon.QUOTES, *lexicon.OPENERS, *"-tfnTFN0123456789"])
SOLID = frozenset("\"{}[],:'0123456789abcdefghijklmnopqrstuvwxyz")
"""Characters that start a token, before which nothing must be skipped."""
_FENCES = ("```", "'''")
_TRIES = 50_000


@dataclass
class Closing:
    """Looks ahead in `text`. `kinds` are the open brackets, outermost first; `style` is the document's kind of key:
    its opening quote, "bare" or "call"."""

    text: str
    kinds: list[str] = field(default_factory=list)
    style: str = ""

    def __post_init__(self) -> None:
        self._size = len(self.text)

    def skip(self, pos: int) -> int:
        """Return the end of the blanks and comments at `pos`."""
        if pos < self._size and self.text[pos] in SOLID:
            return pos
        match = lexicon.SKIP.match(self.text, pos)
        return pos if match is None else match.end()

    def key_follows(self, pos: int, style: str = "any") -> bool:
        return lexicon.key_ahead(style).match(self.text, pos) is not None

    def first(self, start: int, closers: str) -> int | None:
        """Return the position after the first closing quote without a backslash."""
        match = lexicon.first_quote(closers).match(self.text, start)
        return None if match is None else match.end()

    def likely_end(self, start: int, closers: str) -> int | None:
        """Return the position after the quote that probably ends a string with unescaped quotes in it."""
        in_list = self.kinds[-1] == "["
        pattern = lexicon.likely_close(closers, self.style or '"', in_list)
        depth = [0, 0, 0]
        quotes = 0
        pos = start
        for _ in range(_TRIES):
            match = pattern.match(self.text, pos)
            if match is None:
                return None
            end = match.end()
            for index, (opening, closing) in enumerate(_BRACKETS):
                depth[index] += self.text.count(opening, pos, end) - self.text.count(closing, pos, end)
            if in_list:  # a comma and a quote are weak evidence there, so bare quotes must also come in pairs
                quotes += self._bare_quotes(closers, pos, end - 1)
            if depth == [0, 0, 0] and quotes % 2 == 0 and self.fits(end, strict=True):
                return end
            quotes += in_list
            pos = end
        return None

    def _bare_quotes(self, closers: str, start: int, end: int) -> int:
        """Count the quotes in a span, without apostrophes inside words."""
        count = 0
        for char in closers:
            at = self.text.find(char, start, end)
            while at >= 0:
                count += not (self.text[at - 1].isalnum() and self.text[at + 1 : at + 2].isalnum())
                at = self.text.find(char, at + 1, end)
        return count

    def triple(self, start: int, delimiter: str) -> int | None:
        """Return the position after the closing three quotes."""
        at = self.text.find(delimiter, start)
        for _ in range(100):
            if at < 0 or self.fits(at + 3):
                break
            at = self.text.find(delimiter, at + 1)
        return at + 3 if at >= 0 and self.fits(at + 3) else None

    def closes_other_kind(self, pos: int) -> bool:
        """Return whether a bracket follows that closes another kind than the open one."""
        pos = self.skip(pos)
        return pos < self._size and lexicon.CLOSERS.get(self.text[pos], self.kinds[-1]) != self.kinds[-1]

    def closes_all(self) -> bool:
        """Return whether the text ends with a closing bracket for each open one. Then nothing was cut."""
        tail = self.text[-4 * len(self.kinds) - 200 :].rstrip(" \t\r\n`")
        run = tail[len(tail.rstrip("}]) \t\r\n,")) :]
        return sum(sign in lexicon.CLOSERS for sign in run) >= len(self.kinds)

    def fits(self, pos: int, *, strict: bool = False) -> bool:
        """Return whether the structure can go on after a string that ended at `pos`. Be strict if its quotes are
        guessed.
        """
        if self.text.startswith(("#", "//"), pos):
            return False  # right after a quote this is text, not a comment
        in_object = self.kinds[-1] == "{"
        if in_object and (not strict or self.style in ("", '"')) and lexicon.NEXT_KEY.match(self.text, pos):
            return True
        start, pos = pos, self.skip(pos)
        if pos >= self._size:
            return not strict
        char = self.text[pos]
        if char in lexicon.COMMAS:
            return self._after_comma(pos, len(self.kinds) - 1, strict)
        if char in lexicon.CLOSERS:
            return self._after_closers(pos, strict)
        if self.kinds[-1] == "[":
            return not strict and pos > start and char in '"{['
        if strict:
            return "\n" in self.text[start:pos] and self.key_follows(pos, self.style or '"')
        return self.key_follows(pos) or self.text.startswith(_FENCES, pos)

    def _after_comma(self, pos: int, level: int, strict: bool) -> bool:
        while pos < self._size and self.text[pos] in lexicon.COMMAS:
            pos = self.skip(pos + 1)
        if pos >= self._size:
            return not strict
        if self.text[pos] in lexicon.CLOSERS:
            return True
        if self.kinds[level] == "[":
            return self.text[pos] in _VALUE_STARTS
        if self.kinds[level] == "(":
            return self.key_follows(pos, "call")
        if strict:
            return self.key_follows(pos, self.style or '"')
        return self.key_follows(pos) or self._cut_key(pos)

    def _cut_key(self, pos: int) -> bool:
        """Return whether the text ends inside the key at `pos`, or just after it."""
        opener = self.text[pos]
        if opener in lexicon.QUOTES:
            end = self.first(pos + 1, lexicon.QUOTES[opener])
            return end is None or self.skip(end) >= self._size
        match = lexicon.BARE_KEY.match(self.text, pos)
        return match is not None and self.skip(match.end()) >= self._size

    def _after_closers(self, pos: int, strict: bool) -> bool:
        level = len(self.kinds) - 1
        while level >= 0 and pos < self._size and self.text[pos] in lexicon.CLOSERS:
            if lexicon.CLOSERS[self.text[pos]] != self.kinds[level]:
                return False
            level -= 1
            pos = self.skip(pos + 1)
        if pos >= self._size:
            return True
        char = self.text[pos]
        if level < 0:
            return not strict or char not in "\"',:"
        if char in lexicon.COMMAS:
            return self._after_comma(pos, level, strict)
        line = self.text.rfind("\n", max(0, pos - 200), pos) >= 0
        return self.key_follows(pos) or self.text.startswith((*_FENCES, "<"), pos) or line
