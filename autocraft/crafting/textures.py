"""The 64 x 64 icons of items: from PNG files if there are any, otherwise a coloured tile that is drawn here.

Files come from a folder that an argument or the variable AUTOCRAFT_TEXTURES names, or from the package plancraft if it
is installed (which is not imported). An item without a usable file gets a tile. PNG files are untrusted data: one
that is too large, broken or not a PNG counts as missing.
"""

from __future__ import annotations

import colorsys
import functools
import importlib.util
import json
import os
import zlib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from autocraft.errors import UsageError
from autocraft.installation import install_line

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont, ImageFont

SIDE = 64
OWN = "none"
"""The name that stands for our own tiles instead of a folder."""
VARIABLE = "AUTOCRAFT_TEXTURES"
MOST_BYTES = 1 << 20
MOST_DOTS = 1 << 20


def texture_folder(textures: str | Path | None = None) -> Path | None:
    """Return the folder of NAME.png files, or None for our own tiles, which the name "none" stands for.

    Raises UsageError if the folder in `textures` or AUTOCRAFT_TEXTURES holds no PNG.
    """
    folder_name, source = textures, "textures"
    if folder_name is None:
        folder_name, source = os.environ.get(VARIABLE) or None, VARIABLE
    if folder_name is None:
        return _package_folder()
    if str(folder_name) == OWN:
        return None
    try:
        folder = Path(folder_name).expanduser()
        if folder.is_dir() and next(folder.glob("*.png"), None):
            return folder
    except (OSError, TypeError, ValueError, RuntimeError):  # not a path, or the home of an unknown user
        pass
    raise UsageError(
        f"{source}: {str(folder_name)[:200]!r} is not a folder with files such as oak_log.png; or write none"
    )


@functools.cache
def _package_folder() -> Path | None:
    try:
        spec = importlib.util.find_spec("plancraft")
    except (ImportError, ValueError):
        return None
    for place in (spec.submodule_search_locations if spec else None) or ():
        folder = Path(place) / "environment" / "assets" / "images"
        if folder.is_dir():
            return folder
    return None


@functools.lru_cache(maxsize=2048)
def icon(item: str, folder: Path | None) -> Image:
    """Return 64 x 64 RGBA: the file's picture, or a tile. `item` is a name of the recipe book, never foreign text."""
    return (_from_file(folder / f"{item}.png") if folder else None) or _tile(item)


def check_pillow() -> None:
    """Raise UsageError if Pillow, which draws all pictures, is not installed."""
    if importlib.util.find_spec("PIL") is None:
        raise UsageError(f"pictures need Pillow: {install_line('images')}")


def _from_file(path: Path) -> Image | None:
    """Return the upper square of a PNG (animated textures are strips) at 64 x 64, or None if it cannot be used."""
    from PIL import Image

    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        with Image.open(path, formats=["PNG"]) as picture:
            width, height = picture.size
            if width * height > MOST_DOTS:
                return None
            side = min(width, height)
            square = picture.convert("RGBA").crop((0, 0, side, side))
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError):
        return None
    return square.resize((SIDE, SIDE), Image.Resampling.NEAREST if side <= SIDE else Image.Resampling.LANCZOS)


def _tile(item: str) -> Image:
    """Return a rounded tile in the item's colour with two to four letters of its name."""
    from PIL import Image, ImageDraw

    picture = Image.new("RGBA", (SIDE, SIDE))
    draw = ImageDraw.Draw(picture)
    red, green, blue = colour(item)
    edge = (red * 5 // 8, green * 5 // 8, blue * 5 // 8)
    draw.rounded_rectangle((3, 3, SIDE - 4, SIDE - 4), 9, fill=(red, green, blue), outline=edge, width=3)
    dark = red * 299 + green * 587 + blue * 114 < 140_000
    ink = (255, 255, 255) if dark else (20, 20, 20)
    label, size = letters(item), 23
    while font(size).getlength(label) > SIDE - 12:
        size -= 1
    draw.text((SIDE // 2, 23), label, font=font(size), fill=ink, anchor="mm", stroke_width=0.5, stroke_fill=ink)
    return picture


def letters(item: str) -> str:
    """Return "OaPl" for "oak_planks", "DoDo" for "dark_oak_door", "Stic" for "stick"."""
    words = item.split("_")
    if len(words) > 2:
        return words[0][0].upper() + words[1][0] + words[-1][:2].title()
    if len(words) == 2:
        return words[0][:2].title() + words[1][:2].title()
    return item[:4].title()


def colour(item: str) -> tuple[int, int, int]:
    """Return the colour of the first word that has one, slightly varied by the name, or a colour by the name alone."""
    chance = zlib.crc32(item.encode())
    colours = colours_of(__package__, "data/colours.json")
    base = next((colours[word] for word in item.split("_") if word in colours), None)
    if base is None:
        red, green, blue = colorsys.hls_to_rgb(chance % 360 / 360, 0.45 + chance // 360 % 20 / 100, 0.5)
        return round(red * 255), round(green * 255), round(blue * 255)
    shift = chance % 31 - 15
    red, green, blue = (min(255, max(0, part + shift)) for part in base)
    return red, green, blue


@functools.cache
def colours_of(package: str, file: str) -> Mapping[str, tuple[int, int, int]]:
    """Return the colour of each word in a file of a package. The file is read once."""
    rows = json.loads(resources.files(package).joinpath(file).read_text("utf-8"))
    return {word: (red, green, blue) for word, (red, green, blue) in rows.items()}


@functools.cache
def font(size: int) -> FreeTypeFont | ImageFont:
    """Return Pillow's own font."""
    from PIL import ImageFont

    return ImageFont.load_default(size)
