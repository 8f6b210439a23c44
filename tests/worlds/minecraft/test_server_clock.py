"""One virtual clock: the same script gives the same packets at any speed; frozen and held worlds stand still."""

from __future__ import annotations

import pytest

from tests.worlds.minecraft.server_lab import scenario

SAME = ("ticks", "hash", "slots", "tick", "time", "entities")


@pytest.mark.full
def test_the_same_script_gives_the_same_packets_at_any_speed() -> None:
    seen = scenario("lockstep", "sameAtAnySpeed")
    first = {name: seen["one"][name] for name in SAME}
    assert first["tick"] == 120 and first["slots"]["36"] is not None
    for speed in ("ten", "fast"):
        assert {name: seen[speed][name] for name in SAME} == first, speed
        assert seen[speed]["log"] == []


@pytest.mark.full
def test_a_thousand_ticks_with_mobs_are_the_same_too() -> None:
    seen = scenario("lockstep", "longer")
    assert {name: seen["ten"][name] for name in SAME} == {name: seen["fast"][name] for name in SAME}


@pytest.mark.full
def test_an_idle_lockstep_client_holds_the_world_and_stays_alive() -> None:
    seen = scenario("lockstep", "holding")
    assert (seen["frozen"], seen["held"], seen["heldStill"]) == (0, 5, 5)
    assert seen["refused"].startswith("n must be a number of ticks")
    assert seen["alone"] == "the world stands still while nobody is in it; join first"
    assert seen["code"] == 0


@pytest.mark.full
def test_frozen_exactly_the_asked_ticks_pass() -> None:
    seen = scenario("lockstep", "frozen")
    assert seen["reached"] == [1, 8, 48]
    assert (seen["end"], seen["speed"], seen["code"]) == (48, 3, 0)
    speed = "speed must be a number from 0 (as fast as it goes) to 1000"
    unknown = "no request is called {}; there are: freeze, thaw, speed, tick, save, state, stop"
    assert seen["errors"][:4] == [speed, speed, unknown.format("nonsense"), unknown.format("constructor")]
    assert seen["errors"][4].startswith("n must be")
