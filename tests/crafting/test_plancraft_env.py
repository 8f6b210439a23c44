"""The environment in the package's shape: what programs written for plancraft see, and the package's faults 1 to 8."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autocraft.crafting.describe import item_text
from autocraft.crafting.examples import load_example
from autocraft.crafting.picture import Resolution
from autocraft.crafting.plancraft import (
    InvalidAction,
    MoveAction,
    PlancraftEnvironment,
    SmeltAction,
    StopAction,
    convert_from_slot_index,
    convert_to_slot_index,
    get_objective_str,
    inventory_of,
    parse_action,
    target_and_inventory_to_text_obs,
)
from autocraft.crafting.recipes import load_book
from autocraft.errors import InvalidCommand, UsageError

LOGS = {10: {"type": "oak_log", "quantity": 4}}


def item(name: Any, quantity: Any) -> dict[str, Any]:
    return {"type": name, "quantity": quantity}


# ------------------------------------------------------------ the package's faults, numbered as in docs/crafting.md


def test_1_neither_the_callers_inventory_nor_an_example_changes() -> None:
    mine, example = copy.deepcopy(LOGS), load_example("TEST0018")
    before = inventory_of(example.table())
    PlancraftEnvironment(mine).step(MoveAction("[I1]", "[A1]", 4))
    env = PlancraftEnvironment(inventory_of(example.table()))
    slot = next(iter(before))
    env.step(MoveAction(slot, 1, 1))
    assert mine == LOGS
    assert env.state != before
    assert inventory_of(example.table()) == env.reset(before) == before


def test_2_an_observation_stays_as_it_was() -> None:
    env = PlancraftEnvironment(LOGS)
    seen, state = env.step(), env.state
    env.step(MoveAction("[I1]", "[A1]", 4))
    assert seen["inventory"] == state == LOGS
    seen["inventory"].clear()
    env.state.clear()
    assert env.step()["inventory"] == {0: item("oak_planks", 4), 1: item("oak_log", 4)}


def test_3_the_output_is_that_of_the_grid_from_the_start_and_taking_it_never_crashes() -> None:
    env = PlancraftEnvironment({0: item("diamond", 1), "[A1]": item("oak_log", 2)})
    assert env.state[0] == item("oak_planks", 4)
    assert env.step(MoveAction(0, 10, 4))["inventory"][10] == item("oak_planks", 4)
    seen = PlancraftEnvironment({0: item("oak_log", 2)}).step(MoveAction(0, 10, 1))
    assert (seen["inventory"], seen["legal"]) == ({}, False)


def test_4_the_output_is_taken_whole_and_says_so() -> None:
    env = PlancraftEnvironment({1: item("oak_log", 2)})
    assert "all 4 were taken" in env.step(MoveAction("[0]", "[I1]", 1))["message"]
    assert "there are only 4 oak_planks" in env.step(MoveAction("[0]", "[I1]", 5))["message"]


@pytest.mark.parametrize(
    ("action", "why"),
    [
        (MoveAction("I1", "I5", 5), "only 4"),
        (MoveAction("I1", "I2", 1), "holds 60 coal"),
        (MoveAction("I3", "I2", 9), "4 more would fit"),
        (SmeltAction("I2", "I9", 1), "cannot be smelted"),
        (SmeltAction("0", "I9", 1), r"cannot smelt from \[0\]"),
    ],
)
def test_5_nothing_illegal_is_silent(action: MoveAction | SmeltAction, why: str) -> None:
    env = PlancraftEnvironment({10: item("oak_log", 4), 11: item("coal", 60), 12: item("coal", 9)})
    before = env.state
    seen = env.step(action)
    assert re.match(f"nothing was changed: .*{why}", seen["message"])
    assert not seen["legal"]
    assert env.state == seen["inventory"] == before


@pytest.mark.parametrize(
    "line",
    [
        "think: I should move: from [I2] to [A1] with quantity 1",
        "remove: from [I2] to [A1] with quantity 1",
        "move: from [I2] to [A1] with quantity 1\nmove: from [I3] to [A2] with quantity 1",
    ],
)
def test_6_a_thought_about_a_move_is_no_move(line: str) -> None:
    with pytest.raises(InvalidAction, match="is not an action: write one line"):
        parse_action(line)


@pytest.mark.parametrize(
    "line",
    [
        "Move: from [I2] to [A1] with quantity 1",
        "move from i2 to a1 with quantity 1",
        " `MOVE : from I2 to [A1] with quantity 01.` ",
    ],
)
def test_6_case_and_colon_do_not_matter(line: str) -> None:
    assert str(parse_action(line)) == "move: from [I2] to [A1] with quantity 1"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("move: from [I2] to [D1] with quantity 1", r"no slot '\[D1\]'.*\[I36\]"),
        ("move: from [I2] to [A1]", "with quantity 1"),
        ("smelt: from [I2] to [A1] with quantity 65", "from 1 to 64"),
        ("", "write one line"),
    ],
)
def test_7_what_is_malformed_says_what_is_right(line: str, why: str) -> None:
    with pytest.raises(InvalidAction, match=why) as caught:
        parse_action(line)
    assert "NoneType" not in str(caught.value)


def test_7_names_of_several_words_and_a_bare_impossible_are_read() -> None:
    assert load_book().name("oak planks") == "oak_planks"
    assert parse_action("impossible:") == StopAction()


@pytest.mark.parametrize(
    "inventory",
    [
        {46: item("oak_log", 1)},
        {-1: item("oak_log", 1)},
        {10: item("oak_log", 65)},
        {10: item("oak_log", 0)},
        {10: item("oak_log", "many")},
        {10: item("oak_log", 1.5)},
        {10: item("oak_log", True)},
        {10: item("nonsense", 1)},
        {10: item(["oak_log"], 1)},
        {10: item(None, 1)},
        {10: ("oak_log", 1)},
        {10: {"type": "oak_log"}},
        {10: None},
        {"I37": item("oak_log", 1)},
        {(): item("oak_log", 1)},
        {10: item("oak_log", 1), "I1": item("oak_log", 1)},
        [("I1", "oak_log")],
        "oak_log=4",
        7,
    ],
)
def test_8_a_wrong_inventory_is_one_error_of_ours_and_keeps_the_state(inventory: Any) -> None:
    env = PlancraftEnvironment(LOGS)
    with pytest.raises(UsageError) as caught:
        env.reset(inventory)
    assert "\n" not in str(caught.value)
    assert env.state == LOGS


def test_8_slots_by_name_and_a_stop_are_taken() -> None:
    env = PlancraftEnvironment({"[I1]": item("oak_log", numpy.int64(4)), "a1": item("coal", "2")})
    seen = env.step(StopAction("no stick"))
    assert seen["legal"]
    assert seen["inventory"] == {1: item("coal", 2), 10: item("oak_log", 4)}


# ------------------------------------------------------------ the rest of the shape


def test_an_observation_is_a_mapping_whose_image_is_drawn_when_it_is_asked_for() -> None:
    seen = PlancraftEnvironment(LOGS, textures="/no/such/folder").step()
    assert list(seen) == ["inventory", "image", "message", "legal"]
    assert seen["inventory"] == LOGS
    assert "nothing" not in seen
    with pytest.raises(UsageError, match="no/such/folder"):  # so nothing was drawn before
        seen["image"]
    with pytest.raises(KeyError):
        seen["nothing"]


@pytest.mark.parametrize(("resolution", "shape"), [("high", (664, 704)), ("medium", (332, 352)), ("low", (166, 176))])
def test_images_are_as_large_as_the_packages(resolution: Resolution, shape: tuple[int, int]) -> None:
    seen = PlancraftEnvironment(LOGS, resolution=resolution).step()
    assert seen["image"].shape == (*shape, 3)
    assert seen["image"].dtype == numpy.uint8
    assert seen["image"] is seen["image"]


def test_a_wrong_resolution_or_action_is_an_error_of_ours() -> None:
    with pytest.raises(UsageError, match="high, medium or low"):
        PlancraftEnvironment(resolution="huge")  # type: ignore[arg-type]
    wrong: Any
    for wrong in ("move", 3, {"slot_from": 1}):
        with pytest.raises(InvalidCommand, match="is not an action"):
            PlancraftEnvironment().step(wrong)


def test_a_whole_example_from_start_to_target() -> None:
    env = PlancraftEnvironment({10: item("iron_ore", 3), 11: item("oak_log", 1)})
    for line in (
        "smelt: from [I1] to [A1] with quantity 1",
        "smelt: from [I1] to [C1] with quantity 1",
        "smelt: from [I1] to [B2] with quantity 1",
        "move: from [C1] to [A3] with quantity 1",
    ):
        assert env.step(parse_action(line))["legal"], line
    assert env.step()["inventory"][0] == item("bucket", 1)
    env.step(MoveAction("[0]", "[I9]", 1))
    assert env.state == {11: item("oak_log", 1), 18: item("bucket", 1)}


def test_slots_by_name_and_number() -> None:
    for index in range(46):
        assert convert_to_slot_index(convert_from_slot_index(index)) == index
    wrong: Any
    for wrong in (46, -1, None, 1.0, True):
        with pytest.raises(ValueError, match="slot_index is"):
            convert_from_slot_index(wrong)
    for wrong in ("[I37]", "", None, 3):
        with pytest.raises(InvalidAction):
            convert_to_slot_index(wrong)


def test_actions_are_values() -> None:
    assert MoveAction("[I1]", "A1", "3") == MoveAction(10, numpy.int64(1), 3)
    assert MoveAction(10, 1, 3) != SmeltAction(10, 1, 3)  # type: ignore[comparison-overlap]
    assert {MoveAction(10, 1, 3): 1}[MoveAction(10, 1, 3)] == 1
    assert (MoveAction(10, 1, 3).action_type, str(StopAction("x"))) == ("move", "impossible: x")
    with pytest.raises(AttributeError):
        MoveAction(10, 1, 3).quantity = 4  # type: ignore[misc]


@pytest.mark.parametrize(
    "wrong",
    [None, object(), 1.5, True, 10**5000, "9" * 5000, "\x1b[31m", b"I1", [10], "", numpy.array([1, 2])],
    ids=lambda value: type(value).__name__,
)
def test_nonsense_in_an_action_is_one_short_line(wrong: Any) -> None:
    makes: list[Callable[[], object]] = [
        lambda: MoveAction(wrong, 1, 1),
        lambda: SmeltAction(10, wrong, 1),
        lambda: MoveAction(10, 1, wrong),
        lambda: parse_action(wrong),
    ]
    for make in makes:
        with pytest.raises(InvalidAction) as caught:
            make()
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 300


def test_the_objective_and_the_text_are_the_packages() -> None:
    from plancraft.environment import env as package

    inventory = {11: item("coal", 2), 0: item("stick", 4), 1: item("oak_planks", 1)}
    assert get_objective_str("stick") == package.get_objective_str("stick")
    for held in (inventory, {}):
        theirs = package.target_and_inventory_to_text_obs("stick", held)
        assert target_and_inventory_to_text_obs("stick", held) == theirs


@pytest.mark.parametrize("inventory", [{10: None}, {10: {"type": "coal"}}, {10: item("coal", "x")}, {99: {}}, 7, [1]])
def test_text_of_a_wrong_inventory_is_refused(inventory: Any) -> None:
    with pytest.raises((UsageError, InvalidAction)):
        target_and_inventory_to_text_obs("stick", inventory)


@settings(max_examples=100)
@given(st.text(max_size=80) | st.from_regex(r"(move|smelt): from \[?\w+\]? to \[?\w+\]? with quantity \d+"))
def test_any_line_is_an_action_or_refused(line: str) -> None:
    try:
        action = parse_action(line)
    except InvalidAction as error:
        assert str(error)
    else:
        PlancraftEnvironment(LOGS).step(action)
        assert parse_action(str(action)) == action


def test_what_a_search_says_is_always_the_same_and_names_numbers_and_alternatives() -> None:
    from plancraft.environment.search import gold_search_recipe

    ours = {item_text(load_book(), "oak_slab") for _ in range(20)}
    theirs = {gold_search_recipe("oak_slab") for _ in range(20)}
    assert len(ours) == 1 < len(theirs)
    assert "-> 6 oak_slab" in ours.pop()
    assert "may also be" in item_text(load_book(), "stick")


def test_a_stack_grows_to_its_size_and_no_further_but_may_start_larger_as_in_the_package() -> None:
    env = PlancraftEnvironment({10: item("iron_sword", 5), 11: item("egg", 15), 12: item("egg", 2)})
    assert env.step(MoveAction("[I1]", "[I9]", 2))["legal"]
    assert "it holds 2 of at most 1" in env.step(MoveAction("[I1]", "[I9]", 1))["message"]
    assert "1 more would fit" in env.step(MoveAction("[I3]", "[I2]", 2))["message"]


def test_an_inventory_that_went_through_json_is_the_same() -> None:
    env = PlancraftEnvironment({1: item("oak_log", 2), 45: item("coal", 3)})
    env.reset(json.loads(json.dumps(env.state)))
    assert env.state == {0: item("oak_planks", 4), 1: item("oak_log", 2), 45: item("coal", 3)}
    with pytest.raises(UsageError, match="slots are 0"):
        env.reset({"46": item("oak_log", 1)})
    with pytest.raises(UsageError, match="is given twice"):
        env.reset({"10": item("oak_log", 1), 10: item("coal", 1)})


def test_the_gymnasium_environment_is_had_from_here_and_nothing_else_is() -> None:
    from autocraft.crafting import gym, plancraft

    assert (plancraft.CraftingEnv, plancraft.register) == (gym.CraftingEnv, gym.register)
    with pytest.raises(AttributeError, match="has no attribute 'ClearAction'"):
        _ = plancraft.ClearAction
