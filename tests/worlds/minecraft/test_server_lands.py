"""The generated world: ores by height, seeds, biomes, trees, caves and where one begins."""

from __future__ import annotations

import pytest

from tests.worlds.minecraft.server_lab import scenario

pytestmark = pytest.mark.full

HIGHEST = {"coal_ore": 127, "iron_ore": 63, "gold_ore": 31, "redstone_ore": 15, "diamond_ore": 15, "lapis_ore": 30}
SPILL = 2
"""A vein may reach this far above the height that its middle keeps to."""


def test_ores_keep_to_their_heights_and_rates() -> None:
    seen = scenario("lands", "histogram")
    columns, found = seen["columns"], seen["found"]
    each = {name: sum(heights.values()) / columns for name, heights in found.items()}
    for name, highest in HIGHEST.items():
        assert max(map(int, found[name])) <= highest + SPILL, name
        assert min(map(int, found[name])) >= 1, name
    # Blocks per column; Minecraft's veins of 17, 9, 9, 8, 8 and 7 make about so many.
    for name, low, high in (
        ("coal_ore", 120, 260),
        ("iron_ore", 70, 140),
        ("gold_ore", 7, 14),
        ("redstone_ore", 20, 40),
        ("diamond_ore", 2.5, 5),
        ("lapis_ore", 2.5, 6),
    ):
        assert low <= each[name] <= high, (name, each[name])
    lava = [int(y) for y in found["lava"] if int(y) < 60]
    assert max(lava) == 10, "caves are full of lava up to y 10"
    assert max(map(int, found["bedrock"])) == 4
    assert max(map(int, found["water"])) == 62


def test_about_one_vein_of_diamonds_per_column() -> None:
    seen = scenario("lands", "diamondVeins")
    assert 0.75 <= seen["veins"] / seen["columns"] <= 1.25
    assert 3 <= seen["diamonds"] / seen["veins"] <= 6


def test_as_many_veins_as_in_minecraft_and_as_large() -> None:
    seen = scenario("lands", "solid")
    # Attempts per column times the blocks of a whole vein of size 17, 9, 9, 8, 8 and 7.
    wanted = {"coal_ore": 20 * 22.2, "iron_ore": 20 * 6.8, "gold_ore": 2 * 6.8, "redstone_ore": 8 * 5.7}
    wanted |= {"diamond_ore": 5.7, "lapis_ore": 5.0}
    for name, each in wanted.items():
        assert 0.8 * each <= seen["ores"][name] / seen["columns"] <= 1.1 * each, name


def test_the_seed_decides_alone() -> None:
    assert scenario("lands", "seeds") == {"same": True, "other": False}


def test_biomes_caves_and_a_good_place_to_begin() -> None:
    seen = scenario("lands", "variety")
    assert {"plains", "forest", "birch_forest", "taiga", "desert", "savanna", "jungle", "dark_forest"} <= set(
        seen["biomes"]
    )
    assert 0.02 <= seen["hollow"] <= 0.15
    for place in seen["spawns"]:
        assert (place["below"], place["feet"], place["head"]) == ("grass_block", "air", "air"), place
        assert place["logs"] >= 20, place


def test_each_kind_of_tree_grows_somewhere() -> None:
    kinds = scenario("lands", "kinds")
    assert set(kinds) == {f"{kind}_log" for kind in ("oak", "birch", "spruce", "jungle", "acacia", "dark_oak")}
