"""The bounds against an exhaustive search over all legal actions, in made-up worlds of a few items.

The search knows no takes, gaps or fills: it moves and smelts any quantity between any two slots. It leaves out only
what is alike: equal stacks of the inventory, and empty slots of it, can be exchanged for one another, since no rule
looks at where in the inventory a stack lies. As the last action of a plan it tries takes and smelts only: a move of
anything else changes no count.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import pytest

from autocraft.crafting.minimal.planner import MinimalPlan, shortest
from autocraft.crafting.recipes import Choices, Recipe, RecipeBook, load_book
from autocraft.crafting.slots import GRID, INVENTORY
from autocraft.crafting.table import CraftingTable, Stack
from autocraft.crafting.verify.bound import check
from autocraft.crafting.verify.question import Unsound
from tests.sampling import drawn

Cells = tuple[Stack | None, ...]
World = tuple[Cells, tuple[Stack, ...]]
"""The nine cells, and the stacks of the inventory in order."""
Question = tuple[CraftingTable, dict[str, int]]


class TooMany(Exception):
    """The search has seen more worlds than it may."""


def reaches(book: RecipeBook, start: World, wanted: Mapping[str, int], most: int, limit: int) -> bool:
    """Whether at most `most` actions can do; the start must not do already."""
    seen, layer = {start}, [start]
    for left in range(most, 0, -1):
        if any(made(book, world, wanted) for world in layer):
            return True
        if left == 2:
            return any(made(book, after, wanted) for world in layer for after in follow(book, world))
        fresh = []
        for after in itertools.chain.from_iterable(follow(book, world) for world in layer):
            if after not in seen:
                seen.add(after)
                fresh.append(after)
                if len(seen) > limit:
                    raise TooMany
        layer = fresh
    return False


def made(book: RecipeBook, world: World, wanted: Mapping[str, int]) -> bool:
    """Whether one action can do."""
    held: Counter[str] = Counter()
    for stack in filter(None, itertools.chain(*world)):
        held[stack[0]] += stack[1]
    lacking = {item for item, count in wanted.items() if held[item] < count}
    shown = book.match([stack[0] if stack else None for stack in world[0]])
    able = {shown.output} if shown else set()
    able |= {book.smelts[item].output for item in held if item in book.smelts}
    if not lacking <= able:
        return False
    return any(
        all(
            count <= sum(stack[1] for stack in filter(None, itertools.chain(*after)) if stack[0] == item)
            for item, count in wanted.items()
        )
        for after in follow(book, world, moves=False)
    )


def follow(book: RecipeBook, world: World, *, moves: bool = True) -> Iterator[World]:
    """The world after each legal action; without `moves` after each take and smelt."""
    cells, stacks = world
    recipe = book.match([stack[0] if stack else None for stack in cells])
    if recipe:
        for put in puts(book, world, None, recipe.output, recipe.count):
            yield used(cells, put), put[1]
    sources = [(place, stack) for place, stack in enumerate(cells) if stack]
    sources += [(9 + stacks.index(stack), stack) for stack in set(stacks)]
    for place, (item, there) in sources:
        kinds = [item] if moves else []
        kinds += [book.smelts[item].output] if item in book.smelts else []
        for quantity, kind in itertools.product(range(1, there + 1), kinds):
            for put_cells, put_stacks in puts(book, world, place, kind, quantity):
                rest = (item, there - quantity) if there > quantity else None
                if place < 9:
                    yield (*put_cells[:place], rest, *put_cells[place + 1 :]), put_stacks
                else:
                    others = list(put_stacks)
                    others.remove((item, there))
                    yield put_cells, tuple(sorted([*others, rest] if rest else others))


def used(before: Cells, put: World) -> Cells:
    """The cells after [0] was put somewhere, with one item less in each that was filled before."""
    return tuple(
        ((now[0], now[1] - 1) if now[1] > 1 else None) if old and now else now
        for old, now in zip(before, put[0], strict=True)
    )


def puts(book: RecipeBook, world: World, source: int | None, item: str, count: int) -> Iterator[World]:
    """The world with `count` more of `item` in each place but `source` that takes them."""
    cells, stacks = world
    for place, stack in enumerate(cells):
        if place != source and (stack is None or (stack[0] == item and stack[1] + count <= book.stack_sizes[item])):
            more = (item, count + (stack[1] if stack else 0))
            yield (*cells[:place], more, *cells[place + 1 :]), stacks
    if len(stacks) < len(INVENTORY):
        yield cells, tuple(sorted((*stacks, (item, count))))
    for place, stack in enumerate(stacks):
        if 9 + place != source and stack[0] == item and stack[1] + count <= book.stack_sizes[item]:
            others = stacks[:place] + stacks[place + 1 :]
            yield cells, tuple(sorted((*others, (item, stack[1] + count))))


def laid(rng: random.Random, ingredients: list[Choices], output: str, count: int, *, shaped: bool) -> Recipe:
    """A recipe whose cells are in a row, a column, a square or anywhere."""
    if not shaped:
        return Recipe("shapeless", output, count, tuple(ingredients), tuple(range(1, len(ingredients) + 1)))
    pool = rng.choice([[1, 2, 3], [1, 4, 7], [1, 2, 4, 5], [1, 2, 4, 5], list(range(1, 10))])
    places = sorted(rng.sample(pool, len(ingredients)))
    up, left = min((cell - 1) // 3 for cell in places), min((cell - 1) % 3 for cell in places)
    return Recipe("shaped", output, count, tuple(ingredients), tuple(cell - 3 * up - left for cell in places))


def either(rng: random.Random, names: list[str], ingredients: list[str], chance: float) -> list[Choices]:
    """The ingredients; by chance two of the names stand for each other."""
    pair = tuple(sorted(rng.sample(names, 2))) if len(names) > 1 and rng.random() < chance else ()
    return [pair if item in pair else (item,) for item in ingredients]


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


def tangled(seed: int) -> Question | None:
    """Two to five recipes, each from anything; None where the dice make no question."""
    rng = random.Random(seed)
    items = list("abcdef")[: rng.randint(3, 6)]
    recipes: list[Recipe] = []
    for _ in range(rng.randint(2, 5)):
        output = rng.choice(items[1:])
        others = [item for item in items if item != output]
        if rng.random() < 0.2:
            lower = [item for item in items[: items.index(output)] if not any(smelts(each, item) for each in recipes)]
            recipes += [Recipe("smelting", output, 1, ((rng.choice(lower),),))] if lower else []
            continue
        size = rng.choice([1, 1, 2, 2, 3])
        parts = [rng.choice(others)] * size if rng.random() < 0.3 else [rng.choice(others) for _ in range(size)]
        ingredients = either(rng, others, parts, 0.3)
        recipes.append(laid(rng, ingredients, output, rng.choice([1, 1, 2, 3, 4]), shaped=rng.random() < 0.5))
    wanted = {rng.choice(items[1:]): rng.choice([1, 1, 2, 3]) for _ in range(rng.choice([1, 1, 2, 3]))}
    slots = {slot: (item, rng.randint(1, 4)) for slot, item in enumerate(items, 10) if rng.random() < 0.6}
    return asked(rng, recipes, items, slots, wanted)


def chained(seed: int) -> Question | None:
    """Recipes each of which uses what the one before it makes; what is held may be wanted too."""
    rng = random.Random(seed)
    given, later = list("abc")[: rng.randint(1, 3)], list("wxyz")[: rng.randint(1, 4)]
    items = given + later
    recipes: list[Recipe] = []
    for number, output in enumerate(later):
        lower = items[: len(given) + number]
        if rng.random() < 0.15 and not any(smelts(recipe, lower[-1]) for recipe in recipes):
            recipes.append(Recipe("smelting", output, 1, ((lower[-1],),)))
            continue
        size = rng.choice([1, 2, 2, 3])
        parts = [rng.choice(lower)] * size if rng.random() < 0.4 else [rng.choice(lower) for _ in range(size)]
        if number and rng.random() < 0.85:
            parts[rng.randrange(size)] = lower[-1]
        ingredients = either(rng, lower, parts, 0.45)
        recipes.append(laid(rng, ingredients, output, rng.choice([1, 1, 2, 2, 3, 4]), shaped=rng.random() < 0.55))
    wanted = {later[-1]: rng.choice([1, 1, 2, 2, 3])}
    wanted |= {item: rng.choice([1, 2]) for item in items[:-1] if rng.random() < 0.2}
    slots = {slot: (item, rng.randint(1, 5)) for slot, item in enumerate(given, 10)}
    return asked(rng, recipes, items, slots, wanted)


def real(seed: int) -> Question | None:
    """A recipe of the game whose ingredients are there, or what makes one of them; at times something in the grid."""
    rng = random.Random(seed)
    book = load_book()
    recipe = rng.choice([each for each in book.recipes if len(each.ingredients) < 4])
    held = [rng.choice(choices) for choices in recipe.ingredients]
    made = rng.randrange(len(held))
    earlier = [each for each in book.making(held[made]) if len(each.ingredients) < 3]
    if earlier and rng.random() < 0.7:
        held[made : made + 1] = [rng.choice(choices) for choices in rng.choice(earlier).ingredients]
    counts = Counter(held * rng.choice([1, 1, 2]) + rng.sample(held, rng.randint(0, 1)))
    places = rng.sample([*GRID, *INVENTORY[:9]], len(counts)) if rng.random() < 0.3 else INVENTORY
    table = CraftingTable(dict(zip(places, counts.items(), strict=False)), book)
    return table, {recipe.output: rng.choice([1, 1, recipe.count, recipe.count + 1])}


def asked(
    rng: random.Random, recipes: list[Recipe], items: list[str], slots: dict[int, Stack], wanted: dict[str, int]
) -> Question | None:
    """Often with something in the grid, sometimes with small stacks, sometimes with hardly a free slot."""
    sizes = {item: rng.choice([1, 2, 16, 64]) if rng.random() < 0.1 else 64 for item in items}
    book = RecipeBook(recipes, sizes | {"filler": 1})
    if rng.random() < 0.4:
        slots |= {rng.randint(1, 9): (rng.choice(items), rng.randint(1, 3)) for _ in range(rng.randint(1, 4))}
    if not slots or ambiguous(book) or sum(number for _, number in slots.values()) > 12:
        return None
    if rng.random() < 0.1:
        free = [slot for slot in INVENTORY if slot not in slots]
        slots |= dict.fromkeys(free[rng.randint(0, 2) :], ("filler", 1))
    table = CraftingTable(slots, book)
    held = table.counts()
    return None if all(held.get(item, 0) >= count for item, count in wanted.items()) else (table, wanted)


def compare(make: Callable[[int], Question | None], seeds: range, most: int, limit: int) -> Counter[str]:
    """Hold each bound of at most `most` + 1 actions against the search; counts what was compared."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        question = make(seed)
        plan = shortest(*question, nodes=3000) if question else None
        if question is None or plan is None or not 2 <= plan.least <= most + 1:
            continue
        table, wanted = question
        hold(table, wanted, plan)
        world = (tuple(table[cell] for cell in GRID), tuple(sorted(stack for _, stack in table.stacks(INVENTORY))))
        try:
            assert not reaches(table.book, world, wanted, plan.least - 1, limit), f"{make.__name__} {seed}"
        except TooMany:
            continue
        seen["all"] += 1
        seen[plan.certificate["bound"]] += 1
        seen["longest"] = max(seen["longest"], len(plan.actions) if plan.minimal else 0)
        seen["grid"] += any(stack for stack in world[0])
        seen["full"] += len(world[1]) >= len(INVENTORY) - 2
        seen["goals"] += len(wanted) > 1
        seen["exact"] += plan.minimal
        seen[f"of {plan.least}"] += plan.minimal
    return seen


def hold(table: CraftingTable, wanted: Mapping[str, int], plan: MinimalPlan) -> None:
    """The plan works and is no shorter than its bound, and the verifier finds the same bound."""
    after = table.copy()
    for act in plan.actions:
        (after.smelt if act.kind == "smelt" else after.move)(act.source, act.target, act.quantity)
    if plan.actions:
        assert len(plan.actions) >= plan.least
        assert all(after.counts().get(item, 0) >= count for item, count in wanted.items())
    check(table, wanted, plan.certificate, 100_000)


@pytest.mark.full
def test_no_plan_is_shorter_than_the_bound_in_made_up_worlds() -> None:
    seen = compare(chained, range(450), 3, 6_000) + compare(tangled, range(450), 3, 6_000)
    assert seen["all"] > 130
    for kind in ("cells", "grid", "full", "goals"):
        assert seen[kind] > 0, kind


@pytest.mark.full
def test_no_plan_is_shorter_than_one_that_is_proven_minimal_by_recipes_of_the_game() -> None:
    seen = compare(real, range(150), 4, 6_000)
    assert seen["exact"] > 80
    for kind in ("grid", "of 2", "of 3", "of 4"):
        assert seen[kind] > 0, kind


@pytest.mark.full
@pytest.mark.parametrize("first", drawn(range(450, 950, 125), 1))
def test_no_plan_is_shorter_than_the_bound_in_more_made_up_worlds(first: int) -> None:
    """Longer plans, and more states of the search."""
    seeds = range(first, first + 125)
    seen = compare(chained, seeds, 5, 8_000) + compare(tangled, seeds, 5, 8_000)
    assert seen["all"] > 30
    assert seen["cells"] > 0


@pytest.mark.full
@pytest.mark.parametrize("first", drawn(range(150, 300, 50), 1))
def test_no_plan_is_shorter_than_longer_ones_that_are_proven_minimal_by_recipes_of_the_game(first: int) -> None:
    seen = compare(real, range(first, first + 50), 5, 10_000)
    assert seen["exact"] > 25
    assert seen["of 5"] > 0
    assert seen["longest"] >= 5


def shapeless(output: str, count: int, ingredients: str) -> Recipe:
    cells = tuple(range(1, len(ingredients) + 1))
    return Recipe("shapeless", output, count, tuple((item,) for item in ingredients), cells)


def row(output: str, *ingredients: str) -> Recipe:
    """A recipe of cells beside each other, each of which takes any of the items of its string."""
    return Recipe("shaped", output, 1, tuple(map(tuple, ingredients)), tuple(range(1, len(ingredients) + 1)))


@pytest.mark.parametrize(
    ("recipes", "slots", "wanted", "actions"),
    [
        pytest.param(
            # Beside b from one landing lies an a; which cell holds which is open in the bound.
            [shapeless("b", 2, "c"), row("x", "ab", "ab")],
            {10: ("a", 3), 11: ("c", 1)},
            {"x": 2, "a": 1},
            [(11, 1, 1), (0, 2, 2), (10, 1, 2), (0, 12, 1), (0, 12, 1)],
            id="a cell that may hold either of two items",
        ),
        pytest.param(
            # The a in [A1] is used up by q; the other a stays, where s wants it.
            [row("p", "a", "b", "b"), shapeless("q", 1, "aap"), shapeless("r", 1, "acq"), row("s", "c", "a", "r")],
            {10: ("a", 10), 11: ("b", 2), 12: ("c", 2)},
            {"s": 1},
            [(10, 1, 2), (11, 2, 1), (11, 3, 1), (0, 7, 1), (10, 5, 3), (0, 9, 1), (12, 4, 2), (0, 6, 1), (0, 20, 1)],
            id="one of two like cells stays",
        ),
        pytest.param(
            # The a of the start is used up by p; q gets another one in the cell where s wants it.
            [row("p", "a", "b", "b"), shapeless("q", 1, "ap"), row("s", "b", "a", "q")],
            {1: ("a", 1), 10: ("a", 10), 11: ("b", 5)},
            {"s": 1},
            [(11, 2, 1), (11, 3, 1), (0, 7, 1), (10, 5, 2), (0, 6, 1), (11, 4, 1), (0, 20, 1)],
            id="what is used up is laid anew elsewhere",
        ),
    ],
)
def test_plans_that_earlier_bounds_ruled_out(
    recipes: list[Recipe], slots: dict[int, Stack], wanted: dict[str, int], actions: list[tuple[int, int, int]]
) -> None:
    table = CraftingTable(slots, RecipeBook(recipes, dict.fromkeys("abcpqrsx", 64)))
    plan = shortest(table, wanted)
    assert plan is not None
    hold(table, wanted, plan)
    after = table.copy()
    for act in actions:
        after.move(*act)
    assert all(after.counts().get(item, 0) >= count for item, count in wanted.items())
    assert plan.least <= len(actions)
    false = {"bound": "cells", "least": len(actions) + 1, "merged": [], "weights": {}, "scale": 1}
    with pytest.raises(Unsound, match="does not rule out"):
        check(table, wanted, false, 100_000)


@pytest.mark.full
def test_what_is_wanted_is_not_smelted_away() -> None:
    """In some made-up worlds a way through the bounds can be played so that it ends without what is wanted."""
    for seed in range(450):
        question = chained(seed)
        if question and any(recipe.kind == "smelting" for recipe in question[0].book.recipes):
            plan = shortest(*question, nodes=1000)
            if plan and plan.actions:
                hold(*question, plan)


def test_a_need_of_many_inputs_ends_at_the_limit() -> None:
    """Sixty charcoal of six kinds of wood can be shared out in millions of ways."""
    logs = [f"{wood}_log" for wood in ("oak", "birch", "spruce", "jungle", "acacia", "dark_oak")]
    table = CraftingTable({slot: (log, 16) for slot, log in enumerate(logs, 10)})
    assert shortest(table, {"charcoal": 60}, nodes=200) is not None
