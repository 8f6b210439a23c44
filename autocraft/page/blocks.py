"""Draws the blocks of a building from above one of its corners, with each box in its colour, lit from the other side.

A block is one or more boxes in sixteenths of a block. What stands behind others is drawn first.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from autocraft.building.blueprint import OPPOSITE, Block, Blueprint, Cell, beside
from autocraft.page.drawing import WIDTH, Plot, Shape, shape
from autocraft.page.tables import rows_table
from autocraft.page.tidy import line
from autocraft.text.phrases import count
from autocraft.worlds.minecraft.picture import block_colour

Box = tuple[int, int, int, int, int, int]
"""The lowest and the highest corner, west, below and north first, in sixteenths of a block."""
NEVER = math.inf
_SIDE = 16
_RISE = 1.15
"""How high a block is drawn, of its width."""
_LIGHT = {"up": 1.0, "south": 0.83, "east": 0.66}
"""The sides that are seen, and how light each is."""
_DARK = 0.8
"""How light a door is beside a wall of the same wood."""
_OUTER = {"east": 3, "up": 4, "south": 5}
"""The side of a box -> which of its numbers says how far it goes there."""
_TALLEST = 1.25
"""How many times as high as wide a drawing may be."""
_WHOLE: Box = (0, 0, 0, 16, 16, 16)
_CLEAR = re.compile(".*glass.*|.*ice|iron_bars")
_JOINING = re.compile(".*_fence|.*_pane|.*_wall|iron_bars")
_SMALL: Mapping[str, Box] = {
    ".*_bed": (0, 0, 0, 16, 9, 16), ".*_carpet|.*_pressure_plate|snow|.*rail|redstone_wire": (0, 0, 0, 16, 1, 16),
    ".*chest": (1, 0, 1, 15, 14, 15), ".*torch": (7, 0, 7, 9, 11, 9), "cake|.*campfire": (1, 0, 1, 15, 7, 15),
    ".*lantern|flower_pot|.*_button|lever": (5, 0, 5, 11, 7, 11), ".*_sign|.*_banner": (2, 0, 7, 14, 15, 9),
}  # fmt: skip
"""Kinds of blocks of one box that is not a whole block. The first one that fits a name holds."""
_AT_WALL = re.compile(".*_door|ladder|.*wall_(sign|banner)|vine")


class Span(NamedTuple):
    """From which moment of a run a block stands, and from which it does not stand any more."""

    since: float = 0
    until: float = NEVER

    def covers(self, other: Span) -> bool:
        """Tell whether this block stands whenever the other one does."""
        return self.since <= other.since and self.until >= other.until

    @property
    def now(self) -> Span:
        """Return one of two spans: that of a block that stands now, or PLANNED for one that does not."""
        return Span() if self.since < NEVER == self.until else PLANNED


PLANNED = Span(NEVER)
"""The span of a block that was never placed."""


def building_plot(
    blueprint: Blueprint, spans: Mapping[Cell, Span] | None = None, *, name: str = "building", moments: bool = False
) -> Plot:
    """Return the drawing of a building. Without `spans` it is drawn as planned, else what does not stand is pale.

    With `moments` each shape says when it stands, so that a script can show it at any moment.
    """
    said, rows = count(len(blueprint.blocks), "block"), None
    if spans is not None:
        said = f"{sum(span.until == NEVER for span in spans.values())} of {said} stand"
        rows = tuple((cell, span if moments else span.now) for cell, span in sorted(spans.items()))
    shapes, height = _drawn(blueprint.text(), rows, moments)
    view = "north-west" if _turns(blueprint) else "south-east"
    bill = rows_table(["item", "needed"], [[item, str(n)] for item, n in blueprint.bill.items()])
    return Plot(name, line(blueprint.name, 120), f"{said}; seen from the {view}.", shapes, height, [bill])


@lru_cache(maxsize=4)
def _drawn(text: str, rows: tuple[tuple[Cell, Span], ...] | None, moments: bool) -> tuple[Sequence[Shape], int]:
    """Return the shapes of a building, and their height."""
    blueprint = Blueprint.read(text)
    spans = dict.fromkeys(blueprint.blocks, Span()) if rows is None else dict(rows)
    blocks = _turned(blueprint.blocks) if _turns(blueprint) else dict(blueprint.blocks)
    spans = {(-x, y, -z): span for (x, y, z), span in spans.items()} if _turns(blueprint) else spans
    paths: dict[tuple[int, int, str, str, Span], list[list[tuple[float, float]]]] = defaultdict(list)
    for cell, block in blocks.items():
        span = spans.get(cell, PLANNED)
        for order, box in enumerate(_boxes(cell, block, blocks)):
            for side, corners in _faces(box):
                if box[_OUTER[side]] == _SIDE and _is_covered(beside(cell, side), blocks, spans, span):
                    continue
                fill = _shade(block.name, _LIGHT[side])
                glass = "glass" if _CLEAR.fullmatch(block.name) else ""
                paths[sum(cell), order, fill, glass, span].append([_on_page(cell, corner) for corner in corners])
    xs, ys = zip(*(point for faces in paths.values() for face in faces for point in face), strict=True)
    wide, high = max(xs) - min(xs), max(ys) - min(ys)
    scale = min((WIDTH - 20) / wide, (WIDTH * _TALLEST - 20) / high, 1.6)
    left, top = (WIDTH - wide * scale) / 2 - min(xs) * scale, 10 - min(ys) * scale
    shapes = []
    for (_, _, fill, glass, span), faces in sorted(paths.items(), key=lambda each: each[0][:4]):
        d = "".join(_path([(left + x * scale, top + y * scale) for x, y in face]) for face in faces)
        times = {"data_since": _moment(span.since), "data_until": _moment(span.until)} if moments else {}
        words = " ".join(filter(None, ("cube", glass, "later" if span.now == PLANNED else "")))
        shapes.append(shape("path", d=d, fill=fill, class_=words, **times))
    return shapes, int(high * scale + 20)


def _moment(moment: float) -> str:
    return "" if moment == NEVER else f"{moment:.0f}"


def _path(points: Sequence[tuple[float, float]]) -> str:
    """Return a face as a path, each corner from the one before."""
    rounded = [(round(x, 1), round(y, 1)) for x, y in points]
    steps = [f"{bx - ax:.4g} {by - ay:.4g}" for (ax, ay), (bx, by) in pairwise(rounded)]
    return f"M{rounded[0][0]:g} {rounded[0][1]:g}l{' '.join(steps)}z"


def _on_page(cell: Cell, corner: Cell) -> tuple[float, float]:
    """Return where a corner of a box in a cell is drawn. South-east is in front."""
    x, y, z = (at * _SIDE + each for at, each in zip(cell, corner, strict=True))
    return x - z, (x + z) / 2 - y * _RISE


@lru_cache(maxsize=1024)
def _shade(name: str, light: float) -> str:
    light *= _DARK if name.endswith("door") else 1
    return "#" + "".join(f"{round(part * light):02x}" for part in block_colour(name))


def _faces(box: Box) -> Iterator[tuple[str, list[tuple[int, int, int]]]]:
    """Yield the corners of the three sides of a box that are seen."""
    west, low, north, east, high, south = box
    yield "up", [(west, high, north), (east, high, north), (east, high, south), (west, high, south)]
    yield "south", [(west, high, south), (east, high, south), (east, low, south), (west, low, south)]
    yield "east", [(east, high, south), (east, high, north), (east, low, north), (east, low, south)]


def _is_covered(before: Cell, blocks: Mapping[Cell, Block], spans: Mapping[Cell, Span], span: Span) -> bool:
    """Tell whether a whole block lies in a cell for all of a span, so that nothing behind it is seen."""
    block = blocks.get(before)
    return block is not None and _is_whole(block) and spans.get(before, PLANNED).covers(span)


@lru_cache(maxsize=1024)
def _is_whole(block: Block) -> bool:
    joins = _CLEAR.fullmatch(block.name) or _JOINING.fullmatch(block.name)
    return not joins and _form(block) == [_WHOLE]


def _boxes(cell: Cell, block: Block, blocks: Mapping[Cell, Block]) -> Sequence[Box]:
    """Return the boxes of which a block is made, the one behind first."""
    joined = _joined(cell, block.name, blocks) if _JOINING.fullmatch(block.name) else _form(block)
    return sorted(joined, key=sum)


@lru_cache(maxsize=1024)
def _form(block: Block) -> Sequence[Box]:
    """Return the boxes of a block that joins no other one."""
    name, facing, top = block.name, block.get("facing"), "top" in (block.get("half"), block.get("type"))
    if name.endswith("_slab"):
        return [(0, 8, 0, 16, 16, 16) if top else (0, 0, 0, 16, 8, 16)]
    if name.endswith("_stairs") and facing in OPPOSITE:
        flat, step = ((8, 16), (0, 8)) if top else ((0, 8), (8, 16))
        return [(0, flat[0], 0, 16, flat[1], 16), _half(facing, *step, 8)]
    if name.endswith("_trapdoor"):
        return [(0, 13, 0, 16, 16, 16) if top else (0, 0, 0, 16, 3, 16)]
    if name.endswith("_fence_gate"):
        return [(0, 5, 7, 16, 15, 9) if facing in ("north", "south") else (7, 5, 0, 9, 15, 16)]
    if name.endswith("wall_torch") and facing in OPPOSITE:
        x0, y0, z0, x1, y1, z1 = _half(OPPOSITE[facing], 4, 14, 4)
        return [(max(x0, 7), y0, z0, min(x1, 9), y1, z1) if facing in ("north", "south") else (x0, y0, 7, x1, y1, 9)]
    if _AT_WALL.fullmatch(name) and facing in OPPOSITE:
        return [_half(OPPOSITE[facing], 0, 16, 3 if name.endswith("_door") else 2)]
    return [next((box for kind, box in _SMALL.items() if re.fullmatch(kind, name)), _WHOLE)]


def _half(side: str, low: int, high: int, thick: int) -> Box:
    """Return the part of a block at one of its sides."""
    far = _SIDE - thick
    sides: dict[str, Box] = {
        "north": (0, low, 0, 16, high, thick), "south": (0, low, far, 16, high, 16),
        "west": (0, low, 0, thick, high, 16), "east": (far, low, 0, 16, high, 16),
    }  # fmt: skip
    return sides[side]


def _joined(cell: Cell, name: str, blocks: Mapping[Cell, Block]) -> list[Box]:
    """Return a post with arms to the blocks around it: a fence, a pane or a wall."""
    pane = "fence" not in name and not name.endswith("_wall")
    post, bars = (9, ((0, 16),)) if pane else (10, ((5, 8), (11, 14))) if "fence" in name else (11, ((0, 13),))
    boxes: list[Box] = [(16 - post, 0, 16 - post, post, 16, post)]
    for way in ("north", "south", "west", "east"):
        other = blocks.get(beside(cell, way))
        if other and (_JOINING.fullmatch(other.name) or other.is_gate or _is_whole(other)):
            for low, high in bars:
                x0, _, z0, x1, _, z1 = _half(way, low, high, 16 - post)
                boxes.append((x0, low, 7, x1, high, 9) if way in ("west", "east") else (7, low, z0, 9, high, z1))
    return boxes


def _turns(blueprint: Blueprint) -> bool:
    """Tell whether the first door is in the north or west, so that it is seen from there."""
    return any(blueprint.blocks[cell].get("facing") in ("south", "east") for cell in blueprint.entries[:1])


def _turned(blocks: Mapping[Cell, Block]) -> dict[Cell, Block]:
    """Return the blocks turned by half a turn."""
    return {
        (-x, y, -z): block.having(facing=OPPOSITE[block.get("facing")]) if block.get("facing") in OPPOSITE else block
        for (x, y, z), block in blocks.items()
    }
