"""The data are what Plancraft 0.4.9 has: counts of recipes, items, stack sizes and examples."""

from __future__ import annotations

from collections import Counter
from importlib import resources

import pytest

from autocraft.crafting.examples import load_example, load_examples
from autocraft.crafting.recipes import load_book
from autocraft.errors import CommandError, UsageError


def test_recipes_and_items_are_complete() -> None:
    book = load_book()
    assert len(book.recipes) == 687
    assert len({recipe.output for recipe in book.recipes}) == 604
    assert Counter(recipe.kind for recipe in book.recipes) == {"shaped": 491, "shapeless": 143, "smelting": 53}
    assert len(book.stack_sizes) == 976
    assert Counter(book.stack_sizes.values()) == {64: 791, 16: 31, 1: 154}


def test_no_recipe_names_an_unknown_item() -> None:
    book = load_book()
    named = {item for recipe in book.recipes for choices in recipe.ingredients for item in choices}
    assert named | {recipe.output for recipe in book.recipes} <= book.items


def test_groups_of_a_recipe_never_share_an_item() -> None:
    for recipe in load_book().recipes:
        items = [item for choices in recipe.groups for item in choices]
        assert len(items) == len(set(items)), recipe


@pytest.mark.parametrize(
    ("split", "levels"),
    [
        ("train", {"easy": 400, "medium": 198, "hard": 347, "impossible": 200}),
        ("val", {"easy": 200, "medium": 100, "hard": 170, "impossible": 100}),
        ("test", {"easy": 200, "medium": 100, "hard": 180, "impossible": 100}),
    ],
)
def test_examples_are_complete(split: str, levels: dict[str, int]) -> None:
    examples = load_examples(split).values()
    assert Counter(example.level for example in examples) == levels
    assert all(example.target not in {item for item, _ in example.slots.values()} for example in examples)
    assert all(set(example.slots) <= set(range(10, 46)) for example in examples)
    assert all((example.recipes is None) == example.impossible for example in examples)


def test_small_splits_are_marked() -> None:
    assert sum(example.small for example in load_examples("val").values()) == 110
    assert sum(example.small for example in load_examples("test").values()) == 117
    assert sum(example.unseen_in_train for example in load_examples("test").values()) == 128


def test_air_is_no_item_of_an_example() -> None:
    assert not [
        e.id for s in ("train", "val", "test") for e in load_examples(s).values() if "air" in e.table().counts()
    ]


def test_example_by_id() -> None:
    example = load_example("test0001")
    assert (example.id, example.target, example.level, example.recipes) == ("TEST0001", "cake", "hard", 3)
    assert example.table().counts()["wheat"] == 3
    assert example.goal.items == (("cake", 1),)


@pytest.mark.parametrize("id", ["TEST9999", "nonsense", "TEST", ""])
def test_unknown_example_names_ids_that_exist(id: str) -> None:
    with pytest.raises(UsageError, match=r"TEST0"):
        load_example(id)


@pytest.mark.parametrize("text", ["oak_planks", "Oak Planks", "minecraft:oak_planks", " MINECRAFT:Oak-Planks "])
def test_item_names_are_understood(text: str) -> None:
    assert load_book().name(text) == "oak_planks"


def test_unknown_item_names_near_ones() -> None:
    with pytest.raises(CommandError, match="did you mean stone_pickaxe"):
        load_book().name("stone_pikaxe")
    with pytest.raises(CommandError, match="oak_planks"):
        load_book().name("planks")


def test_data_fit_half_a_megabyte() -> None:
    data = resources.files("autocraft.crafting") / "data"
    assert sum(len((data / f"{split}.json.gz").read_bytes()) for split in ("train", "val", "test")) < 500_000
