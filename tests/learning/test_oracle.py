"""The programs that the oracle writes of plans."""

from __future__ import annotations

from autocraft.learning.oracle import written
from autocraft.protocols import Step


def test_what_is_at_hand_is_gathered_before_going_down() -> None:
    """With its diamonds the bot looked for a log at height 12, through 30,000 ticks of stone."""
    steps = [
        Step("craft_item", {"name": "stick", "count": 1}, item="stick", gains=4),
        Step("goto", {"x": 0, "y": 12, "z": 0}),
        Step("explore_until", {"direction": "north", "seconds": 60, "block": "diamond_ore"}),
        Step("mine_block", {"name": "diamond_ore", "count": 3}, item="diamond", gains=3),
        Step("mine_block", {"name": "oak_log", "count": 1}, item="oak_log", gains=1),
        Step("craft_item", {"name": "diamond_pickaxe", "count": 1}, item="diamond_pickaxe", gains=1),
        Step("mine_block", {"name": "obsidian", "count": 1}, item="obsidian", gains=1),
    ]
    program = written("obsidian", steps, {}, ())
    order = ["'stick'", "'oak_log'", "GoalY(12)", "'diamond_ore'", "'diamond_pickaxe'", "'obsidian', "]
    places = [program.index(each, program.index("const enough")) for each in order]
    assert places == sorted(places)
