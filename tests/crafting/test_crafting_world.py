"""The world's commands, check, snapshots, and the inventories it starts from."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
from typing import Any

import pytest

from autocraft.crafting import execute
from autocraft.crafting.inventory import parse_inventory, starting_table
from autocraft.crafting.recipes import load_book
from autocraft.crafting.table import CraftingTable
from autocraft.errors import CommandError, IllegalMove, UsageError
from autocraft.goals import Goal
from autocraft.protocols import Call, Result, Risk, World
from autocraft.worlds.crafting import CraftingWorld


def world_with(text: str) -> CraftingWorld:
    return CraftingWorld(parse_inventory(text))


def call_of(world: CraftingWorld, name: str, /, **args: Any) -> Call:
    command = next(command for command in world.commands() if command.name == name)
    return Call(command, args, command.risk_of(args))


def do(world: CraftingWorld, name: str, /, **args: Any) -> str:
    call = call_of(world, name, **args)

    async def carried_out() -> Result | str:
        return await call.command.run(world, call, **args)

    result = asyncio.run(carried_out())
    assert isinstance(result, Result)
    assert result.ok
    return result.text


def refusal(world: CraftingWorld, name: str, /, **args: Any) -> CommandError:
    before = world.snapshot()
    with pytest.raises(CommandError) as caught:
        do(world, name, **args)
    assert world.snapshot() == before
    assert "\n" not in str(caught.value)
    return caught.value


def refused(world: CraftingWorld, name: str, /, **args: Any) -> str:
    return str(refusal(world, name, **args))


def checked(world: CraftingWorld, text: str) -> tuple[str, str]:
    check = asyncio.run(world.check(Goal.parse(text, world.items)))
    return check.verdict, check.why


def test_commands_and_their_risks() -> None:
    world: World = CraftingWorld()
    risks = {command.name: command.risk_of({}) for command in world.commands()}
    assert risks == {
        "move": Risk.CHANGE,
        "smelt": Risk.CHANGE,
        "craft_item": Risk.CHANGE,
        "smelt_item": Risk.CHANGE,
        "search_recipe": Risk.LOOK,
        "show_inventory": Risk.LOOK,
    }
    signatures = {c.name: [(p.name, p.annotation, p.default) for p in c.parameters] for c in world.commands()}
    assert signatures["craft_item"][1] == ("count", int, 1)
    assert signatures["smelt_item"][1] == ("fuel", str | None, None)


def test_moves_and_smelts_say_what_changed_and_what_is_held() -> None:
    world = world_with("oak_log=5,iron_ore=3")
    assert do(world, "move", source="I1", target="a1", quantity=2) == (
        "Moved 2 oak_log from [I1] to [A1]; [0] now shows 4 oak_planks. There are now 5 oak_log."
    )
    assert do(world, "move", source="[0]", target="[I9]").endswith("There are now 4 oak_planks.")
    assert do(world, "smelt", source="I2", target="I3", quantity=2) == (
        "Smelted 2 iron_ore from [I2] into 2 iron_ingot in [I3]. There are now 2 iron_ingot, 1 iron_ore."
    )
    with pytest.raises(IllegalMove, match="no slot"):
        do(world, "move", source="J1", target="A1")


def test_craft_item_makes_one_recipe() -> None:
    world = world_with("oak_log=4,cobblestone=8")
    assert do(world, "craft_item", name="Oak Planks", count=5) == (
        "Made 8 oak_planks from 2 oak_log. There are now 8 oak_planks, 2 oak_log."
    )
    assert refused(world, "craft_item", name="stone_pickaxe") == (
        "I cannot make stone_pickaxe because I need: 2 more stick"
    )
    do(world, "craft_item", name="minecraft:stick", count=2)
    do(world, "craft_item", name="stone pickaxe")
    assert world.table.counts() == {"oak_log": 2, "oak_planks": 6, "cobblestone": 5, "stick": 2, "stone_pickaxe": 1}


def test_what_is_missing_is_named_in_full() -> None:
    world = world_with("cobblestone=2")
    assert refused(world, "craft_item", name="stone_pickaxe") == (
        "I cannot make stone_pickaxe because I need: 1 more cobblestone, 2 more stick"
    )


def test_craft_item_takes_the_recipe_that_fits() -> None:
    world = world_with("bamboo=2")
    do(world, "craft_item", name="stick")
    assert world.table.counts() == {"stick": 1}


@pytest.mark.parametrize(
    ("name", "args", "why"),
    [
        ("craft_item", {"name": "glass"}, "use smelt_item with name=sand or red_sand"),
        ("craft_item", {"name": "diamond_ore"}, "nothing makes diamond_ore"),
        ("craft_item", {"name": "planks"}, "did you mean oak_planks"),
        ("craft_item", {"name": "stick", "count": 0}, "from 1 to 2304"),
        ("craft_item", {"name": "stick", "count": 10**9}, "from 1 to 2304"),
        ("smelt_item", {"name": "sand", "count": 0}, "1 or more"),
        ("smelt_item", {"name": "sand", "count": 9}, "8 more sand"),
        ("smelt_item", {"name": "glass"}, "it is made by smelting sand or red_sand"),
        ("smelt_item", {"name": "stick"}, "cannot be smelted"),
        ("search_recipe", {"name": "stikc"}, "did you mean stick"),
    ],
)
def test_refusals_say_what_to_do(name: str, args: dict[str, Any], why: str) -> None:
    world = world_with("sand=1,oak_planks=1")
    assert why in refusal(world, name, **args).with_advice({each.name for each in world.commands()})


def test_smelt_item_counts_inputs_and_names_unused_fuel() -> None:
    world = world_with("sand=9,coal=1")
    assert do(world, "smelt_item", name="sand", fuel="coal", count=9) == (
        "Smelted 9 glass from 9 sand. There are now 9 glass, no sand. The fuel was not used: smelting needs none here."
    )


def test_what_lies_in_the_grid_is_put_away_first() -> None:
    world = CraftingWorld(CraftingTable({1: ("diamond", 3), 5: ("oak_planks", 2), 10: ("oak_planks", 1)}))
    do(world, "craft_item", name="stick")
    assert world.snapshot() == {"slots": {"I1": ["oak_planks", 1], "I2": ["diamond", 3], "I3": ["stick", 4]}}


def test_no_room_leaves_everything_as_it_was() -> None:
    full = dict.fromkeys(range(12, 46), ("dirt", 64))
    world = CraftingWorld(CraftingTable({10: ("oak_log", 2), 11: ("iron_sword", 1), **full}))
    assert "no room" in refused(world, "craft_item", name="oak_planks")
    world = CraftingWorld(CraftingTable({10: ("oak_log", 1), 11: ("iron_sword", 1), **full}))
    do(world, "craft_item", name="oak_planks")
    assert "no room" in refused(
        CraftingWorld(CraftingTable({1: ("stick", 1), 10: ("oak_log", 1), 11: ("bow", 1), **full})),
        "craft_item",
        name="oak_planks",
    )


def test_stacks_are_joined_to_make_room() -> None:
    full = dict.fromkeys(range(12, 46), ("dirt", 60))
    world = CraftingWorld(CraftingTable({10: ("oak_log", 2), 11: ("iron_sword", 1), **full}))
    do(world, "craft_item", name="oak_planks")
    assert world.table.counts()["dirt"] == 34 * 60


def test_a_full_inventory_can_still_be_smelted() -> None:
    full = dict.fromkeys(range(11, 46), ("dirt", 64))
    world = CraftingWorld(CraftingTable({10: ("sand", 64), **full}))
    do(world, "smelt_item", name="sand", count=64)
    assert world.snapshot()["slots"]["I1"] == ["glass", 64]


def test_large_counts_span_stacks() -> None:
    world = world_with("sand=200,oak_log=100")
    do(world, "smelt_item", name="sand", count=200)
    do(world, "craft_item", name="oak_planks", count=400)
    assert world.table.counts() == {"glass": 200, "oak_planks": 400}
    assert all(count <= 64 for _, (_, count) in world.table.stacks())


def test_every_recipe_can_be_made_by_name() -> None:
    book = load_book()
    for recipe in book.recipes:
        counts: dict[str, int] = {}
        for choices in recipe.ingredients:
            counts[choices[0]] = counts.get(choices[0], 0) + 1
        world = world_with(",".join(f"{item}={count}" for item, count in counts.items()))
        if recipe.kind == "smelting":
            do(world, "smelt_item", name=recipe.ingredients[0][0])
        else:
            do(world, "craft_item", name=recipe.output)
        assert world.table.counts() == {recipe.output: recipe.count}


def test_search_recipe_shows_numbers_places_and_alternatives() -> None:
    text = do(CraftingWorld(), "search_recipe", name="stick")
    assert "oak_planks [A1], oak_planks [B1] (this shape) -> 4 stick; oak_planks may also be spruce_planks" in text
    assert "bamboo [A1], bamboo [B1] (this shape) -> 1 stick" in text
    assert "smelt iron_ore -> 1 iron_ingot" in do(CraftingWorld(), "search_recipe", name="iron_ingot")
    assert "smelts into: iron_ingot" in do(CraftingWorld(), "search_recipe", name="iron_ore")
    assert do(CraftingWorld(), "search_recipe", name="barrier") == "barrier: nothing makes it"


def test_observation_names_slots_grid_and_output() -> None:
    world = CraftingWorld(CraftingTable({1: ("oak_log", 1), 10: ("oak_log", 4)}))
    seen = asyncio.run(world.observe())
    assert seen.text.splitlines() == [
        "output:",
        "- oak_planks [0] quantity 4",
        "crafting grid:",
        "- oak_log [A1] quantity 1",
        "inventory:",
        "- oak_log [I1] quantity 4",
    ]
    assert seen.inventory == {"oak_log": 5}
    assert do(world, "show_inventory") == seen.text
    assert asyncio.run(CraftingWorld(CraftingTable()).observe()).text == "inventory: empty"


def test_check() -> None:
    world = CraftingWorld(CraftingTable({1: ("oak_log", 1), 10: ("stick", 2)}))
    assert checked(world, "craft 2 sticks") == ("met", "stick: have 2, need 2")
    verdict, why = checked(world, "craft oak planks")
    assert verdict == "not met"
    assert "in [0] do not count" in why


def test_snapshot_and_restore() -> None:
    world = world_with("oak_log=70")
    do(world, "move", source="I2", target="A1", quantity=6)
    saved = json.loads(json.dumps(world.snapshot()))
    assert saved == {"slots": {"0": ["oak_planks", 4], "A1": ["oak_log", 6], "I1": ["oak_log", 64]}}
    do(world, "craft_item", name="oak_planks", count=64)
    world.restore(saved)
    assert world.snapshot() == saved
    for broken in ({}, {"slots": 3}, {"slots": {"Q1": ["stick", 1]}}):
        with pytest.raises(UsageError):
            world.restore(broken)
    assert world.snapshot() == saved


def test_a_table_given_to_a_world_is_not_shared() -> None:
    table = parse_inventory("oak_log=1")
    world = CraftingWorld(table)
    do(world, "craft_item", name="oak_planks")
    world.table.move(10, 1, 1)
    assert table.counts() == {"oak_log": 1}
    assert world.table.counts() == {"oak_planks": 4}


def test_inventories_are_split_by_stack_size() -> None:
    assert parse_inventory("oak_log=4, cobblestone=130 ,egg=17,Iron Sword=2,stick").to_json() == {
        "I1": ["oak_log", 4],
        "I2": ["cobblestone", 64],
        "I3": ["cobblestone", 64],
        "I4": ["cobblestone", 2],
        "I5": ["egg", 16],
        "I6": ["egg", 1],
        "I7": ["iron_sword", 1],
        "I8": ["iron_sword", 1],
        "I9": ["stick", 1],
    }
    assert parse_inventory("stick=1,stick=2").counts() == {"stick": 3}
    assert parse_inventory("").counts() == {}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("oak_lgo=4", "did you mean oak_log"),
        ("oak_log=0", "whole number above 0"),
        ("oak_log=-1", "whole number above 0"),
        ("oak_log=four", "whole number above 0"),
        ("oak_log=", "whole number above 0"),
        ("oak_log=1.5", "whole number above 0"),
        ("oak_log=" + "9" * 5000, "36 slots"),
        ("=4", "no item"),
        ("air=4", "no item"),
        ("bow=37", "36 slots"),
        ("oak_log=999999", "36 slots"),
        ("bow=20,iron_sword=17", "need 37 slots"),
    ],
)
def test_bad_inventories_are_refused(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        parse_inventory(text)


def test_the_default_kit_makes_a_stone_pickaxe() -> None:
    world = CraftingWorld()
    assert world.table == starting_table()
    plan = asyncio.run(world.plan([Goal.parse("craft 1 stone_pickaxe", world.items)]))
    for step in plan.steps:
        do(world, step.name, **step.args)
    assert checked(world, "craft 1 stone_pickaxe")[0] == "met"


def test_crafting_leaves_the_given_table_alone() -> None:
    table = parse_inventory("oak_log=2")
    execution = execute.craft(table, "oak_planks", 8)
    assert table.counts() == {"oak_log": 2}
    replayed = table.copy()
    for step in (action.step() for action in execution.actions):
        world = CraftingWorld(replayed)
        do(world, step.name, **step.args)
        replayed = world.table
    assert replayed == execution.table


def test_importing_the_world_reads_no_data_and_nothing_heavy() -> None:
    code = (
        "import sys, autocraft.worlds.crafting\n"
        "from autocraft.crafting.recipes import load_book\n"
        "print(load_book.cache_info().currsize, sorted({'numpy', 'pydantic', 'openai'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "0 []\n"


def test_crafting_by_name_keeps_or_changes_exactly_what_it_says() -> None:
    """Random commands on random, often full, inventories: all or nothing, and by the rules."""
    book, rng = load_book(), random.Random(5)
    outcomes = {"made": 0, "refused": 0}
    for _ in range(300):
        recipe = rng.choice(book.recipes)
        slots: dict[int, tuple[str, int]] = {}
        for choices in recipe.ingredients * rng.randint(1, 3):
            slots[rng.choice([*range(10, 46), rng.randint(1, 9)])] = (rng.choice(choices), rng.choice([1, 3, 16, 64]))
        for slot in range(10, rng.choice([12, 30, 46])):
            slots.setdefault(slot, (rng.choice(["dirt", "bow", recipe.output]), rng.choice([1, 30, 64])))
        world = CraftingWorld(CraftingTable(slots))
        before, count = world.table.counts(), rng.choice([1, 2, 5, 70])
        name = recipe.ingredients[0][0] if recipe.kind == "smelting" else recipe.output
        command = "smelt_item" if recipe.kind == "smelting" else "craft_item"
        try:
            do(world, command, name=name, count=count)
        except CommandError:
            assert world.table == CraftingTable(slots)
            outcomes["refused"] += 1
            continue
        outcomes["made"] += 1
        after = world.table.counts()
        gained = {item: after.get(item, 0) - before.get(item, 0) for item in {*before, *after}}
        assert count <= gained[recipe.output] < count + max(made.count for made in book.making(recipe.output))
        assert not world.table.stacks(range(1, 10))
    assert min(outcomes.values()) > 30


@pytest.mark.parametrize(
    ("text", "start", "verdict", "steps"),
    [
        ("craft 8 wood planks", "oak_log=1,birch_log=2", "found", 1),
        ("get 3 wood logs", "oak_log=1,birch_log=2", "found", 0),
        ("get 3 wood logs", "oak_log=1,stick=2", "not found", 0),
        ("get 3 wood logs", "stick=2", "impossible", 0),
        ("craft a door", "stick=2,spruce_planks=6,crimson_planks=5", "found", 1),
    ],
)
@pytest.mark.parametrize("low_level", [False, True])
def test_any_item_of_a_kind_will_do(text: str, start: str, verdict: str, steps: int, low_level: bool) -> None:
    world = CraftingWorld(parse_inventory(start))
    goal = Goal.parse(text, world.items)
    plan = asyncio.run(world.plan([goal], low_level=low_level))
    assert plan.verdict == verdict
    assert bool(plan.steps) == bool(steps)
    assert low_level or len(plan.steps) == steps
    met = asyncio.run(world.check(goal)).verdict
    assert met == ("met" if verdict == "found" and not steps else "not met")


@pytest.mark.parametrize("low_level", [False, True])
def test_what_stands_behind_then_comes_afterwards(low_level: bool) -> None:
    """One log gives four planks or a table of them, not both at once. What was met stays met, also after a resume."""
    world = world_with("oak_log=1")
    goal = Goal.parse("get 4 oak_planks, then craft 1 crafting_table", world.items)
    at_once = Goal.parse("get 4 oak_planks and craft 1 crafting_table", world.items)
    assert world.plan_now([at_once], low_level=low_level).verdict == "impossible"
    said = []
    for _ in range(20):
        check = asyncio.run(world.check(goal))
        said.append(check.why.partition(";")[0])
        if check.verdict == "met":
            break
        step = world.plan_now([goal], low_level=low_level).steps[0]
        do(world, step.name, **step.args)
        world = world_again(world)
    assert list(dict.fromkeys(said)) == [
        "part 1 of 2: oak_planks: have 0, need 4",
        "part 2 of 2: crafting_table: have 0, need 1",
        "part 2 of 2: crafting_table: have 1, need 1",
    ]


def world_again(world: CraftingWorld) -> CraftingWorld:
    """Return another world with the state that a resume restores."""
    again = CraftingWorld()
    again.restore(json.loads(json.dumps(world.snapshot())))
    return again
