"""The practice server's rules, seen by a plain mineflayer bot: crafting, tools, furnaces, chests, health."""

from __future__ import annotations

import pytest

from tests.worlds.minecraft.server_lab import scenario

pytestmark = pytest.mark.full


def test_crafting_from_logs_to_a_stone_pickaxe_furnace_and_chest() -> None:
    seen = scenario("survival", "crafting")
    assert seen["small"] == {"cobblestone": 20, "oak_planks": 20, "stick": 8}
    assert seen["whole"] == {
        "chest": 1,
        "cobblestone": 9,
        "furnace": 1,
        "oak_planks": 5,
        "stick": 4,
        "stone_pickaxe": 1,
        "wooden_pickaxe": 1,
    }
    assert seen["noTable"] == 0


def test_clicks_show_what_the_grid_makes_and_planks_may_be_mixed() -> None:
    seen = scenario("survival", "clicks")
    assert (seen["two"], seen["three"], seen["four"]) == ("oak_pressure_plate", None, "crafting_table")
    assert seen["whole"] == {"crafting_table": 1}
    assert seen["grid"] == [None] * 4


def test_each_block_asks_for_its_tool() -> None:
    seen = scenario("survival", "tiers")
    for lost in (
        "stone hand",
        "iron_ore wooden_pickaxe",
        "diamond_ore stone_pickaxe",
        "redstone_ore stone_pickaxe",
        "glass hand",
    ):
        assert seen[lost] == {}, lost
    exact = {
        "stone wooden_pickaxe": {"cobblestone": 1},
        "coal_ore wooden_pickaxe": {"coal": 1},
        "iron_ore stone_pickaxe": {"iron_ore": 1},
        "diamond_ore iron_pickaxe": {"diamond": 1},
        "gold_ore iron_pickaxe": {"gold_ore": 1},
        "grass_block hand": {"dirt": 1},
        "oak_log hand": {"oak_log": 1},
        "oak_leaves shears": {"oak_leaves": 1},
        "snow_block iron_shovel": {"snowball": 4},
        "clay hand": {"clay_ball": 4},
        "cobweb iron_sword": {"string": 1},
    }
    assert {name: seen[name] for name in exact} == exact
    assert seen["redstone_ore iron_pickaxe"]["redstone"] in (4, 5)
    assert 4 <= seen["lapis_ore stone_pickaxe"]["lapis_lazuli"] <= 9


def test_a_wooden_pickaxe_breaks_at_its_59th_use() -> None:
    assert scenario("survival", "wear") == {"dug": 59, "first": 1, "last": 58}


def test_a_coal_smelts_eight_items_of_200_ticks_each() -> None:
    seen = scenario("survival", "smelting")
    assert seen["whole"], "no tick's number was left out"
    assert seen["gaps"] == [200] * 7
    assert (seen["left"], seen["fuel"]) == (1, 0)


def test_chests_alone_and_joined_keep_what_is_put_in() -> None:
    seen = scenario("survival", "chests")
    assert seen["single"] == 27
    assert seen["after"] == {"chest": 1, "cobblestone": 20}
    assert seen["double"] == 54
    assert seen["held"] == [["cobblestone", 20]]
    assert seen["found"] == {"chest": 1, "cobblestone": 20}
    assert seen["singleAgain"] == 27


def test_a_fall_hurts_by_the_blocks_over_three() -> None:
    assert scenario("survival", "falls") == {"3": 0, "4": 1, "8": 5}


def test_the_dead_leave_their_things_and_come_back_at_the_spawn_point() -> None:
    seen = scenario("survival", "death")
    assert seen["empty"] == {}
    assert seen["near"] and seen["said"]
    assert seen["again"] == {"bread": 3, "cobblestone": 12}


def test_who_lives_again_elsewhere_sees_nothing_of_what_was_near() -> None:
    assert scenario("survival", "ghosts") == 0


def test_healing_makes_hungry_and_bread_fills() -> None:
    seen = scenario("survival", "hunger")
    assert seen["full"] == "Food is full"
    assert not seen["healed"], "below 18 points of food nothing heals"
    assert (seen["food"], seen["bread"]) == (20, 1)
