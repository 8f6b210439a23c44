"""Saving, ending, wrong options, and what strangers' clients may send to the practice server."""

from __future__ import annotations

from tests.worlds.minecraft.server_lab import scenario


def test_a_world_is_kept_over_a_restart_and_guarded() -> None:
    seen = scenario("keeping", "restart")
    assert seen["code"] == 0
    assert seen["files"] == ["columns", "world.json"], "the lock is gone"
    assert (seen["carried"], seen["kept"]) == (7, [["cobblestone", 5]])
    assert seen["there"] and seen["floor"] == "stone" and seen["time"] and seen["later"]
    assert seen["second"] == "another practice server (process N) uses FOLDER; stop it or name another folder"
    assert seen["otherSeed"] == "the world in FOLDER has the seed 1; start with that seed or name another folder"
    assert seen["damaged"] == "FOLDER/world.json is damaged; restore it, or name another folder"


def test_what_was_saved_survives_a_kill() -> None:
    assert scenario("keeping", "killed") == {"saved": True, "carried": {"cobblestone": 3}, "code": 0}


def test_wrong_options_are_one_line_each() -> None:
    seen = scenario("keeping", "options")
    assert seen["seed"] == "seed must be a whole number"
    assert seen["port"] == "port must be a port from 0 to 65535"
    assert seen["speed"].startswith("speed must be")
    assert seen["unknown"].startswith('no option is called "colour"; there are: port, seed')
    assert seen["folder"].endswith("cannot be used (ENOTDIR); name another one")
    assert seen["taken"].endswith("is in use; name another, or 0 for any free one")


def test_nonsense_ends_at_most_its_own_connection() -> None:
    seen = scenario("keeping", "nonsense")
    assert seen == {"stays": True, "given": 1, "bound": True, "code": 0, "uncaught": False}


def test_no_cheats_and_it_says_what_it_is() -> None:
    seen = scenario("keeping", "honest")
    assert seen["carried"] == {} and seen["health"] == 20
    assert "not vanilla" in seen["said"][0] and "not vanilla" in seen["motd"]
    assert seen["said"].count("This practice world runs without cheats.") == 3
    assert seen["pid"] and not seen["left"]
