"""Draw pages in a real browser into docs/img: light, dark, and in the size of a phone.

python -m scripts.make_page_pictures NAME        the page of a recorded run, or of a learning run
python -m scripts.make_page_pictures --live      the live page of a run in Minecraft, at its last question
python -m scripts.make_page_pictures --learning  the live page of a learning run, after some attempts
python -m scripts.make_page_pictures --building  buildings as the pages draw them, without a browser
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

from autocraft.building.wishes import blueprint_of, read_wish
from autocraft.learning.page import page_text as learning_text
from autocraft.learning.record import Record
from autocraft.page.blocks import Span, building_plot
from autocraft.page.drawing import Shape
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


BUILDINGS = ("house 7x5, gable roof, oak, 3 windows, bed", "tower, stone, birch", "bridge, spruce")
BUILDING_STYLE = """.cube{stroke:#000;stroke-opacity:.3;stroke-width:.6;stroke-linejoin:round}.glass{fill-opacity:.55}
.later{fill-opacity:.12;stroke:#777;stroke-opacity:.4}"""


def main(argument: str) -> None:
    if argument == "--building":
        (IMAGES / "building.svg").write_text(buildings_svg(), encoding="utf-8")
        return
    with chromium() as browser:
        if argument == "--live":
            asyncio.run(draw_live(browser, "live", RUNS, len(LIVE), [_answer(*each) for each in LIVE]))
        elif argument == "--learning":
            asyncio.run(draw_live(browser, "watching", LEARNS, WATCHED))
        else:
            draw_report(browser, argument)


def buildings_svg() -> str:
    """Return a picture of a house as planned, of the same house half built, and of other buildings."""
    blueprints = [blueprint_of(wish) for wish in map(read_wish, BUILDINGS) if wish]
    house = blueprints[0]
    lower = dict.fromkeys(
        sorted(house.blocks, key=lambda cell: (cell[1], cell))[: len(house.blocks) * 11 // 20], Span()
    )
    plots = [building_plot(house), building_plot(house, lower), *map(building_plot, blueprints[1:])]
    height = max(plot.height for plot in plots)
    parts = []
    for number, plot in enumerate(plots):
        paths = "".join(f"<path {_attributes(shape)}/>" for shape in plot.shapes)
        parts.append(f'<g transform="translate({number * plot.width} {height - plot.height})">{paths}</g>')
    size = f'viewBox="0 0 {len(plots) * plots[0].width} {height}"'
    title = "A house as planned, the same house half built, a tower and a bridge"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{title}</title>'
    return f"{head}<style>{BUILDING_STYLE}</style>{''.join(parts)}</svg>\n"


def _attributes(shape: Shape) -> str:
    return " ".join(f'{name}="{value}"' for name, value in shape.attributes.items())


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
