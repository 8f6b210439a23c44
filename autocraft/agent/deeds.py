"""What was done in turns that a prompt leaves out, in one line."""

from __future__ import annotations

import re

import msgspec

from autocraft.session.events import Intent
from autocraft.text.phrases import beginning, count, some_of
from autocraft.text.sanitize import clean_line

MOST_KINDS = 12
"""The most kinds of deeds in a line."""
LONGEST = 40
"""Characters of the name of a thing."""
MOST_TOKENS = 300
"""The room that a prompt keeps for the line."""
_FUNCTION = re.compile(r"\bfunction\s*\*?\s*([\w$]+)")


class DoneCommand(msgspec.Struct, frozen=True, array_like=True):
    """One command that changed something: its name, what it was about, how many, and where, if it says so."""

    command: str
    thing: str = ""
    count: int = 1
    place: tuple[int, int, int] | None = None

    @classmethod
    def of(cls, intent: Intent) -> DoneCommand:
        """Return the deed of an intent: the first text among its arguments is the thing."""
        args = intent.args
        thing = next((value for value in args.values() if isinstance(value, str)), "")
        if isinstance(args.get("code"), str):
            thing = next(iter(_FUNCTION.findall(args["code"])[-1:]), "")
        number = next((args[name] for name in ("count", "quantity") if type(args.get(name)) is int), 1)
        x, y, z = (args.get(axis) for axis in "xyz")
        place = (x, y, z) if type(x) is type(y) is type(z) is int else None
        return cls(intent.command, beginning(clean_line(thing), LONGEST), max(1, number), place)


class Deeds(msgspec.Struct):
    """The deeds of some turns, equal ones together, and the number of commands that failed."""

    counts: dict[str, int] = {}
    """Command and thing -> how many, in the order of the first of each."""
    boxes: dict[str, list[int]] = {}
    """Command and thing -> the least and the highest x, y and z of its places."""
    failed: int = 0

    def add(self, deed: DoneCommand, *, ok: bool) -> None:
        """Add a deed, or count a failed one."""
        if not ok:
            self.failed += 1
            return
        key = f"{deed.command} {deed.thing}"
        self.counts[key] = self.counts.get(key, 0) + deed.count
        if deed.place is not None:
            self._widen(key, [each for axis in deed.place for each in (axis, axis)])

    def merge(self, other: Deeds) -> None:
        """Add all deeds of other turns."""
        for key, number in other.counts.items():
            self.counts[key] = self.counts.get(key, 0) + number
        for key, box in other.boxes.items():
            self._widen(key, box)
        self.failed += other.failed

    def _widen(self, key: str, box: list[int]) -> None:
        old = self.boxes.get(key, box)
        self.boxes[key] = [(max if at % 2 else min)(old[at], box[at]) for at in range(len(box))]

    def text(self) -> str:
        """Return ``mine_block 22 oak_log, place_item 71 oak_planks at (114..118, 84..87, 141); 5 commands failed``."""
        parts = [self._part(key, number) for key, number in self.counts.items()]
        done = some_of(parts, MOST_KINDS, "more kind", "more kinds") or "nothing that changed anything"
        return f"{done}; {count(self.failed, 'command')} failed" if self.failed else done

    def _part(self, key: str, number: int) -> str:
        command, _, thing = key.partition(" ")
        many = f" {number}" if number > 1 else ""
        box = self.boxes.get(key, [])
        sides = (f"{low}..{high}" if low != high else f"{low}" for low, high in zip(box[::2], box[1::2], strict=True))
        where = f" at ({', '.join(sides)})" if box else ""
        return f"{command}{many} {thing}".strip() + where
