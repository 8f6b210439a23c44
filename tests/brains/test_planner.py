"""The planner brain with single moves: as few as can be, followed while the world allows, planned anew when not."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from autocraft.brains.planner import PlannerBrain
from autocraft.crafting.examples import load_example, load_examples
from autocraft.crafting.inventory import parse_inventory
from autocraft.crafting.minimal.planner import minimal_plan
from autocraft.crafting.route import Route
from autocraft.crafting.table import CraftingTable
from autocraft.errors import BrainError, IllegalMove
from autocraft.goals import Goal
from autocraft.protocols import Call, Risk, Step
from autocraft.worlds.crafting import CraftingWorld


class Run:
    """A world and its planner, turn by turn; `routes` are the plans that were made, each once."""

    remaining_memories: Sequence[Any] = ()

    def __init__(self, table: CraftingTable, goals: Sequence[Goal], low_level: bool = True) -> None:
        self.world = CraftingWorld(table)
        self.goals = list(goals)
        self.brain = PlannerBrain(self.world, self, low_level=low_level)
        self.commands = {each.name: each for each in self.world.commands()}
        self.routes: list[Route | None] = []
        self.texts: list[str] = []
        self.actions: list[str] = []

    def think(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(asyncio.run(self.brain.think([])).text)
        if not self.routes or self.world.route is not self.routes[-1]:
            self.routes.append(self.world.route)
        self.texts.append(answer["thoughts"]["text"])
        return answer

    def turn(self) -> str:
        """Think and act; the name of the command."""
        command = self.think()["command"]
        if command["name"] in self.commands:
            made = self.commands[command["name"]]
            asyncio.run(made.run(self.world, Call(made, command["args"], Risk.CHANGE), **command["args"]))  # type: ignore[arg-type]
            self.actions.append(command["name"])
        return str(command["name"])

    def to_end(self) -> str:
        while len(self.actions) < 100:
            name = self.turn()
            if name not in self.commands:
                return name
        return "endless"


def goal(item: str, count: int = 1) -> Goal:
    return Goal(f"craft {count} {item}", ((item, count),))


def test_an_undisturbed_run_is_planned_once_and_takes_the_fewest_moves() -> None:
    run = Run(parse_inventory("bamboo=14"), [goal("ladder")])
    assert run.to_end() == "task_complete"
    assert len(run.actions) == 16
    assert set(run.actions) == {"move"}
    assert len(run.routes) == 1
    assert run.texts[0] == "16 steps are left, proven to be the fewest."
    assert run.texts[-2:] == ["One step is left, proven to be the fewest.", "Everything is there."]
    assert run.world.table.counts()["ladder"] >= 1


@pytest.mark.parametrize("name", ["TEST0014", "TEST0018", "VAL0100", "TRAIN0010"])
def test_examples_take_their_minimum(name: str) -> None:
    example = load_example(name)
    least = minimal_plan(example.table(), [example.goal])
    run = Run(example.table(), [example.goal])
    assert run.to_end() == "task_complete"
    assert len(run.actions) == len(least.actions)
    assert least.minimal
    assert len(run.routes) == 1
    assert set(run.actions) <= {"move", "smelt"}


@pytest.mark.full
def test_every_solvable_example_takes_its_minimum() -> None:
    total = 0
    for example in load_examples("test").values():
        run = Run(example.table(), [example.goal])
        if not example.impossible:
            assert run.to_end() == "task_complete", example.id
            assert len(run.routes) == 1, example.id
            total += len(run.actions)
    assert total == 3558


def test_what_a_person_did_in_between_is_planned_around() -> None:
    run = Run(parse_inventory("oak_log=3,cobblestone=3"), [goal("stone_pickaxe")])
    for _ in range(2):
        run.turn()
    table = run.world.table
    table.move(10, 45, 1)
    run.world.restore({"slots": table.to_json()})
    assert run.to_end() == "task_complete"
    assert len(run.routes) == 2
    assert run.world.table.counts()["stone_pickaxe"] == 1


def test_taking_a_step_back_needs_no_new_plan() -> None:
    run = Run(parse_inventory("oak_log=3"), [goal("stick")])
    before = run.world.snapshot()
    assert [run.turn(), run.turn()] == ["move", "move"]
    run.world.restore(before)
    assert run.to_end() == "task_complete"
    assert len(run.routes) == 1
    assert run.texts[2] == run.texts[0]


def test_new_goals_are_planned_for() -> None:
    run = Run(parse_inventory("oak_log=3"), [goal("stick")])
    run.turn()
    run.goals = [goal("crafting_table")]
    assert run.to_end() == "task_complete"
    assert len(run.routes) == 2
    assert run.world.table.counts()["crafting_table"] == 1


def test_it_goes_on_from_the_middle_of_an_episode() -> None:
    rng = random.Random(3)
    for example in [each for each in load_examples("val").values() if each.level == "medium"][:8]:
        table = example.table()
        for _ in range(40):
            source, target = rng.choice(table.stacks())[0], rng.randint(1, 45)
            try:
                table.move(source, target, 1)
            except IllegalMove:
                continue
        run = Run(table, [example.goal])
        assert run.to_end() == "task_complete", example.id
        assert len(run.routes) == 1, example.id


def test_a_goal_of_a_kind_is_planned_once() -> None:
    run = Run(parse_inventory("oak_log=2,birch_log=1"), [Goal("craft 8 planks", (("#planks", 8),))])
    assert run.to_end() == "task_complete"
    assert len(run.routes) == 1


def test_a_plan_for_one_of_a_kind_is_not_called_the_fewest() -> None:
    world = CraftingWorld(parse_inventory("acacia_log=2,birch_planks=6"))
    plan = asyncio.run(world.plan([Goal.parse("craft 1 door", world.items)], low_level=True))
    assert (len(plan.steps), plan.why) == (7, "the fewest known")


def ladder_route(start: CraftingTable) -> Route:
    world = CraftingWorld(start)
    asyncio.run(world.plan([goal("ladder")], low_level=True))
    assert world.route is not None
    return world.route


@pytest.mark.parametrize(
    ("least", "why"),
    [
        (16, "proven to be the fewest"),
        (12, "the fewest known, fewer than 12 cannot do"),
        (1, "the fewest known"),
    ],
)
def test_only_a_bound_that_is_met_is_called_the_fewest(least: int, why: str) -> None:
    start, wanted = parse_inventory("bamboo=14"), [goal("ladder")]
    route = ladder_route(start)._replace(least=least)
    plan = route.rest(start, wanted)
    assert plan is not None
    assert (len(plan.steps), plan.why) == (16, why)
    later = route.rest(route.tables[4], wanted)
    assert later is not None
    assert (len(later.steps), later.why) == (12, why.replace("12", "8"))
    assert route.rest(start, [goal("ladder", 2)]) is None
    assert route.rest(parse_inventory("bamboo=13"), wanted) is None


def test_a_detour_of_the_route_is_left_out_and_never_goes_in_circles() -> None:
    """A soak found it: a run that was resumed moved the same items to and fro for 80,000 turns."""
    start, wanted = parse_inventory("bamboo=14"), [goal("ladder")]
    route = ladder_route(start)
    there = start.copy()
    there.move(10, 40, 3)
    ways = (("[I1]", "[I31]"), ("[I31]", "[I1]"))
    aside, back = (Step("move", {"source": source, "target": to, "quantity": 3}) for source, to in ways)
    longer = replace(route.plan, steps=(aside, back, *route.plan.steps))
    detour = route._replace(tables=(start, there, *route.tables), plan=longer)
    plan = detour.rest(start, wanted)
    assert plan is not None and tuple(plan.steps) == route.plan.steps
    later = detour.rest(there, wanted)
    assert later is not None and tuple(later.steps) == (back, *route.plan.steps)


def test_what_cannot_be_done_or_understood_is_said() -> None:
    run = Run(parse_inventory("oak_log=1"), [goal("diamond_sword")])
    answer = run.think()
    assert answer["command"]["name"] == "impossible"
    assert "2 more diamond" in answer["command"]["args"]["reason"]
    assert run.routes == [None]
    with pytest.raises(BrainError, match="does not understand the goal 'build a castle'"):
        Run(parse_inventory("oak_log=1"), [Goal("build a castle", ())]).think()
    with pytest.raises(BrainError, match="no item 'unobtainium'"):
        Run(parse_inventory("oak_log=1"), [goal("unobtainium")]).think()


def test_whole_recipes_are_still_what_it_says_without_low_level() -> None:
    run = Run(parse_inventory("oak_log=3,cobblestone=3"), [goal("stone_pickaxe")], low_level=False)
    assert run.to_end() == "task_complete"
    assert set(run.actions) == {"craft_item"}
    assert run.texts[0] == "3 steps are left."
    assert run.routes == [None]
