"""The retrieval sets: 40 skills and 40 questions each, and the check that they share no word.

The first set was committed before any retrieval existed. The second was committed before it was ever measured: it
shows whether choices that were made for the first set also work elsewhere. Neither is changed to improve a figure.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

FILES = {which: Path(__file__).with_name(f"{which}.jsonl") for which in ("retrieval", "retrieval_second")}
_STOP = (
    "a about after again all am an and any are as at back be before but by can do down each for from get has have he"
    " her him his how i if in into is it its me more most my no nor not of off on only or other our out over own she so"
    " some something such than that the their them then there these they this those through to too under until up very"
    " was we were what when where which while who why will with you your"
)
STOP_WORDS = frozenset(_STOP.split())
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_STRING = re.compile(r"""["']([^"']*)["']""")
_ENDINGS = ("ings", "ing", "ers", "er", "ies", "es", "ed", "ly", "s", "e", "y")


class Row(NamedTuple):
    name: str
    description: str
    code: str
    question: str

    @property
    def told(self) -> str:
        """Return all text of the skill that an index may read."""
        return " ".join([self.name, self.description, *_STRING.findall(self.code)])


def rows(which: str = "retrieval") -> list[Row]:
    return [Row(**json.loads(line)) for line in FILES[which].read_text(encoding="utf-8").splitlines()]


def stems(text: str) -> set[str]:
    """Return the words of a text without endings and stop words. Names are split at their capitals."""
    words = {word.lower() for word in _WORD.findall(text)} - STOP_WORDS
    return {stem(word) for word in words}


def stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            cut = word.removesuffix(ending)
            return cut[:-1] if len(cut) > 3 and cut[-1] == cut[-2] else cut
    return word


def shared(row: Row) -> set[str]:
    """Return the stems in both skill and question, also if one begins with the other (four letters or more)."""
    skill, question = stems(row.told), stems(row.question)
    near = {
        f"{one}~{other}"
        for one in skill
        for other in question
        if min(len(one), len(other)) >= 4 and (one.startswith(other) or other.startswith(one))
    }
    return (skill & question) | near
