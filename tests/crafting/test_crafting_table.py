"""Moves and smelts: one test per rule, and a replay of what Plancraft 0.4.9 did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autocraft.crafting.recipes import load_book
from autocraft.crafting.slots import index_of, name_of
from autocraft.crafting.table import CraftingTable
from autocraft.errors import IllegalMove, UsageError

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text("utf-8"))


def table(**slots: tuple[str, int]) -> CraftingTable:
    return CraftingTable({index_of(name): stack for name, stack in slots.items()})


def move(state: CraftingTable, source: str, target: str, quantity: int = 1) -> str:
    return state.move(index_of(source), index_of(target), quantity)


def smelt(state: CraftingTable, source: str, target: str, quantity: int = 1) -> str:
    return state.smelt(index_of(source), index_of(target), quantity)


def at(state: CraftingTable, slot: str) -> tuple[str, int] | None:
    return state[index_of(slot)]


@pytest.mark.parametrize(
    ("name", "index"),
    [("[0]", 0), ("0", 0), ("[A1]", 1), ("c3", 9), ("[I1]", 10), ("I36", 45), (" i 2 ", 11), ("[b2]", 5)],
)
def test_slot_names(name: str, index: int) -> None:
    assert index_of(name) == index
    assert index_of(name_of(index)) == index


@pytest.mark.parametrize("name", ["[I37]", "[I0]", "D1", "A4", "", "46", "[[A1]]", "I01", "[1]"])
def test_unknown_slots_say_which_exist(name: str) -> None:
    with pytest.raises(IllegalMove, match=r"\[I1\] to \[I36\]"):
        index_of(name)


@pytest.mark.parametrize("number", range(len(GOLDEN)))
def test_replay_of_plancraft(number: int) -> None:
    episode = GOLDEN[number]
    state = CraftingTable({int(slot): tuple(stack) for slot, stack in episode["start"].items()})
    for kind, source, target, quantity, changed in episode["actions"]:
        expected = {str(slot): list(stack) for slot, stack in state.stacks()}
        if changed is None:
            with pytest.raises(IllegalMove):
                getattr(state, kind)(source, target, quantity)
        else:
            getattr(state, kind)(source, target, quantity)
            expected |= changed
        assert {str(slot): list(stack) for slot, stack in state.stacks()} == {k: v for k, v in expected.items() if v}


def test_the_golden_file_takes_outputs_and_smelts() -> None:
    actions = [action for episode in GOLDEN for action in episode["actions"]]
    legal = [action for action in actions if action[4] is not None]
    assert len(actions) > 300
    assert sum(action[1] == 0 for action in legal) > 20
    assert sum(action[0] == "smelt" for action in legal) > 5
    assert len(actions) - len(legal) > 50


def test_a_recipe_fits_anywhere_in_the_grid_but_not_mirrored() -> None:
    axe = {"B2": ("oak_planks", 1), "B3": ("oak_planks", 1), "C2": ("oak_planks", 1), "C3": ("stick", 1)}
    assert at(table(**axe), "[0]") is None
    axe |= {"A1": ("oak_planks", 1), "A2": ("oak_planks", 1), "B1": ("oak_planks", 1), "B2": ("stick", 1)}
    del axe["B3"], axe["C2"], axe["C3"]
    assert at(table(**axe, C2=("stick", 1)), "[0]") == ("wooden_axe", 1)
    assert at(table(A3=("oak_planks", 1), B3=("birch_planks", 1)), "[0]") == ("stick", 4)


def test_taking_the_output_uses_one_of_each_cell_and_always_takes_all() -> None:
    state = table(A1=("oak_log", 2))
    said = move(state, "[0]", "I1")
    assert at(state, "I1") == ("oak_planks", 4)
    assert at(state, "A1") == ("oak_log", 1)
    assert at(state, "[0]") == ("oak_planks", 4)
    assert "all 4 were taken" in said
    move(state, "[0]", "I1", 4)
    assert state.to_json() == {"I1": ["oak_planks", 8]}


def test_the_output_can_go_into_the_grid() -> None:
    state = table(A1=("oak_log", 2))
    move(state, "[0]", "A2")
    assert state.to_json() == {"A1": ["oak_log", 1], "A2": ["oak_planks", 4]}


def test_containers_are_not_returned() -> None:
    state = table(
        **{f"A{n}": ("milk_bucket", 1) for n in (1, 2, 3)},
        B1=("sugar", 1),
        B2=("egg", 1),
        B3=("sugar", 1),
        **{f"C{n}": ("wheat", 1) for n in (1, 2, 3)},
    )
    move(state, "[0]", "I1")
    assert state.counts() == {"cake": 1}


def test_smelting_takes_any_quantity_and_no_fuel() -> None:
    state = table(I1=("iron_ore", 64))
    said = smelt(state, "I1", "A1", 64)
    assert state.counts() == {"iron_ingot": 64}
    assert "[0] now shows 9 iron_nugget" in said


@pytest.mark.parametrize(
    ("action", "why"),
    [
        (("move", "I1", "I2", 5), "only 4 oak_log in"),
        (("move", "I1", "I3", 1), r"\[I3\] holds 60 cobblestone.*free slot: \[I2\]"),
        (("move", "I4", "I3", 5), "4 more would fit"),
        (("move", "I1", "0", 1), r"nothing can be put into \[0\]"),
        (("move", "I1", "I1", 1), "both"),
        (("move", "I1", "I2", 0), "from 1 to 64"),
        (("move", "I1", "I2", 65), "from 1 to 64"),
        (("move", "I1", "I2", -1), "from 1 to 64"),
        (("move", "I1", "I2", True), "from 1 to 64"),
        (("move", "I9", "I2", 1), r"\[I9\] is empty"),
        (("move", "0", "I2", 1), r"\[0\] is empty: the grid holds diamond \[A1\]"),
        (("smelt", "I3", "I1", 1), r"\[I1\] holds 4 oak_log, so no stone"),
        (("smelt", "A1", "I2", 1), "diamond cannot be smelted"),
        (("smelt", "0", "I2", 1), r"cannot smelt from \[0\]"),
        (("smelt", "I3", "0", 1), r"nothing can be put into \[0\]"),
        (("smelt", "I3", "I2", 61), "only 60 cobblestone"),
        (("smelt", "I4", "I5", 5), "1 more would fit"),
    ],
)
def test_illegal_actions_say_why_and_change_nothing(action: tuple[str, str, str, int], why: str) -> None:
    state = table(I1=("oak_log", 4), I3=("cobblestone", 60), I4=("cobblestone", 9), I5=("stone", 63), A1=("diamond", 1))
    before = state.to_json()
    kind, source, target, quantity = action
    with pytest.raises(IllegalMove, match=why):
        (move if kind == "move" else smelt)(state, source, target, quantity)
    assert state.to_json() == before


@pytest.mark.parametrize("slot", [-1, 46, 1000])
def test_slot_numbers_outside_are_illegal(slot: int) -> None:
    state = table(I1=("oak_log", 4))
    for kind in (state.move, state.smelt):
        for source, target in ((slot, 10), (10, slot)):
            with pytest.raises(IllegalMove):
                kind(source, target, 1)


def test_more_than_the_output_holds_is_illegal() -> None:
    state = table(A1=("oak_log", 1))
    with pytest.raises(IllegalMove, match="only 4 oak_planks"):
        move(state, "[0]", "I1", 5)


def test_the_output_must_fit_whole() -> None:
    state = table(A1=("oak_log", 1), I1=("oak_planks", 62))
    with pytest.raises(IllegalMove, match="2 more would fit"):
        move(state, "[0]", "I1")


def test_copies_share_nothing() -> None:
    state = table(I1=("oak_log", 4))
    twin = state.copy()
    assert twin == state
    move(twin, "I1", "A1", 4)
    assert state.to_json() == {"I1": ["oak_log", 4]}
    assert twin != state


def test_json_round_trip_keeps_the_grid() -> None:
    state = table(I3=("oak_log", 4), A1=("oak_log", 1))
    data = json.loads(json.dumps(state.to_json()))
    assert data == {"0": ["oak_planks", 4], "A1": ["oak_log", 1], "I3": ["oak_log", 4]}
    assert CraftingTable.from_json(data) == state


@pytest.mark.parametrize("data", [{"I99": ["stick", 1]}, {"I1": ["nonsense", 1]}, {"I1": ["stick", 65]}, {"I1": 3}, 7])
def test_a_broken_snapshot_is_refused(data: Any) -> None:
    with pytest.raises(UsageError):
        CraftingTable.from_json(data)


def test_no_two_recipes_fit_the_same_shapeless_bag_and_every_recipe_is_found() -> None:
    book = load_book()
    for recipe in book.recipes:
        if recipe.kind != "smelting":
            grid: list[str | None] = [None] * 9
            for cell, choices in zip(recipe.cells, recipe.ingredients, strict=True):
                grid[cell - 1] = choices[-1]
            assert book.match(grid) is recipe


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from(["move", "smelt"]), st.integers(-2, 47), st.integers(-2, 47), st.integers(-1, 66))
    )
)
def test_nothing_appears_from_nowhere(actions: list[tuple[str, int, int, int]]) -> None:
    state = table(I1=("oak_log", 9), I2=("iron_ore", 30), A1=("oak_log", 5), B2=("sand", 2))
    for kind, source, target, quantity in actions:
        before = state.copy()
        try:
            getattr(state, kind)(source, target, quantity)
        except IllegalMove:
            assert state == before
        assert all(1 <= count <= 64 for _, (_, count) in state.stacks())
        weight = {"oak_log": 8, "charcoal": 8, "oak_planks": 2, "stick": 1}
        assert sum(weight.get(item, 0) * count for item, count in state.counts().items()) <= 8 * 14
