"""The worth of items: that of the real book as a plain relaxation finds it, and an end on any made-up book."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction

import pytest

from autocraft.crafting.item_cost import Worth, natural, price, thrifty, values
from autocraft.crafting.planner import plan
from autocraft.crafting.recipes import Recipe, RecipeBook, load_book
from autocraft.crafting.table import CraftingTable
from autocraft.goals import Goal

WHOLE = Fraction(1)


def made_up(*rows: tuple[str, int, str]) -> RecipeBook:
    """A book of shapeless recipes, each as (output, count, "ingredient ingredient|instead …")."""
    recipes = []
    for output, count, parts in rows:
        ingredients = tuple(tuple(part.split("|")) for part in parts.split())
        recipes.append(Recipe("shapeless", output, count, ingredients, tuple(range(1, len(ingredients) + 1))))
    names = {name for each in recipes for name in [each.output, *(item for part in each.ingredients for item in part)]}
    return RecipeBook(recipes, dict.fromkeys(sorted(names), 64))


def relaxed(book: RecipeBook, rounds: int = 30) -> Mapping[str, Worth] | None:
    """The plain way: lower until nothing changes. None when it still does after `rounds`, as where circles gain."""
    worth = {item: (WHOLE, 0) for item in book.items if natural(book, item)}
    for _ in range(rounds):
        before = dict(worth)
        for recipe in book.recipes:
            cost = price(recipe, worth)
            if cost is not None and (recipe.output not in worth or cost < worth[recipe.output]):
                worth[recipe.output] = cost
        if worth == before:
            stuck = book.items - set(worth)
            if not stuck:
                return worth
            worth |= dict.fromkeys(stuck, (WHOLE, 0))
    return None


def test_the_real_book_has_the_worth_that_a_plain_relaxation_finds() -> None:
    book = load_book()
    plain = relaxed(book)
    assert plain is not None
    assert values(book) == plain
    assert set(plain) == book.items
    assert values(book)["stick"] == (Fraction(1, 8), 2)  # 1 log, 4 planks, 2 of them 4 sticks
    assert values(book)["coal"] == (WHOLE, 0)


def test_a_circle_that_gains_makes_nothing_cheaper() -> None:
    book = made_up(("b", 1, "a"), ("a", 2, "b"))
    assert relaxed(book) is None
    assert values(book) == {"a": (WHOLE, 0), "b": (WHOLE, 1)}
    assert thrifty(book.recipes[0], values(book))


def test_a_circle_that_gains_by_several_items_ends_too() -> None:
    book = made_up(("a", 1, "raw"), ("b", 1, "a"), ("c", 3, "b"), ("d", 1, "c x"), ("a", 5, "d"), ("goal", 1, "d d"))
    assert relaxed(book) is None
    assert values(book) == {
        "raw": (WHOLE, 0),
        "x": (WHOLE, 0),
        "a": (WHOLE, 1),
        "b": (WHOLE, 2),
        "c": (Fraction(1, 3), 3),
        "d": (Fraction(4, 3), 4),
        "goal": (Fraction(8, 3), 5),
    }


def test_what_nothing_raw_leads_to_counts_as_raw() -> None:
    book = made_up(("egg", 1, "hen"), ("hen", 1, "egg"), ("nest", 2, "egg straw straw"))
    assert values(book) == dict.fromkeys(("egg", "hen", "straw", "nest"), (WHOLE, 0))


@pytest.mark.parametrize("rows", [(("b", 1, "a"), ("a", 2, "b")), (("egg", 1, "hen"), ("hen", 2, "egg"))])
def test_the_planner_answers_on_such_books(rows: tuple[tuple[str, int, str], ...]) -> None:
    book = made_up(*rows)
    held, other = rows[1][0], rows[0][0]
    for wanted in (3, 40):
        table = CraftingTable({10: (held, 1)}, book)
        found = plan(book, table.counts(), [Goal(f"craft {wanted} {other}", ((other, wanted),))], table)
        assert found.verdict in ("found", "not found")
    assert plan(book, {}, [Goal(f"craft 1 {other}", ((other, 1),))], CraftingTable(None, book)).verdict == "impossible"


def random_book(rng: random.Random) -> RecipeBook:
    items = [f"i{number}" for number in range(rng.randint(2, 9))]
    rows = []
    for _ in range(rng.randint(1, 12)):
        parts = [rng.sample(items, rng.randint(1, min(2, len(items)))) for _ in range(rng.randint(1, 3))]
        rows.append((rng.choice(items), rng.choice((1, 1, 1, 1, 2)), " ".join("|".join(part) for part in parts)))
    return made_up(*rows)


def test_random_books_end_and_agree_with_the_relaxation_where_it_ends() -> None:
    rng = random.Random(11)
    ended = gaining = 0
    for _ in range(400):
        book = random_book(rng)
        worth = values(book)
        assert set(worth) == book.items
        for item, (cost, height) in worth.items():
            assert cost > 0
            assert height <= len(book.items)
            if height:
                assert any(_at_most(recipe, worth, worth[item]) for recipe in book.making(item)), item
        plain = relaxed(book)
        gaining += plain is None
        if plain is not None:
            ended += 1
            assert {item: cost for item, (cost, _) in worth.items()} == {
                item: cost for item, (cost, _) in plain.items()
            }
    assert min(ended, gaining) > 50


def _at_most(recipe: Recipe, worth: Mapping[str, Worth], most: Worth) -> bool:
    """Whether the recipe accounts for a worth: with what is known now it is no dearer."""
    cost = price(recipe, worth)
    return cost is not None and cost[0] <= most[0]
