"""Decides what the place of a command in its answer means: it is to be run, it is not, or nobody can tell.

`TABLE` has one line for each place. The structure of the answer says yes or no. Words that the one list of this module
does not cover say `unsure`, in every language: a person or a judge decides, or the command is refused.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Literal

from autocraft.json_fix import lexicon, tokens

Verdict = Literal["yes", "no", "unsure"]


class Place(StrEnum):
    """Where a command stands in its answer."""

    ALONE = "alone"
    AFTER_THOUGHTS = "after thoughts"
    IN_FENCE = "alone in a fence"
    NATIVE = "in a tool call of a model family"
    WRAPPED = "in a wrapper around the whole answer"
    ANNOUNCED = "beside words that only announce it"
    BESIDE_WORDS = "beside other words"
    OPEN_END = "in YAML that nothing closes, in an answer that may have been cut"
    BESIDE_OBJECT = "before an object that may be its result, or its arguments"
    INSIDE = "inside something else"
    IN_DATA = "in the data of the prompt"


TABLE: dict[Place, Verdict] = {
    Place.ALONE: "yes",
    Place.AFTER_THOUGHTS: "yes",
    Place.IN_FENCE: "yes",
    Place.NATIVE: "yes",
    Place.WRAPPED: "yes",
    Place.ANNOUNCED: "yes",
    Place.BESIDE_WORDS: "unsure",
    Place.OPEN_END: "unsure",
    Place.BESIDE_OBJECT: "unsure",
    Place.INSIDE: "no",
    Place.IN_DATA: "no",
}

RANK = {place: number for number, place in enumerate(TABLE)}
"""How far each place is from that of a command that is the whole answer."""
ALONE = frozenset({Place.ALONE, Place.AFTER_THOUGHTS, Place.IN_FENCE, Place.NATIVE, Place.WRAPPED})
"""The places of a command that is the whole answer. Only there it may also stand in the data of the prompt."""

# ------------------------------------------------------------ words that announce

REACH = 400
"""Most characters of an announcement, before and after the command."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BEFORE = _words("""
    a act action again ai all alright an and answer assistant below certainly command complete continuing corrected
    course decision do executing final finally following follows for go goes going great hence here here's hi
    i i'll i'm is it it's json let let's me mine my next now of ok okay oops perfect perform please proceed proceeding
    ready reply response run send running sending so step submit submitting sure that that's the then
    therefore this thus to understood use using valid we we'll well will with yes
    antwort befehl das der die hier ist jetzt ma mein meine nächste nächster
    ahora aquí comando el está la mi respuesta siguiente
    commande le réponse voici
    aqui esta está meu minha resposta
    ecco il mia mio risposta
    antwoord mijn opdracht
    moja odpowiedź oto polecenie
    ответ вот команда мой моя
    cevabım işte komut komutum
    أمر إليك الأمر جوابي هذا
    一 下 以 令 的 命 回 复 好 是 我 指 案 步 答 请 这 行 执
    こ す そ で の は れ 令 命 回 私 答 え コ ド マ ン
    답 변 명 령 내 다 은 는 입 니 음
""")
"""Words that can announce a command before it, and nothing else, however they are put together."""
AFTER = _words("all answer command done end i'll is mine my now ok okay proceed thank thanks that's the this you")
"""Words that may follow a command."""
PHRASES = (
    "after careful consideration",
    "after careful thought",
    "after thinking it over",
    "as planned",
    "as requested",
    "based on the current state",
    "based on the previous result",
    "based on the previous results",
    "end of response",
    "feel free to ask if you have any questions",
    "given the current state",
    "good luck",
    "here is what i will do",
    "here is what i'll do",
    "here you go",
    "here's what i will do",
    "here's what i'll do",
    "hope that helps",
    "hope this helps",
    "i apologize for the confusion",
    "i apologize for the error",
    "i hope that helps",
    "i hope this helps",
    "i hope this works",
    "i will wait for the result",
    "i'll continue after that",
    "i'll wait for the result",
    "in json format",
    "in the requested format",
    "let me know if you have any questions",
    "let me know if you need anything else",
    "let me know if you need further assistance",
    "let's get started",
    "let's go",
    "let's see what happens",
    "my apologies for the error",
    "my next move",
    "output",
    "sorry about that",
    "sorry for the bad format",
    "sorry for the confusion",
    "sure thing",
    "thank you for the feedback",
    "thanks",
    "the corrected json",
    "the fixed json",
    "this should work",
    "to fix my mistake",
    "waiting for the result",
    "without further ado",
)
"""Whole phrases that may stand on either side."""

_PHRASE = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(PHRASES, key=len, reverse=True))})(?!\w)")
_WORD = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
    r"|[^\W_]+(?:['’.\-/][^\W_]+)*"
)
"""A word. In scripts without blanks between words, and in Korean, each sign."""
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:['.\-/][a-z0-9]+)*")
"""The same in a text of ASCII in lower case, for which it is faster."""
_SIGNS = re.compile(
    r"[\s\w.,:;!()\[\]{}*_#>`'’\"=/\-–—→<。，：；！、\x00-\x1f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    r"\u2028\u2692\u26cf\ufe0f\u2705\u2713\u2714\u2728\U0001f3af\U0001f44d\U0001f600-\U0001f64f\U0001f680\U0001f916\U0001fa93]*+"
)
"""Signs among such words: no question mark, no cross, no line through a text, of the emoji only faces and tools."""
QUOTES = (*lexicon.QUOTES, "”", "’", "»", "」", "\\")
_QUESTION = re.compile(
    r"(?:\A|[.,:;!\n])\W*(?:so |and |then |now )?(?:do|is|ist|will|am) (?:i|we|you|it|this|that|the|my|das|der|die)\b"
)
"""The start of a question, also without its mark."""
_GLUED = re.compile(r"[.\[][\w\"']")
"""What follows an object that is a part of code."""


def announces(before: str, after: str) -> bool:
    """Return whether the words around a command can only announce it."""
    if before.rstrip()[-1:] in QUOTES or after.lstrip()[:1] in QUOTES or _GLUED.match(after):
        return False
    return _all_in(before, BEFORE) and _all_in(after, AFTER)


def _all_in(text: str, words: frozenset[str]) -> bool:
    if not text or text.isspace():
        return True
    text = lexicon.COLOUR.sub("", text) if "\x1b" in text else text
    if len(text) > REACH or _SIGNS.fullmatch(text) is None:
        return False
    text = text.lower().replace("’", "'")
    if _QUESTION.search(text):
        return False
    word = _ASCII_WORD if text.isascii() else _WORD
    return words.issuperset(word.findall(text)) or words.issuperset(word.findall(_PHRASE.sub(" ", text)))


# ------------------------------------------------------------ wrappers around the whole answer

_OPEN = r"(?=[{｛])"
_LAST = re.compile("[}｝]")
_ROOM = 200
"""Most characters of the end of a wrapper."""
_BLANK = rf"(?:[{lexicon.BLANK}]|{lexicon.COLOUR.pattern})"
_Wrapper = tuple[re.Pattern[str], re.Pattern[str], bool]


def _wrapper(opening: str, closing: str, *, sure: bool = True) -> _Wrapper:
    return re.compile(opening.replace(r"\s", _BLANK) + _OPEN, re.IGNORECASE), re.compile(closing), sure


_NAMED = (
    _wrapper(r"(?:(?:const|let|var|final|auto|local)\s+)?[A-Za-z_$][\w.$]{0,60}\s*:?=\s*", r"\s*;?"),
    _wrapper(r"(?:return|yield)\s+", r"\s*;?", sure=False),
    _wrapper(r"[A-Za-z$][A-Za-z\d.$]{0,60}\(\s*", r"\s*\)\s*;?"),
    _wrapper(r"\w{1,60}\(\s*", r"\s*\)\s*;?", sure=False),
    _wrapper(r"data:\s*", r"(?:\s*data:\s*\[DONE\])?"),
)
_QUOTED = _wrapper(r"[\"'“”„«‘’「『]\s*", r"\s*[\"'”“»’‘」』]")
_POINT = _wrapper(r"(?:[-*•+]|\d{1,2}[.)]|=>|->|→|>{1,3}|=|:)\s+", r"")
_WRAPPERS: dict[str, tuple[_Wrapper, ...]] = {
    '"': (_wrapper(r"\"\"\"\s*(?:json\b)?\s*", r"\s*\"\"\""), _QUOTED),
    "'": (_wrapper(r"'''\s*(?:json\b)?\s*", r"\s*'''"), _QUOTED),
    "`": (_wrapper(r"``?\s*", r"\s*``?"),),
    "{": (_wrapper(r"\{\{\s*", r"\s*\}\}"),),
    "$": (
        _wrapper(r"\$\s*\{\s*", r"\s*\}"),
        _wrapper(r"\$\s*", r"(?:\s*\$)?"),
        _wrapper(r"\$\$\s*", r"\s*\$\$"),
        _wrapper(r"\$\\boxed\s*\{\s*", r"\s*\}\$"),
        *_NAMED,
    ),
    "\\": (
        _wrapper(r"\\boxed\s*\{\s*", r"\s*\}"),
        _wrapper(r"(?:\\\[|\\\()\s*", r"\s*(?:\\\]|\\\))"),
    ),
    "(": (_wrapper(r"\(\s*", r"\s*\)\s*;?"),),
    "[": (_wrapper(r"\[(?:json|code|answer|command)\]\s*", r"\s*\[/(?:json|code|answer|command)\]"),),
    **dict.fromkeys("“”„«‘’「『", (_QUOTED,)),
    **dict.fromkeys("-*•+0123456789=→>:", (_POINT,)),
}
"""First sign -> what may stand around an object that is the whole answer: its opening, its end, and whether nobody else
can speak there. `_NAMED` begins with a letter."""
_SPACES = re.compile(r"\s*+")
_TAG = re.compile(r"<([A-Za-z][\w:.\-]{0,40})\s*>\s*(?=[<{｛])")
_THINKING_TOKENS = "|".join(f"{re.escape(a)}.*?{re.escape(b)}" for a, b in tokens.THINKING_TOKENS.items())
THOUGHTS = re.compile(
    rf"\s*(?:(?=<)<({'|'.join(sorted(tokens.THINKING))})>.*?</\1\s*>|(?=[<\[◁])(?:{_THINKING_TOKENS}))",
    re.DOTALL | re.IGNORECASE,
)
"""Thoughts at the start of an answer."""
_OWN_TAG = re.compile(
    r"(?:(?:final|my|next|agent|ai|assistant|model|bot|json|the)_?)*"
    r"(?:response|answer|reply|command|cmd|action|decision|json|code|pre|p|div|span|xml|html|body|root|section|final|"
    r"next|step|solution|assistant|model|agent|ai|bot)",
    re.IGNORECASE,
)
"""Names of tags that a model puts around its own answer."""
_FOREIGN_TAG = re.compile(
    r"result|output|observ|tool|function|example|sample|user|human|system|think|thought|monolog|reason|scratch|reflect|"
    r"memor|histor|quot|cite|draft|previous|old|input|request|data|content|document|page|file|chat|message|log|state|"
    r"context|error|reject|wiki|web|search|note|source|comment|script|style|template|unknown|item|param|arg|invoke|plan|"
    r"idea|option|later|say|write|read|tell",
    re.IGNORECASE,
)
"""Parts of the names of tags around the words of others, or around arguments."""


def unwrapped(text: str) -> tuple[int, int, Place] | None:
    """Return the span of the object inside a wrapper around the whole text, with its place, or None without a wrapper.

    The caller must check that the span is one object and nothing else.
    """
    thoughts = THOUGHTS.match(text)
    begin = _SPACES.match(text, 0 if thoughts is None else thoughts.end()).end()  # type: ignore[union-attr]
    stop = len(text.rstrip())
    first = text[begin : begin + 1]
    if first == "<":
        return _in_tags(text, begin, stop)
    for opening, closing, sure in _WRAPPERS.get(first, _NAMED if first.isalpha() or first == "_" else ()):
        start = opening.match(text, begin)
        if start is None:
            continue
        ends = [match.end() for match in _LAST.finditer(text, max(start.end(), stop - _ROOM), stop)]
        for end in reversed(ends[-3:]):
            if closing.fullmatch(text, end, stop):
                return start.end(), end, Place.WRAPPED if sure else Place.BESIDE_WORDS
    return None


def _in_tags(text: str, begin: int, end: int) -> tuple[int, int, Place] | None:
    place = Place.WRAPPED
    for _ in range(4):
        tag = _TAG.match(text, begin, end)
        if tag is None:
            break
        close = f"</{tag[1]}>"
        own_call = tag[1].lower() in tokens.TOOL_TAGS
        if (_FOREIGN_TAG.search(tag[1]) and not own_call) or not text.endswith(close, begin, end):
            return None
        if own_call and place is Place.WRAPPED:
            place = Place.NATIVE
        elif not own_call and _OWN_TAG.fullmatch(tag[1]) is None:
            place = Place.BESIDE_WORDS
        begin, end = tag.end(), len(text[: end - len(close)].rstrip())
    return (begin, end, place) if text.startswith(("{", "｛"), begin) else None
