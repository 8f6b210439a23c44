"""The commands that a model is told, and a prompt that begins with what is the same for every goal."""

from __future__ import annotations

import asyncio
import json
import re

import pytest

from autocraft.app import every_command
from autocraft.commands.settings import SMALL_WINDOW, CommandSettings
from autocraft.errors import UsageError
from autocraft.protocols import Risk
from autocraft.settings.config import Config
from autocraft.settings.settings import Settings
from tests.brains.stand_in import Reply, StandIn, streamed
from tests.conftest import Place, kinds
from tests.mcp.clients import over_stdio

GOALS = ("craft 1 stone_pickaxe", "get 8 torches", "craft 1 ladder")
WORLD = ["move", "smelt", "craft_item", "smelt_item", "search_recipe", "show_inventory", "plan_item", "next_steps"]
CONTROL = ["task_complete", "impossible", "do_nothing", "wait", "ask_human"]


def told(text: str) -> list[str]:
    """Return the names in the list of commands of a prompt."""
    return re.findall(r'^\d+\. .*: "([\w.]+)", args:', text, re.MULTILINE)


def prompt(place: Place, *arguments: str, **environment: str) -> str:
    return place.run("prompt", "--brain", "planner", *arguments, **environment).stdout


def test_the_prompt_of_a_small_model_fits_and_most_of_it_is_the_same_for_every_goal(place: Place) -> None:
    """1,186 tokens of cl100k_base on 27 November 2026, estimated as 1,169. Other goals share 93 and 96 % of them."""
    first, *others = (prompt(place, "--commands", "world", "--goal", goal).split("--- about ") for goal in GOALS)
    assert int(first[1].split()[0]) <= 1_180, "which are 1,200 of cl100k_base"
    for text, _ in others:
        same = next(at for at, (one, other) in enumerate(zip(first[0], text, strict=False)) if one != other)
        assert same >= 0.85 * len(first[0])
    (share,) = re.findall(r"^The first (\d+)% are the same for the goal 'craft 1 ladder'", first[1], re.MULTILINE)
    assert int(share) >= 85
    parts = dict(re.findall(r"^([a-z ]+?) {2,}(\d+) ", first[1], re.MULTILINE))
    assert {"constraints", "commands", "response format", "world", "advice", "goals"} <= parts.keys()
    assert abs(sum(map(int, parts.values())) - int(first[1].split()[0])) < 20


@pytest.mark.parametrize(
    ("choice", "has", "lacks"),
    [
        ("world", WORLD + CONTROL, ["read_file", "start_agent"]),
        ("world,files", [*WORLD, *CONTROL, "read_file"], ["google"]),
        ("files", [*CONTROL, "read_file"], ["craft_item"]),
        ("all", [*WORLD, *CONTROL, "read_file", "google", "start_agent"], []),
        ("", [*WORLD, "google"], []),
    ],
)
def test_families_by_name(place: Place, choice: str, has: list[str], lacks: list[str]) -> None:
    names = told(prompt(place, *(["--commands", choice] if choice else []), GOALS[0]))
    assert set(has) <= set(names) and not set(lacks) & set(names)


def test_an_unknown_family_is_named(place: Place) -> None:
    failed = place.run("run", "--commands", "wrld", GOALS[0])
    assert "--commands 'wrld' is not a family of commands: did you mean" in failed.stderr


@pytest.mark.parametrize(("window", "families"), [(0, None), (SMALL_WINDOW, {"world", "control"}), (16_000, None)])
def test_a_small_window_means_the_commands_of_the_world(window: int, families: set[str] | None) -> None:
    assert CommandSettings().families(window) == families
    assert CommandSettings(commands="all").families(window) is None
    with pytest.raises(UsageError):
        CommandSettings(commands="x").families(window)


@pytest.mark.parametrize("window", [4_096, 32_768])
def test_the_greeting_says_how_many_commands_a_model_is_told(place: Place, stand_in: StandIn, window: int) -> None:
    model = {"id": "small", "object": "model", "created": 1, "owned_by": "x", "max_model_len": window}
    stand_in.models = Reply(chunks=[json.dumps({"object": "list", "data": [model]}).encode()])
    stand_in.replies = [streamed('{"command": {"name": "read_file", "args": {"file": "x"}}}'), streamed(
        '{"command": {"name": "impossible", "args": {"reason": "x"}}}')]  # fmt: skip
    said = place.run(
        "run", GOALS[0], "--continuous", "--max-steps", "2", OPENAI_BASE_URL=stand_in.url, SMART_LLM_MODEL="small",
    ).stdout  # fmt: skip
    names = told("\n".join(message["content"] for message in stand_in.requests[0]["messages"]))
    small = window <= SMALL_WINDOW
    assert ("read_file" in names) != small
    line = re.search(r"^Commands: (\d+)(?: of (\d+))?", said, re.MULTILINE)
    assert line and int(line[1]) == len(names) and bool(line[2]) == small
    assert kinds(place.events(), "result")[0]["command"] == "read_file", "a command that is not told is accepted"


def test_what_a_rule_always_denies_leaves_the_list(place: Place) -> None:
    rules = [
        ("google", "", "deny"), ("browse_website", '\nargs = { url = "x*" }', "deny"), ("read_file", "", "allow"),
        ("read_*", "", "deny"), ("start_agent", '\nagent = "helper"', "deny"), ("list_*", "", "deny"),
    ]  # fmt: skip
    (place.folder / "rules.toml").write_text(
        "".join(f'[[policy.rule]]\ncommand = "{name}"{more}\nthen = "{then}"\n' for name, more, then in rules)
    )
    names = told(prompt(place, "--policy", "rules.toml", GOALS[0]))
    assert not {"google", "list_files", "list_skills", "list_agents"} & set(names)
    assert {"browse_website", "read_file", "start_agent"} <= set(names)


@pytest.mark.parametrize("choice", ["world", "all"])
@pytest.mark.full
def test_a_client_of_mcp_is_told_the_same(place: Place, choice: str) -> None:
    async def names() -> set[str]:
        async with over_stdio(place, "--commands", choice, GOALS[0]) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    found = asyncio.run(names())
    assert {*WORLD, "task_complete", "observe"} <= found and ("read_file" in found) == (choice == "all")


@pytest.mark.parametrize("world", ["crafting", "minecraft"])
def test_each_command_that_can_destroy_something_says_what(world: str) -> None:
    registry = every_command(Config(Settings({"disabled": ["own"], "world": world}, {})))
    risky = [each for each in registry.everything() if each.tier in (None, Risk.DESTROY)]
    silent = [each.name for each in risky if not getattr(each.owner, "network", False) and each.hook("warning") is None]
    assert risky and not silent, "give it @NAME.warning, or its family the method warning"
