"""Whether the words around an object say that it is to be run.

Words from a short list can announce an object and nothing else. Around an object with `thoughts`, or in a tool tag,
there may also be English sentences that do not take it back, of which the last leads to the model's own object. All
other words refuse, so a sentence that shows, negates or cancels an object does so in every language.
"""

from __future__ import annotations

import re

from autocraft.json_fix.lexicon import COLOUR
from autocraft.json_fix.vocabulary import (
    AFTERWARDS,
    ANNOUNCING,
    CANCELLING,
    CONDITIONS,
    ENGLISH,
    FILLING,
    HARMLESS,
    LABELS,
    LEADING,
    PHRASES,
    REFERENCES,
    REPORTS,
    RISKY,
    SAFE,
)

MOST_WORDS = 12
"""Most words of an announcement."""
REACH = 400
"""Most characters before and after the object that are examined."""

_WORD = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    r"|[^\W_]+(?:['’.\-/][^\W_]+)*"
)
"""A word. In scripts without blanks between words, each sign."""
_SIGNS = re.compile(r"[\s\w.,:;!()\[\]{}*_#>`'’\"=|/\-–—→<。，：；！、（）\x00-\x1f\u200b-\u200f\u2060\ufeff\u2028]*+")
"""Signs between neutral words, without the question mark, the cross and the line through a text."""

_SYMBOL = re.compile(
    "(?![\u2692\u26cf\u2705\u2713\u2714\u2728\U0001f3af\U0001f44d\U0001f600-\U0001f64f\U0001f680\U0001f916\U0001fa93])"
    "[\u2190\u2191\u2193-\u23ff\u2600-\u27bf\U0001f000-\U0001faff\ufffd]|~~"
)
"""A symbol that may cross the object out: any but faces, ticks and tools."""
_ASIDE = re.compile(
    r"\{[^{}]*\}|\[[^\[\]]*[\d,_][^\[\]]*\]|`[^`]*`|\"[^\"]*\"|<[^<>\n]*>|https?://\S*\w|\w*_\w*|\bif \([^()]*\)"
)
"""Names, quotes, code and places, which belong to no language."""
_NAME = re.compile(r"\{[^{}]*\}|https?://\S*\w|\w*_\w*")
_OTHER = re.compile(_NAME.pattern + r"|\[[^\[\]]*[\d,_][^\[\]]*\]|`[^`]*`|<[^<>\n]*>|\bif \([^()]*\)")
_SENTENCE = re.compile(r"[.!?:;。！？：；](?=\s|\Z)|[。！？：；]|\n")
_STOP = re.compile(r"[.!?。！？](?=\s|\Z)|[。！？]")
_FINISHED = re.compile(r"[.!。！…][\"'”’»」)\]*_`]*\Z")
_LEADS = re.compile(r"(?:[:：,，→]|[-=]>)[*_]*\Z|\A[ \t]*#")
_FIRST_SIGN = re.compile(r"[\w*_#({\[\"'“‘«`<—–\-,]")
_GOES_ON = re.compile(r"(?:\s*[`~']{3})?\s*(?:[-=]>|→|[a-z])")
"""A sign that leads on, or the rest of a sentence."""
_CROSS = re.compile(r"[\s(\[/*_]*(?:[NXnx]|\d+)[\s)\]*_.!]*")
"""A cross, a no or a number alone after the object."""
_VARIABLE = re.compile(r"[a-hj-z]|\d+")
_POINT = re.compile(r"[ \t]*(?:[-+•*]|\d{1,3}[.)])[ \t]")
NEUTRAL = ANNOUNCING | FILLING
_COMMON = ENGLISH | NEUTRAL
_NOISE = 10
"""How often a text may repeat each of its words."""
MOST_IN_LABEL = 3
"""A line of at most so many words without a full stop is a label of the next part."""

_CLAUSE = re.compile(r"[,;]\s|[.!?。！？](?=\s|\Z)|\n|\b(?:so|but|therefore|thus|hence)\b")
_AHEAD = re.compile(
    r"\b(?:following|follows|below|beneath|underneath|ahead|here(?:'s| is| are| comes| follows)|"
    r"next (?:object|json|command|answer|message|line|one|block)|this (?:is|was|one|object|json|command)|what comes)\b"
)
"""Words about the next part."""
_CONCLUDES = re.compile(r"\bso[,:]?\Z")
_LIKE_SO = re.compile(r"\b(?:like|just) so\b")
_DECIDES = re.compile(
    r"\bdo so\b|\b(?:answer|choice|command|decision) is\b"
    r"|\b(?:my|the) (?:action|answer|command|json|object|reply|response)\b"
)
_EXCEPT = re.compile(r"\b(?:all|any\w*|every\w*|no\w*|last) (?:else )?but\b")
_SELF = re.compile(r"\b(?:i|i'll|i'm|my|me|we|we'll|let)\b")
_ENDINGS = ("s", "es", "d", "ed", "ing")

SMILEY = re.compile(r"[:;=8]['\-^]?[()\[\]{}|]")
FENCE_LINE = re.compile(r"(?:```|~~~|''')[ \t]*\w*[ \t]*\s*$|<\w[^<>]{0,60}>\s*$")
_BARE_ROWS = re.compile(r"(?:\n(?:[^\w\n]|_)*+(?:\d++(?:[^\w\n]|_)*+)?)+\Z")
"""Rows without a word, such as a rule, between the words and the object."""


def leading_text(before: str) -> str:
    """Return the words before an object up to the last row with a word, without the line of a fence."""
    return _BARE_ROWS.sub("", FENCE_LINE.sub("", FENCE_LINE.sub("", before)).rstrip()).rstrip()


def announces(before: str, after: str) -> bool:
    """Return whether the words around an object without thoughts can only announce it."""
    before, after = (COLOUR.sub("", text) if "\x1b" in text else text for text in (before, after))
    return _neutral(before, NEUTRAL) and _neutral(after, AFTERWARDS)


def _neutral(text: str, vocabulary: frozenset[str]) -> bool:
    if not text or text.isspace():
        return True
    if len(text) > REACH or _SIGNS.fullmatch(text) is None or "~~" in text:
        return False
    text = text.lower().replace("’", "'")
    words = _WORD.findall(text)
    if len(words) > MOST_WORDS:
        return False
    if vocabulary.issuperset(words):
        return True
    for phrase in PHRASES:
        text = text.replace(phrase, " ")
    return vocabulary.issuperset(_WORD.findall(text))


def lead(before: str, after: str) -> bool:
    """Return whether the words around an object with thoughts are English and lead to the model's own object."""
    before, after = (COLOUR.sub("", text) for text in (before[-REACH:], after[:REACH]))
    words = _WORD.findall(before)
    if len(words) > _NOISE * len(set(words)):
        before = ""
    if _SYMBOL.search(before) or _SYMBOL.search(after) or "?" in after or _GOES_ON.match(after):
        return False
    if _CROSS.fullmatch(after):
        return False
    if not (_english(_sentences(before), -1) and _english(_sentences(after), 0) and _leads(before)):
        return False
    return _leads_safely(_without_phrases(before)) and _safe(_NAME.sub(_left_of, _without_phrases(after)))


def _sentences(text: str) -> list[list[str]]:
    """Return the words of each sentence, without names, numbers and variables."""
    parts = _SENTENCE.split(_ASIDE.sub(" ", text.lower().replace("’", "'")))
    match = ([word for word in _WORD.findall(part) if not _VARIABLE.fullmatch(word)] for part in parts)
    return [each for each in match if each]


def _english(sentences: list[list[str]], nearest: int) -> bool:
    """Return whether enough words are English, both in all sentences and in the one next to the object."""
    if not sentences:
        return True
    near = sentences[nearest]
    if " ".join(near) not in LABELS and not _enough(near):
        return False
    return len(sentences) == 1 or _enough([word for each in sentences for word in each])


def _enough(words: list[str]) -> bool:
    return sum(word not in _COMMON for word in words) <= 2 * sum(word in ENGLISH for word in words)


def _leads(before: str) -> bool:
    """Return whether the clause before the object, if there is one, leads to the model's own object."""
    text = leading_text(before)
    space = before[len(text) :]
    if not text or _FINISHED.search(text):
        return not text.endswith("?")
    line = SMILEY.sub("", text.rsplit("\n", 1)[-1])
    clause = _STOP.split(line)[-1]
    words = _WORD.findall(clause.lower().replace("’", "'"))
    if not words:
        return not text.endswith("?")
    if space.count("\n") > 1 and _POINT.match(line):
        return True  # the last of a list of points
    if "\n" in space and _LEADS.search(line) is None and len(words) > MOST_IN_LABEL:
        return True
    if _FIRST_SIGN.match(line.lstrip()) is None:
        return False
    if len(words) == 1 or LEADING.isdisjoint(words):
        return "".join(words) in LABELS or NEUTRAL.issuperset(words)
    return len(words) > MOST_IN_LABEL or all(map(_is_known, words))


def _left_of(name: re.Match[str]) -> str:
    """Return what a name, a quote or a place leaves of a clause: nothing, or a word that no clause may have."""
    return " " if is_harmless(name[0].removeprefix("if ")) else " not "


def is_harmless(name: str) -> bool:
    """Return whether no word of a name or token can take a command back or only show it."""
    words = _WORD.findall(name.lower())
    return RISKY.isdisjoint(words) and CANCELLING.isdisjoint(words)


def cancels(text: str) -> bool:
    """Return whether a word of the text takes a command back."""
    return not CANCELLING.isdisjoint(_WORD.findall(text.lower()))


def _is_known(word: str) -> bool:
    return word in _COMMON or word in LEADING or word in LABELS or _VARIABLE.fullmatch(word) is not None


def _without_phrases(text: str) -> str:
    text = text.lower().replace("’", "'")
    for phrase in HARMLESS:
        text = text.replace(phrase, " ")
    return text


def _safe(text: str) -> bool:
    """Return whether all words are known to take nothing back. Numbers and variables do not count."""
    return all(
        word in SAFE
        or _VARIABLE.fullmatch(word)
        or (word not in RISKY and any(word.endswith(end) and word[: -len(end)] in SAFE for end in _ENDINGS))
        for word in _WORD.findall(text)
    )


def _speaks_of_itself(sentence: str) -> bool:
    """Return whether a whole sentence before the object is not about the object or others, and is not only a no."""
    words = _WORD.findall(sentence)
    if sentence.rstrip().endswith(":"):
        return True  # it led to another part
    if not REPORTS.isdisjoint(words):
        return False
    about = not REFERENCES.isdisjoint(words) or _DECIDES.search(sentence) or len(words) <= MOST_IN_LABEL
    return not about or _safe(sentence)


def _leads_safely(before: str) -> bool:
    """Return whether the clause next to the object and each clause about what follows are safe, without a condition."""
    text = leading_text(before)
    space = before[len(text) :]
    text = _OTHER.sub(_left_of, text).rstrip()
    if any(_AHEAD.search(clause) and not _safe(clause) for clause in _CLAUSE.split(text)):
        return False
    line = SMILEY.sub("", text.rsplit("\n", 1)[-1])
    if space.count("\n") > 1 and _POINT.match(line):
        return True
    if _FINISHED.search(text):
        return _speaks_of_itself(next((each for each in reversed(_STOP.split(line)) if _WORD.search(each)), ""))
    clauses = [clause for clause in _CLAUSE.split(_STOP.split(line)[-1]) if _WORD.search(clause)]
    firsts = {_WORD.findall(clause)[0] for clause in clauses if "(" not in clause}
    if (
        not firsts.isdisjoint(CONDITIONS)
        or _LIKE_SO.search(line)
        or _EXCEPT.search(line)
        or ("to" in firsts and not _SELF.search(line))
    ):
        return False
    return _CONCLUDES.search(text) is not None or not clauses or _safe(clauses[-1])
