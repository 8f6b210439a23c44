"""The planner's next command ends what a model sees of the world, in a run, in `learn` and over MCP."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from autocraft import Brain, Config, open_run
from autocraft.crafting.inventory import parse_inventory
from autocraft.goals import Goal
from autocraft.learning.writing import call_of
from autocraft.protocols import Answer, Plan, Step
from autocraft.worlds.advice import advice_line, advise
from autocraft.worlds.crafting import CraftingWorld
from tests.conftest import Place
from tests.learning.test_endpoint import Model, learn
from tests.mcp.clients import RUN, over_stdio, says, text_of, values
from tests.worlds.minecraft.playing import node_environment

DIG = Step("dig", {"x": 1}, "w")
GOAL = "craft 1 stone_pickaxe"


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return {"memory": "none", "state_dir": tmp_path / "state", "continuous": True}


def written(text: str) -> list[str]:
    """Return the commands that a text writes in full."""
    return re.findall(r"Next: `(\{[^`]*\})`", text)


class Copier(Brain):
    """Answers with the last command that its prompt writes in full, after some answers of its own."""

    name, asks_model = "copier", True

    def __init__(self, *first: str) -> None:
        self.first = list(first)
        self.heard: list[str] = []

    async def think(self, messages: Any, **options: Any) -> Answer:
        self.heard.append(messages[-1].content)
        if self.first:
            return Answer(self.first.pop(0))
        return Answer(f'{{"command": {written(self.heard[-1])[-1]}}}')


def play(settings: dict[str, Any], brain: Copier, goal: str = GOAL, **options: Any) -> Any:
    """Return the event that ends the run."""

    async def run() -> Any:
        async with open_run(goal, config=Config(**settings), brain=brain, **options) as opened:
            return [event async for event in opened][-1]

    return asyncio.run(run())


def command(name: str, /, **args: Any) -> str:
    return json.dumps({"command": {"name": name, "args": args}})


@pytest.mark.parametrize(
    ("inventory", "goal", "reason", "turns"),
    [
        ("oak_log=3,cobblestone=3", GOAL, "goal_reached", 3),
        ("oak_log=64,coal=8", "get 8 torches", "goal_reached", 3),
        ("sand=8", "get 8 glass", "goal_reached", 1),
        ("oak_log=3", GOAL, "impossible", 1),
        ("stick=64", "get 64 stick", "goal_reached", 0),
    ],
)
def test_a_copier_plays_a_run_to_its_end(
    settings: dict[str, Any], inventory: str, goal: str, reason: str, turns: int
) -> None:
    brain = Copier()
    end = play({**settings, "inventory": inventory}, brain, goal)
    assert (end.reason, len(brain.heard)) == (reason, turns), brain.heard


def test_the_line_has_the_whole_amount_and_ends_the_text_of_the_world(settings: dict[str, Any]) -> None:
    brain = Copier()
    play({**settings, "inventory": "sand=8"}, brain, "get 8 glass")
    assert json.loads(written(brain.heard[0])[0]) == {"name": "smelt_item", "args": {"name": "sand", "count": 8}}
    world = brain.heard[0].split("</data>")[0]
    assert world.rstrip().splitlines()[-1].startswith("Next: `")


@pytest.mark.full
def test_a_copier_plays_minecraft(settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each state of the Minecraft world ends with the next command in full, until its check ends the run."""
    for name, value in node_environment().items():
        monkeypatch.setenv(name, value)
    brain = Copier()
    practice = {**settings, "world": "minecraft", "speed": 0.0, "seed": 1}
    end = play(practice, brain, 'say "hello", then craft 1 stick')
    assert end.reason == "goal_reached", (end, brain.heard[-1][-800:])
    worlds = [text.split("</data>")[-2].rstrip().splitlines()[-1] for text in brain.heard]
    assert len(worlds) >= 4 and all(line.startswith("Next: `{") for line in worlds), worlds


def test_no_advice_leaves_it_out(settings: dict[str, Any]) -> None:
    brain = Copier(command("impossible", reason="x"))
    play({**settings, "inventory": "oak_log=3", "advice": False}, brain)
    assert not any("Next: `" in text or "Proven" in text for text in brain.heard)


def test_a_repeated_command_is_named_at_once(settings: dict[str, Any]) -> None:
    look = command("search_recipe", name="stick")
    brain = Copier(look, look)
    play({**settings, "inventory": "oak_log=3,cobblestone=3"}, brain)
    assert ["was tried 2 times with the same result" in text for text in brain.heard] == [
        False,
        False,
        True,
        *2 * [False],
    ]


@pytest.mark.parametrize(
    ("plan", "offered", "line"),
    [
        (Plan("not found", why="x"), ["impossible"], ""),
        (Plan("found", (Step("dig", {}),)), ["impossible"], ""),
        (Plan("impossible", why="a"), [], "Proven impossible: g, since a."),
        (Plan("found", (DIG, DIG)), ["dig"], 'Next: `{"name": "dig", "args": {"x": 1}}` (w; then 1 more step)'),
        (Plan("found"), ["task_complete"], 'Next: `{"name": "task_complete", "args": {}}` (all goals are reached)'),
    ],
)  # fmt: skip
def test_only_what_is_on_offer_is_written(plan: Plan, offered: list[str], line: str) -> None:
    assert advice_line(plan, [Goal("g", (("g", 1),))], offered) == line


def test_the_words_of_the_person_come_before_it() -> None:
    plan = Plan("found", (Step("dig", {}),))
    assert "words of the person come first" in advice_line(plan, [Goal("g")], ["dig"], feedback=True)


def test_a_goal_in_free_words_has_no_line() -> None:
    world = CraftingWorld(parse_inventory("oak_log=1"))
    goals = [Goal.parse("craft 1 stick", world.items), Goal("be happy")]
    assert asyncio.run(advise(world, goals, ["craft_item", "smelt_item"])) == ""
    assert asyncio.run(advise(world, [], ["craft_item", "smelt_item"])) == ""
    moves = asyncio.run(advise(world, goals[:1], ["move", "smelt"]))
    assert moves.startswith('Next: `{"name": "move", "args": {"source": "[I1]"')


@pytest.mark.parametrize("advice", [True, False])
@pytest.mark.full
def test_a_client_of_mcp_gets_the_same_line(place: Place, advice: bool) -> None:
    flags = ["--inventory", "oak_log=3,cobblestone=3", *([] if advice else ["--no-advice"])]

    async def play() -> None:
        async with over_stdio(place, GOAL, *flags, person=says(RUN)) as client:
            text = values(await client.call_tool("observe", {}))["data"]
            if not advice:
                made = await client.call_tool("craft_item", {"name": "oak_planks", "count": 4})
                assert "Next: `" not in text + text_of(made)
                return
            shown = await client.read_resource("autocraft://observation")
            assert written(shown.contents[0].text) == written(text)  # type: ignore[union-attr]
            for _ in range(4):
                step = json.loads(written(text)[-1])
                done = await client.call_tool(step["name"], step["args"])
                text = text_of(done)
            assert values(done)["inventory"]["stone_pickaxe"] == 1 and step["name"] == "task_complete"

    asyncio.run(play())


@pytest.mark.parametrize("flags", [[], ["--advice"]], ids=["as Voyager", "advice"])
@pytest.mark.sampled(1)
def test_learn_writes_it_as_the_call_of_a_program(place: Place, stand_in: Any, flags: list[str]) -> None:
    model = Model(stand_in)
    learn(place, model, "--iterations", "1", *flags)
    assert ("Next: `await craftItem(bot, 'oak_planks', 1)`" in model.asked("action")[0]) == bool(flags)
    assert ("assisted by the planner" in place.run("report").stdout) == bool(flags)


def test_every_call_is_a_function_that_programs_have() -> None:
    text = (Path(__file__).parents[1] / "prompts" / "learn_primitives.js").read_text()
    calls = {name: call_of(name, {"name": "x", "count": 2}) for name in (
        "craft_item", "smelt_item", "mine_block", "kill_mob", "goto_block", "collect", "fill_bucket")}  # fmt: skip
    for name, call in calls.items():
        function = re.match(r"await (\w+)\(bot, 'x'", call)
        assert function and f"{function[1]}(bot" in text, name
    assert call_of("shelter", {}) == ""


@pytest.mark.parametrize(
    ("item", "count", "times"),
    [
        ("oak_planks", 4, 1),
        ("oak_planks", 5, 2),
        ("torch", 8, 2),
        ("ladder", 6, 2),
        ("stone_pickaxe", 1, 1),
        ("x", 3, 3),
    ],
)
def test_the_call_of_a_program_does_the_recipe_as_often_as_the_whole_amount_needs(
    item: str, count: int, times: int
) -> None:
    assert call_of("craft_item", {"name": item, "count": count}) == f"await craftItem(bot, '{item}', {times})"
