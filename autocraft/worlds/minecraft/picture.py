"""A picture of the land around the player for models that see: a map from above, north at the top.

Each block has the colour of its kind, lighter where it lies higher. Beside the map stand the kinds with their colours.
It is drawn here, from the names of blocks alone.
"""

from __future__ import annotations

import io
import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from autocraft.crafting.textures import colour, colours_of, font
from autocraft.protocols import Image, Json
from autocraft.text.sanitize import clean_line

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

CELL = 16
"""Side of a block in the picture, in pixels."""
_EDGE, _LEGEND, _LINE = 24, 216, 20
_KINDS_SHOWN = 24
_PAPER, _INK, _UNSEEN = (245, 245, 240), (30, 30, 30), (20, 20, 28)
_PLAYER, _OTHER = (230, 30, 40), (250, 120, 0)

RGB = tuple[int, int, int]


@dataclass(frozen=True)
class Map:
    """What `node/bot/map.js` reads. A cell of `rows` is a kind and a height above the ground, or None if unseen.

    `others` are living things with how many blocks they are east and south of the player. `yaw` is in radians, 0 to
    the north, and grows to the left.
    """

    feet: tuple[int, int, int]
    yaw: float
    roofed: bool
    kinds: tuple[str, ...]
    rows: tuple[tuple[tuple[int, int] | None, ...], ...]
    others: tuple[tuple[str, int, int], ...]

    @classmethod
    def from_json(cls, data: Json) -> Self:
        """Return the map from the bot's answer. Names come from the server, so they are cleaned."""
        feet = data["feet"]
        return cls(
            (int(feet["x"]), int(feet["y"]), int(feet["z"])),
            float(data["yaw"]),
            bool(data["roofed"]),
            tuple(clean_line(str(name))[:40] for name in data["kinds"]),
            tuple(
                tuple(None if cell is None else (int(cell[0]), int(cell[1])) for cell in row) for row in data["rows"]
            ),
            tuple((clean_line(str(each["name"]))[:40], int(each["x"]), int(each["z"])) for each in data["others"]),
        )

    @property
    def side(self) -> int:
        """Return how many blocks a row has."""
        return len(self.rows)

    def counts(self) -> list[tuple[int, int]]:
        """Return each kind with how many cells show it, the most frequent first."""
        return Counter(cell[0] for row in self.rows for cell in row if cell is not None).most_common()

    def describe(self) -> str:
        """Return the map in words, for a model that sees no pictures."""
        x, y, z = self.feet
        kinds = ", ".join(f"{self.kinds[kind]} ({count})" for kind, count in self.counts()[:_KINDS_SHOWN])
        others = ", ".join(f"{name} {_direction(east, south)}" for name, east, south in self.others)
        where = "below a roof" if self.roofed else "in the open"
        ending = f"; {others}" if others else ""
        return f"a map of {self.side} x {self.side} blocks around ({x}, {y}, {z}), {where}: {kinds}{ending}"


def map_image(data: Json) -> Image:
    """Return the map as PNG from the bot's answer. `alt` describes it in words. Pillow must be installed."""
    from PIL import Image as Pillow
    from PIL import ImageDraw

    land = Map.from_json(data)
    wide = land.side * CELL
    picture = Pillow.new("RGB", (_EDGE + wide + _LEGEND, _EDGE + wide + _EDGE), _PAPER)
    draw = ImageDraw.Draw(picture)
    _draw_land(draw, land)
    _draw_living(draw, land)
    _draw_words(draw, land, wide)
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=1)
    return Image(file.getvalue(), "image/png", land.describe())


def block_colour(name: str) -> RGB:
    """Return the colour of the first part in `colours.json` that the name of a kind of block has, or else of its
    item."""
    colours = colours_of(__package__, "colours.json")
    return next((rgb for part, rgb in colours.items() if part in name), None) or colour(name)


def _draw_land(draw: ImageDraw, land: Map) -> None:
    for row, cells in enumerate(land.rows):
        for column, cell in enumerate(cells):
            rgb = _UNSEEN if cell is None else _lit(block_colour(land.kinds[cell[0]]), cell[1])
            draw.rectangle(cell_box(column, row), fill=rgb)


def _draw_living(draw: ImageDraw, land: Map) -> None:
    """Draw the player as an arrow that points where it looks, and the others as dots with their names."""
    middle = land.side // 2
    for name, east, south in land.others:
        left, top, right, bottom = cell_box(middle + east, middle + south)
        draw.ellipse((left + 2, top + 2, right - 2, bottom - 2), fill=_OTHER, outline=_INK)
        draw.text(
            ((left + right) // 2, top - 1), name, font=font(12), fill=_INK, anchor="mb", stroke_width=2,
            stroke_fill=_PAPER,
        )  # fmt: skip
    left, top, right, bottom = cell_box(middle, middle)
    x, y = (left + right) / 2, (top + bottom) / 2
    corners = [(land.yaw + turn, far) for turn, far in ((0, 13), (2.5, 10), (math.pi, 3), (-2.5, 10))]
    points = [(x - math.sin(angle) * far, y - math.cos(angle) * far) for angle, far in corners]
    draw.polygon(points, fill=_PLAYER, outline=_PAPER)


def _draw_words(draw: ImageDraw, land: Map, wide: int) -> None:
    """Write the coordinates at the edges, and the kinds with their colours beside the map."""
    (x, y, z), half = land.feet, land.side // 2
    top, bottom, right = _EDGE - 6, _EDGE + wide + 6, _EDGE + wide
    draw.text((_EDGE + wide // 2, top), f"north: z {z - half}", font=font(13), fill=_INK, anchor="mb")
    draw.text((_EDGE + wide // 2, bottom), f"south: z {z + half}", font=font(13), fill=_INK, anchor="mt")
    draw.text((_EDGE, bottom), f"west: x {x - half}", font=font(13), fill=_INK, anchor="lt")
    draw.text((right, bottom), f"east: x {x + half}", font=font(13), fill=_INK, anchor="rt")
    where = "below a roof" if land.roofed else "in the open"
    draw.text((right + 12, _EDGE), f"you: {x}, {y}, {z}, {where}", font=font(13), fill=_INK)
    line = _EDGE + _LINE * 2
    for kind, _ in land.counts()[:_KINDS_SHOWN]:
        name = land.kinds[kind]
        draw.rectangle((right + 12, line, right + 26, line + 14), fill=block_colour(name), outline=_INK)
        draw.text((right + 34, line), name, font=font(13), fill=_INK)
        line += _LINE


def cell_box(column: int, row: int) -> tuple[int, int, int, int]:
    """Return the left, upper, right and lower edge of a cell, in pixels."""
    left, top = _EDGE + column * CELL, _EDGE + row * CELL
    return left, top, left + CELL - 1, top + CELL - 1


def _lit(rgb: RGB, height: int) -> RGB:
    """Return a colour, lighter above the ground on which the player stands and darker below it."""
    factor = 1 + max(-8, min(8, height)) * 0.05
    red, green, blue = (min(255, round(part * factor)) for part in rgb)
    return red, green, blue


def _direction(east: int, south: int) -> str:
    """Return how far something is in words, such as "3 north 2 east"."""
    parts = [
        f"{abs(far)} {ahead if far < 0 else behind}"
        for far, ahead, behind in ((south, "north", "south"), (east, "west", "east"))
        if far
    ]
    return " ".join(parts) or "here"
