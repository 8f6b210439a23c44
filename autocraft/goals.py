"""A goal, parsed once from the person's text: verbs and things, or free text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Self

import msgspec
from msgspec.structs import replace

from autocraft.errors import UsageError
from autocraft.text.characters import well_formed
from autocraft.text.phrases import join_words, near_ending, some_of

DEEDS = ("mine", "kill", "place", "eat", "equip", "go", "sleep", "hold")
"""The verbs of what is done, beside those of what is had."""
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
OTHER_WORLD = "add --world minecraft, or "
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_NUMBERS |= {"nine": 9, "ten": 10, "dozen": 12, "some": 1, "the": 1, "few": 3, "several": 3, "couple": 2, "pair": 2}
_SMELTING = r"smelt|cook"
_HOLDING = rf"craft|get|make|obtain|have|hold|collect|gather|{_SMELTING}"
_KINDS = re.compile("(?:different_)?kinds?(?:_of_(?:items?|things?))?|different_(?:items|things)")
_DOING = {
    "mine": "mine|dig|chop|harvest", "kill": "kill|hunt|slay|defeat", "place": "place|put down", "eat": "eat",
    "equip": "equip|wear|put on", "go": "go to|walk to|travel to", "sleep": "go to sleep|sleep in|sleep",
}  # fmt: skip
_VERB_OF = {word: verb for verb, words in _DOING.items() for word in words.split("|")}
_PLACE = re.compile(r"\b(go|walk|travel)( to)? x?[ =:]*(-?\d{1,8})[, ]+y?[ =:]*(-?\d{1,4})[, ]+z?[ =:]*(-?\d{1,8})\b")
_DOUBT = re.compile(r"\b(?:if|unless|or|not|never|without|instead|until|how|don't)\b")
"""Words with which a part of a sentence may mean the opposite of what it says alone."""
_WOODS = "oak spruce birch jungle acacia dark_oak mangrove cherry bamboo pale_oak crimson warped"
_COLOURS = "white orange magenta light_blue yellow lime pink gray light_gray cyan purple blue brown green red black"
KIND = re.compile(f"(?:{'|'.join([*_WOODS.split(), *_COLOURS.split()])})_(.+)")
"""Reads the kind of an item that there is in each wood or colour: "log" of "oak_log"."""
_PLURALS = (("s$", ""), ("es$", ""), ("ies$", "y"), ("ves$", "f"))
_SAME = {"wood": "log", "raw_iron": "iron_ore", "raw_gold": "gold_ore", "lapis_lazuli_ore": "lapis_ore"}
"""What people, Voyager and other versions say, and the name that may be there instead."""


class Names(frozenset[str]):
    """The item names of a world, with what goals may say of them there.

    `smelts` is what a furnace makes of an item. `verbs` are the DEEDS that the world can check.
    """

    smelts: Mapping[str, str] = MappingProxyType({})
    verbs: Collection[str] = ()

    @classmethod
    def of(cls, items: Iterable[str], smelts: Mapping[str, str] | None = None, verbs: Collection[str] = ()) -> Self:
        """Return the names. Names that are given as `items` are returned as they are."""
        if isinstance(items, cls):
            return items
        names = cls(items)
        names.smelts, names.verbs = smelts or {}, verbs
        return names

    def named(self, words: str, *, mob: bool = False) -> str:
        """Return the item, the kind of item (``#log``) or the mob that some words name. Return "" if there is none."""
        plain = words.removeprefix("any_").removeprefix("raw_")
        texts = [
            words,
            plain,
            plain.removeprefix("wooden_").removeprefix("wood_"),
            re.sub("(.+)_of_(.+)", r"\2_\1", words),
        ]
        for text in dict.fromkeys(filter(None, texts)):
            for one in (text, *(re.sub(end, single, text) for end, single in _PLURALS)):
                if mob and f"{one}_spawn_egg" in self:
                    return one
                for name in () if mob else (one, _SAME.get(one, one)):
                    if name in self:
                        return name
                kind = _SAME.get(one, one)
                if not mob and (f"oak_{kind}" in self or f"white_{kind}" in self):
                    return f"#{kind}"
        return ""


class Deed(msgspec.Struct, frozen=True, array_like=True):
    """Something to be done: a verb of DEEDS and a thing. `since` is how often it had been done before.

    The thing is an item, a kind of item (``#log``) or a mob, or ``x y z`` for "go". It is "" for "sleep", for eating
    anything and for holding so many kinds of item.
    """

    verb: str
    thing: str = ""
    count: Count = 1
    since: Count = 0

    def __str__(self) -> str:
        return f"{self.verb} {self.thing}".strip()

    def times(self, counts: Mapping[str, int]) -> int:
        """Return how often it was done, by what a world counted, such as ``{"mine oak_log": 3}``.

        What was picked up also counts as mined: mined stone is held as cobblestone.
        """
        verbs = ("mine", "collect") if self.verb == "mine" else (self.verb,)
        read = [(*name.partition(" ")[::2], times) for name, times in counts.items()]
        return max(sum(n for did, thing, n in read if did == verb and _is(self.thing, thing)) for verb in verbs)


class Goal(msgspec.Struct, frozen=True, omit_defaults=True):
    """One goal. `items` are the least items to hold, and `deeds` is what to do. Without both it is free text.

    An item such as ``#log`` is any of its kind. `words` is what a goal asks beyond both. Only the person can check free
    text and words.
    """

    text: str
    items: tuple[tuple[str, Count], ...] = ()
    words: str = ""
    deeds: tuple[Deed, ...] = ()

    @property
    def checkable(self) -> bool:
        """Tell whether a world can check all of it."""
        return bool(self.items or self.deeds) and not self.words

    def from_now(self, counts: Mapping[str, int]) -> Goal:
        """Return the goal that begins now: what was `counts` before does not count for it."""
        deeds = (replace(deed, since=deed.times(counts)) for deed in self.deeds)
        return replace(self, deeds=tuple(deeds))

    @classmethod
    def parse(cls, text: str, item_names: Iterable[str] = ()) -> Goal:
        """Read "craft 2 sticks and a ladder" or "kill 1 pig" with these names. Any other text stays free text.

        Of "get 4 oak_log and build a house" the first part is read, and the rest becomes `words`. Deeds are read only
        with Names that have their verbs.
        """
        text, names = well_formed(text), Names.of(item_names)
        counts: dict[str, int] = {}
        deeds: list[Deed] = []
        words, before = [], "get" if re.match(r"\s*\d", text) else ""
        for part, verb in _parts(text):
            read = _read_part(part, verb or before, names)
            before = (verb or before) if read else ""  # after words, a name may belong to them: "a house with a door"
            if read is None:
                words.append(f"{verb} {part}".strip())
            elif isinstance(read, Deed):
                deeds.append(read)
            else:
                counts[read[0]] = counts.get(read[0], 0) + read[1]
        if words and _DOUBT.search(text.lower()):
            return cls(text.strip())
        parts = counts or deeds
        return cls(text.strip(), tuple(counts.items()), ", ".join(words) if parts else "", tuple(deeds))


def held(thing: str, counts: Mapping[str, int]) -> int:
    """Return how many of an item, or of a kind of item, are in `counts`."""
    return sum(count for name, count in counts.items() if _is(thing, name))


def check_goals(goals: Iterable[Goal], item_names: Collection[str], *, asks_model: bool) -> None:
    """Raise UsageError for a goal that only a model could pursue, if none can be asked: one that names no items."""
    for goal in goals:
        if not goal.checkable and not asks_model:
            why, hint = fault_of(goal.text, item_names)
            way = "say it like 'craft 2 stick', or set OPENAI_API_KEY or OPENAI_BASE_URL to use a model"
            raise UsageError(f"{why}: {hint}{way}")


def fault_of(text: str, item_names: Collection[str]) -> tuple[str, str]:
    """Return why a goal is not understood: a word that is no item, or its form. Return what to do about it, or ""."""
    parts, goal, why, names = _parts(text), f"the goal {text[:80]!r}", "", Names.of(item_names)
    for part, verb in parts if parts and parts[0][1] else ():
        count, name = _count_and_name(part)
        deed = _VERB_OF.get(verb, "")
        kinds = "hold" not in names.verbs and _KINDS.fullmatch(name)
        if kinds or (deed and deed not in names.verbs):
            what = "kinds of item" if kinds else verb
            return f"the crafting world has no {what!r}, as in {goal}", OTHER_WORLD
        if deed == "go" or not name or (count > 0 and names.named(name, mob=deed == "kill")):
            continue
        if count <= 0 or not name[0].isalpha() or re.fullmatch(r"[a-z_]+_\d+", name):
            why = why or ", since a count must be a whole number from 1 to 999999, before the name"
        elif re.search(r"\bthen\b|;", part):
            why = why or ", since two things need 'and' between them"
        elif re.fullmatch("[a-z_]{1,40}", name):
            ends = sorted(each for each in names if each.endswith((f"_{name}", f"_{name.removesuffix('s')}")))
            hint = f"did you mean {some_of(ends, 6)}? " if ends and deed != "kill" else near_ending(name, names)
            return f"there is no {'mob' if deed == 'kill' else 'item'} {name!r} for {goal}", hint
    if parts and not parts[0][1]:
        why = f", since a goal begins with {join_words(('craft', 'get', 'make', 'smelt', *names.verbs), 'or')}"
    return f"the built-in planner does not understand {goal}{why}", near_ending(text, names)


def _is(thing: str, name: str) -> bool:
    """Tell whether `name` is a thing, or one of its kind. No thing stands for anything."""
    kind = KIND.fullmatch(name)
    return thing in ("", name, f"#{name}", f"#{kind[1]}" if kind else "")


def _parts(text: str) -> list[tuple[str, str]]:
    """Return what stands between commas and "and": each part without its verb, and that verb or ""."""
    plain = re.sub(r"\s+", " ", text.strip().lower().replace("minecraft:", "")).rstrip(".! ")
    plain = _PLACE.sub(r"go to \3_\4_\5", plain.replace("flint and steel", "flint_and_steel"))
    return [(rest, verb) for part in re.split(r"\s*(?:,|&|\band\b)\s*", plain) if part for rest, verb in _verbs(part)]


def _verbs(part: str) -> Iterator[tuple[str, str]]:
    words = "|".join([_HOLDING, *sorted(_VERB_OF, key=len, reverse=True)])
    read = re.fullmatch(rf"(?:please )?(?P<verb>{words})(?: (?P<rest>.+))?", part)
    yield (read["rest"] or "", read["verb"]) if read else (part, "")


def _read_part(part: str, verb: str, names: Names) -> tuple[str, int] | Deed | None:
    """Read "2 oak planks" as ("oak_planks", 2), and with a verb of DEEDS as a deed. Return None if it names nothing."""
    if not verb:
        return None
    deed = _VERB_OF.get(verb, "")
    if deed and deed not in names.verbs:
        return None
    if deed == "go":
        return Deed("go", part.replace("_", " ")) if re.fullmatch(r"-?\d+_-?\d+_-?\d+", part) else None
    if deed == "sleep":
        return Deed("sleep") if re.fullmatch(r"(?:(?:in )?(?:a|the|my) )?(?:bed)?", part) else None
    if deed == "eat" and part in ("", "something", "food", "some food", "anything"):
        return Deed("eat")
    count, name = _count_and_name(part)
    if not deed and count > 0 and "hold" in names.verbs and _KINDS.fullmatch(name):
        return Deed("hold", count=count)
    thing = names.named(name, mob=deed == "kill")
    if not thing or count <= 0:
        return None
    if verb in _SMELTING.split("|") and thing not in names.smelts.values():
        thing = names.smelts.get(thing, thing)
    return Deed(deed, thing, count) if deed else (thing, count)


def _count_and_name(part: str) -> tuple[int, str]:
    """Read "2 oak planks" as (2, "oak_planks")."""
    words = re.sub(r"\bitems? of (?:type )?", "", part).replace("(s)", "").split()
    count = 1
    if words and re.fullmatch(r"[0-9]{1,6}x?", words[0]):
        count = int(words.pop(0).rstrip("x"))
    else:
        while len(words) > 1 and (words[0] in _NUMBERS or words[0] == "of"):
            count = _NUMBERS.get(words.pop(0), 1) * (1 if count == 1 else count)
    return count, "_".join(words)
