"""Draw pages in a real browser into docs/img: light, dark, and in the size of a phone.

python -m scripts.make_page_pictures NAME        the page of a recorded run, or of a learning run
python -m scripts.make_page_pictures --live      the live page of a run in Minecraft, at its last question
python -m scripts.make_page_pictures --learning  the live page of a learning run, after some attempts
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx2

from autocraft.learning.page import page_text as learning_text
from autocraft.learning.record import Record
from autocraft.page.rendering import write
from autocraft.report.page import page_text
from autocraft.report.recorded import recorded_runs
from autocraft.report.story import Story
from autocraft.session.reading import Events
from autocraft.session.upkeep import unpack
from tests.browser.chromium import Chromium, chromium
from tests.commands.programs import with_programs
from tests.conftest import Place
from tests.web.browsing import LINK, Browser, followed
from tests.worlds.minecraft.playing import node_environment

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "img"
SHOTS = {"light": (1280, False), "dark": (1280, True), "phone": (390, False)}
"""Name of a picture -> width, dark."""
HEIGHT, LEARNING_HEIGHT = 1500, 2760
"""The height of a picture. That of a learning run ends below its plots."""
RUNS = (
    *("run", "--web", "craft 1 wooden_pickaxe", "--world", "minecraft", "--seed", "1", "--speed", "0"),
    *("--brain", "scripted"),
)
LEARNS = ("learn", "--web", "--seed", "12", "--speed", "0", "--iterations", "30", "--brain", "oracle")
WATCHED = 30
"""The question of the learning run at which its live page is drawn."""
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
            asyncio.run(draw_live(browser, "live", RUNS, len(LIVE), [_answer(*each) for each in LIVE]))
        elif argument == "--learning":
            asyncio.run(draw_live(browser, "watching", LEARNS, WATCHED))
        else:
            draw_report(browser, argument)


def draw_report(browser: Chromium, run: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        events = Events(unpack(recorded_runs()[run], Path(place)))
        first = events.first()
        learned = first is not None and first.mode == "learn"
        page = Path(place) / "page.html"
        text = learning_text(Record.of(events), run) if learned else page_text(Story.of(events), run)
        write(page, text)
        name, height = ("learning", LEARNING_HEIGHT) if learned else ("report", HEIGHT)
        draw(name, lambda **more: browser.open(page, **more), height)


async def draw_live(
    browser: Chromium, name: str, line: Sequence[str], number: int, script: Sequence[dict[str, Any]] = ()
) -> None:
    """Draw the live page of this command line at its question of this number."""
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        line = [*line, *(["--script", place.script(*script)] if script else [])]
        async with followed(place, verb=line, **(node_environment() | with_programs())) as run:
            await _reach(run, number)
            async with httpx2.AsyncClient() as other:
                await other.get(run.link)  # a link works once, so the run prints another one
            *_, link = LINK.findall((place.folder / "stdout").read_text())
            browser.open(link)
            draw(name, lambda **more: browser.open(run.root, look=WAITS, **more))


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
