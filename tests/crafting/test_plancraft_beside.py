"""The table beside the environment of the package plancraft 0.4.9, slot by slot after every action.

Only the package's drawing is replaced by nothing (its pictures are not compared), one environment is reset for every
episode, because making one opens 976 files, and an answer of its recipes is kept, because they only read the grid.
Where the two differ on purpose, a test names it and counts it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from autocraft.crafting.examples import Example, load_examples
from autocraft.crafting.inventory import STARTING_KIT, parse_inventory
from autocraft.crafting.minimal.planner import minimal_plan
from autocraft.crafting.plancraft import MoveAction, SmeltAction, inventory_of
from autocraft.crafting.recipes import load_book
from autocraft.crafting.slots import GRID, INVENTORY, OUTPUT
from autocraft.crafting.table import CraftingTable
from autocraft.errors import IllegalMove
from tests.sampling import covering, drawn

Move = tuple[str, int, int, int]
"""Kind, source, target, quantity."""
SHARDS = 10
RANDOM_ACTIONS = 100_000
LEGAL_AT_RANDOM = 0.3
GRID_AT_RANDOM = 10_000
IMPOSSIBLE_ACTIONS = 36


class NoDrawing:
    """Stands where the package draws."""

    frame = None

    def clear(self) -> None: ...

    def add_item_to_slot(self, *_: object) -> None: ...

    def remove_item_from_slot(self, *_: object) -> None: ...


class Recipes:
    """The recipes of the package. Those that share no item with a grid are not asked, but for every hundredth grid.

    The first answer to a grid is kept.
    """

    def __init__(self, recipes: list[Any]) -> None:
        self._recipes = [(recipe, _items_of(recipe)) for recipe in recipes]
        self._answers: dict[bytes, Any] = {}

    def craft(self, grid: Any) -> Any:
        key = grid.tobytes()
        if key not in self._answers:
            there = set(grid.flatten().tolist())
            asked = (recipe for recipe, items in self._recipes if not items.isdisjoint(there))
            self._answers[key] = _first(asked, grid)
            if len(self._answers) % 100 == 1:
                assert self._answers[key] == _first((recipe for recipe, _ in self._recipes), grid)
        return self._answers[key]


def _first(recipes: Iterable[Any], grid: Any) -> Any:
    return next(filter(None, (recipe.craft(grid) for recipe in recipes)), None)


def _items_of(recipe: Any) -> set[int]:
    """Return the numbers of the items that a recipe of the package asks for. An empty cell has the next number."""
    from plancraft.environment.items import ALL_ITEMS

    if hasattr(recipe, "kernel"):
        return {int(item) for row in recipe.kernel for cell in row for item in cell} - {len(ALL_ITEMS)}
    return set(recipe.ingredients_arr[:, :-1].any(axis=0).nonzero()[0].tolist())


@pytest.fixture(scope="module")
def package() -> Any:
    from plancraft.environment.env import PlancraftEnvironment

    made = PlancraftEnvironment()
    made.table = NoDrawing()
    made.crafting_recipes = [Recipes(made.crafting_recipes)]
    return made


class Beside:
    """Our table and the package's environment, given the same actions."""

    def __init__(self, package: Any) -> None:
        self.package = package
        self.counted: Counter[str] = Counter()

    def begin(self, table: CraftingTable) -> None:
        self.table = table
        self.package.reset(inventory_of(table))

    def act(self, action: Move) -> bool:
        """Carry `action` out in both; whether it was legal. Both must say and hold the same."""
        from plancraft.environment import actions

        kind, source, target, quantity = action
        before = inventory_of(self.table)
        grid = OUTPUT in (source, target) or source in GRID or target in GRID
        try:
            getattr(self.table, kind)(source, target, quantity)
            legal = True
        except IllegalMove:
            legal = False
            assert inventory_of(self.table) == before, action
        made = actions.MoveAction if kind == "move" else actions.SmeltAction
        try:
            theirs = made(slot_from=source, slot_to=target, quantity=quantity)
        except AttributeError:  # the package refuses at once what no table could do; so does ours
            assert not legal, action
            self.counted["refused by the package's action"] += 1
        else:
            held = self.package.step(theirs)["inventory"]
            assert held == inventory_of(self.table), (action, before)
        self.counted["actions"] += 1
        self.counted["legal" if legal else "illegal"] += 1
        self.counted["touching the grid"] += grid
        self.counted["legal, touching the grid"] += grid and legal
        self.counted["outputs taken"] += legal and source == OUTPUT
        self.counted["smelts"] += legal and kind == "smelt"
        return legal


# ------------------------------------------------------------ random actions


def any_action(table: CraftingTable, dice: random.Random) -> Move:
    """An action that may well be legal: mostly from filled slots, often to and from the grid."""
    kind = "smelt" if dice.random() < 0.2 else "move"
    filled = [slot for slot, _ in table.stacks()]
    if kind == "smelt":
        filled = [slot for slot, (item, _) in table.stacks() if item in table.book.smelts] or filled
    source = dice.choice(filled) if filled and dice.random() < 0.9 else dice.randrange(-1, 47)
    if table[OUTPUT] and dice.random() < 0.25:
        source, kind = OUTPUT, "move"
    target = dice.choice(GRID) if dice.random() < 0.45 else dice.choice(INVENTORY)
    if dice.random() < 0.03:
        target = dice.randrange(-1, 47)
    held = table[source]
    most = held[1] if held and dice.random() < 0.9 else 66
    quantity = most if dice.random() < 0.25 else dice.randint(0 if most == 66 else 1, most)
    return kind, source, target, quantity


def legal_actions(table: CraftingTable, dice: random.Random, count: int) -> Iterator[Move]:
    """`count` actions that are legal where they are yielded."""
    while count:
        action = any_action(table, dice)
        try:
            twin = table.copy()
            getattr(twin, action[0])(*action[1:])
        except IllegalMove:
            continue
        count -= 1
        yield action


def any_start(dice: random.Random) -> CraftingTable:
    """An example's items, the starting kit, or items of one recipe in plenty."""
    chance = dice.random()
    if chance < 0.5:
        examples = load_examples(dice.choice(("train", "val", "test")))
        return examples[dice.choice(list(examples))].table()
    if chance < 0.6:
        return parse_inventory(STARTING_KIT)
    book = load_book()
    slots = {}
    for _ in range(3):
        recipe = dice.choice(book.recipes)
        for choices in recipe.ingredients:
            slots[dice.choice(INVENTORY)] = (dice.choice(choices), dice.randint(1, 64))
    return CraftingTable(slots)


def laid_out(table: CraftingTable, dice: random.Random) -> list[Move]:
    """Moves that clear the grid, lay out a recipe somewhere in it and take what it makes; none where no recipe fits."""
    have = set(table.counts())
    fitting = [
        recipe
        for recipe in table.book.recipes
        if recipe.kind != "smelting" and not any(have.isdisjoint(choices) for choices in recipe.ingredients)
    ]
    if not fitting:
        return []
    recipe = dice.choice(fitting)
    rows, columns = recipe.size
    shift = dice.randrange(4 - rows) * 3 + dice.randrange(4 - columns)
    held = table.stacks(INVENTORY)
    free = [slot for slot in INVENTORY if table[slot] is None]
    moves: list[Move] = [
        ("move", cell, slot, count) for (cell, (_, count)), slot in zip(table.stacks(GRID), free, strict=False)
    ]
    free = free[len(moves) :]
    for cell, choices in zip(recipe.cells, recipe.ingredients, strict=True):
        sources = [slot for slot, (item, _) in held if item in choices]
        if sources:
            moves.append(("move", dice.choice(sources), cell + shift, 1))
    return [*moves, ("move", OUTPUT, dice.choice([*free, *GRID]), 1)]


def play_random(beside: Beside, seed: int, actions: int) -> None:
    """Episodes from seeded starts; now and then a recipe is laid out, and otherwise anything goes."""
    dice = random.Random(seed)
    until = beside.counted["actions"] + actions
    while beside.counted["actions"] < until:
        beside.begin(any_start(dice))
        for _ in range(40):
            for action in laid_out(beside.table, dice) if dice.random() < 0.08 else [any_action(beside.table, dice)]:
                beside.act(action)
            if beside.counted["actions"] >= until:
                break


def check_mix(counted: Counter[str]) -> None:
    assert counted["legal"] >= LEGAL_AT_RANDOM * counted["actions"], counted
    assert counted["touching the grid"] >= GRID_AT_RANDOM / RANDOM_ACTIONS * counted["actions"], counted
    assert min(counted["outputs taken"], counted["smelts"]) >= counted["actions"] / 100, counted


def test_random_actions(package: Any) -> None:
    beside = Beside(package)
    play_random(beside, seed=1, actions=500)
    check_mix(beside.counted)
    print(dict(beside.counted))


@pytest.mark.full
@pytest.mark.parametrize("shard", drawn(range(SHARDS), 3))
def test_thousands_of_random_actions(package: Any, shard: int) -> None:
    beside = Beside(package)
    play_random(beside, seed=1_000 + shard, actions=RANDOM_ACTIONS // SHARDS)
    check_mix(beside.counted)
    print(dict(beside.counted))


# ------------------------------------------------------------ the examples


def replay(beside: Beside, examples: Iterable[Example]) -> None:
    """Minimal plans reach the target in both; of impossible examples a few dozen legal actions are compared."""
    for example in examples:
        beside.begin(example.table())
        if example.impossible:
            dice = random.Random(example.id)
            for action in legal_actions(beside.table, dice, IMPOSSIBLE_ACTIONS):
                assert beside.act(action)
            beside.counted["impossible examples"] += 1
            continue
        for step in minimal_plan(beside.table, [example.goal]).actions:
            assert beside.act((step.kind, step.source, step.target, step.quantity)), example.id
            beside.counted["planned"] += 1
        held = beside.package.state.items()
        assert any(item["type"] == example.target for slot, item in held if slot != OUTPUT), example.id
        beside.counted["targets reached"] += 1


def test_some_examples(package: Any) -> None:
    beside = Beside(package)
    chosen = [*load_examples("val").values()][::48]
    replay(beside, chosen)
    assert beside.counted["targets reached"] + beside.counted["impossible examples"] == len(chosen) == 12
    assert beside.counted["illegal"] == 0


@pytest.mark.full
@pytest.mark.parametrize(("part", "split"), covering(range(4), ["train", "val", "test"]))
def test_a_quarter_of_the_examples(package: Any, split: str, part: int) -> None:
    beside = Beside(package)
    chosen = [*load_examples(split).values()][part::4]
    replay(beside, chosen)
    print(split, dict(beside.counted))
    assert beside.counted["illegal"] == 0
    assert beside.counted["impossible examples"] == sum(each.impossible for each in chosen)
    assert beside.counted["targets reached"] == sum(not each.impossible for each in chosen)


# ------------------------------------------------------------ where they differ on purpose


def test_items_that_lie_in_the_grid_at_the_start(package: Any) -> None:
    """The package shows no output until the next action that touches the grid; ours shows it at once."""
    dice = random.Random(7)
    differing = same = 0
    for _ in range(40):
        table = any_start(dice)
        for action in laid_out(table, dice)[:-1]:
            try:
                table.move(*action[1:])
            except IllegalMove:
                break
        start = inventory_of(table)
        start.pop(OUTPUT, None)
        held = package.reset({slot: dict(item) for slot, item in start.items()})
        assert {slot: item for slot, item in held.items() if slot != OUTPUT} == start
        if table[OUTPUT]:
            assert OUTPUT not in held
            differing += 1
        else:
            same += 1
        if held_grid := [slot for slot in GRID if slot in held]:  # once the grid is touched they agree again
            free = next(slot for slot in INVENTORY if table[slot] is None)
            count = held[held_grid[0]]["quantity"]
            item = held[held_grid[0]]["type"]
            for source, target in ((held_grid[0], free), (free, held_grid[0])):
                table.move(source, target, count)
                package.step(_package_move(source, target, count))
            assert inventory_of(table) == package.state, item
    assert differing >= 10
    assert same >= 1
    print(f"starts with an output that the package does not show: {differing} of 40")


def _package_move(source: int, target: int, quantity: int) -> Any:
    from plancraft.environment.actions import MoveAction as Theirs

    return Theirs(slot_from=source, slot_to=target, quantity=quantity)


@pytest.mark.parametrize("kind", ["MoveAction", "SmeltAction"])
def test_actions_are_refused_at_once_by_both_or_by_neither(kind: str) -> None:
    """Ours raises InvalidAction, which is a ValueError, where the package raises AttributeError."""
    from plancraft.environment import actions

    theirs, ours = getattr(actions, kind), {"MoveAction": MoveAction, "SmeltAction": SmeltAction}[kind]
    refused = 0
    for source in (-1, 0, 1, 10, 45, 46, "[0]", "[A1]", "[I36]", "[I37]", "nonsense"):
        for target in (-1, 0, 1, 10, 45, 46, "[0]", "[C3]", "[I1]", "[D1]"):
            for quantity in (-1, 0, 1, 64, 65, "3", "x"):
                try:
                    expected = str(theirs(slot_from=source, slot_to=target, quantity=quantity))
                except (AttributeError, ValueError):
                    expected = None
                    refused += 1
                if expected is None:
                    with pytest.raises(ValueError, match=r"slot|quantity"):
                        ours(source, target, quantity)
                else:
                    assert str(ours(source, target, quantity)) == expected
    assert refused > 300
