"""Whether the words around an object say that it is to be run.

Words from a short list can announce an object and nothing else. Around an object with `thoughts`, or in a tool tag,
there may also be English sentences that do not take it back, of which the last leads to the model's own object. All
other words refuse, so a sentence that shows, negates or cancels an object does so in every language.
"""

from __future__ import annotations

import re

from autocraft.json_fix.lexicon import COLOUR
from autocraft.json_fix.vocabulary import AFTERWARDS, ANNOUNCING, ENGLISH, FILLING, LABELS, LEADING, PHRASES

MOST_WORDS = 12
"""More words than this are no announcement."""
_REACH = 400
"""How many characters before and after the object are looked at."""

_WORD = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    r"|[^\W_]+(?:['’.\-/][^\W_]+)*"
)
"""A word; in scripts without blanks between words, each sign."""
_SIGNS = re.compile(r"[\s\w.,:;!()\[\]{}*_#>`'’\"=|/\-–—→<。，：；！、（）\x00-\x1f\u200b-\u200f\u2060\ufeff\u2028]*+")
"""What may stand between neutral words. A question mark, a cross or a line through the text may not."""

_SYMBOL = re.compile(
    "(?![\u2692\u26cf\u2705\u2713\u2714\u2728\U0001f3af\U0001f44d\U0001f600-\U0001f64f\U0001f680\U0001f916\U0001fa93])"
    "[\u2190\u2191\u2193-\u23ff\u2600-\u27bf\U0001f000-\U0001faff\ufffd]"
)
"""A symbol that may cross the object out: any but faces, ticks and tools."""
_ASIDE = re.compile(r"\{[^{}]*\}|\[[^\[\]]*\]|`[^`]*`|\"[^\"]*\"|<[^<>\n]*>|https?://\S+|\w*_\w*")
"""Names, quotes and places, which belong to no language."""
_SENTENCE = re.compile(r"[.!?:;。！？：；](?=\s|\Z)|[。！？：；]|\n")
_STOP = re.compile(r"[.!?。！？](?=\s|\Z)|[。！？]")
_FINISHED = re.compile(r"[.!。！…][\"'”’»」)\]*_`]*\Z")
_LEADS = re.compile(r"(?:[:：,，→]|[-=]>)[*_]*\Z|\A[ \t]*#")
_FIRST_SIGN = re.compile(r"[\w*_#=:({\[\"'“‘«`<—–\-,]")
_POINTS_ON = re.compile(r"\s*(?:[-=]>|→)")
_VARIABLE = re.compile(r"[a-hj-z]|\d+")
_POINT = re.compile(r"[ \t]*(?:[-+•*]|\d{1,3}[.)])[ \t]")
_COMMON = ENGLISH | FILLING | ANNOUNCING
_NOISE = 10
"""A text that repeats each of its words more often says nothing."""
MOST_IN_LABEL = 3
"""A line of so few words without a full stop is a label of what follows."""

_NO = (
    r"(?:not|never|cannot|can['’]?t|don['’]?t|won['’]?t|shouldn['’]?t|mustn['’]?t|wouldn['’]?t|couldn['’]?t|didn['’]?t)"
)
_SEND = (
    r"(?:send|run|use|do|execute|answer|say|dispatch|call|perform|issue|output|reply|respond|write|give|choose|pick|try|"
    r"type|sent|running|sending|executing|using|go\s+with)"
)
_THIS = r"(?:that|this|it|the\s+above|anything\s+above)"


def _pattern(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


_REFUSES = _pattern(
    r"\b(?:i|we)(?:\s+(?:really|simply|just|must|will|am|are|have\s+to))?\s*(?:can(?:no|['’])t|can\s+not|won['’]t|"
    r"will\s+not|['’]m\s+(?:not\s+able|unable|not\s+going)|not\s+able|unable|refuse|decline|must\s+not|shouldn['’]t)"
    r"(?:\s+to)?\s+(?:help|assist|comply|fulfil|fulfill|obey|proceed|continue|provide|support|"
    r"(?:do|run|execute|perform|send|issue|dispatch|carry\s+out|follow|answer)\s+(?:that|this|such|it|these|those|your|what))\b",
)
_NEGATES = _pattern(
    rf"\b{_NO}\s+(?:\w+\s+){{0,3}}?{_SEND}\b[^.]{{0,60}}$",
    rf"\b(?:{_NO}|avoid|avoiding|instead\s+of|rather\s+than|refuse\s+to\s+\w+|decline\s+to\s+\w+|forbidden)[\s:\"'`]*$",
    r"\b(?:is|was|be|are)\s+(?:wrong|bad|a\s+mistake|dangerous|invalid|incorrect|unsafe|forbidden|harmful)[\s:]*$",
    r"\b(?:wrong|bad|incorrect|invalid|forbidden)\s+(?:answer|command|reply|response|call|one)[\s:]*$",
)
_NARRATES = _pattern(
    r"\b(?:for\s+example|for\s+instance|e\.g|such\s+as|(?:an?|one|another)\s+example|example\s+of|example(?:\s+\w+)?\s*:)",
    r"^\s*(?:if|unless|suppose|imagine|hypothetical\w*)\b(?!.*\b(?:i|we)(?:['’]ll|\s+will|\s+must)\b)",
    r"\b(?:thought|thinking)\s+(?:of|about)\b|\bconsider(?:ed|ing)\b|\b(?:was|were)\s+(?:going|about)\s+to\b",
    r"\b(?:could|would|should|might)\s+have\b|\b(?:might|could)\s+(?:also\s+)?(?:be|run|send|use|say|do)\b",
    r"\b(?:i|we|you|it|he|she|they|user|bot|agent|model|assistant)\s+(?:(?:have|had|has|already|just|previously|then|once|"
    r"also)\s+){0,2}(?:ran|run|executed|tried|sent|issued|called|used|did|done)\b(?<!\bi run)(?<!\bwe run)",
    r"\b(?:previous|last|earlier|old|first)\s+(?:command|answer|action|call|reply|attempt|response|message)\b",
    r"\b(?:earlier|previously|already|yesterday)\b",
    r"\b(?:said|wrote|typed|ran|sent|replied|answered|executed|issued|returned|received|saw|got|read|showed|logged|"
    r"printed|asked\s+for|asked)[\s:\"'`]*$",
    r"(?:^|\n)\W*(?:user|human|system|tool|observation|history|example)\s*:[\s*]*$",
    r"\b(?:instead|rather)\s+than\b",
)
_GOES_ON = _pattern(
    r"[\s`'\")\]]*(?:is|was|were|would|will|isn['’]t|wasn['’]t|won['’]t|wouldn['’]t|but|because|failed|fails|returned|"
    r"did|didn['’]t|does|doesn['’]t|has|had|should|must|cannot|can['’]t|could|might|may|are|aren['’]t|unless|only\s+if|"
    r"or|and\s+(?:then\s+)?(?:\w+ed|got|saw|was|it|ran|lost|died))\b",
)
_TAKES_BACK = _pattern(
    r"\b(?:scratch\s+that|never\s*mind|on\s+second\s+thought|disregard|actually,?\s+no\b|no,?\s+wait|wait,?\s+no\b)",
    rf"\b(?:ignore|cancel|forget|undo|discard)\s+{_THIS}\b",
    rf"\b{_NO}\s+(?:\w+\s+)?{_SEND}\s+{_THIS}\b",
    r"\b(?:that|this|it)\s*(?:is|was|['’]s)\s+(?:wrong|a\s+mistake|not\s+(?:right|what|correct|a\s+real)|incorrect|"
    r"(?:just|only)\s+(?:an?\s+)?(?:example|idea|draft|test))\b",
    r"\b(?:just|only)\s+an\s+example\b|\bhypothetical",
)
_NO_WORDS = ("not", "n't", "n’t", "nt ", "unable", "refuse", "decline")
_NEGATING = (*_NO_WORDS, "never", "cant", "dont", "avoid", "instead", "rather", "forbidden", "wrong", "bad", "mistake",
             "dangerous", "invalid", "incorrect", "unsafe", "harmful")  # fmt: skip
_BACK = ("scratch", "mind", "second", "disregard", "actually", "wait", "ignore", "cancel", "forget", "undo", "discard",
         "that", "this", "it", "example", "hypothetical", "not", "n't", "n’t")  # fmt: skip
_CLAUSE = _pattern(r"[.!?;,]\s", r"\n\s*\n", r"\b(?:so|but|therefore|thus|hence|then|now)\b")
_FENCE_LINE = re.compile(r"(?:```|~~~|''')[ \t]*\w*[ \t]*\s*$|<\w[^<>]{0,60}>\s*$")


def announces(before: str, after: str) -> bool:
    """Whether the words around an object without thoughts can only announce it."""
    before, after = (COLOUR.sub("", text) if "\x1b" in text else text for text in (before, after))
    return _neutral(before, ANNOUNCING | FILLING) and _neutral(after, AFTERWARDS)


def lead(before: str, after: str) -> bool:
    """Whether the words around an object with thoughts are English and lead to the model's own object."""
    before, after = before[-_REACH:], after[:_REACH]
    words = _WORD.findall(before)
    if len(words) > _NOISE * len(set(words)):
        before = ""
    if _SYMBOL.search(before) or _SYMBOL.search(after) or "?" in after or _POINTS_ON.match(after):
        return False
    sentences = [each for each in _SENTENCE.split(_ASIDE.sub(" ", before)) if _WORD.search(each)]
    following = [each for each in _SENTENCE.split(_ASIDE.sub(" ", after)) if _WORD.search(each)]
    parts = [" ".join(sentences), *sentences[-1:], *following[:1], " ".join(following)]
    return all(map(_english, parts)) and _leads(before)


def _english(text: str) -> bool:
    """Whether enough words are English, or all of them announce."""
    words = [word for word in _WORD.findall(text.lower().replace("’", "'")) if not _VARIABLE.fullmatch(word)]
    known = sum(word in ENGLISH for word in words)
    foreign = sum(word not in _COMMON for word in words)
    return foreign <= 2 * known or " ".join(words) in LABELS


def _leads(before: str) -> bool:
    """Whether the clause that leads to the object, if one does, leads to the model's own."""
    text = _FENCE_LINE.sub("", _FENCE_LINE.sub("", before))
    space = before[len(text.rstrip()) :]
    text = text.rstrip()
    if not text or _FINISHED.search(text):
        return not text.endswith("?")
    line = text.rsplit("\n", 1)[-1]
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
    return not LEADING.isdisjoint(words) or "".join(words) in LABELS or (ANNOUNCING | FILLING).issuperset(words)


def _neutral(text: str, known: frozenset[str]) -> bool:
    if not text or text.isspace():
        return True
    if len(text) > _REACH or _SIGNS.fullmatch(text) is None or "~~" in text:
        return False
    text = text.lower().replace("’", "'")
    for phrase in PHRASES:
        text = text.replace(phrase, " ")
    words = _WORD.findall(text)
    return len(words) <= MOST_WORDS and known.issuperset(words)


def objection(before: str, after: str) -> str | None:
    """``refusal`` or ``narration`` when the words around an object say that it is not to be run, else None."""
    before, after = before[-_REACH:].strip(" \t"), after[:_REACH].rstrip()
    if any(_mentions(text, _NO_WORDS) and _REFUSES.search(text) for text in (before, after)):
        return "refusal"
    clause = _last_clause(before) if before else ""
    if clause and _mentions(clause, _NEGATING) and _NEGATES.search(clause):
        return "refusal"
    if clause and _NARRATES.search(clause):
        return "narration"
    if after and (_GOES_ON.match(after.split("\n", 1)[0]) or (_mentions(after, _BACK) and _TAKES_BACK.search(after))):
        return "narration"
    return None


def _mentions(text: str, words: tuple[str, ...]) -> bool:
    """A cheap test before a costly pattern: whether any of the words without which it cannot match is there."""
    text = text.lower()
    return any(word in text for word in words)


def _last_clause(before: str) -> str:
    """The words that lead to the object: after the last full stop, comma or "so", on the line that leads to it."""
    text = _FENCE_LINE.sub("", _FENCE_LINE.sub("", before)).rstrip()
    if not text.endswith((":", "->", "=>", "→", ",")) and "\n" in before[len(text) :]:
        return ""  # a finished line above, then the object on its own
    start = 0
    for found in _CLAUSE.finditer(text):
        start = found.end()
    return text[start:].rsplit("\n", 1)[-1]
