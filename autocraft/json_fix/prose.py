"""Whether the words around an object take it back: a refusal, a negation, an example, something already done.

Only the clause that leads to the object and the words right after it are judged, and only the answer's own first
person is taken for a refusal; everything else may stand around a command. Neighbours: `brace_slice.py` asks.
"""

from __future__ import annotations

import re

_REACH = 400
"""How many characters before and after the object are looked at."""

_REFUSES = re.compile(
    r"\b(?:i|we)(?:\s+(?:really|simply|just|must|will|am|have\s+to))?\s*(?:can(?:no|['’])t|cannot|can\s+not|won['’]t|will\s+not|['’]m\s+(?:not\s+able|unable)|not\s+able|"
    r"unable|refuse|decline|not\s+going|['’]m\s+not\s+going|shouldn['’]t|should\s+not|must\s+not|mustn['’]t|do\s+not\s+want|don['’]t\s+want)\b(?:\s+to)?"
    r"(?:\s+\w+){0,2}?\s+(?:help|assist|comply|do|run|execute|perform|issue|send|dispatch|call|use|carry|proceed|continue|provide|fulfil|fulfill|give|"
    r"answer|follow|obey|complete|support|allow|output|produce)\b",
    re.IGNORECASE,
)
_NEGATES = re.compile(
    r"\b(?:not|never|cannot|can['’]?t|don['’]?t|won['’]?t|shouldn['’]?t|mustn['’]?t|wouldn['’]?t|couldn['’]?t|didn['’]?t|refuse|refusing|decline|avoid|avoiding|instead\s+of|"
    r"rather\s+than|without|forbidden|wrong|bad|no\s+longer|nor|neither|unsafe|dangerous|invalid|incorrect|mistake)\b",
    re.IGNORECASE,
)
_NARRATES = re.compile(
    r"\b(?:example|e\.g|for\s+instance|such\s+as|hypothetical(?:ly)?|suppose|imagine|thought\s+(?:of|about)|thinking\s+(?:of|about)|consider(?:ed|ing)|"
    r"might|was\s+going\s+to|were\s+going\s+to|could\s+have|would\s+have|ran|executed|tried|sent|issued|called|used|did|earlier|previous(?:ly)?|already|"
    r"last\s+(?:time|turn|step|command|answer|one)|if|unless|the\s+user\s+(?:said|asked|wrote|wants|sent)|you\s+(?:said|asked|wrote|sent|told)|returned|failed|"
    r"history|log|quoted?|says?|reads|template)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"[\s`'\")\]]*(?:is|was|were|would|will|isn['’]t|wasn['’]t|won['’]t|wouldn['’]t|but|because|failed|returned|did|didn['’]t|does|doesn['’]t|has|had|should|must|"
    r"cannot|can['’]t|could|might|may|are|aren['’]t|if|unless|only\s+if|when|once|or)\b",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"\b(?:scratch\s+that|never\s*mind|on\s+second\s+thought|disregard|ignore\s+(?:that|this|the\s+above|it)|cancel\s+(?:that|this|it)|"
    r"(?:do\s+not|don['’]t)\s+(?:\w+\s+)?(?:run|execute|do|send|use|dispatch|perform)(?:\s+(?:that|this|it|the\s+above|them))?|"
    r"(?:that|this|it)\s*(?:is|was|['’]s)\s+(?:wrong|a\s+mistake|not\s+(?:right|what|correct))|actually,?\s+no\b|no,?\s+wait|"
    r"(?:just|only)\s+an\s+example|not\s+(?:a\s+)?(?:real|actual)|hypothetical)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.!?;,]\s|\n\s*\n|\b(?:so|but|therefore|thus|hence|then|instead,|however)\b", re.IGNORECASE)
_FENCE_LINE = re.compile(r"(?:```|~~~|''')[ \t]*\w*[ \t]*\s*$")


def objection(before: str, after: str) -> str | None:
    """``refusal`` or ``narration`` when the words around an object say that it is not to be run, else None."""
    before, after = before[-_REACH:], after[:_REACH]
    if _refuses(before) or _refuses(after):
        return "refusal"
    clause = _last_clause(before)
    if _NEGATES.search(clause):
        return "refusal"
    if _NARRATES.search(clause):
        return "narration"
    line = after.split("\n", 1)[0]
    if _GOES_ON.match(line) or _TAKES_BACK.search(after):
        return "narration"
    return None


def _refuses(text: str) -> bool:
    return _REFUSES.search(text) is not None


def _last_clause(before: str) -> str:
    """The words that lead to the object: after the last full stop, comma or "so", across a line end after a colon."""
    text = _FENCE_LINE.sub("", before).rstrip()
    if not text.endswith((":", "->", "=>", "→")) and "\n" in before[len(text) :]:
        return ""  # a finished line above, then the object on its own
    start = 0
    for found in _CLAUSE.finditer(text):
        start = found.end()
    line = text[start:]
    return line.rsplit("\n", 1)[-1]
