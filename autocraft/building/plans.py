"""Plans: a blueprint at a place, kept in the session under an id that says exactly what would be built.

Several bots build one plan in parts: part 1 of 2 of the plan 3f9c1a20 has the id 3f9c1a20.1of2.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path

import msgspec

from autocraft.building.blueprint import Blueprint, Cell, beside, corners
from autocraft.errors import Advice, CommandError
from autocraft.goals.verbs import BUILDINGS
from autocraft.session.atomic import write_atomic

Part = tuple[int, int, int, str, dict[str, str], str]
"""The place of a block, its name, its states, and the item that is placed for it."""
Column = tuple[int, int]
"""Where a column of blocks stands, along the longer and the shorter side of a building."""
_FAR = (2**31, 0)
"""A column that lies behind every building."""
ANOTHER = 8
"""Blocks of a building's main material that are got and placed while a kind is got that only one part needs."""


class Plan(msgspec.Struct, frozen=True):
    """What is to stand where, what stays free, and what is dug away for it. `text` is what the person is shown.

    A part of a plan names the plan that it is a part of as its `whole`. `rest` are the blocks of the other parts.
    """

    name: str
    blocks: tuple[Part, ...]
    free: tuple[Cell, ...]
    clears: tuple[tuple[int, int, int, str], ...] = ()
    text: str = ""
    whole: str = ""
    rest: tuple[Part, ...] = ()

    @classmethod
    def at(cls, blueprint: Blueprint, place: Cell) -> Plan:
        """Return the plan with the north-western corner of its ground at a place. Nothing is dug away yet."""
        (west, _, north), _ = blueprint.box
        dx, dy, dz = place[0] - west, place[1] + 1 - blueprint.sunk, place[2] - north
        blocks = (
            (x + dx, y + dy, z + dz, block.name, dict(block.states), block.item)
            for (x, y, z), block in sorted(blueprint.blocks.items())
        )
        free = ((x + dx, y + dy, z + dz) for x, y, z in sorted(blueprint.free))
        return cls(blueprint.name, tuple(blocks), tuple(free))

    @property
    def kind(self) -> str:
        """Return its kind, such as "house" of "house 5x5, flat roof", and of the file "my_cabin.schem"."""
        first = Path(self.name.partition(" ")[0]).stem.rpartition("_")[2]
        return BUILDINGS.get(first, first)

    @property
    def box(self) -> tuple[Cell, Cell]:
        """Return the lowest and the highest corner, with the room before its doors."""
        return corners([*((x, y, z) for x, y, z, *_ in self.blocks), *self.free])

    @property
    def id(self) -> str:
        """Return the hash of all that would be done. The id of a part is its name."""
        if self.whole:
            return self.name
        parts = (self.name, self.blocks, self.free, self.clears)
        return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()[:8]

    @property
    def parts(self) -> Mapping[str, object]:
        """Return what the bot has to know."""
        parts = {"blocks": self.blocks, "free": self.free, "clears": self.clears}
        return parts | ({"rest": self.rest} if self.whole else {})

    @property
    def seconds(self) -> float:
        """Return about how many seconds of the game it takes, without gathering."""
        return 20 + 1.5 * len(self.blocks) + 1.5 * len(self.clears)

    def split(self, bots: int) -> list[Plan]:
        """Return the plan in parts for so many bots, fewer if it is too small. Each takes about as much work.

        They lie side by side along the longer side. The second half of a bed belongs to the part of the first.
        """
        (west, _, north), (east, _, south) = self.box
        wide = east - west >= south - north
        owners = {part[:3]: _column(*_first_half(part), wide) for part in self.blocks}
        kinds: defaultdict[str, list[Column]] = defaultdict(list)
        for block in self.blocks:
            if block[5]:
                kinds[block[5]].append(owners[block[:3]])
        work = Counter(column for places in kinds.values() for column in places)
        main = max(kinds, key=lambda item: len(kinds[item]), default="")
        for item, places in kinds.items():
            if len(set(places)) == 1 and not _are_alike(item, main):
                work[places[0]] += ANOTHER
        columns = sorted(work)
        before = list(accumulate((work[each] for each in columns), initial=0))
        cuts = []
        for number in range(1, bots):
            wanted = work.total() * number / bots
            at = min(range(len(before)), key=lambda at: abs(before[at] - wanted))
            cuts.append(columns[at] if at < len(columns) else _FAR)
        return [part for number in range(bots) if (part := self._part(number, cuts, owners, wide)).blocks]

    def _part(self, number: int, cuts: Sequence[Column], owners: Mapping[Cell, Column], wide: bool) -> Plan:
        """Return the part between two of the `cuts`."""

        def is_mine(x: int, y: int, z: int) -> bool:
            return bisect_right(cuts, owners.get((x, y, z)) or _column(x, z, wide)) == number

        mine = tuple(part for part in self.blocks if is_mine(*part[:3]))
        return Plan(
            f"{self.id}.{number + 1}of{len(cuts) + 1}",
            mine,
            tuple(cell for cell in self.free if is_mine(*cell)),
            tuple(clear for clear in self.clears if is_mine(*clear[:3])),
            f"Part {number + 1} of {len(cuts) + 1}: {len(mine)} of the {len(self.blocks)} blocks.\n{self.text}",
            self.id,
            tuple(part for part in self.blocks if not is_mine(*part[:3])),
        )


def _first_half(part: Part) -> tuple[int, int]:
    """Return x and z of a block, for the head of a bed those of its foot."""
    x, _, z, _, states, item = part
    if item or states.get("part") != "head":
        return x, z
    foot = beside((x, 0, z), states["facing"], -1)
    return foot[0], foot[2]


def _are_alike(item: str, other: str) -> bool:
    """Tell whether two items are the same, or crafted from the same kinds of items, as a fence and its gate are.

    The recipes are those of 1.16. They lack newer woods: an item of these is like one whose name begins with its own.
    """
    from autocraft.crafting.recipes import load_book

    made = [{kind for recipe in load_book().making(each) for kind in recipe.groups} for each in (item, other)]
    return made[0] == made[1] if any(made) else item.startswith(other) or other.startswith(item)


def _column(x: int, z: int, wide: bool) -> Column:
    return (x, z) if wide else (z, x)


class Plans:
    """The plans of a session: a file for each in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, plan: Plan) -> None:
        """Store a plan under its id. Raises CommandError."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomic(self.folder / f"{plan.id}.json", msgspec.json.encode(plan))
        except OSError as error:
            raise CommandError(f"the plan cannot be stored in {self.folder} ({error.strerror})") from None

    def load(self, id: str) -> Plan:
        """Return the plan with this id. Raises CommandError."""
        whole, _, part = id.partition(".")
        if part:
            return self._part(id, whole, part)
        try:
            if re.fullmatch("[0-9a-f]{8}", id):
                plan = msgspec.json.decode((self.folder / f"{id}.json").read_bytes(), type=Plan)
                if plan.id == id:
                    return plan
        except (OSError, msgspec.DecodeError):
            pass
        raise _unknown(id)

    def _part(self, id: str, whole: str, part: str) -> Plan:
        bots = re.fullmatch("[1-9]of([2-9])", part)
        for each in self.load(whole).split(int(bots[1])) if bots else ():
            if each.id == id:
                return each
        raise _unknown(id)

    def newest(self, name: str) -> str:
        """Return the id of the newest plan of a building with this name. Return "" if there is none."""
        for path in sorted(self.folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns, reverse=True):
            try:
                if self.load(path.stem).name == name:
                    return path.stem
            except CommandError:
                continue
        return ""


def _unknown(id: str) -> CommandError:
    return CommandError(f"there is no plan {id[:40]!r} in this session", Advice("make one with {}", ("plan_build",)))
