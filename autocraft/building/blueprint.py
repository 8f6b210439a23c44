"""A blueprint: blocks with their states, and the cells that stay free. It is read from layers of letters.

A cell is (x, y, z) from the corner that is lowest, west and north. In the text form each layer is a map: the first row
is north, the first letter of a row is west. `.` stays free, and `_` is left as it is:

    # = oak_planks
    D = oak_door[facing=north]
    layer 0
    ###
    ###
    layer 1-2
    #D#
    #.#
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Self

from autocraft.building.layers import letters_for
from autocraft.errors import CommandError
from autocraft.frozen import frozen
from autocraft.text.phrases import beginning

Cell = tuple[int, int, int]
LONGEST, MOST = 48, 4096
"""The most blocks along each axis, and in one blueprint."""
DIRECTIONS: Mapping[str, Cell] = {
    "north": (0, 0, -1), "south": (0, 0, 1), "west": (-1, 0, 0), "east": (1, 0, 0), "up": (0, 1, 0), "down": (0, -1, 0),
}  # fmt: skip
OPPOSITE: Mapping[str, str] = {"north": "south", "south": "north", "west": "east", "east": "west"}
STATES = ("facing", "half", "type", "axis", "face", "part")
"""The states that a blueprint keeps. The game derives the others from the blocks around."""
_BLOCK = re.compile(r"(?:minecraft:)?([a-z][a-z0-9_]*)(?:\[([a-z0-9_=, ]*)\])?")
_KEY = re.compile(r"\s*(\S)\s*[=:]\s*(\S.*?)\s*")
_LAYER = re.compile(r"\s*layers?\s+(\d+)(?:\s*(?:-|to|\.\.)\s*(\d+))?\s*:?\s*", re.IGNORECASE)
_HEAD = re.compile(r"\s*(name|sunk)\s+(.+?)\s*", re.IGNORECASE)
_OTHER_ITEM = {
    "wall_torch": "torch", "redstone_wall_torch": "redstone_torch", "soul_wall_torch": "soul_torch",
    "redstone_wire": "redstone", "tripwire": "string", "carrots": "carrot", "potatoes": "potato",
}  # fmt: skip


class Block(NamedTuple):
    """A kind of block with the states that the blueprint asks for, in the order of their names."""

    name: str
    states: tuple[tuple[str, str], ...] = ()

    @classmethod
    def read(cls, text: str) -> Self:
        """Read "oak_door[facing=north]". Raises CommandError."""
        read = _BLOCK.fullmatch(text.strip().lower())
        pairs = [part.split("=") for part in (read[2] or "").replace(" ", "").split(",") if part] if read else []
        if read is None or any(len(pair) != 2 for pair in pairs):
            raise CommandError(f"{beginning(text, 40)!r} is no block: write it like oak_door[facing=north]")
        return cls(read[1], tuple(sorted((key, value) for key, value in pairs if cls._keeps(read[1], key))))

    @staticmethod
    def _keeps(name: str, state: str) -> bool:
        return state in STATES and (state != "type" or name.endswith("_slab"))

    def __str__(self) -> str:
        states = ",".join(f"{key}={value}" for key, value in self.states)
        return f"{self.name}[{states}]" if states else self.name

    def get(self, state: str) -> str:
        """Return a state, or "" if the blueprint leaves it open."""
        return dict(self.states).get(state, "")

    def having(self, **states: str) -> Block:
        return Block(self.name, tuple(sorted({**dict(self.states), **states}.items())))

    @property
    def is_door(self) -> bool:
        return self.name.endswith("_door")

    @property
    def is_gate(self) -> bool:
        return self.name.endswith("_fence_gate")

    @property
    def is_second(self) -> bool:
        """Tell whether the block comes with another one: the upper half of a door, the head of a bed."""
        return (self.is_door and self.get("half") == "upper") or self.get("part") == "head"

    @property
    def item(self) -> str:
        """Return the item that is placed for it, or "" if it comes with another block."""
        if self.is_second:
            return ""
        return _OTHER_ITEM.get(self.name, re.sub("_wall_(?=sign$|banner$)", "_", self.name))


@frozen
class Blueprint:
    """What is to stand where. `sunk` of its layers lie in the ground, such as the floor of a house."""

    name: str
    blocks: Mapping[Cell, Block]
    free: frozenset[Cell]
    sunk: int = 0

    @classmethod
    def of(cls, name: str, blocks: Mapping[Cell, Block], free: Iterable[Cell] = (), sunk: int | None = None) -> Self:
        """Return a blueprint with the second halves of doors and beds, and with room on both sides of each door.

        By default the lowest layer lies in the ground if it has no free cell. Raises CommandError.
        """
        every, stays = dict(blocks), set(free)
        if not every:
            raise CommandError("the blueprint has no block: write layers of letters, or name a house with its size")
        lowest = [cell for cell in stays if cell[1] == 0]
        for cell in sorted(blocks, key=lambda each: (each[1], each)):
            _complete(every, stays, cell)
        for cell, block in list(every.items()):
            if (block.is_door or block.is_gate) and not block.is_second:
                stays |= {beside(front, "up", up) for front in sides_of(cell, block) for up in (0, 1)} - every.keys()
        low, high = corners([*every, *stays])
        if any(last - first >= LONGEST for first, last in zip(low, high, strict=True)) or len(every) > MOST:
            raise CommandError(f"the blueprint is too large: at most {LONGEST} along each axis and {MOST:,} blocks")
        return cls(name, every, frozenset(stays - every.keys()), (not lowest) if sunk is None else sunk)

    @property
    def box(self) -> tuple[Cell, Cell]:
        """Return the lowest and the highest corner, with the room before its doors."""
        return corners([*self.blocks, *self.free])

    @property
    def bill(self) -> dict[str, int]:
        """Return the items that it takes, and how many of each."""
        return bill_of(self.blocks.values())

    @property
    def entries(self) -> list[Cell]:
        """Return the cells of its doors and gates."""
        return [cell for cell, block in self.blocks.items() if (block.is_door or block.is_gate) and not block.is_second]

    @classmethod
    def read(cls, text: str, name: str = "building") -> Blueprint:
        """Read the text form. Raises CommandError that names the line."""
        return _Reader(name).read(text)

    def text(self) -> str:
        """Return the text form."""
        letters = letters_for(str(block) for block in dict.fromkeys(self.blocks.values()))
        head = [f"name {self.name}", f"sunk {int(self.sunk)}", *(f"{sign} = {name}" for name, sign in letters.items())]
        (west, _, north), (east, _, south) = corners(self.blocks)
        rows = []
        for y in range(self.box[1][1] + 1):
            rows.append(f"layer {y}")
            for z in range(north, south + 1):
                rows.append("".join(self._letter((x, y, z), letters) for x in range(west, east + 1)))
        return "\n".join([*head, *rows])

    def _letter(self, cell: Cell, letters: Mapping[str, str]) -> str:
        block = self.blocks.get(cell)
        return letters[str(block)] if block else "." if cell in self.free else "_"


class _Reader:
    """Reads the lines of a text form."""

    def __init__(self, name: str) -> None:
        self.name, self.sunk = name, -1
        self.key: dict[str, Block] = {}
        self.rows: dict[int, list[str]] = {}
        self.at: range = range(0)
        self.first = (0, 0)
        """The length of the first row, and the number of its line."""

    def read(self, text: str) -> Blueprint:
        for number, line in enumerate(text.replace("\t", " ").splitlines(), 1):
            try:
                self._line(line.rstrip(), number)
            except CommandError as error:
                raise CommandError(f"line {number} of the blueprint: {error}") from None
        if not self.rows:
            raise CommandError("the blueprint has no layer: write 'layer 0', and below it a row of letters for each z")
        if missing := sorted(set(range(max(self.rows) + 1)) - self.rows.keys()):
            raise CommandError(f"the blueprint has no layer {missing[0]}, although it has layer {max(self.rows)}")
        if uneven := [y for y in self.rows if len(self.rows[y]) != len(self.rows[0])]:
            counts = f"{len(self.rows[uneven[0]])} rows, and layer 0 has {len(self.rows[0])}"
            raise CommandError(f"layer {uneven[0]} of the blueprint has {counts}: write _ for what is left as it is")
        blocks: dict[Cell, Block] = {}
        free: set[Cell] = set()
        for y, rows in self.rows.items():
            for z, row in enumerate(rows):
                for x, letter in enumerate(row):
                    if letter == ".":
                        free.add((x, y, z))
                    elif letter not in " _":
                        blocks[x, y, z] = self.key[letter]
        return Blueprint.of(self.name, blocks, free, self.sunk if self.sunk >= 0 else None)

    def _line(self, line: str, number: int) -> None:
        if layer := _LAYER.fullmatch(line):
            first, last = int(layer[1]), int(layer[2] or layer[1])
            self.at = range(first, last + 1)
            if not self.at or last >= LONGEST:
                raise CommandError(f"layers go from 0 to {LONGEST - 1}, the lower one first")
            if double := [y for y in self.at if y in self.rows]:
                raise CommandError(f"layer {double[0]} is there already")
            self.rows |= {y: [] for y in self.at}
        elif not self.rows:
            self._head(line)
        elif line:
            self._row(line, number)

    def _head(self, line: str) -> None:
        if head := _HEAD.fullmatch(line):
            if head[1].lower() == "name":
                self.name = beginning(head[2], 80)
            elif head[2].isdigit():
                self.sunk = int(head[2])
            else:
                raise CommandError("sunk is the number of layers in the ground, such as 1")
        elif key := _KEY.fullmatch(line):
            if key[1] in "._" or key[1] in self.key:
                raise CommandError(f"the letter {key[1]!r} has a meaning already: take another one")
            self.key[key[1]] = Block.read(key[2])
        elif line.strip():
            raise CommandError(
                f"{beginning(line, 40)!r} is neither a letter with its block (# = oak_planks) nor a layer"
            )

    def _row(self, line: str, number: int) -> None:
        if unknown := sorted(set(line) - self.key.keys() - set("._ ")):
            raise CommandError(
                f"the letter {unknown[0]!r} has no block: write '{unknown[0]} = oak_planks' above the layers"
            )
        self.first = self.first if self.first[1] else (len(line), number)
        if len(line) != self.first[0]:
            raise CommandError(f"the row has {len(line)} letters, and that of line {self.first[1]} has {self.first[0]}")
        for y in self.at:
            self.rows[y].append(line)


def _complete(blocks: dict[Cell, Block], free: set[Cell], cell: Cell) -> None:
    """Give a door or bed its second half, and a direction if it has none. Raises CommandError."""
    block = blocks[cell]
    if not (block.is_door or block.name.endswith("_bed")) or block.is_second:
        return
    if block.get("facing") not in ("north", "south", "west", "east"):
        raise CommandError(f"{block.name} at {cell} needs a direction: write {block.name}[facing=north]")
    upright = block.is_door
    first, second = ({"half": "lower"}, {"half": "upper"}) if upright else ({"part": "foot"}, {"part": "head"})
    way = "up" if upright else block.get("facing")
    there = beside(cell, way)
    if (before := blocks.get(beside(cell, way, -1))) and before.having(**first) == before and before.name == block.name:
        blocks[cell] = before.having(**second)
        return
    other = blocks.get(there)
    if other is not None and other.name != block.name:
        raise CommandError(f"{block.name} at {cell} has no room for its other half: {other.name} is at {there}")
    blocks[cell], blocks[there] = block.having(**first), block.having(**second)
    free.discard(there)


def corners(cells: Iterable[Cell]) -> tuple[Cell, Cell]:
    """Return the lowest and the highest corner of the box around some cells."""
    xs, ys, zs = zip(*cells, strict=True)
    return (min(xs), min(ys), min(zs)), (max(xs), max(ys), max(zs))


def beside(cell: Cell, way: str, far: int = 1) -> Cell:
    """Return the cell that lies so far from another one in a direction."""
    x, y, z = (at + far * step for at, step in zip(cell, DIRECTIONS[way], strict=True))
    return x, y, z


def sides_of(cell: Cell, block: Block) -> tuple[Cell, Cell]:
    """Return the cells in front of and behind a door or gate."""
    way = block.get("facing") or "north"
    return beside(cell, way, -1), beside(cell, way)


def bill_of(blocks: Iterable[Block]) -> dict[str, int]:
    """Return the items that some blocks take, and how many of each, the most first."""
    counts = Counter(block.item for block in blocks if block.item)
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
