"""Draw pages in a real browser into docs/img: light, dark, and in the size of a phone.

python -m scripts.make_page_pictures SESSION_FOLDER   the page of a kept session, or of a learning run
python -m scripts.make_page_pictures --live           the live page of a run in Minecraft, at its last question
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2

from autocraft.learning.page import page_text as learning_text
from autocraft.learning.record import Record
from autocraft.page.rendering import write
from autocraft.report.page import page_text
from autocraft.report.story import Story
from autocraft.session.reading import Events
from tests.browser.chromium import Chromium, chromium
from tests.conftest import Place
from tests.web.browsing import LINK, Browser, followed
from tests.worlds.minecraft.playing import node_environment

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "img"
SHOTS = {"light": (1280, False), "dark": (1280, True), "phone": (390, False)}
"""Name of a picture -> width, dark."""
HEIGHT, LEARNING_HEIGHT = 1500, 2140
"""The height of a picture. That of a learning run ends below its plots."""
PLAN = ["three logs", "planks and sticks", "a crafting table", "the pickaxe"]
LIVE = [
    ("Trees stand close by. I take three logs.", "mine_block", {"name": "oak_log", "count": 3}),
    ("Eight planks are enough for table and sticks.", "craft_item", {"name": "oak_planks", "count": 8}),
    (
        "I look for diamonds in the east, for later.",
        "explore_until",
        {"direction": "east", "seconds": 20, "block": "diamond_ore"},
    ),
    (
        "There is none here; I try the south.",
        "explore_until",
        {"direction": "south", "seconds": 12, "block": "diamond_ore"},
    ),
    ("The pickaxe needs two sticks.", "craft_item", {"name": "stick", "count": 4}),
    ("A pickaxe is made on a crafting table.", "craft_item", {"name": "crafting_table", "count": 1}),
]
"""Thoughts, command and arguments of the answers of the run whose live page is drawn."""
WAITS = """new Promise((go) => {
  const look = () => send.checkVisibility() && !send.disabled ? go() : setTimeout(look, 9)
  look()
})"""
"""Waits until the question can be answered."""


def main(argument: str) -> None:
    with chromium() as browser:
        if argument == "--live":
            asyncio.run(draw_live(browser))
        else:
            draw_report(browser, Path(argument))


def draw_report(browser: Chromium, folder: Path) -> None:
    events = Events(folder)
    first = events.first()
    learned = first is not None and first.mode == "learn"
    with tempfile.TemporaryDirectory() as place:
        page = Path(place) / "page.html"
        text = learning_text(Record.of(events), folder.name) if learned else page_text(Story.of(events), folder.name)
        write(page, text)
        name, height = ("learning", LEARNING_HEIGHT) if learned else ("report", HEIGHT)
        draw(name, lambda **more: browser.open(page, **more), height)


async def draw_live(browser: Chromium) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        script = place.script(*(_answer(*each) for each in LIVE))
        world = ("--world", "minecraft", "--seed", "1", "--speed", "0", "--brain", "scripted", "--script", script)
        async with followed(place, "craft 1 wooden_pickaxe", *world, **node_environment()) as run:
            await _reach(run, len(LIVE))
            async with httpx2.AsyncClient() as other:
                await other.get(run.link)  # a link works once, so the run prints another one
            *_, link = LINK.findall((place.folder / "stdout").read_text())
            browser.open(link)
            draw("live", lambda **more: browser.open(run.root, look=WAITS, **more))


def draw(name: str, look: Callable[..., dict[str, Any]], height: int = HEIGHT) -> None:
    """Draw the page that `look` opens, once for each of `SHOTS`."""
    for kind, (width, dark) in SHOTS.items():
        picture = IMAGES / f"{name}-{kind}.png"
        seen = look(width=width, height=height, dark=dark, picture=str(picture))
        print(f"{picture.name}: {picture.stat().st_size:,} bytes, faults: {seen['faults'] or 'none'}")


def _answer(text: str, command: str, args: dict[str, Any]) -> dict[str, Any]:
    return {"thoughts": {"text": text, "plan": PLAN}, "command": {"name": command, "args": args}}


async def _reach(run: Browser, number: int) -> None:
    """Answer y until the question of this number."""
    question = await run.question()
    while question is not None and question["id"] < number:
        await run.answer(question, "run")
        question = await run.question(question["id"])
    if question is None:
        raise SystemExit(f"the run ended before its question {number}: {json.dumps(run.parts['end'])}")


if __name__ == "__main__":
    main(sys.argv[1])
