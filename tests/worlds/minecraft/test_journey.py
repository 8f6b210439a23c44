"""From an empty inventory to a death, through the whole program: `autocraft run` with the scripted brain.

`journey.py` recorded the commands; there is no cheat among them, and none is allowed. With the same seed the same
commands give the same results, at whatever speed.
"""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from tests.conftest import PROGRAM, Place, kinds
from tests.worlds.minecraft.journey import RECORD, SETTINGS
from tests.worlds.minecraft.playing import node_environment

pytestmark = pytest.mark.full


def replay(place: Place, speed: str) -> list[dict[str, Any]]:
    """The events of a run that carries out the whole record."""
    steps = [json.loads(line) for line in RECORD.read_text().splitlines()]
    script = place.script(
        *((name, args) for name, args, _ in steps), ("task_complete", {"reason": "the journey is over"})
    )
    arguments = ["run", "--world", "minecraft", "--goal", "See the world", "--brain", "scripted", "--script", script]
    arguments += ["--continuous", "--seed", str(SETTINGS["seed"]), "--speed", speed, "--username", SETTINGS["username"]]
    environment = place.environment | node_environment() | {"AUTOCRAFT_FIGHT": "off", "AUTOCRAFT_EAT": "no"}
    done = subprocess.run(
        [*PROGRAM, *arguments], cwd=place.folder, env=environment, capture_output=True, text=True, timeout=1800
    )
    assert done.returncode == 6, done.stdout[-3000:] + done.stderr[-3000:]
    assert "To watch: Minecraft 1.16.5, Multiplayer, Direct Connection, 127.0.0.1:" in done.stdout
    return place.events()


def test_a_journey_from_wood_to_iron_and_death(place: Place) -> None:
    steps = [json.loads(line) for line in RECORD.read_text().splitlines()]
    events = replay(place, "0")
    results = kinds(events, "result")
    assert [(each["command"], each["ok"]) for each in results[:-1]] == [(name, ok) for name, _, ok in steps]
    said = "\n".join(each["text"] for each in results)
    milestones = ["Got 7 oak_log", "28 oak_planks", "1 crafting_table", "8 stick", "1 wooden_pickaxe", "cobblestone"]
    milestones += [
        "1 stone_pickaxe",
        "1 furnace",
        "Smelted 1 iron_ore to iron_ingot",
        "Put 1 iron_ingot into the chest",
    ]
    milestones += ["Took 1 iron_ingot out of the chest", "Killed ", "Ate ", "The bot died", "it has respawned"]
    assert [each for each in milestones if each not in said] == []
    notes = [event["text"] for event in kinds(events, "note")]
    assert not any("Server command" in note for note in notes) and "/give" not in json.dumps(kinds(events, "intent"))
    assert any("The bot died at" in note for note in notes)
    assert len(kinds(events, "intent")) == len(results)
    faster = Place(place.folder / "faster")
    faster.folder.mkdir()
    again = [each["text"] for each in kinds(replay(faster, "30"), "result")]
    assert again == [each["text"] for each in results], "the same at any speed"


def test_a_run_goes_on_in_the_same_world(place: Place) -> None:
    options = ["--brain", "scripted", "--continuous"]
    environment = node_environment()
    script = place.script(("mine_block", {"name": "oak_log"}))
    goal = ["--world", "minecraft", "--goal", "craft 4 oak_planks", "--speed", "0", "--seed", "1"]
    first = place.run("run", *goal, *options, "--script", script, **environment)
    assert first.returncode == 1 and "script has no answer left" in first.stdout + first.stderr
    script = place.script(
        ("mine_block", {"name": "oak_log"}), ("craft_item", {"name": "oak_planks", "count": 4}), ("task_complete", {})
    )
    second = place.run("run", "--resume", "last", *options, "--script", script, **environment)
    assert second.returncode == 0, second.stdout + second.stderr
    end = kinds(place.events(), "end")[-1]
    assert end["reason"] == "goal_reached" and end["inventory"] == {"oak_planks": 4}
    ticks = [event["ticks"] for event in place.events() if "ticks" in event]
    assert ticks == sorted(ticks) and ticks[0] < ticks[-1], "the world's clock goes on with it"


def test_what_does_not_belong_together_is_said(place: Place) -> None:
    said = place.run("run", "--world", "minecraft", "--inventory", "oak_log=1", "--goal", "x")
    assert said.returncode == 2 and "belong to the crafting world" in said.stderr
    said = place.run("run", "--world", "minecraft", "--server", "a b", "--goal", "x", **node_environment())
    assert said.returncode == 2 and "give HOST:PORT, or lan" in said.stderr
    nowhere = {**node_environment(), "AUTOCRAFT_NODE_MODULES": str(place.folder)}
    said = place.run("run", "--world", "minecraft", "--goal", "craft 1 stick", **nowhere)
    assert said.returncode == 1 and "holds no mineflayer" in said.stderr
