"""A goal: parsed once from the person's text, items and counts where they are named, free text otherwise."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from autocraft.text.characters import well_formed

_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_NUMBERS |= {"nine": 9, "ten": 10, "dozen": 12, "some": 1, "the": 1}
_VERBS = r"(?:craft|smelt|get|make|obtain|have|collect|gather|cook)"


@dataclass(frozen=True, slots=True)
class Goal:
    """One goal, parsed once from the person's text: `items` to hold at least, or free text when empty.

    Free text can only be checked by the person.
    """

    text: str
    items: tuple[tuple[str, int], ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {"text": self.text, "items": [list(item) for item in self.items]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Goal:
        """The reverse of `to_json`. Raises ValueError, TypeError or LookupError for anything else."""
        return cls(data["text"], tuple((name, count) for name, count in data["items"]))

    @classmethod
    def parse(cls, text: str, known: Iterable[str] = ()) -> Goal:
        """Read "craft 2 sticks and a ladder" against the `known` item names; anything else stays free text."""
        text = well_formed(text)
        names = known if isinstance(known, (set, frozenset, dict)) else set(known)
        counts: dict[str, int] = {}
        for part in _parts(text):
            read = _read_part(part, names)
            if read is None:
                return cls(text.strip())
            name, count = read
            counts[name] = counts.get(name, 0) + count
        return cls(text.strip(), tuple(counts.items()))


def why_not_understood(text: str, known: Collection[str]) -> str:
    """Say what in a goal of free text is no item, or that its form is not understood."""
    for part in _parts(text):
        name = _count_and_name(part)[1]
        if re.fullmatch("[a-z_]{1,40}", name) and _read_part(name, known) is None:
            return f"there is no item {name!r} for the goal {text[:80]!r}"
    return f"the built-in planner does not understand the goal {text[:80]!r}"


def _parts(text: str) -> list[str]:
    """Return what stands between commas and "and" after the verb. Return [] without a verb of making."""
    plain = re.sub(r"\s+", " ", text.strip().lower().replace("minecraft:", "")).rstrip(".! ")
    verb = re.fullmatch(rf"(?:please )?{_VERBS} (?P<rest>.+)", plain)
    return [part for part in re.split(r"\s*(?:,|&|\band\b)\s*", verb["rest"]) if part] if verb else []


def _read_part(part: str, names: Iterable[str]) -> tuple[str, int] | None:
    """ "2 oak planks" -> ("oak_planks", 2); None when no known item is named."""
    count, name = _count_and_name(part)
    for candidate in (name, name.removesuffix("s"), name.removesuffix("es"), re.sub("ies$", "y", name)):
        if count > 0 and candidate in names:
            return candidate, count
    return None


def _count_and_name(part: str) -> tuple[int, str]:
    """ "2 oak planks" -> (2, "oak_planks")."""
    words = re.sub(r"\bitems? of (?:type )?", "", part).replace("(s)", "").split()
    count = 1
    if words and re.fullmatch(r"[0-9]{1,6}x?", words[0]):
        count = int(words.pop(0).rstrip("x"))
    else:
        while len(words) > 1 and words[0] in _NUMBERS:
            count = _NUMBERS[words.pop(0)] * (1 if count == 1 else count)
    return count, "_".join(words)
