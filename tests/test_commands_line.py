"""The commands beside `run`: what would be sent, what it would cost, what a broken answer says."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pexpect
import pytest

from tests.conftest import STONE_PICKAXE, Place
from tests.worlds.minecraft.playing import node_environment

BROKEN = 'Sure!\n```json\n{"command": {"name": "craft_item", args: {"name": "stick",}}}\n```'


def test_prompt_prints_what_would_be_sent_and_keeps_nothing(place: Place) -> None:
    done = place.run("prompt", *STONE_PICKAXE)
    assert done.returncode == 0
    for words in ("--- system", "1. craft 1 stone_pickaxe", '"craft_item"', "--- user", "oak_log [I1] quantity 3"):
        assert words in done.stdout
    assert "--- about " in done.stdout
    assert not (place.state / "sessions").exists()


@pytest.mark.parametrize(("world", "shown"), [("crafting", "oak_log [I1]"), ("minecraft", "Biome: ")])
@pytest.mark.sampled(1)
def test_prompt_shows_either_world_and_takes_any_goal_without_a_key(place: Place, world: str, shown: str) -> None:
    """A run of the planner refuses such a goal, but a prompt is what any model would be sent."""
    asked = ["--goal", "build a small house", "--world", world]
    done = place.run("prompt", *asked, **(node_environment() if world == "minecraft" else {}))
    assert (done.returncode, done.stderr) == (0, "")
    assert "1. build a small house" in done.stdout and shown in done.stdout.partition("--- user")[2]


def test_prompt_may_be_asked_while_a_run_goes_on(place: Place) -> None:
    """It takes no lock: the workspace stays free."""
    place.run("prompt", *STONE_PICKAXE)
    assert place.run("run", *STONE_PICKAXE, "--continuous").returncode == 0


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ({}, "About 3 steps (as many as the planner needs). This brain costs nothing."),
        ({"OPENAI_BASE_URL": "http://models.example/v1", "SMART_LLM_MODEL": "gpt-5-mini"}, "received, about $0.0"),
        ({"OPENAI_BASE_URL": "http://models.example/v1", "SMART_LLM_MODEL": "llama"}, "at an unknown price"),
    ],
)
def test_dry_run_estimates_and_calls_nobody(place: Place, model: dict[str, str], said: str) -> None:
    done = place.run("run", *STONE_PICKAXE, "--dry-run", **model)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
    assert not (place.state / "sessions").exists()


def test_fix_json_shows_command_stage_and_what_was_mended(place: Place) -> None:
    done = place.run("fix-json", stdin=BROKEN)
    assert done.returncode == 0
    assert '"name": "stick"' in done.stdout
    assert "stage: brace slice" in done.stdout
    assert "superfluous commas were left out" in done.stdout
    assert "\x1b" not in done.stdout


def test_fix_json_refuses_with_1(place: Place) -> None:
    done = place.run("fix-json", stdin='{"command": {"name": "write_to_file", "args": {"text": "cut he')
    assert done.returncode == 1
    assert "cut off before the command's arguments were complete" in done.stdout


def test_fix_json_reads_a_file_and_names_a_missing_one(place: Place) -> None:
    (place.folder / "answer.txt").write_text(BROKEN)
    assert place.run("fix-json", "answer.txt").returncode == 0
    missing = place.run("fix-json", "none.txt")
    assert missing.returncode == 2
    assert "cannot read none.txt" in missing.stderr


@pytest.mark.parametrize(("env", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_fix_json_colours_its_diff_only_where_it_may(
    place: Place, terminal: Callable[..., Any], env: dict[str, str], coloured: bool
) -> None:
    (place.folder / "answer.txt").write_text(BROKEN)
    child = terminal("fix-json", "answer.txt", **{"TERM": "xterm", **env})
    child.expect(pexpect.EOF)
    assert ("\x1b[31m-" in child.before) is coloured


def test_fix_json_by_lines(place: Place) -> None:
    lines = [{"id": "a", "text": BROKEN}, {"id": 2, "text": "no command"}]
    odd = json.dumps({"id": "\u2028", "text": '{"command": "wait"}'}, ensure_ascii=False)
    done = place.run("fix-json", "--jsonl", stdin="\n".join([*map(json.dumps, lines), "not json", "", "[]", odd]))
    assert done.returncode == 0
    read = [json.loads(line) for line in done.stdout.splitlines()]
    assert read[0] == {"id": "a", "name": "craft_item", "args": {"name": "stick"}, "stage": "brace slice"}
    assert read[1]["id"] == 2
    assert "holds no command" in read[1]["error"]
    assert read[2]["error"].startswith("line 3 is not")
    assert read[3]["error"].startswith("line 5 is not")
    assert read[4] == {"id": "\u2028", "name": "wait", "args": {}, "stage": "plain"}
