"""A game day and a night with mobs, driven by the planner: the bot lives, and makes something of it."""

from __future__ import annotations

import asyncio

import pytest

from benchmarks.survival import play

pytestmark = pytest.mark.full


def test_a_day_and_a_night_are_survived() -> None:
    life = asyncio.run(play(1.0, 13, 0.0, verbose=False))
    assert life.days >= 1 and not life.deaths, "\n\n".join(life.deaths)
    assert life.goals >= 5 and life.full == 0
