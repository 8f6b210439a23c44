"""Build five buildings on the practice server, and draw each as the bot sees it from its door's side.

`python -m scripts.make_building_pictures` writes docs/img/built-*.webp. It needs the packages of `make test-all`, and
Pillow. `python -m scripts.make_building_pictures tower` draws one of them.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from autocraft.building.commands import BuildingCommands
from autocraft.commands.registry import Registry
from autocraft.commands.workspace import Workspace
from autocraft.protocols import PROGRAM, commands_of
from tests.browser.chromium import Chromium, chromium
from tests.worlds.minecraft.playing import Player, playing

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "img"
WIDTH, HEIGHT = 800, 500
DRAWN = "new Promise((go) => setTimeout(go, 20000))"
"""Time for the view to draw the land."""
LARGEST = 150_000
"""Bytes of a picture."""


class Shot(NamedTuple):
    """A building, its ground, what it is made of, and how far to the side and away the bot stands to look at it."""

    wish: str
    ground: tuple[int, int]
    items: Mapping[str, int]
    stand: tuple[int, int] = (4, 6)
    high: float = 2
    """How far above the ground it looks."""


# no stairs: prismarine-viewer draws none, so a gable roof would look open
SHOTS = {
    "cabin": Shot("cabin, oak", (5, 6), {"oak_planks": 96, "oak_door": 1, "torch": 1}),
    "tower": Shot(
        "stone tower, birch", (5, 6),
        {"cobblestone": 160, "birch_planks": 30, "ladder": 7, "birch_door": 1, "birch_trapdoor": 1, "torch": 1},
        (6, 9), 4.5,
    ),
    "bridge": Shot("bridge, spruce", (9, 3), {"spruce_planks": 21, "spruce_fence": 14, "spruce_stairs": 6}, (1, 5), 1),
    "pen": Shot("pen, oak", (7, 8), {"oak_fence": 23, "oak_fence_gate": 1}, (3, 4), 0.5),
    "house": Shot(
        "cobblestone house 7x5, birch, 2 windows, chest", (7, 6),
        {"cobblestone": 70, "birch_planks": 80, "glass_pane": 2, "birch_door": 1, "torch": 1, "chest": 1},
        (5, 7), 2.5,
    ),
}  # fmt: skip


async def shoot(player: Player, browser: Chromium, name: str) -> None:
    """Build, walk to where the building can be seen, and draw what the bot sees."""
    shot, world = SHOTS[name], player.world
    (wide, deep), (aside, away) = shot.ground, shot.stand
    wanted = {"width": wide + aside + 2, "depth": deep + away + 1, "radius": 64}
    site: dict[str, Any] = (await world.ask("find_site", wanted))["sites"][0]
    x, y, z = site["x"] + 1, site["y"], site["z"] + 1
    await player.give(**shot.items, dirt=24)
    text = await player.must("plan_build", blueprint=shot.wish, x=x, y=y, z=z)
    laying = player.registry.bind("lay_blocks", {"plan": text.rsplit("plan ", 1)[1].split()[0]}, agent=PROGRAM)
    done = await player.registry.call(replace(laying, id=name))
    print(f"{name}: {done.text}")
    await player.must("goto", x=x + wide + aside - 2, y=y + 1, z=z + deep + away - 2)
    middle = {"x": x + wide / 2, "y": y + 1 + shot.high, "z": z + deep / 2}
    await player.registry.call(replace(player.registry.bind("look_at", middle, agent=PROGRAM), id="looks"))
    await player.world.command("/time set 3000")
    await player.must("wait", seconds=1)
    picture = Path(tempfile.gettempdir()) / f"built-{name}.png"
    await asyncio.to_thread(
        browser.open, await world.view(print), WIDTH, height=HEIGHT, look=DRAWN, picture=str(picture)
    )
    write(picture, IMAGES / f"built-{name}.webp")


def write(picture: Path, target: Path) -> None:
    """Write a picture in the best quality in which it is small enough. Remove the original."""
    from PIL import Image

    image = Image.open(picture).convert("RGB")
    for quality in range(85, 30, -5):
        image.save(target, quality=quality, method=6)
        if target.stat().st_size <= LARGEST:
            break
    picture.unlink()
    print(f"{target}: {target.stat().st_size:,} bytes")


async def draw(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        async with playing(cheats=True) as player:
            building = BuildingCommands(Workspace(Path(folder)), lambda run: run)
            player.registry = Registry([*player.world.commands(), *commands_of(building)], run=player)
            for name in names:
                await player.world.command("/clear")
                await shoot(player, browser, name)


if __name__ == "__main__":
    asyncio.run(draw(sys.argv[1:] or list(SHOTS)))
