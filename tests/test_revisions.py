"""Changes of goals in a person's words: phrases made of items and forms, and sentences that people type."""

from __future__ import annotations

import asyncio

import pytest

from autocraft.crafting.inventory import parse_inventory
from autocraft.goals import Goal
from autocraft.goals.revisions import read_goal, revise
from autocraft.goals.wording import WOODS
from autocraft.protocols import commands_of
from autocraft.worlds.crafting import CraftingWorld
from tests.live import live_registry
from tests.test_goals import NAMES

ITEMS = (
    "ladder",
    "stone_pickaxe",
    "torch",
    "oak_boat",
    "bucket",
    "golden_apple",
    "iron_ingot",
    "white_bed",
    "glass_pane",
)


def goals(*texts: str) -> tuple[Goal, ...]:
    return tuple(Goal.parse(text, NAMES) for text in texts)


def wanted(text: str, *old: str) -> list[tuple[tuple[str, int], ...]] | None:
    new = revise(text, goals(*old), NAMES)
    return None if new is None else [goal.items for goal in new]


REPLACING = ("craft {} instead", "{} instead", "no, {}", "please make {} instead", "actually {}", "I want {}",
             "instead, get {}", "what about {}?", "rather {}", "can you craft {}", "No. Make me {}!")  # fmt: skip
COUNTED = ("{} of them", "make it {}", "make {} of it", "only {}", "just {}", "no, {}", "get {} instead")


@pytest.mark.parametrize("form", REPLACING)
def test_another_thing(form: str) -> None:
    for item in ITEMS:
        spoken = item.replace("_", " ")
        assert wanted(form.format(f"a {spoken}"), "craft 4 stick") == [((item, 1),)], spoken
        assert wanted(form.format(f"3 {spoken}s"), "craft 4 stick", "get 1 torch") == [((item, 3),)], spoken


@pytest.mark.parametrize("form", COUNTED)
def test_another_count(form: str) -> None:
    for word, count in {"2": 2, "seven": 7, "a dozen": 12, "half a stack": 32, "twenty five": 25}.items():
        for item in ITEMS:
            assert wanted(form.format(word), f"craft 4 {item}") == [((item, count),)], (form.format(word), item)


@pytest.mark.parametrize(
    ("form", "count"),
    [("craft 1 {}, make it 3", 3), ("get me a {}. no, 2 of them", 2), ("4 sticks, no, a {}", 1), ("a {} instead", 1),
     ("make a {}; one more", 2), ("craft 2 {}, twice as many", 4), ("{}, please, make it half a stack", 32)],
)  # fmt: skip
def test_a_goal_may_change_itself(form: str, count: int) -> None:
    """`--goal "craft 1 ladder, make it 3"` means the same as the words at a question."""
    for item in ITEMS:
        goal = read_goal(form.format(item.replace("_", " ")), NAMES)
        assert (goal.items, goal.checkable) == (((item, count),), True), goal
        assert Goal.parse(goal.text, NAMES).items == goal.items
    assert read_goal("craft 4 sticks, not birch", NAMES).avoid == ("birch",)
    assert read_goal("craft 4 sticks; use oak", NAMES).materials == "using oak"


@pytest.mark.parametrize(
    ("text", "count"),
    [("twice as many", 8), ("double it", 8), ("3 more", 7), ("one more", 5), ("2 fewer", 2), ("half of them", 2)],
)
def test_a_count_by_the_old_one(text: str, count: int) -> None:
    assert wanted(text, "craft 4 stick") == [(("stick", count),)]


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("and a torch too", ["craft a ladder"], [(("ladder", 1),), (("torch", 1),)]),
        ("also 2 torches", ["craft a ladder"], [(("ladder", 1),), (("torch", 2),)]),
        ("forget the ladder", ["craft a ladder", "get 2 torches"], [(("torch", 2),)]),
        ("no torches", ["craft a ladder and 2 torches"], [(("ladder", 1),)]),
        ("make it stone", ["craft 1 wooden_pickaxe"], [(("stone_pickaxe", 1),)]),
        ("a gold one please", ["craft 1 wooden_pickaxe"], [(("golden_pickaxe", 1),)]),
        ("use birch", ["craft an oak door"], [(("birch_door", 1),)]),
        ("make it dark oak", ["make a door"], [(("dark_oak_door", 1),)]),
        ("in light blue", ["get a bed"], [(("light_blue_bed", 1),)]),
        ("not oak", ["craft an oak door"], [(("#door", 1),)]),
    ],
)
def test_other_changes(text: str, old: list[str], new: list[tuple[tuple[str, int], ...]]) -> None:
    assert wanted(text, *old) == new


@pytest.mark.parametrize(
    ("text", "deed"),
    [
        ("make it 3", "kill pig 3"),
        ("cows instead", "kill cow 1"),
        ("one more", "kill pig 3"),
        ("tear it down", "demolish 1"),
        ("no, take the house down please", "demolish house 1"),
        ("tear down everything", "demolish 0"),
        ("demolish all the houses you have built", "demolish house 0"),
    ],
)
def test_deeds_change_too(text: str, deed: str) -> None:
    (goal,) = revise(text, goals("kill 2 pigs"), NAMES) or ()
    assert [f"{each} {each.count}" for each in goal.deeds] == [deed]


@pytest.mark.parametrize("text", ["use oak", "with oak planks", "make it oak", "only oak wood please", "from oak"])
def test_a_wood_to_use(text: str) -> None:
    (goal,) = revise(text, goals("craft 4 stick"), NAMES) or ()
    assert goal.items == (("stick", 4),)
    assert {wood for wood in WOODS if goal.avoids(f"{wood}_planks")} == {*WOODS} - {"oak"}
    assert Goal.parse(goal.text, NAMES) == goal


@pytest.mark.parametrize(
    "text", ["not birch", "no birch", "without birch wood", "don't use birch", "anything but birch"]
)
def test_a_wood_to_avoid(text: str) -> None:
    (goal,) = revise(text, goals("craft 4 stick"), NAMES) or ()
    assert (goal.items, goal.avoid) == ((("stick", 4),), ("birch",))
    assert goal.avoids("stripped_birch_log") and not goal.avoids("oak_log")
    (twice,) = revise("no oak", [goal], NAMES) or ()
    assert twice.avoid == ("birch", "oak")


@pytest.mark.parametrize(
    "text",
    ["why?", "are you sure", "not now", "no", "that is wrong", "go faster", "make it so", "make me happy", "hurry up",
     "don't craft it", "stop crafting sticks", "sticks are useless", "craft something else", "use the table",
     "use a hammer", "is a ladder better?", "a ladder or a torch", "if you can, a ladder", "2", "never make a ladder",
     "not wood", "the stick is for a ladder", "how many sticks", "what is a ladder", "make it stone"],
)  # fmt: skip
def test_what_is_no_clear_change_is_not_guessed(text: str) -> None:
    assert revise(text, goals("craft 4 stick"), NAMES) is None


def test_the_planner_uses_nothing_that_is_avoided() -> None:
    table = parse_inventory("birch_planks=8,oak_planks=8")
    for text, left in {
        "not birch": {"birch_planks": 8, "oak_planks": 6},
        "use birch": {"birch_planks": 6, "oak_planks": 8},
    }.items():
        world = CraftingWorld(table.copy())
        new = revise(text, goals("craft 4 stick"), world.items) or ()
        asyncio.run(pursue(world, new))
        assert world.table.counts() == {**left, "stick": 4}
    (coal,) = goals("craft 4 torch without coal")
    short = CraftingWorld(parse_inventory("coal=4,stick=4")).plan_now([coal])
    assert short.verdict == "not found" and short.why.startswith("without coal, ")


async def pursue(world: CraftingWorld, new: tuple[Goal, ...]) -> None:

    registry = live_registry(commands_of(world))
    for _ in range(20):
        found = await world.plan(new)
        assert found.verdict == "found", found.why
        if not found.steps:
            return
        step = found.steps[0]
        done = await registry.call(registry.bind(step.name, step.args))
        assert done.ok, done.text
    raise AssertionError("the plan does not end")
