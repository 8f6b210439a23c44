"""Plans: a blueprint at a place, kept in the session under an id that says exactly what would be built."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from autocraft.building.blueprint import Blueprint, Cell, corners
from autocraft.errors import Advice, CommandError
from autocraft.goals.verbs import BUILDINGS
from autocraft.session.atomic import write_atomic

Part = tuple[int, int, int, str, dict[str, str], str]
"""The place of a block, its name, its states, and the item that is placed for it."""


class Plan(msgspec.Struct, frozen=True):
    """What is to stand where, what stays free, and what is dug away for it. `text` is what the person is shown."""

    name: str
    blocks: tuple[Part, ...]
    free: tuple[Cell, ...]
    clears: tuple[tuple[int, int, int, str], ...] = ()
    text: str = ""

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
        """Return its kind, such as "house" of "house 5x5, flat roof", and of the file "cabin"."""
        first = self.name.partition(" ")[0].rpartition("_")[2]
        return BUILDINGS.get(first, first)

    @property
    def box(self) -> tuple[Cell, Cell]:
        """Return the lowest and the highest corner, with the room before its doors."""
        return corners([*((x, y, z) for x, y, z, *_ in self.blocks), *self.free])

    @property
    def id(self) -> str:
        """Return the hash of all that would be done."""
        parts = (self.name, self.blocks, self.free, self.clears)
        return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()[:8]

    @property
    def parts(self) -> Mapping[str, object]:
        """Return what the bot has to know."""
        return {"blocks": self.blocks, "free": self.free, "clears": self.clears}

    @property
    def seconds(self) -> float:
        """Return about how many seconds of the game it takes, without gathering."""
        return 20 + 1.5 * len(self.blocks) + 1.5 * len(self.clears)


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
        try:
            if re.fullmatch("[0-9a-f]{8}", id):
                plan = msgspec.json.decode((self.folder / f"{id}.json").read_bytes(), type=Plan)
                if plan.id == id:
                    return plan
        except (OSError, msgspec.DecodeError):
            pass
        raise CommandError(f"there is no plan {id[:40]!r} in this session", Advice("make one with {}", ("plan_build",)))

    def newest(self, name: str) -> str:
        """Return the id of the newest plan of a building with this name. Return "" if there is none."""
        for path in sorted(self.folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns, reverse=True):
            try:
                if self.load(path.stem).name == name:
                    return path.stem
            except CommandError:
                continue
        return ""
