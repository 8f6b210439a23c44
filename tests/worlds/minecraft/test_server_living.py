"""Mobs, crops, trees, beds and loose blocks of the practice server, seen by a plain mineflayer bot."""

from __future__ import annotations

import pytest

from tests.worlds.minecraft.server_lab import scenario

pytestmark = pytest.mark.full


def test_animals_leave_meat_and_monsters_hurt() -> None:
    seen = scenario("living", "mobs")
    assert seen["cow"] >= 2, "a cow has ten points of health"
    assert seen["wear"] >= 1
    assert "beef" in seen["items"] or seen["beef"] > 0
    assert seen["hurt"] == 3
    assert seen["zombie"] >= 4, "a zombie has twenty points of health"


def test_monsters_come_at_night() -> None:
    assert scenario("living", "night") == {"came": True, "time": True}


def test_no_monster_sees_past_the_edge_of_a_block() -> None:
    seen = scenario("living", "sight")
    assert seen["open"] > 100 and seen["closed"] == 0


def test_soil_is_tilled_and_wheat_grows_ripe() -> None:
    assert scenario("living", "farming") == {"young": 0, "ripe": 7, "wheat": 1, "boneMeal": True}


def test_a_sapling_becomes_a_tree_and_leaves_without_a_trunk_fall() -> None:
    seen = scenario("living", "trees")
    assert 5 <= seen["height"] <= 7
    assert seen["before"] > 20 and seen["after"] == 0


def test_sleeping_brings_the_morning_and_the_place_to_come_back_to() -> None:
    seen = scenario("living", "sleeping")
    assert "not night" in seen["byDay"]
    assert seen["morning"] and seen["nearBed"]


def test_a_rod_catches_something() -> None:
    assert scenario("living", "fishing") == {"caught": 1, "wear": 1}


def test_water_sand_torches_and_lava() -> None:
    assert scenario("living", "matter") == {"dry": "air", "torch": "wall_torch", "bucket": 1}


def test_a_cow_gives_milk_and_a_sheep_is_shorn_once() -> None:
    seen = scenario("living", "animals")
    assert 1 <= seen.pop("shorn") <= 3
    assert seen == {"buckets": 0, "milk": 1, "blunt": 0, "again": 0, "wear": 1, "lives": True}
