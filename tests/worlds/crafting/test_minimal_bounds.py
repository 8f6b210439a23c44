"""The bounds against an exhaustive search over all legal actions, in made-up worlds of a few items.

The search knows no takes, gaps or fills: it moves and smelts any quantity between any two slots. Slots of the
inventory that are empty are alike, and so are equal stacks; nothing else is left out.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator

import pytest

from autocraft.worlds.crafting.minimal.planner import shortest
from autocraft.worlds.crafting.recipes import Choices, Recipe, RecipeBook
from autocraft.worlds.crafting.slots import GRID, INVENTORY
from autocraft.worlds.crafting.table import CraftingTable, Stack
from autocraft.worlds.crafting.verify.bound import check

Cells = tuple[Stack | None, ...]
World = tuple[Cells, tuple[Stack, ...]]
"""The nine cells, and the stacks of the inventory in order."""


class TooMany(Exception):
    """The search has seen more worlds than it may."""


def fewest(book: RecipeBook, world: World, item: str, count: int, most: int, limit: int) -> int | None:
    """The fewest actions, if these are at most `most`."""
    seen, layer = {world}, [world]
    for depth in range(1, most + 1):
        fresh = []
        for after in itertools.chain.from_iterable(follow(book, each) for each in layer):
            if after not in seen:
                if held(after, item) >= count:
                    return depth
                seen.add(after)
                fresh.append(after)
                if len(seen) > limit:
                    raise TooMany
        layer = fresh
    return None


def held(world: World, item: str) -> int:
    return sum(stack[1] for stack in itertools.chain(*world) if stack and stack[0] == item)


def follow(book: RecipeBook, world: World) -> Iterator[World]:
    """The world after each legal action."""
    cells, stacks = world
    recipe = book.match([stack[0] if stack else None for stack in cells])
    if recipe:
        for put in puts(book, world, recipe.output, recipe.count):
            yield used(cells, put), put[1]
    sources = [(place, stack) for place, stack in enumerate(cells) if stack]
    sources += [(9 + stacks.index(stack), stack) for stack in set(stacks)]
    for place, (item, there) in sources:
        kinds = [item] + ([book.smelts[item].output] if item in book.smelts else [])
        for quantity, kind in itertools.product(range(1, there + 1), kinds):
            rest = (item, there - quantity) if there > quantity else None
            if place < 9:
                left: World = ((*cells[:place], rest, *cells[place + 1 :]), stacks)
            else:
                others = stacks[: place - 9] + stacks[place - 8 :]
                left = (cells, tuple(sorted((*others, rest) if rest else others)))
            yield from puts(book, left, kind, quantity)


def used(before: Cells, put: World) -> Cells:
    """The cells after [0] was put somewhere, with one item less in each that was filled before."""
    return tuple(
        ((now[0], now[1] - 1) if now[1] > 1 else None) if old and now else now
        for old, now in zip(before, put[0], strict=True)
    )


def puts(book: RecipeBook, world: World, item: str, count: int) -> Iterator[World]:
    """The world with `count` more of `item` in each place that takes them."""
    cells, stacks = world
    for place, stack in enumerate(cells):
        if stack is None or (stack[0] == item and stack[1] + count <= book.stack_sizes[item]):
            more = (item, count + (stack[1] if stack else 0))
            yield (*cells[:place], more, *cells[place + 1 :]), stacks
    yield cells, tuple(sorted((*stacks, (item, count))))
    for place, stack in enumerate(stacks):
        if stack[0] == item and stack[1] + count <= book.stack_sizes[item]:
            others = stacks[:place] + stacks[place + 1 :]
            yield cells, tuple(sorted((*others, (item, stack[1] + count))))


def made_up_book(rng: random.Random, items: list[str]) -> RecipeBook:
    """Two to five recipes of up to three cells, some of which take either of two items."""
    recipes = []
    for _ in range(rng.randint(2, 5)):
        output = rng.choice(items[1:])
        others = [item for item in items if item != output]
        kind = rng.choice(["shaped", "shaped", "shapeless", "shapeless", "smelting"])
        if kind == "smelting":
            lower = [item for item in items[: items.index(output)] if not any(smelts(each, item) for each in recipes)]
            if lower:
                recipes.append(Recipe("smelting", output, 1, ((rng.choice(lower),),)))
            continue
        size = rng.choice([1, 1, 2, 2, 3])
        places = sorted(rng.sample([1, 2, 4, 5] if rng.random() < 0.8 else range(1, 10), size))
        up, left = min((cell - 1) // 3 for cell in places), min((cell - 1) % 3 for cell in places)
        cells = tuple(cell - 3 * up - left for cell in places) if kind == "shaped" else tuple(range(1, size + 1))
        ingredients: list[Choices] = [(rng.choice(others),) for _ in cells]
        if rng.random() < 0.25 and len(others) > 1:
            pair = tuple(sorted(rng.sample(others, 2)))
            ingredients = [pair if each[0] in pair else each for each in ingredients]
        shape = "shaped" if kind == "shaped" else "shapeless"
        recipes.append(Recipe(shape, output, rng.choice([1, 1, 2, 3, 4]), tuple(ingredients), cells))
    return RecipeBook(recipes, dict.fromkeys(items, 64))


def smelts(recipe: Recipe, item: str) -> bool:
    return recipe.kind == "smelting" and item in recipe.ingredients[0]


def ambiguous(book: RecipeBook) -> bool:
    """Whether one grid makes two recipes, which cannot be told apart from outside."""
    for recipe in book.recipes:
        for way in itertools.product(*recipe.ingredients) if recipe.cells else ():
            grid: list[str | None] = [None] * 9
            for cell, item in zip(recipe.cells, way, strict=True):
                grid[cell - 1] = item
            if book.match(grid) is not recipe:
                return True
    return False


def made_up(seed: int) -> tuple[CraftingTable, str, int] | None:
    """A table, what is wanted and how many; None where the dice make no question."""
    rng = random.Random(seed)
    items = list("abcde")[: rng.randint(3, 5)]
    book = made_up_book(rng, items)
    target, count = rng.choice(items[1:]), rng.choice([1, 1, 1, 2, 3])
    others = [item for item in items if item != target]
    slots: dict[int, Stack] = {
        slot: (item, rng.randint(1, 3)) for slot, item in enumerate(others, 10) if rng.random() < 0.6
    }
    if rng.random() < 0.35:
        for _ in range(rng.randint(1, 3)):
            slots[rng.choice([1, 2, 4, 5, 9])] = (rng.choice(others), rng.randint(1, 2))
    if not slots or ambiguous(book) or sum(number for _, number in slots.values()) > 9:
        return None
    return CraftingTable(slots, book), target, count


def compare(seeds: range, most: int, limit: int) -> Counter[str]:
    """Hold each bound of at most `most` + 1 actions against the search."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        question = made_up(seed)
        if question is None:
            continue
        table, item, count = question
        plan = shortest(table, {item: count}, nodes=3000)
        if plan is None or plan.verdict != "found" or not 2 <= plan.least <= most + 1:
            continue
        world = (tuple(table[cell] for cell in GRID), tuple(sorted(stack for _, stack in table.stacks(INVENTORY))))
        try:
            assert fewest(table.book, world, item, count, plan.least - 1, limit) is None, f"seed {seed}"
        except TooMany:
            continue
        check(table, {item: count}, plan.certificate, 100_000)
        seen[plan.certificate["bound"]] += 1
        seen["minimal"] += plan.minimal
    return seen


def test_no_plan_is_shorter_than_the_bound_in_made_up_worlds() -> None:
    seen = compare(range(1500), 3, 20_000)
    assert seen["takes"] > 100
    assert seen["cells"] > 2
    assert seen["minimal"] > 100


@pytest.mark.full
def test_no_plan_is_shorter_than_the_bound_in_many_made_up_worlds() -> None:
    seen = compare(range(1500, 6500), 5, 60_000)
    assert seen["takes"] > 300
    assert seen["cells"] > 15
