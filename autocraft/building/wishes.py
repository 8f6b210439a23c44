"""A building in words: "house 7x5, walls 3 high, gable roof, oak, door south, 2 windows, bed and a torch".

Sentences and parameters are the same: what is not understood is named, and never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from autocraft.building.blueprint import OPPOSITE, Block, Blueprint, Cell, beside
from autocraft.errors import CommandError
from autocraft.goals.verbs import BUILDINGS
from autocraft.goals.wording import UNITS, WOODS, Names, as_written, number_of, plain_words

STONES = {
    "cobblestone": "cobblestone", "stone": "cobblestone", "stone_brick": "stone_bricks", "stone_bricks": "stone_bricks",
    "brick": "bricks", "bricks": "bricks", "sandstone": "sandstone", "dirt": "dirt", "mud": "dirt",
}  # fmt: skip


class Kind(NamedTuple):
    """A kind of building: its usual, small and large ground, the least and most of its sides, and of its walls."""

    usual: tuple[int, int]
    small: tuple[int, int]
    large: tuple[int, int]
    width: tuple[int, int]
    depth: tuple[int, int]
    high: int = 1
    walls: tuple[int, int] = (1, 1)
    entry: str = ""
    """What its entry is called: door or gate."""
    inside: tuple[str, ...] = ()


_FURNITURE = ("bed", "torch", "chest", "crafting_table", "furnace")
KINDS: Mapping[str, Kind] = {
    "house": Kind((7, 5), (5, 5), (9, 7), (4, 24), (4, 24), 3, (2, 8), "door", _FURNITURE),
    "tower": Kind((5, 5), (5, 5), (5, 5), (5, 9), (5, 9), 7, (3, 16), "door", _FURNITURE),
    "pen": Kind((7, 7), (5, 5), (7, 7), (3, 32), (3, 32), entry="gate", inside=("torch",)),
    "fence": Kind((9, 9), (5, 5), (13, 13), (3, 32), (3, 32), entry="gate"),
    "bridge": Kind((9, 3), (5, 3), (15, 3), (3, 32), (3, 32)),
    "portal": Kind((4, 1), (4, 1), (4, 1), (4, 4), (1, 1), 3, (3, 3)),
}
_SIDES = ("north", "south", "west", "east")
_INSIDE = re.compile(rf"\b(?:{'|'.join(each.replace('_', ' ') for each in _FURNITURE)})")
_BUILD = "build|construct|erect|put up|raise"
_VERB = rf"(?:{_BUILD}|make|create)(?: (?:me|us))?"
_COUNT = rf"(\d{{1,2}}|an?(?: few| couple of| dozen)?|several|{'|'.join(UNITS.split())})"
_KIND = re.compile(rf"\b({'|'.join(BUILDINGS)})\b")
_HERD = "animals?|livestock|sheep|cows?|pigs?|chickens?"
_FILL = re.compile(
    r"\b(?:a|an|the|of|with|and|in|on|from|out|made|using|its|it|that|has|have|having|for|please|some|me|us|wide|long|"
    rf"simple|nice|little|right|inside|my|our|{_HERD}|cozy|cosy|wood|wooden|planks?|"
    r"blocks?|here|nearby|near|around|me|nether|obsidian)\b|[,.!;]"
)
FILES = (".schem", ".litematic", ".nbt", ".txt")
"""How the names of files with a blueprint end."""
_FILE = re.compile(
    rf"(?:{_BUILD})(?: (?:me|us))?(?: (?:the|my|our|this))?(?: (?:file|blueprint|schematic))? "
    rf"(\S+(?:{'|'.join(map(re.escape, FILES))}))(?: (?:here|near(?:by| me)))?"
)
"""With the verbs make and create, a file may be meant that is to be written."""
_ABOUT = re.compile(
    rf"{_INSIDE.pattern}|\b(?:windows?|roof|gable|flat|doors?|gates?|entrance|walls?|high|tall|long|wide|"
    rf"\d+ ?(?:x|by) ?\d+|{'|'.join(_SIDES)}|{'|'.join(each.replace('_', ' ') for each in (*STONES, *WOODS))})\b"
)
_ANIMALS = re.compile(rf"\b(?:{_HERD})\b")
_FARM = re.compile(r"\b(?:(?:wheat|carrot|potato|beetroot) )?(?:farm|fields?|garden|crops)\b")
_FENCE = re.compile(rf"\bfence (?:for|around) (?:the |my |our |some )?(?:{_HERD})\b")
_SMALL, _LARGE = re.compile(r"\b(small|tiny)\b"), re.compile(r"\b(big|large|huge)\b")
_SMALL_HOUSES = ("cabin", "hut", "shed")
_LONGEST = 12
"""Most parts of a sentence that describe one building."""
SHIPPED = ("cabin", "tower", "bridge", "pen", "farm fence", "nether portal")
"""Buildings that a name alone says, as an example for those who have no wish yet."""


class Wish(NamedTuple):
    """What is asked for. A wood of "" is chosen by what is at hand."""

    kind: str
    width: int
    depth: int
    high: int
    roof: str
    wall: str
    wood: str
    door: str
    windows: int = 0
    furniture: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        """Return the wish in the form in which it is read again."""
        kind = KINDS[self.kind]
        many = [
            f"{n} {name.replace('_', ' ')}" + ("es" if name == "torch" else "s") * (n > 1) for name, n in self.furniture
        ]
        parts = [
            f"{self.kind} {self.width}x{self.depth}",
            f"walls {self.high} high" if kind.entry == "door" else "",
            f"{self.roof} roof" if self.kind == "house" else "",
            self.wall.replace("_", " "),
            self.wood.replace("_", " "),
            f"{kind.entry} {self.door}" if kind.entry else "",
            f"{self.windows} windows" if self.windows else "",
            *many,
            "no torch" if kind.entry == "door" and "torch" not in dict(self.furniture) else "",
        ]
        return ", ".join(filter(None, parts))


def with_buildings(parts: Sequence[str], names: Names, text: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a sentence, each with the building that it asks for, in short, or with "".

    A building takes the parts that describe it: "build a house with a bed", "a chest" and "a torch" are one. After a
    building, "a tower" is to be built too. `text` is the whole sentence as it was written.
    """
    at, lead = 0, ""
    while at < len(parts):
        begins = "build" in names.verbs and (lead or re.match(_VERB, parts[at]))
        ends = range(min(len(parts), at + _LONGEST), at, -1) if begins else ()
        joined = [(f"{verb}{' and '.join(parts[at:end])}", end) for end in ends for verb in dict.fromkeys((lead, ""))]
        read = ((read_goal(words, text), end) for words, end in joined)
        building, end = next(
            ((found, end) for found, end in read if found and _describe(parts[at + 1 : end], found)), ("", at + 1)
        )
        yield parts[at], building
        at, lead = end, "build " if building else ""


def _describe(parts: Sequence[str], building: str) -> bool:
    """Tell whether each of some parts has a word about the building, so that "some wood" is not taken for a part."""
    animals = building.startswith(("pen", "fence"))
    return all(_ABOUT.search(part) or (animals and _ANIMALS.search(part)) for part in parts)


def read_goal(text: str, whole: str = "") -> str:
    """Return the building that a sentence such as "build a small house here" asks for, in short. Return "" for none.

    The building of "build hut.schem" is the name of the file, in the letters that it has in the `whole` sentence.
    """
    if file := _FILE.fullmatch(plain_words(text)):
        return as_written(file[1], whole or text)
    wish, rest = _read_sentence(text)
    return str(wish) if wish is not None and not rest else ""


def unknown_words(text: str) -> str:
    """Return the words that are not understood in a sentence that asks for a building. Return "" for others."""
    return _read_sentence(text)[1]


def _read_sentence(text: str) -> tuple[Wish | None, str]:
    """Return the wish of a sentence such as "build a small house here", and the words that are not understood."""
    begun = re.match(rf"{_VERB}\b(.+)", plain_words(text))
    words = _FENCE.sub("pen", begun[1]) if begun else ""
    kind = _KIND.search(words)
    if kind is None or _INSIDE.search(words[: kind.start()]):  # "make a bed and a house" are two things
        return None, ""
    return _read(words)


def read_wish(text: str) -> Wish | None:
    """Return what a text asks for. Return None if it names no kind of building. Raises CommandError for other words."""
    plain = re.sub(r"[\s_]+", " ", text.strip().lower())
    wish, rest = _read(re.sub(rf"^{_VERB}\b", "", plain))
    if wish is not None and rest:
        raise CommandError(
            f"{rest!r} is not understood in {text.strip()[:80]!r}: say it like 'house 7x5, walls 3 high, gable roof, "
            "oak, door south, 2 windows, bed, torch', or write the blueprint as layers of letters"
        )
    return wish


def _read(text: str) -> tuple[Wish | None, str]:
    """Return the wish, and the words that are not understood."""
    rest = f" {_FENCE.sub('pen', text).replace('×', 'x')} "

    def take(pattern: str) -> re.Match[str] | None:
        nonlocal rest
        found = re.search(pattern, rest)
        if found:
            rest = f"{rest[: found.start()]} {rest[found.end() :]}"
        return found

    kind_found = take(_KIND.pattern)
    if kind_found is None:
        return None, ""
    kind = BUILDINGS[kind_found[1]]
    about = KINDS[kind]
    size = take(r"\b(\d{1,2}) ?(?:x|by) ?(\d{1,2})(?: ?(?:x|by) ?(\d{1,2}))?\b")
    large, small = take(_LARGE.pattern), take(_SMALL.pattern) or kind_found[1] in _SMALL_HOUSES
    length = take(r"\b(\d{1,2})(?: blocks?)? long\b") if kind == "bridge" else None
    if kind == "fence" and not (take(_FARM.pattern) or size):
        return None, ""  # a fence is an item too
    ground = about.large if large else about.small if small else about.usual
    width, depth = (int(size[1]), int(size[2])) if size else (int(length[1]), ground[1]) if length else ground
    high = take(r"\bwalls?(?: of)? (\d{1,2})(?: blocks?)?(?: high| tall)?\b") or take(
        r"\b(\d{1,2})(?: blocks?)? (?:high|tall)(?: walls?)?\b"
    )
    usual = 10 if kind == "tower" and take(r"\btall\b") else about.high
    tall = int(high[1]) if high else int(size[3]) if size and size[3] else usual
    roof = take(r"\b(gable|gabled|pitched|flat)(?: roof)?\b")
    take(r"\broof\b")
    door = take(rf"\b({'|'.join(_SIDES)})(?:ern)? (?:door|gate|entrance)\b") or take(
        rf"\b(?:{_COUNT} )?(?:door|gate|entrance)(?: (?:to|in|at|on|facing|towards?)(?: the)?)?"
        rf"(?: ({'|'.join(_SIDES)})\b)?"
    )
    side = next((each for each in (door.groups() if door else ()) if each in _SIDES), "south")
    windows = take(rf"\b(?:{_COUNT} )?(windows?)\b")
    many = 0 if windows is None else int(number_of(windows[1] or "two") or 2)
    stone = take(rf"\b({'|'.join(each.replace('_', ' ') for each in sorted(STONES, key=len, reverse=True))})\b")
    wood = take(rf"\b({'|'.join(each.replace('_', ' ') for each in sorted(WOODS, key=len, reverse=True))})\b")
    furniture = []
    dark = about.entry != "door" or take(r"\b(?:no|without(?: an?| any)?) torch(?:es)?\b")
    for name in about.inside:
        word = name.replace("_", " ")
        if found := take(rf"\b(?:{_COUNT} )?{word}(?:e?s)?\b"):
            furniture.append((name, int(number_of(found[1] or "one") or 1)))
        elif name == "torch" and not dark:
            furniture.append((name, 1))
    wish = Wish(
        kind, width, depth, tall, "gable" if roof and roof[1] != "flat" else "flat",
        STONES[stone[1].replace(" ", "_")] if stone else "", wood[1].replace(" ", "_") if wood else "", side, many,
        tuple(furniture),
    )  # fmt: skip
    return wish, " ".join(_FILL.sub(" ", rest).split())


def blueprint_of(wish: Wish, wood: str = "oak") -> Blueprint:
    """Return the blueprint of a wish. `wood` is used if it names none. Raises CommandError if the size does not fit."""
    kind = KINDS[wish.kind]
    sides = [(wish.width, *kind.width), (wish.depth, *kind.depth)]
    if any(not least <= side <= most for side, least, most in sides):
        wide, deep = (str(least) if least == most else f"{least} to {most}" for _, least, most in sides)
        said = f"{wide} blocks wide and deep" if wide == deep else f"{wide} blocks wide and {deep} deep"
        raise CommandError(f"a {wish.kind} is {said}, not {wish.width}x{wish.depth}")
    lowest, highest = kind.walls
    if not lowest <= wish.high <= highest:
        raise CommandError(f"the walls of a {wish.kind} are {lowest} to {highest} blocks high, not {wish.high}")
    return _Drawing(wish, wish.wood or wood).draw()


class _Drawing:
    """Draws the blueprint of a wish, block by block."""

    def __init__(self, wish: Wish, wood: str) -> None:
        self.wish, self.wood = wish, wood
        self.wall = Block(wish.wall or f"{wood}_planks")
        self.blocks: dict[Cell, Block] = {}
        self.east, self.south = wish.width - 1, wish.depth - 1

    def draw(self) -> Blueprint:
        wish = self.wish
        draw = {"pen": self._pen, "fence": self._pen, "bridge": self._bridge, "portal": self._portal}.get(wish.kind)
        if draw:
            free, sunk = draw()
            return Blueprint.of(str(wish), self.blocks, free - self.blocks.keys(), sunk)
        for y in range(1, wish.high + 1):
            self._fill(self._ring(y), self.wall)
        self._fill(self._floor(0), Block(f"{self.wood}_planks") if wish.wall else self.wall)
        door = self._middle(wish.door, 1)
        self.blocks[door] = Block(f"{self.wood}_door").having(facing=OPPOSITE[wish.door])
        self.blocks.pop(beside(door, "up"))
        self._tower() if wish.kind == "tower" else self._roof()
        self._windows()
        self._furnish()
        top = max(y for _, y, _ in self.blocks)
        box = {(x, y, z) for x in range(wish.width) for z in range(wish.depth) for y in range(top + 1)}
        return Blueprint.of(str(wish), self.blocks, box - self.blocks.keys(), 1)

    def _pen(self) -> tuple[set[Cell], int]:
        """Draw a ring of fences with a gate. A pen is free inside; what a fence stands around is left as it is."""
        self._fill(self._ring(0), Block(f"{self.wood}_fence"))
        gate = Block(f"{self.wood}_fence_gate").having(facing=OPPOSITE[self.wish.door])
        self.blocks[self._middle(self.wish.door, 0)] = gate
        self._furnish()
        inner = {(x, y, z) for x in range(1, self.east) for z in range(1, self.south) for y in (0, 1)}
        return inner if self.wish.kind == "pen" else set(), 0

    def _bridge(self) -> tuple[set[Cell], int]:
        """Draw a way between two railings, one block above the ground, with steps at both ends of its longer side."""
        along_x = self.wish.width >= self.wish.depth
        last = self.east if along_x else self.south
        free: set[Cell] = set()
        for x, _, z in self._floor(0):
            at, across, far = (x, z, self.south) if along_x else (z, x, self.east)
            ends = ("east", "west") if along_x else ("south", "north")
            step = Block(f"{self.wood}_stairs").having(facing=ends[at > 0], half="bottom")
            self.blocks[x, 0, z] = step if at in (0, last) else self.wall
            if across in (0, far) and 0 < at < last:
                self.blocks[x, 1, z] = Block(f"{self.wood}_fence")
            else:
                free |= {(x, 1, z), (x, 2, z)}
        return free, 0

    def _portal(self) -> tuple[set[Cell], int]:
        """Draw the frame of a nether portal, with its lowest row in the ground, and room before and behind it."""
        top = self.wish.high + 1
        frame = [(x, y, 0) for x in range(4) for y in range(top + 1) if x in (0, 3) or y in (0, top)]
        self._fill(frame, Block("obsidian"))
        return {(x, y, z) for x in (1, 2) for y in range(1, top) for z in (-1, 0, 1)}, 1

    def _floor(self, y: int) -> list[Cell]:
        return [(x, y, z) for z in range(self.south + 1) for x in range(self.east + 1)]

    def _ring(self, y: int) -> list[Cell]:
        return [(x, y, z) for x, _, z in self._floor(y) if x in (0, self.east) or z in (0, self.south)]

    def _fill(self, cells: list[Cell], block: Block) -> None:
        self.blocks |= dict.fromkeys(cells, block)

    def _middle(self, side: str, y: int) -> Cell:
        """Return the cell in the middle of a wall."""
        x, z = self.east // 2, self.south // 2
        return {"north": (x, y, 0), "south": (x, y, self.south), "west": (0, y, z), "east": (self.east, y, z)}[side]

    def _roof(self) -> None:
        low = self.wish.high + 1
        if self.wish.roof == "flat":
            self._fill(self._floor(low), Block(f"{self.wood}_planks") if self.wish.wall else self.wall)
            return
        stairs, planks = Block(f"{self.wood}_stairs").having(half="bottom"), Block(f"{self.wood}_planks")
        for k in range(self.south // 2 + 1):
            for x in range(self.east + 1):
                for z, way in ((k, "south"), (self.south - k, "north")):
                    ridge = k == self.south - k
                    self.blocks[x, low + k, z] = planks if ridge else stairs.having(facing=way)
            for x in (0, self.east):
                self._fill([(x, low + k, z) for z in range(k + 1, self.south - k)], self.wall)

    def _tower(self) -> None:
        """Lay the platform, with battlements, and a ladder with a trapdoor to it at the wall across from the door."""
        top = self.wish.high + 1
        self._fill(self._floor(top), self.wall)
        ring = self._ring(top + 1)
        self._fill([cell for cell in ring if (cell[0] + cell[2]) % 2 == 0], self.wall)
        x, _, z = beside(self._middle(OPPOSITE[self.wish.door], 1), self.wish.door)
        for y in range(1, top):
            self.blocks[x, y, z] = Block("ladder").having(facing=self.wish.door)
        self.blocks[x, top, z] = Block(f"{self.wood}_trapdoor").having(half="top")

    def _windows(self) -> None:
        """Set panes into the walls, at the height of the eyes, with a block between two and beside the corners."""
        walls = [each for each in ("west", "east", "north", "south") if each != self.wish.door]
        walls.sort(key=lambda side: side == OPPOSITE[self.wish.door] and self.wish.kind == "tower")
        last = {"west": self.south, "east": self.south, "north": self.east, "south": self.east}
        spots: list[Cell] = []
        for step in range(0, max(self.east, self.south), 2):
            for side in walls:
                x, y, z = self._middle(side, 2)
                for sign in (1, -1) if step else (1,):
                    along = (x if side in ("north", "south") else z) + sign * step
                    if 2 <= along <= last[side] - 2 or (step == 0 and last[side] >= 3):
                        spots.append((along, y, z) if side in ("north", "south") else (x, y, along))
        if self.wish.windows > len(spots):
            raise CommandError(
                f"a {self.wish.kind} of this size has room for {len(spots)} windows, not {self.wish.windows}"
            )
        self._fill(spots[: self.wish.windows], Block("glass_pane"))

    def _furnish(self) -> None:
        """Put furniture along the walls, and torches into the corners, away from the door."""
        wish, y = self.wish, 0 if self.wish.kind == "pen" else 1
        entry = beside(self._middle(wish.door, y), OPPOSITE[wish.door])
        inner = [(x, y, z) for z in range(1, self.south) for x in range(1, self.east)]
        spots = [cell for cell in inner if cell[0] in (1, self.east - 1) or cell[2] in (1, self.south - 1)]
        spots = [cell for cell in spots if cell != entry and cell not in self.blocks]
        spots.sort(key=lambda cell: -abs(cell[0] - entry[0]) - abs(cell[2] - entry[2]))
        corners = [cell for cell in spots if cell[0] in (1, self.east - 1) and cell[2] in (1, self.south - 1)]
        for name, count in wish.furniture:
            for _ in range(count):
                if name == "torch":
                    free = [cell for cell in [*reversed(corners), *reversed(spots)] if cell not in self.blocks]
                    self._put(free, Block("torch"))
                elif name == "bed":
                    self._bed([cell for cell in spots if cell not in self.blocks])
                else:
                    state = {} if name == "crafting_table" else {"facing": wish.door}
                    self._put([cell for cell in spots if cell not in self.blocks], Block(name).having(**state))

    def _put(self, free: list[Cell], block: Block) -> None:
        if not free:
            raise CommandError(f"there is no room for {block.name}: make it larger, or ask for less in it")
        self.blocks[free[0]] = block

    def _bed(self, free: list[Cell]) -> None:
        for cell in free:
            for way in ("west", "east", "north", "south"):
                if (foot := beside(cell, way, -1)) in free:
                    bed = Block("white_bed").having(facing=way)
                    self.blocks |= {foot: bed.having(part="foot"), cell: bed.having(part="head")}
                    return
        raise CommandError("there is no room for a bed: make it larger, or ask for less in it")
