"""A benchmark plays what it measures. A change of the command line that stops it fails here, and not months later."""

from __future__ import annotations

from benchmarks import survival, turns
from benchmarks.measure import place


def test_the_benchmark_of_turns_plays_a_short_run_to_its_goal() -> None:
    with place() as where:
        run = turns.run_ours(where, turns.Kind("autocraft", 6), 0)
    assert run.cost.wall > 0
    assert all(seconds > 0 for seconds in run.stamps)


def test_kinds_are_counted_without_their_woods_colours_shapes_and_flowers() -> None:
    shapes = {
        "oak_log",
        "stripped_dark_oak_log",
        "birch_log",
        "spruce_stairs",
        "stone_stairs",
        "stone",
        "oak_fence_gate",
    }
    assert survival.folded(shapes) == {"log", "stripped_log", "stairs", "stone", "fence_gate"}
    colours = {"poppy", "blue_orchid", "red_wool", "light_gray_wool", "bread"}
    assert survival.folded(colours) == {"flower", "wool", "bread"}
    assert survival.folded({"stone_pickaxe", "iron_pickaxe", "bow", "bowl"}) == {
        "stone_pickaxe", "iron_pickaxe", "bow", "bowl",
    }  # fmt: skip
    assert len(survival.USEFUL) == 22
    assert survival.useful({"white_bed", "cooked_beef", "iron_boots", "rail"}) == ["bed", "cooked meat", "iron armor"]
