"""Draws the crafting window: 3 x 3 grid, output, inventory and hotbar, each slot with its name above it.

The picture has the size of the window of the package plancraft.
"""

from __future__ import annotations

import functools
import io
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from autocraft import protocols
from autocraft.crafting.describe import table_text
from autocraft.crafting.slots import COUNT, GRID, INVENTORY, OUTPUT, name_of
from autocraft.crafting.table import CraftingTable
from autocraft.crafting.textures import SIDE, check_pillow, font, icon, texture_folder
from autocraft.errors import UsageError

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

    Pixels = NDArray[numpy.uint8]

Resolution = Literal["high", "medium", "low"]
WIDTH, HEIGHT = 704, 664
_FACTORS = {"high": 1, "medium": 2, "low": 4}

_ACROSS, _DOWN = 74, 88
_TOPS = (28, 298, 574)
"""Upper edges of the icons of the grid, of the inventory and of the hotbar."""
_LEFTS = (122, 21)
"""Left edges of the icons of the grid and of the inventory."""
_OUTPUT = (500, _TOPS[0] + _DOWN)
_ARROW = [(372, 142), (416, 142), (416, 126), (452, 148), (416, 170), (416, 154), (372, 154)]
_PANEL, _SLOT, _LIGHT, _SHADE = (198, 198, 198), (139, 139, 139), (255, 255, 255), (55, 55, 55)
_NAMES = (64, 64, 64)


def window_image(table: CraftingTable, textures: str | Path | None = None) -> protocols.Image:
    """Return the window as PNG. `alt` describes it in words.

    Raises UsageError as `textures.texture_folder` and `textures.check_pillow` do.
    """
    data = io.BytesIO()
    _window(table, textures).save(data, "PNG", compress_level=1)
    return protocols.Image(data.getvalue(), "image/png", table_text(table))


def window_array(table: CraftingTable, resolution: Resolution = "high", textures: str | Path | None = None) -> Pixels:
    """Return the window as height x width x 3 bytes: 664 x 704, or a half or a quarter of it (with unreadable names).

    Raises UsageError as `textures.texture_folder` and `textures.check_pillow` do.
    """
    import numpy

    if resolution not in _FACTORS:
        raise UsageError(f"resolution is {str(resolution)[:60]!r}: choose high, medium or low")
    picture, factor = _window(table, textures), _FACTORS[resolution]
    if factor > 1:
        from PIL import Image

        picture = picture.resize((WIDTH // factor, HEIGHT // factor), Image.Resampling.BOX)
    return numpy.array(picture, dtype=numpy.uint8)


def corner(slot: int) -> tuple[int, int]:
    """Return the left and upper edge of the icon in `slot`, in pixels of the high resolution. Icons are 64 x 64."""
    if slot == OUTPUT:
        return _OUTPUT
    if slot in GRID:
        row, column = divmod(slot - GRID[0], 3)
        return _LEFTS[0] + column * _ACROSS, _TOPS[0] + row * _DOWN
    row, column = divmod(slot - INVENTORY[0], 9)
    return _LEFTS[1] + column * _ACROSS, _TOPS[2] if row == 3 else _TOPS[1] + row * _DOWN


def _window(table: CraftingTable, textures: str | Path | None) -> Image:
    check_pillow()
    folder = texture_folder(textures)
    picture = _empty_window().copy()
    for slot, (item, count) in table.stacks():
        picture.paste(_slot_picture(item, count, folder), corner(slot))
    return picture


@functools.cache
def _empty_window() -> Image:
    from PIL import Image, ImageDraw

    picture = Image.new("RGB", (WIDTH, HEIGHT), _PANEL)
    draw = ImageDraw.Draw(picture)
    _bevel(draw, (0, 0, WIDTH - 1, HEIGHT - 1), 4, _LIGHT, (85, 85, 85))
    draw.polygon(_ARROW, fill=_SLOT)
    for slot in range(COUNT):
        left, top = corner(slot)
        rim = 14 if slot == OUTPUT else 0
        box = (left - rim - 2, top - rim - 2, left + SIDE + rim + 1, top + SIDE + rim + 1)
        draw.rectangle(box, fill=_SLOT)
        _bevel(draw, box, 2, _SHADE, _LIGHT)
        draw.text((left + SIDE // 2, box[1] - 2), name_of(slot), font=font(14), fill=_NAMES, anchor="mb")
    return picture


def _bevel(
    draw: ImageDraw,
    box: tuple[int, int, int, int],
    width: int,
    upper: tuple[int, int, int],
    lower: tuple[int, int, int],
) -> None:
    """Draw edges that make a box look raised or sunk."""
    left, top, right, bottom = box
    for step in range(width):
        draw.line((left + step, bottom - step, right - step, bottom - step, right - step, top + step), lower)
        draw.line((left + step, bottom - step, left + step, top + step, right - step, top + step), upper)


@functools.lru_cache(maxsize=1024)
def _slot_picture(item: str, count: int, folder: Path | None) -> Image:
    """Return the picture of a slot with `count` of `item`: the icon, and the number from two on."""
    from PIL import Image, ImageDraw

    picture = Image.new("RGB", (SIDE, SIDE), _SLOT)
    icon_image = icon(item, folder)
    picture.paste(icon_image, (0, 0), icon_image)
    if count > 1:
        draw = ImageDraw.Draw(picture)
        draw.text(
            (SIDE - 3, SIDE - 1), str(count), font=font(28), fill=_LIGHT, anchor="rs", stroke_width=2,
            stroke_fill=(40, 40, 40),
        )  # fmt: skip
    return picture
