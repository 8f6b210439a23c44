"""A goal, parsed once from the person's text: items with counts, or free text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from autocraft.text.characters import well_formed

_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_NUMBERS |= {"nine": 9, "ten": 10, "dozen": 12, "some": 1, "the": 1}
_VERBS = r"(?:craft|smelt|get|make|obtain|have|collect|gather|cook)"
_DOUBT = re.compile(r"\b(?:if|unless|or|not|never|without|instead|until|how|don't)\b")
"""Words with which a part of a sentence may mean the opposite of what it says alone."""


@dataclass(frozen=True, slots=True)
class Goal:
    """One goal. `items` are the least items to hold. Without items it is free text.

    `words` is what a goal with items asks beyond them. Only the person can check free text and words.
    """

    text: str
    items: tuple[tuple[str, int], ...] = ()
    words: str = ""

    @property
    def checkable(self) -> bool:
        """Tell whether a world can check all of it."""
        return bool(self.items) and not self.words

    def to_json(self) -> dict[str, Any]:
        data = {"text": self.text, "items": [list(item) for item in self.items]}
        return {**data, "words": self.words} if self.words else data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Goal:
        """Read what `to_json` returned. Raises ValueError, TypeError or LookupError for anything else."""
        return cls(data["text"], tuple((name, count) for name, count in data["items"]), data.get("words", ""))

    @classmethod
    def parse(cls, text: str, item_names: Iterable[str] = ()) -> Goal:
        """Read "craft 2 sticks and a ladder" with these item names. Any other text stays free text.

        Of "get 4 oak_log and build a house" the first part is read, and the rest becomes `words`.
        """
        text = well_formed(text)
        names = item_names if isinstance(item_names, (set, frozenset, dict)) else set(item_names)
        counts: dict[str, int] = {}
        words, listing = [], False
        for part, verb in _parts(text):
            read = _read_part(part, names) if verb or listing else None
            listing = read is not None  # after words, a name may belong to them: "a house with a door and a ladder"
            if read is None:
                words.append(f"{verb} {part}".strip())
                continue
            name, count = read
            counts[name] = counts.get(name, 0) + count
        if words and _DOUBT.search(text.lower()):
            return cls(text.strip())
        return cls(text.strip(), tuple(counts.items()), ", ".join(words) if counts else "")


def why_not_understood(text: str, item_names: Collection[str]) -> str:
    """Say what in a goal of free text is no item, or that its form is not understood."""
    parts = _parts(text)
    for part, _ in parts if parts and parts[0][1] else ():
        name = _count_and_name(part)[1]
        if re.fullmatch("[a-z_]{1,40}", name) and _read_part(name, item_names) is None:
            return f"there is no item {name!r} for the goal {text[:80]!r}"
    return f"the built-in planner does not understand the goal {text[:80]!r}"


def _parts(text: str) -> list[tuple[str, str]]:
    """Return what stands between commas and "and": each part without its verb of making, and that verb or ""."""
    plain = re.sub(r"\s+", " ", text.strip().lower().replace("minecraft:", "")).rstrip(".! ")
    parts = filter(None, re.split(r"\s*(?:,|&|\band\b)\s*", plain))
    read = (re.fullmatch(rf"(?:(?P<verb>(?:please )?{_VERBS}) )?(?P<rest>.+)", part) for part in parts)
    return [(part["rest"], part["verb"] or "") for part in read if part]


def _read_part(part: str, names: Iterable[str]) -> tuple[str, int] | None:
    """Read "2 oak planks" as ("oak_planks", 2). Return None if the part names no item."""
    count, name = _count_and_name(part)
    for candidate in (name, name.removesuffix("s"), name.removesuffix("es"), re.sub("ies$", "y", name)):
        if count > 0 and candidate in names:
            return candidate, count
    return None


def _count_and_name(part: str) -> tuple[int, str]:
    """Read "2 oak planks" as (2, "oak_planks")."""
    words = re.sub(r"\bitems? of (?:type )?", "", part).replace("(s)", "").split()
    count = 1
    if words and re.fullmatch(r"[0-9]{1,6}x?", words[0]):
        count = int(words.pop(0).rstrip("x"))
    else:
        while len(words) > 1 and words[0] in _NUMBERS:
            count = _NUMBERS[words.pop(0)] * (1 if count == 1 else count)
    return count, "_".join(words)
