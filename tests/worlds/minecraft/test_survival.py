"""A game day and a night with mobs, driven by the planner: the bot lives, and makes something of it."""

from __future__ import annotations

import asyncio

import pytest

from autocraft.goals import Goal
from autocraft.goals.verbs import VERBS
from autocraft.goals.wording import Names
from autocraft.node import packages
from autocraft.worlds.minecraft.facts import item_names
from autocraft.worlds.minecraft.packages import PACKAGES
from autocraft.worlds.minecraft.progress import check_goal
from benchmarks.survival import GOALS, play


@pytest.mark.full
def test_a_day_and_a_night_are_survived() -> None:
    life = asyncio.run(play(1.0, 13, 0.0, verbose=False))
    assert life.days >= 1 and not life.deaths, "\n\n".join(life.deaths)
    assert life.goals >= 5 and life.full == 0


def test_each_goal_of_a_life_is_new_work() -> None:
    """Of 56 goals 11 were met without a command: the bot had what they asked for."""
    names = Names.of(item_names(packages(PACKAGES), "1.16.5"), {}, VERBS)
    had, free = dict.fromkeys(names, 1000), []
    for text in GOALS:
        goal = Goal.parse(text, names)
        did = {str(deed): 1000 for deed in goal.deeds}
        assert check_goal(goal, {"inventory": had}, had, did).verdict == "met", text
        free += [text] * (check_goal(goal.from_now(did, had), {"inventory": had}, had, did).verdict == "met")
    assert (len({*GOALS}), free) == (120, [])
