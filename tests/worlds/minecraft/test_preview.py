"""`autocraft prompt` of a run in Minecraft: it joins the world to show what a model would be told, and leaves it."""

from __future__ import annotations

import pytest

from tests.conftest import Place
from tests.worlds.minecraft.playing import node_environment


@pytest.mark.full
def test_the_prompt_of_a_minecraft_run_shows_the_world_and_keeps_nothing(place: Place) -> None:
    goal = ("--goal", "collect 1 dirt", "--world", "minecraft", "--memory", "none")
    done = place.run("prompt", *goal, **node_environment())
    assert done.returncode == 0, done.stderr
    for words in ("1. collect 1 dirt", '"mine_block"', "Biome: ", "Position: x=", "--- about "):
        assert words in done.stdout
    assert not (place.state / "sessions").exists()
