"""Film the demo: the live page in a real browser, while a person authorises each command there.

`python -m scripts.make_film` writes docs/img/demo.webp. It needs the packages of `make test-all`, and Pillow.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from autocraft.node import packages
from autocraft.worlds.minecraft.view import PACKAGES
from tests.browser.chromium import Chromium, chromium
from tests.browser.test_live_page import clicks
from tests.conftest import Place
from tests.web.browsing import served
from tests.worlds.minecraft.playing import node_environment

FILM = Path(__file__).resolve().parents[1] / "docs" / "img" / "demo.webp"
WIDTH, HEIGHT = 1200, 900
EVERY = 500
"""Milliseconds between two pictures, and in the film."""
MOST = 40
"""The most pictures of the film: 20 seconds."""
READS = 1_200
"""Milliseconds that the person reads a question before the click."""
GOAL = ("craft", "1", "stone_pickaxe")
ACTS = f"""
  await until(() => document.querySelector('#eyes iframe'))
  await new Promise((go) => setTimeout(go, 15000))  // until the view has drawn the land
  at('eyes').scrollIntoView()
  do {{
    await until(() => over() || ready('run'))
    await new Promise((go) => setTimeout(go, {READS}))
  }} while (await press('run'))
  await new Promise((go) => setTimeout(go, {READS}))
"""


async def shoot(browser: Chromium, place: Place, folder: Path) -> None:
    """Play the demo, and write a picture of its page every `EVERY` milliseconds."""
    environment = node_environment() | {"AUTOCRAFT_VIEW_MODULES": str(packages(PACKAGES)), "BROWSER": "true %s"}
    async with served(place, *GOAL, verb=["demo"], **environment) as run:
        film = {"folder": str(folder), "every": EVERY}
        size = {"width": WIDTH, "height": HEIGHT}
        await asyncio.to_thread(browser.open, run.link, look=clicks(ACTS), film=film, **size)


def join(pictures: list[Path]) -> None:
    """Write the pictures as one film: at most `MOST`, and none of before the land was drawn."""
    from PIL import Image

    drawn = [path for path in pictures if path.stat().st_size > pictures[-1].stat().st_size / 2]
    step = -(-len(drawn) // MOST)
    first, *rest = [Image.open(path).convert("RGB") for path in drawn[::step]]
    times = [EVERY] * len(rest) + [4 * EVERY]
    first.save(FILM, save_all=True, append_images=rest, duration=times, loop=0, quality=55, method=6)
    print(f"{FILM}: {len(rest) + 1} pictures, {FILM.stat().st_size:,} bytes")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="film-") as name, chromium() as browser:
        folder = Path(name)
        (folder / "pictures").mkdir()
        (folder / "place").mkdir()
        asyncio.run(shoot(browser, Place(folder / "place"), folder / "pictures"))
        join(sorted((folder / "pictures").glob("*.png")))


if __name__ == "__main__":
    main()
