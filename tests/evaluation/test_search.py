"""The two answers to a search: the gold recipe beside the package's own, and the recipes with near words."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from autocraft.crafting.recipes import load_book
from autocraft.crafting.slots import OUTPUT, index_of
from autocraft.crafting.table import CraftingTable
from autocraft.evaluation.search import gold_recipe, similar_recipes

BOOK = load_book()
MADE = sorted({recipe.output for recipe in BOOK.recipes})


def blocks(text: str) -> list[str]:
    """What stands under each "recipe N:"."""
    parts = re.split(r"^recipe (\d+):\n", text, flags=re.MULTILINE)
    assert [int(number) for number in parts[1::2]] == list(range(1, len(parts) // 2 + 1))
    return [part.strip() for part in parts[2::2]]


def laid(block: str) -> list[tuple[str, str]]:
    """(item, slot) of each line."""
    return [tuple(line.split(" at ")) for line in block.split("\n")]  # type: ignore[misc]


def test_every_layout_makes_the_item() -> None:
    rng = random.Random(2)
    crafts = smelts = 0
    for name in MADE:
        text = gold_recipe(BOOK, name, rng)
        assert text.startswith(f"Recipes to craft {name}:\nrecipe 1:\n")
        assert len(blocks(text)) == len(BOOK.making(name))
        for block in blocks(text):
            if block.startswith("smelt "):
                smelts += 1
                assert all(BOOK.smelts[item].output == name for item in block.removeprefix("smelt ").split(" or "))
                continue
            crafts += 1
            table = CraftingTable({index_of(slot): (item, 1) for item, slot in laid(block)})
            shown = table[OUTPUT]
            assert shown is not None
            assert shown[0] == name, block
    assert (crafts, smelts) == (634, 53)


def test_it_tells_what_the_packages_retriever_tells() -> None:
    """Per item as many crafts, each of as many items, and the same inputs of smeltings; only the choice is another."""
    from plancraft.environment.recipes import RECIPES
    from plancraft.environment.search import gold_search_recipe

    assert sorted(name for name in RECIPES if RECIPES[name]) == MADE
    for name in MADE:
        shapes = []
        for text in (gold_recipe(BOOK, name, random.Random(1)), gold_search_recipe(name)):
            smelted = [set(re.findall(r"\w+", block)) - {"smelt", "or"} for block in blocks(text) if "smelt" in block]
            sizes = Counter(len(laid(block)) for block in blocks(text) if "smelt" not in block)
            shapes.append((sorted(map(sorted, smelted)), sizes))
        assert shapes[0] == shapes[1], name


def test_the_seed_alone_decides() -> None:
    random.seed(5)
    state = random.getstate()
    answers = [gold_recipe(BOOK, "torch", random.Random(seed)) for seed in range(60)]
    assert random.getstate() == state
    assert answers == [gold_recipe(BOOK, "torch", random.Random(seed)) for seed in range(60)]
    tops = {laid(blocks(answer)[0])[0] for answer in answers}
    assert {item for item, _ in tops} == {"coal", "charcoal"}
    assert {slot for _, slot in tops} == {"[A1]", "[A2]", "[A3]", "[B1]", "[B2]", "[B3]"}


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("oak planks", "Could not find a recipe by that name; did you mean oak_planks?"),
        ("sticks", "did you mean stick?"),
        ("planks", "did you mean oak_planks,"),
        ("unobtainium", "names are exact, such as oak_planks"),
        ("", "names are exact"),
        ("\x00" * 10_000, "names are exact"),
        ("diamond_ore", "Nothing makes diamond_ore: it has no recipe."),
        ("air", "Could not find"),
        (" `stick` ", "Recipes to craft stick:\nrecipe 1:"),
    ],
)
def test_names_are_exact_and_near_ones_are_told(name: str, answer: str) -> None:
    said = gold_recipe(BOOK, name, random.Random(0))
    assert answer in said
    assert len(said) < 400


def found(query: str) -> list[str]:
    """The items that the recipes of an answer make."""
    return re.findall(r"^\d+\. .*-> \d+ (\w+)", similar_recipes(BOOK, query), re.MULTILINE)


def plural(name: str) -> str:
    words = name.replace("_", " ")
    return words if words.endswith("s") else words + ("es" if words.endswith(("sh", "ch", "x")) else "s")


def test_the_right_recipe_is_among_the_near_ones() -> None:
    assert all(found(name)[0] == name for name in MADE)
    assert all(found(name.replace("_", " "))[0] == name for name in MADE)
    assert all(found(f"how to craft a {name.replace('_', ' ')}?")[0] == name for name in MADE)
    assert sum(name in found(plural(name)) for name in MADE) >= 0.98 * len(MADE)


def test_it_says_what_it_is_and_answers_alike() -> None:
    first = similar_recipes(BOOK, "iron pick axe")
    assert first == similar_recipes(BOOK, "iron pick axe")
    assert first.startswith("The recipes with the nearest words, which need not be the one that is meant:\n1. ")
    assert "iron_pickaxe" in found("iron pick axe")
    assert len(found("oak planks")) == 3


@pytest.mark.parametrize("query", ["", "   ", "\u202e\u0000", "漢字", "qqqqqqqq"])
def test_what_is_like_nothing_finds_nothing(query: str) -> None:
    assert similar_recipes(BOOK, query).startswith("No recipe has words like these.")


def test_long_queries() -> None:
    assert found("stick " + "x" * 100_000)
