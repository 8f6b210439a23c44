"""A run that is authorised from the page: shown whole, answered once, by whoever is first."""

from __future__ import annotations

import asyncio

import pytest

from tests.conftest import STONE_PICKAXE, Place, kinds
from tests.web.browsing import Browser, followed
from tests.worlds.minecraft.playing import node_environment


async def yes_to_the_end(browser: Browser) -> int:
    """Answer y to every question. Return how many there were."""
    question, count = await browser.question(), 0
    while question is not None:
        answered = await browser.answer(question, "run")
        assert answered.status_code == 200, answered.text
        count += 1
        question = await browser.question(question["id"])
    return count


def test_a_run_without_a_terminal_is_authorised_wholly_from_the_page(place: Place) -> None:
    async def play() -> tuple[int, Browser]:
        async with followed(place, *STONE_PICKAXE) as browser:
            count = await yes_to_the_end(browser)
            assert await browser.process.wait() == 0
            return count, browser

    count, browser = asyncio.run(play())
    events = place.events()
    decided = kinds(events, "decision")
    assert len(decided) == count == len(kinds(events, "question"))
    assert {event["by"] for event in decided} == {"web"}
    assert kinds(events, "end")[0]["reason"] == "goal_reached"
    parts = browser.parts
    assert parts["goal"]["goals"] == ["craft 1 stone_pickaxe"]
    assert ["stone_pickaxe", 1] in parts["inventory"]
    assert parts["end"]["good"] and parts["steps"][1]["effects"][0]["ok"]


@pytest.mark.full
def test_a_run_in_minecraft_is_authorised_wholly_from_the_page(place: Place) -> None:
    arguments = ("craft 1 wooden_pickaxe", "--world", "minecraft", "--seed", "1", "--speed", "0")

    async def play() -> Browser:
        async with followed(place, *arguments, **node_environment()) as browser:
            await yes_to_the_end(browser)
            assert await browser.process.wait() == 0
            return browser

    browser = asyncio.run(play())
    assert {event["by"] for event in kinds(place.events(), "decision")} == {"web"}
    assert browser.parts["map"]["shapes"] and ["wooden_pickaxe", 1] in browser.parts["inventory"]
