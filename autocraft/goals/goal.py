"""A goal, parsed once from the person's text: verbs and things, or free text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated

import msgspec
from msgspec.structs import replace

from autocraft.building.wishes import with_buildings
from autocraft.goals.verbs import VERBS, sentence
from autocraft.goals.wording import (
    DOUBT,
    IT,
    KIND,
    WOODS,
    Asked,
    Names,
    phases_of,
    read_part,
    written,
)
from autocraft.text.characters import well_formed

Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class Deed(msgspec.Struct, frozen=True, array_like=True):
    """Something to be done: a verb of VERBS and a thing. `since` is how often it had been done before.

    The thing is an item, a kind of item (``#log``), a block or a mob; for "go" a place, as a name or ``x y z``; for
    "say" a text. It is "" for anything, or if the verb says all. `who` is a player, or "me" for the person. The count
    of what lasts is in seconds, of exploring in blocks. ALL means until none is carried, or stands.
    """

    verb: str
    thing: str = ""
    count: Count = 1
    since: Count = 0
    who: str = ""

    def __str__(self) -> str:
        """Return the verb with its thing: the text by which a world counts it, such as "give:Steve bread"."""
        return f"{self.verb}:{self.who} {self.thing}".replace(": ", " ").strip().removesuffix(":")

    @property
    def text(self) -> str:
        """Return the sentence that means it."""
        return sentence(self.verb, self.thing, self.count, self.who)

    def times(self, counts: Mapping[str, int]) -> int:
        """Return how often it was done, by what a world counted, such as ``{"mine oak_log": 3}``.

        What was picked up also counts as mined: mined stone is held as cobblestone.
        """
        verb = VERBS.get(self.verb)
        own = f"{self.verb}:{self.who}".removesuffix(":")
        verbs = (verb.records if verb else ()) or (own,)
        read = [(*name.partition(" ")[::2], times) for name, times in counts.items()]
        return max(sum(n for did, thing, n in read if did == verb and _is(self.thing, thing)) for verb in verbs)


class Goal(msgspec.Struct, frozen=True, omit_defaults=True):
    """One goal. `items` are the least items to hold, and `deeds` is what to do. Without both it is free text.

    An item such as ``#log`` is any of its kind. `words` is what a goal asks beyond both. Only the person can check free
    text and words. `avoid` are the items, or woods, that a plan uses for nothing: the planner heeds it, no check does.
    """

    text: str
    items: tuple[tuple[str, Count], ...] = ()
    words: str = ""
    deeds: tuple[Deed, ...] = ()
    avoid: tuple[str, ...] = ()
    turn: Count = 0
    """The turn since which it is a goal; 0 for a goal of the beginning."""
    order: tuple[tuple[Count, Count], ...] = ()
    """For each "then", how many of the items and of the deeds come before it."""

    @property
    def phases(self) -> tuple[Goal, ...]:
        """Return the parts that are to be done one after another: what stands before, between and after each "then"."""
        ends = (*self.order, (len(self.items), len(self.deeds)))
        parts = [
            replace(self, items=self.items[first:item], deeds=self.deeds[begin:deed], words="", order=())
            for (first, begin), (item, deed) in zip(((0, 0), *ends), ends, strict=False)
        ]
        return (*parts[:-1], replace(parts[-1], words=self.words))

    @property
    def shown(self) -> str:
        """Return its text, with the turn since which it is a goal."""
        return f"{self.text} (since turn {self.turn})" if self.turn else self.text

    @property
    def materials(self) -> str:
        """Return in words what a plan may use: "using oak", "without birch or coal", or "" for anything."""
        used = [wood for wood in WOODS if wood not in self.avoid]
        if len(used) == 1 and len(self.avoid) == len(WOODS) - 1:
            return f"using {used[0]}"
        return f"without {' or '.join(self.avoid)}" if self.avoid else ""

    def avoids(self, item: str) -> bool:
        """Tell whether a plan may not use the item."""
        plain = item.removeprefix("stripped_")
        return any(plain == each or plain.startswith(f"{each}_") for each in self.avoid)

    @property
    def checkable(self) -> bool:
        """Tell whether a world can check all of it."""
        return bool(self.items or self.deeds) and not self.words

    def from_now(
        self, counts: Mapping[str, int], inventory: Mapping[str, int] = MappingProxyType({}), turn: int = 0
    ) -> Goal:
        """Return the goal that begins now, at a turn: deeds that were done before, by `counts`, do not count for it.

        The items of an `inventory` do not count either, so that many more of them are needed.
        """
        items = ((item, count + held(item, inventory)) for item, count in self.items)
        deeds = (replace(deed, since=deed.times(counts)) for deed in self.deeds)
        return replace(self, items=tuple(items), deeds=tuple(deeds), turn=turn)

    @classmethod
    def parse(cls, text: str, item_names: Iterable[str] = ()) -> Goal:
        """Read "craft 2 sticks and a ladder" or "kill 1 pig" with these names. Any other text stays free text.

        Of "get 4 oak_log and dance" the first part is read, and the rest becomes `words`. Deeds are read only
        with Names that have their verbs.
        """
        return cls.read(text, item_names)[0]

    @classmethod
    def read(cls, text: str, item_names: Iterable[str] = ()) -> tuple[Goal, list[str], bool]:
        """Return the goal of `parse`, the parts of the text that were not understood, and if others were."""
        text, names = well_formed(text), Names.of(item_names)
        counts: dict[str, int] = {}
        deeds: list[Deed] = []
        unread, avoid, lead, last = [], [], "get ", Asked("", "")
        before: list[tuple[set[str], int]] = []
        for phase in phases_of(text):
            for part, building in with_buildings(phase, names, text):
                if building:
                    deeds.append(Deed("build", building))
                    lead = ""
                    continue
                read = read_part(part, lead, names, text)
                asked = _meant(read.asked, last, counts) if read else []
                lead = read.lead if read and asked else ""  # after words, a name may belong to them
                if not read or not asked:
                    unread.append(part)
                    continue
                avoid += read.avoid
                for each in asked:
                    if each.verb:
                        deeds.append(Deed(each.verb, each.thing, each.times, who=each.who))
                    else:
                        counts[each.thing] = counts.get(each.thing, 0) + each.times
                    last = each
            before.append((set(counts), len(deeds)))
        begun = bool(counts or deeds)
        if not begun or (unread and DOUBT.search(text.lower())):
            return cls(text.strip()), unread, begun
        ends = dict.fromkeys((len(known & {*counts}), done) for known, done in before)
        order = tuple(end for end in ends if end not in ((0, 0), (len(counts), len(deeds))))
        items, words, materials = tuple(counts.items()), ", ".join(map(written, unread)), tuple(dict.fromkeys(avoid))
        return cls(text.strip(), items, words, tuple(deeds), materials, order=order), unread, begun


def _meant(asked: Sequence[Asked], last: Asked, counts: dict[str, int]) -> list[Asked]:
    """Return what is asked for, with the thing of the part before in place of "it". Return none if there was none.

    What is given, eaten or put down is not held as well: it leaves `counts`.
    """
    meant = []
    for each in asked:
        if each.thing == IT and not last.thing:
            return []
        if each.thing == IT:
            each = each._replace(thing=last.thing, times=last.times)
            if not last.verb:
                counts.pop(last.thing, None)
        meant.append(each)
    return meant


def held(thing: str, counts: Mapping[str, int]) -> int:
    """Return how many of an item, or of a kind of item, are in `counts`."""
    return sum(count for name, count in counts.items() if _is(thing, name))


def _is(thing: str, name: str) -> bool:
    """Tell whether `name` is a thing, or one of its kind. No thing stands for anything."""
    kind = KIND.fullmatch(name)
    return thing in ("", name, f"#{name}", f"#{kind[1]}" if kind else "")
