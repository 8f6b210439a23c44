"""What a model is told beside the result of an action."""

from __future__ import annotations

import pytest

from autocraft.crafting.examples import load_examples
from autocraft.crafting.feedback import LineHistory, missing_text
from autocraft.crafting.recipes import load_book
from autocraft.crafting.slots import index_of
from autocraft.crafting.table import CraftingTable


def table(**slots: tuple[str, int]) -> CraftingTable:
    return CraftingTable({index_of(name): stack for name, stack in slots.items()})


@pytest.mark.parametrize(
    ("slots", "wanted", "text"),
    [
        (
            {"I1": ("bamboo", 14)},
            "ladder",
            "ladder: have 0, need 1; it is made from 7 stick (0 here, 7 missing)",
        ),
        (
            {"I1": ("stick", 2), "B2": ("stick", 3)},
            "ladder",
            "ladder: have 0, need 1; it is made from 7 stick (5 here, 2 missing)",
        ),
        ({"I1": ("stick", 9)}, "ladder", "ladder: have 0, need 1; it is made from 7 stick: all here"),
        (
            {"I1": ("cobblestone", 3), "I2": ("stick", 1)},
            "stone_pickaxe",
            "stone_pickaxe: have 0, need 1; it is made from 3 cobblestone (3 here) and 2 stick (1 here, 1 missing)",
        ),
        (
            {"I1": ("iron_ore", 1)},
            "iron_ingot",
            "iron_ingot: have 0, need 1; it is smelted from 1 iron_ore: all here",
        ),
        (
            {"I1": ("cobblestone", 5)},
            "smooth_stone",
            "smooth_stone: have 0, need 1; it is smelted from 1 stone (0 here, 1 missing)",
        ),
        (
            {"A1": ("oak_log", 1)},
            "oak_planks",
            "oak_planks: have 0, need 1; 4 oak_planks shown in [0] do not count until you move them from [0] to "
            "another slot",
        ),
        ({}, "diamond_ore", "diamond_ore: have 0, need 1; nothing makes it"),
        ({}, "nonsense", "nonsense: have 0, need 1; nothing makes it"),
        ({"I1": ("ladder", 1)}, "ladder", ""),
        ({}, [], ""),
    ],
)
def test_what_is_missing(slots: dict[str, tuple[str, int]], wanted: str | list[tuple[str, int]], text: str) -> None:
    assert missing_text(table(**slots), wanted) == text


def test_an_ingredient_goes_by_the_name_of_what_is_there_or_can_be_made() -> None:
    assert "2 birch_planks (0 here" in missing_text(table(I1=("birch_log", 1)), "stick")
    assert "2 bamboo (1 here, 1 missing)" in missing_text(table(I1=("bamboo", 1)), "stick")
    mixed = table(I1=("oak_planks", 3), I2=("birch_planks", 4))
    assert "8 birch_planks or oak_planks (7 here, 1 missing)" in missing_text(mixed, "chest")


def test_several_items_and_counts() -> None:
    state = table(I1=("stick", 3), I2=("iron_ingot", 64))
    said = missing_text(state, (("stick", 3), ("bucket", 2), ("ladder", 4)))
    assert said.splitlines() == [
        "bucket: have 0, need 2; it is made from 6 iron_ingot: all here",
        "ladder: have 0, need 4; it is made from 14 stick (3 here, 11 missing)",
    ]


def test_many_items_stay_short() -> None:
    said = missing_text(table(), [(item, 1) for item in sorted(load_book().items)])
    assert len(said.splitlines()) == 6
    assert said.endswith("more items")


def test_every_example_has_one_short_line() -> None:
    for split in ("train", "val", "test"):
        for example in load_examples(split).values():
            said = missing_text(example.table(), example.target)
            assert said.startswith(f"{example.target}: have 0, need 1; ")
            assert "\n" not in said
            assert len(said) < 260


LINE = "move: from [I2] to [A1] with quantity 1"


def test_a_line_tried_before_is_named_with_its_step_and_outcome() -> None:
    tried = LineHistory()
    assert tried.note("smelt: from [I1] to [I2] with quantity 1", ok=True) == ""
    assert tried.note(LINE, ok=False) == ""
    said = tried.note(LINE.upper() + "  ", ok=False)
    assert said == "This very line was tried before at step 2 (illegal then too); do something else."
    assert "at steps 2 and 3 (illegal each time)" in tried.note(LINE, ok=False)
    assert "at steps 2, 3 and 4" in tried.note(LINE, ok=False)
    assert "4 times, last at step 5" in tried.note(LINE, ok=False)
    assert tried.note(LINE, ok=True) == "This very line was tried before 5 times, last at step 6, and is legal now."
    assert "(sometimes illegal)" in tried.note(LINE, ok=False)


def test_going_on_with_a_legal_line_is_no_mistake_but_its_end_is_named() -> None:
    tried = LineHistory()
    assert [tried.note(LINE, ok=True) for _ in range(4)] == [""] * 4
    assert "4 times, last at step 4 (legal then)" in tried.note(LINE, ok=False)


def test_steps_may_be_given_and_episodes_share_nothing() -> None:
    one, other = LineHistory(), LineHistory()
    one.note(LINE, ok=False, step=7)
    assert "at step 7 " in one.note(LINE, ok=False, step=9)
    assert other.note(LINE, ok=False) == ""
