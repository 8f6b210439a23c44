"""The only sanitiser of untrusted text before it is shown.

Control characters can move the cursor or forge a line. Bidirectional and zero-width characters can make a text read
differently from what it is. Each is shown as its escape, so that nothing is hidden.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache, lru_cache

MOST_MARKS = 4
"""The most marks over one letter that a script needs, and the most beside it. A higher pile would grow into the rows
above, a longer one over the text."""
_PLAIN = re.compile(r"[ -~\n\t]*")
_SUSPECT = re.compile(
    r"(?:[^ -~\n\t\w\u2010-\u2027\u2030-\u205e\u2190-\u23ff\u2460-\u27ff\u3001-\u3029\U0001f300-\U0001f64f\ufe0f]"
    r"|[\u115f-\u11ff\u3164\ud7b0-\ud7ff\uffa0\U00013441\U00013442]"  # blank letters, and letters that join others
    r"|(?<![\u2190-\u2bff\U0001f000-\U0001faff])\ufe0f)+"  # the emoji style without an emoji before it
)
"""All but letters, digits, visible ASCII, and blocks of visible punctuation, symbols and emoji.
A match is judged by its properties."""
_HIDDEN = frozenset(["Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"])
"""Control and format characters, unassigned, private use, half characters, separators of lines and paragraphs."""
_PREPENDED = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd]")
"""Prepended_Concatenation_Mark of Unicode 16: the visible format characters."""
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
    "\u2800\u2d7f\u303f\ufffc\U0001107f\U00013440-\U00013442\U00016fe4\U0001d159\U0001da9b-\U0001da9f\U0001daa1-\U0001daaf]"
)
"""Invisible characters whose category says otherwise. First row: Default_Ignorable_Code_Point of Unicode 16.
Second: the empty Braille cell, joiners of consonants and numbers, the half-wide blank, the place of an object,
blank and mirrored hieroglyphs, the Khitan filler, the null notehead, and modifiers of SignWriting, which change the
sign before them."""
_STACKERS = frozenset(
    "\u1039\u17d2\u1a60\u1bab\uaaf6\U00010a3f\U00011133\U000113d0\U0001193e\U00011a47\U00011a99\U00011d45"
    "\U00011d97\U00011f42"
)
"""Indic_Syllabic_Category=Invisible_Stacker of Unicode 16: they put the next letter of their script below the last."""
_JAMO = re.compile("[\u1161-\u11ff\ud7b0-\ud7ff]")
"""Vowels and finals of Hangul, which join the letter before them and take no space."""
_JOINED = ("mark", "spacing", "stacker")
"""Kinds of characters that are drawn with the letter before them."""
_EUROPEAN_MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_UNCLEAR = re.compile(
    "[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u0600-\u0605\u06dd\u070f\u0890\u0891"  # blanks, format characters
    f"\u08e2\U000110bd\U000110cd\U00013430-\U00013455]|(?<=[{_EUROPEAN_MARKS}])[{_EUROPEAN_MARKS}]"
)
"""Visible characters that could be mistaken for others, in texts where every character counts."""
_BEHIND_A_QUOTE = re.compile(r'(?<=")[^\x00-\x7f\w]+')


def clean(text: str) -> str:
    """Return `text` with an escape for every character that is not plainly visible. Newlines and tabs stay."""
    return _rewritten(text.replace("\r\n", "\n"), escape_of)


def clean_line(text: str) -> str:
    """Return what `clean` returns, with newlines and tabs escaped too."""
    return clean(text).replace("\n", "\\n").replace("\t", "\\t")


def clean_json(line: str) -> str:
    """Return a line of JSON with an escape for all that a terminal might obey. It reads back as the same value."""
    return _rewritten(line, _json_escape)


def exact_json(line: str) -> str:
    """Escape unusual blanks and marks over quotes too, since a person decides by this line."""
    line = _UNCLEAR.sub(lambda match: _json_escape(ord(match[0])), clean_json(line))
    return _BEHIND_A_QUOTE.sub(
        lambda match: "".join(_json_escape(ord(char)) if _kind(char) in _JOINED else char for char in match[0]), line
    )


def hidden_in(text: str) -> Iterator[str]:
    """Yield the characters of `text` that `clean` escapes."""
    for run in _SUSPECT.finditer(text):
        yield from (text[at] for at in _hidden_at(run))


def _rewritten(text: str, escape: Callable[[int], str]) -> str:
    if _PLAIN.fullmatch(text):
        return text

    def visible(run: re.Match[str]) -> str:
        if _shows(run[0]):
            return run[0]
        hidden = set(_hidden_at(run))
        return "".join(escape(ord(char)) if at in hidden else char for at, char in enumerate(run[0], run.start()))

    return _SUSPECT.sub(visible, text)


def _hidden_at(run: re.Match[str]) -> Iterator[int]:
    """Yield the places of invisible or piled characters in a run of suspicious ones."""
    text, over, beside = run.string, 0, 0
    for at in range(run.start(), run.end()):
        kind = _kind(text[at])
        over, beside = (over + (kind != "spacing"), beside + (kind == "spacing")) if kind in _JOINED else (0, 0)
        if kind == "hidden" or max(over, beside) > MOST_MARKS or (kind == "stacker" and not _stacks(text, at)):
            yield at


@lru_cache(maxsize=4096)
def _shows(run: str) -> bool:
    """Tell whether all of a run is visible, whatever is around it."""
    return len(run) <= MOST_MARKS and all(_kind(char) in ("plain", "mark", "spacing") for char in run)


@cache
def _kind(char: str) -> str:
    """Return ``hidden``, ``stacker``, ``plain``, ``mark`` (drawn over the letter before it) or ``spacing`` (beside)."""
    if char in _STACKERS:
        return "stacker"
    category = unicodedata.category(char)
    if _BLANK.match(char) or (category in _HIDDEN and not _PREPENDED.match(char)):
        return "hidden"
    if category == "Mc":
        return "spacing"
    return "mark" if category in ("Mn", "Me") or _JAMO.match(char) else "plain"


def _stacks(text: str, at: int) -> bool:
    """Tell whether a stacker is between a character and a letter of its own script."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    return bool(before) and after.isalpha() and _script(before) == _script(text[at]) == _script(after)


def _script(char: str) -> str:
    return unicodedata.name(char, char).partition(" ")[0]


def escape_of(code: int) -> str:
    """Return the visible form of a character that must not be obeyed."""
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(code: int) -> str:
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
