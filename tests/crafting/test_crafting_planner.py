"""Plans are carried out by the rules, and impossible ones are rechecked, also against a plain search written here."""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping

import pytest

from autocraft.crafting.examples import load_example, load_examples
from autocraft.crafting.execute import carry_out
from autocraft.crafting.inventory import fill, parse_inventory, starting_table
from autocraft.crafting.model import reachable
from autocraft.crafting.planner import plan, want
from autocraft.crafting.recipes import RecipeBook, load_book
from autocraft.crafting.solver import LinearProgram, solve
from autocraft.crafting.table import CraftingTable
from autocraft.crafting.verify.files import STATES
from autocraft.crafting.verify.impossible import check
from autocraft.crafting.verify.question import Unsound
from autocraft.goals import Goal
from autocraft.protocols import Call, Json, Plan
from autocraft.worlds.crafting import CraftingWorld
from tests.sampling import drawn


def goals(**counts: int) -> list[Goal]:
    return [Goal(f"craft {count} {item}", ((item, count),)) for item, count in counts.items()]


def planned(start: CraftingTable | str, **wanted: int) -> Plan:
    table = parse_inventory(start) if isinstance(start, str) else start
    return plan(load_book(), table.counts(), goals(**wanted), table)


def carried_out(start: CraftingTable | str, found: Plan) -> dict[str, int]:
    """The counts after the plan's steps, by the world's own commands."""
    world = CraftingWorld(parse_inventory(start) if isinstance(start, str) else start)
    commands = {command.name: command for command in world.commands()}

    async def run() -> None:
        for step in found.steps:
            command = commands[step.name]
            call = Call(command, step.args, command.risk_of(step.args))
            await command.run(world, call, **step.args)

    asyncio.run(run())
    return world.table.counts()


def brief(found: Plan) -> list[tuple[str, str, int]]:
    return [(step.name, step.args["name"], step.args["count"]) for step in found.steps]


def holds(book: RecipeBook, counts: Mapping[str, int], wanted: Mapping[str, int], proof: Json) -> bool:
    try:
        check(book, counts, wanted, proof, STATES)
    except Unsound:
        return False
    return True


def assert_proven(start: CraftingTable | str, found: Plan, **wanted: int) -> None:
    table = parse_inventory(start) if isinstance(start, str) else start
    assert found.verdict == "impossible"
    assert not found.steps
    assert holds(load_book(), table.counts(), wanted, found.proof)


def test_a_chain_is_batched() -> None:
    start = "oak_log=4,cobblestone=8"
    found = planned(start, stone_pickaxe=1)
    assert found.verdict == "found"
    assert brief(found) == [
        ("craft_item", "oak_planks", 4),
        ("craft_item", "stick", 4),
        ("craft_item", "stone_pickaxe", 1),
    ]
    assert carried_out(start, found)["stone_pickaxe"] == 1


def test_smelting_is_one_step() -> None:
    found = planned("sand=8,cactus=1", green_stained_glass=8)
    assert brief(found)[-1] == ("craft_item", "green_stained_glass", 8)
    assert sorted(brief(found)[:-1]) == [
        ("smelt_item", "cactus", 1),
        ("smelt_item", "sand", 8),
    ]


def test_several_goals_are_met_at_the_same_time() -> None:
    start = "oak_log=2"
    found = planned(start, stick=4, oak_planks=6)
    held = carried_out(start, found)
    assert (held["stick"], held["oak_planks"]) == (4, 6)
    assert_proven(start, planned(start, stick=4, oak_planks=7), stick=4, oak_planks=7)


def test_the_same_item_in_two_goals_is_wanted_once() -> None:
    assert want([Goal("a", (("stick", 2),)), Goal("b", (("stick", 5), ("torch", 1)))]) == {"stick": 5, "torch": 1}


def test_what_is_there_needs_no_step() -> None:
    assert planned("stick=2", stick=2) == Plan("found", why="the goal is already met: nothing needs to be made")


def test_items_in_the_grid_count_and_are_used() -> None:
    start = CraftingTable({1: ("oak_log", 1), 5: ("diamond", 2)})
    found = planned(start, stick=8)
    assert carried_out(start, found)["stick"] == 8


def test_mixed_planks_make_a_chest() -> None:
    start = "oak_planks=3,birch_planks=3,warped_planks=2"
    assert carried_out(start, planned(start, chest=1)) == {"chest": 1}


def test_moves_take_over_where_craft_item_would_use_the_wrong_planks() -> None:
    start = "oak_planks=5,birch_planks=2"
    found = planned(start, oak_fence=1)
    assert carried_out(start, found)["oak_fence"] == 3
    assert "move" in {step.name for step in found.steps}


def test_free_text_and_unknown_items_are_not_planned() -> None:
    table = starting_table()
    assert plan(load_book(), table.counts(), [Goal("build a house")]).verdict == "not found"
    assert plan(load_book(), table.counts(), [Goal("craft x", (("nonsense", 1),))]).verdict == "not found"


def test_impossible_by_reachability_names_the_raw_material() -> None:
    start = "oak_log=3"
    found = planned(start, stone_pickaxe=1)
    assert_proven(start, found, stone_pickaxe=1)
    assert found.proof["kind"] == "reachability"
    assert found.missing == {"cobblestone": 3}
    assert (
        found.why == "stone_pickaxe needs 3 more cobblestone or blackstone (there are 0), and nothing here makes more"
    )


def test_impossible_by_counting_names_how_many_are_missing() -> None:
    start = "oak_log=3,cobblestone=1,blackstone=1"
    found = planned(start, stone_pickaxe=1)
    assert_proven(start, found, stone_pickaxe=1)
    assert found.proof["kind"] == "counting"
    assert sum(found.missing.values()) == 1


def test_recipes_that_feed_each_other_never_start() -> None:
    start = "purpur_block=1"
    found = planned(start, purpur_slab=1)
    assert_proven(start, found, purpur_slab=1)
    assert found.proof["kind"] == "exhaustion"
    assert found.missing == {"chorus_fruit": 4}


def test_fractions_that_only_fit_on_paper_are_impossible() -> None:
    assert_proven("oak_planks=1", planned("oak_planks=1", stick=1), stick=1)
    assert_proven("iron_nugget=17", planned("iron_nugget=17", iron_ingot=2), iron_ingot=2)
    assert planned("iron_nugget=18", iron_ingot=2).verdict == "found"


def test_a_proof_does_not_hold_for_another_question() -> None:
    table = parse_inventory("oak_log=3,cobblestone=2")
    proof = planned(table, stone_pickaxe=1).proof
    book, counts = load_book(), table.counts()
    assert holds(book, counts, {"stone_pickaxe": 1}, proof)
    assert holds(book, counts, {"stone_pickaxe": 2, "stick": 1}, proof)
    assert not holds(book, {"oak_log": 3, "cobblestone": 3}, {"stone_pickaxe": 1}, proof)
    assert not holds(book, counts, {"stick": 1}, proof)


@pytest.mark.parametrize(
    "forged",
    [
        {"kind": "reachability", "wanted": {"stick": 1}, "lacking": ["stick"]},
        {"kind": "reachability", "wanted": {"stick": 1}, "lacking": ["beacon", "nether_star"]},
        {"kind": "reachability", "wanted": {}, "lacking": []},
        {"kind": "counting", "wanted": {"stick": 1}, "tree": {"weights": {"stick": 1}}},
        {"kind": "counting", "wanted": {"stick": 1}, "tree": {"weights": {"stick": -1}}},
        {"kind": "exhaustion", "wanted": {"stick": 1}, "states": 50},
    ],
)
def test_a_forged_proof_does_not_hold(forged: Json) -> None:
    assert not holds(load_book(), {"oak_log": 1}, {"stick": 1}, forged)


def test_one_impossible_goal_settles_them_all() -> None:
    start = "sand=5,birch_log=64,iron_block=30,stripped_jungle_log=64,acacia_wood=30,dark_oak_log=3"
    found = planned(start, sandstone_slab=1, iron_boots=64)
    assert_proven(start, found, sandstone_slab=1, iron_boots=64)


def test_a_limit_is_never_called_impossible() -> None:
    table = load_example("VAL0138").table()
    found = plan(load_book(), table.counts(), goals(note_block=1), table, nodes=1)
    assert found.verdict == "not found"
    assert "within 1 nodes" in found.why


def test_no_room_is_not_called_impossible() -> None:
    start = parse_inventory("oak_log=2304")
    found = planned(start, wooden_axe=40)
    assert found.verdict == "not found"
    assert "no room" in found.why


def test_answers_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from autocraft.crafting.examples import load_examples\n"
        "from autocraft.crafting.planner import plan\n"
        "from autocraft.crafting.recipes import load_book\n"
        "for e in list(load_examples('test').values())[:60]:\n"
        "    t = e.table()\n"
        "    print(plan(load_book(), t.counts(), [e.goal], t))\n"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1
    assert len(runs.pop()) > 1000


def test_the_solver_finds_the_cheapest_whole_solution() -> None:
    # 3 x + 5 y >= 7: in fractions 7/5 of y would do at cost 5.6, in whole numbers x = y = 1 at cost 7.
    solution = solve(LinearProgram([{0: 3}, {0: 5}], [3, 4], [7]))
    assert solution.best == (1, 1)
    assert solve(LinearProgram([{0: 2}, {0: -2}], [1, 1], [0])).best == (0, 0)
    # 2 x = 1 has no whole solution.
    assert solve(LinearProgram([{0: 2, 1: -2}], [1], [1, -1])).best is None


def reachable_by_brute_force(start: Mapping[str, int], target: str, limit: int = 4000) -> bool | None:
    """Whether some run of single crafts and smelts holds `target`; None when there are too many states to see."""
    book = load_book()
    first = frozenset(start.items())
    seen, waiting = {first}, [first]
    while waiting:
        have = dict(waiting.pop())
        if have.get(target):
            return True
        if len(seen) > limit:
            return None
        for recipe in {recipe for item in have for recipe in book.using(item)}:
            for used in set(itertools.product(*[[i for i in part if have.get(i)] for part in recipe.ingredients])):
                after = dict(have)
                for item in used:
                    after[item] = after.get(item, 0) - 1
                if min(after.values()) < 0:
                    continue
                after[recipe.output] = after.get(recipe.output, 0) + recipe.count
                state = frozenset((item, count) for item, count in after.items() if count)
                if state not in seen:
                    seen.add(state)
                    waiting.append(state)
    return False


TIGHT = (
    "sandstone_slab",
    "quartz_slab",
    "purpur_slab",
    "gold_nugget",
    "iron_ingot",
    "bone_meal",
    "stone_brick_slab",
    "hay_block",
    "smooth_quartz_slab",
    "bookshelf",
    "clock",
    "red_sandstone_slab",
    "ladder",
    "bowl",
    "magenta_dye",
)


def small_problem(rng: random.Random) -> tuple[dict[str, int], str]:
    """A target and a few items out of its chain, in numbers small enough to try everything."""
    book = load_book()
    target = rng.choice([*TIGHT, rng.choice(sorted({recipe.output for recipe in book.recipes}))])
    chain = [target]
    for item in chain:
        for recipe in book.making(item):
            chain += [each for part in recipe.ingredients for each in part[:3] if each not in chain]
    picked = rng.sample(chain[1:9], min(len(chain[1:9]), rng.randint(1, 3)))
    return {item: min(rng.choice([1, 2, 3, 4, 6, 9]), book.stack_sizes[item]) for item in picked}, target


def agrees_with_brute_force(seed: int) -> str:
    start, target = small_problem(random.Random(seed))
    truth = reachable_by_brute_force(start, target)
    found = plan(load_book(), start, goals(**{target: 1}), fill(start))
    if truth is not None:
        assert found.verdict == ("found" if truth else "impossible"), (seed, start, target, found)
    if found.verdict == "impossible":
        assert holds(load_book(), start, {target: 1}, found.proof)
    return "unknown" if truth is None else found.verdict


@pytest.mark.full
def test_verdicts_agree_with_brute_force() -> None:
    verdicts = [agrees_with_brute_force(seed) for seed in range(30)]
    assert verdicts.count("found") > 10
    assert verdicts.count("impossible") > 10


@pytest.mark.parametrize("id", [*load_examples("test")][::29])
def test_some_examples(id: str) -> None:
    check_example(id)


def check_example(id: str) -> None:
    example = load_example(id)
    found = planned(example.table(), **{example.target: 1})
    if example.impossible:
        assert_proven(example.table(), found, **{example.target: 1})
        assert found.missing
    else:
        assert carried_out(example.table(), found)[example.target] >= 1
        assert {step.name for step in found.steps} <= {"craft_item", "smelt_item"}


@pytest.mark.full
@pytest.mark.parametrize("split", ["train", "val", "test"])
def test_every_example(split: str) -> None:
    for id in load_examples(split):
        check_example(id)


@pytest.mark.full
def test_verdicts_agree_with_brute_force_often() -> None:
    for seed in drawn(range(30, 230), 50):
        agrees_with_brute_force(seed)


@pytest.mark.full
@pytest.mark.parametrize("seed", drawn(range(11, 15), 1))
def test_random_goals_from_random_inventories(seed: int) -> None:
    """Found plans reach all goals, impossible ones are proven, and only a lack of room is left undecided."""
    book, rng = load_book(), random.Random(seed)
    outputs, items = sorted({recipe.output for recipe in book.recipes}), sorted(book.items)
    for _ in range(150):
        wanted = {rng.choice(outputs): rng.choice([1, 2, 8, 64]) for _ in range(rng.randint(1, 3))}
        chain = list(wanted)
        for item in chain:
            chain += {e: 0 for r in book.making(item) for part in r.ingredients for e in part if e not in chain}
        names = [rng.choice(chain if rng.random() < 0.8 else items) for _ in range(rng.randint(3, 25))]
        table = fill({item: min(rng.choice([1, 2, 5, 16, 64]), book.stack_sizes[item]) for item in names})
        found = planned(table, **wanted)
        if found.verdict == "found":
            held = carried_out(table, found)
            assert all(held.get(item, 0) >= count for item, count in wanted.items())
        elif found.verdict == "impossible":
            assert_proven(table, found, **wanted)
        else:
            assert "no room" in found.why, (wanted, table.counts(), found)


def _plans_to_the_end(wanted: Mapping[str, int]) -> list[tuple[CraftingTable, int]]:
    """Ask the world for a plan before each step, as the built-in brain does. Return each table and number of steps.

    Ends where a table comes again, for that is a circle.
    """
    start, passed = CraftingWorld().table, list[tuple[CraftingTable, int]]()

    async def follow() -> None:
        table, world = start, CraftingWorld(start)
        while (found := await world.plan(goals(**wanted))).steps and table not in [each for each, _ in passed]:
            passed.append((table, len(found.steps)))
            step = found.steps[0]
            table = carry_out(table, step.name, step.args).table
            world._table = table
        passed.append((table, len(found.steps)))

    asyncio.run(follow())
    return passed


def test_a_plan_that_is_asked_for_in_the_middle_of_a_recipe_goes_on_with_it() -> None:
    lengths = [steps for _, steps in _plans_to_the_end({"oak_slab": 3, "stick": 2, "chest": 1})]
    assert lengths == list(range(lengths[0], -1, -1)) and lengths[0] > 10, "planks of two kinds are laid one by one"


def test_a_recipe_that_was_begun_is_finished_by_a_new_run() -> None:
    """It has only the table, not the plan."""
    table = CraftingWorld().table
    counts = Counter[str]()
    for _ in range(20):
        found = plan(load_book(), table.counts(), goals(oak_slab=3, stick=2, chest=1), table)
        if not found.steps:
            break
        counts[found.steps[0].name] += 1
        table = carry_out(table, found.steps[0].name, found.steps[0].args).table
    assert not found.steps and counts["move"] > 8


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(100))
def test_no_plan_goes_in_circles(seed: int) -> None:
    book, chance = load_book(), random.Random(seed)
    near = sorted(reachable(book, CraftingWorld().table.counts()))
    wanted = {item: chance.randrange(1, 9) for item in chance.sample(near, chance.randrange(1, 5))}
    passed = _plans_to_the_end(wanted)
    assert passed[-1][1] == 0, wanted
    held = passed[-1][0].counts()
    assert len(passed) == 1 or all(held.get(item, 0) >= count for item, count in wanted.items())


def test_the_tree_has_the_items_that_the_steps_use() -> None:
    """It had the planks of the solver, but the command takes others."""
    table = load_example("TEST0038").table()
    before, found = table.counts(), plan(load_book(), table.counts(), goals(cyan_bed=1), table)
    for step in found.steps:
        table = carry_out(table, step.name, step.args).table
    used = {item: count - table.counts().get(item, 0) for item, count in before.items()}
    held = [line.split("─ ")[-1].removesuffix(", held").split(" ") for line in found.tree if line.endswith(", held")]
    assert {item: int(count) for count, item in held} == {item: count for item, count in used.items() if count > 0}
