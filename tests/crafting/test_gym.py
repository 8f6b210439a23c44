"""The gymnasium environment: gymnasium's own checker, whole episodes, and what it refuses."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from typing import Any, Literal

import gymnasium
import numpy
import pytest
from gymnasium.utils.env_checker import check_env

from autocraft.crafting.examples import load_example, load_examples
from autocraft.crafting.gym import ID, KINDS, CraftingEnv, register
from autocraft.crafting.minimal.planner import minimal_plan
from autocraft.crafting.slots import name_of
from autocraft.crafting.table import Action
from autocraft.errors import InvalidCommand, UsageError
from autocraft.installation import install_line

EASY = "TEST0029"  # melon_seeds from melon_slice
STOP = [2, 0, 0, 1]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"actions": "text"},
        {"images": True, "render_mode": "rgb_array"},
        {"render_mode": "ansi", "split": "test", "max_steps": 5},
    ],
    ids=str,
)
def test_gymnasiums_own_check(options: dict[str, Any]) -> None:
    register()
    register()
    made = gymnasium.make(ID, **options)
    check_env(made.unwrapped)
    made.close()


def plan(id: str) -> Sequence[Action]:
    example = load_example(id)
    return minimal_plan(example.table(), [example.goal]).actions


@pytest.mark.parametrize("space", ["numbers", "text"])
def test_a_minimal_plan_earns_the_reward_at_its_last_step(space: Literal["numbers", "text"]) -> None:
    env = CraftingEnv("test", actions=space)
    seen, info = env.reset(options={"example": "test0018"})
    assert info == {"example": "TEST0018", "steps": 0, "message": "", "legal": True}
    actions = plan("TEST0018")
    for number, action in enumerate(actions, start=1):
        given = (KINDS.index(action.kind), action.source, action.target, action.quantity)
        line = (
            f"{action.kind}: from {name_of(action.source)} to {name_of(action.target)} with quantity {action.quantity}"
        )
        seen, reward, terminated, truncated, info = env.step(numpy.array(given) if space == "numbers" else line)
        assert env.observation_space.contains(seen)
        assert info["legal"]
        assert (reward, terminated, truncated) == (float(number == len(actions)), number == len(actions), False)
    assert info["reason"] == "success"
    assert info["steps"] == len(actions)
    with pytest.raises(UsageError, match="call reset"):
        env.step(STOP)


def test_observations_say_the_same_in_numbers_and_words() -> None:
    env = CraftingEnv("test")
    seen, _ = env.reset(options={"example": EASY})
    example = load_example(EASY)
    held = {
        slot: (env.item_names[number], int(seen["quantities"][slot]))
        for slot, number in enumerate(seen["items"])
        if number
    }
    assert held == dict(example.table().stacks())
    assert env.item_names[seen["target"]] == example.target
    assert seen["text"].startswith(f"Craft an item of type: {example.target}\ninventory:\n - ")
    kept = {key: numpy.copy(value) for key, value in seen.items()}
    env.step(env.action_space.sample())
    assert all((kept[key] == seen[key]).all() for key in ("items", "quantities"))


@pytest.mark.parametrize("impossible", [True, False])
def test_a_stop_is_right_where_it_is_impossible(impossible: bool) -> None:
    example = next(each for each in load_examples("val").values() if each.impossible is impossible)
    env = CraftingEnv("val", actions="text")
    env.reset(options={"example": example.id})
    _, reward, terminated, _, info = env.step("impossible: no way")
    assert terminated
    assert (reward, info["reason"]) == (
        (1.0, "correctly_identified_impossible") if impossible else (0.0, "incorrect_stop")
    )


def test_what_is_illegal_costs_a_step_and_says_why() -> None:
    env = CraftingEnv("test", max_steps=4)
    before, _ = env.reset(options={"example": EASY})
    for action, why in (([0, 45, 1, 1], "is empty"), ([0, 10, 0, 1], "choose"), ([1, 10, 10, 1], "choose two slots")):
        seen, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated, info["legal"]) == (0.0, False, False, False)
        assert why in info["message"]
        assert (seen["items"] == before["items"]).all()
    _, _, terminated, truncated, info = env.step([0, 45, 1, 1])
    assert (terminated, truncated, info["steps"], info["reason"]) == (False, True, 4, "max_steps_reached")
    with pytest.raises(UsageError):
        env.step([0, 45, 1, 1])
    env.reset()
    assert env.steps == 0


def test_a_line_that_is_no_action_costs_a_step() -> None:
    env = CraftingEnv("test", actions="text")
    env.reset(seed=3)
    _, _, terminated, _, info = env.step("think: I should move: from [I2] to [A1] with quantity 1")
    assert not terminated
    assert info["steps"] == 1
    assert "is not an action" in info["message"]


@pytest.mark.parametrize(
    "action",
    [None, 3, [0, 10, 1], [3, 10, 1, 1], [0, 46, 1, 1], [0, 10, 1, 65], ["x"] * 4, [0, 10, 1, float("inf")], "move"],
)
def test_numbers_outside_the_space_are_refused(action: Any) -> None:
    env = CraftingEnv("test")
    env.reset(options={"example": EASY})
    with pytest.raises(InvalidCommand):
        env.step(action)
    assert env.steps == 0


def test_a_text_space_takes_text_alone() -> None:
    env = CraftingEnv("test", actions="text")
    env.reset()
    with pytest.raises(InvalidCommand, match="give a string"):
        env.step([0, 10, 1, 1])


def test_the_same_seed_gives_the_same_examples_and_others_differ() -> None:
    env = CraftingEnv("train")

    def run(seed: int) -> list[str]:
        return [env.reset(seed=seed)[1]["example"], *(env.reset()[1]["example"] for _ in range(5))]

    assert run(11) == run(11)
    assert len({*run(11), *run(12), *run(13)}) > 12


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"split": "nonsense"}, "use train, val or test"),
        ({"actions": "nonsense"}, "numbers or text"),
        ({"render_mode": "human"}, "ansi, rgb_array or None"),
        ({"max_steps": 0}, "above 0"),
    ],
)
def test_wrong_arguments_say_what_is_right(arguments: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        CraftingEnv(**arguments)


@pytest.mark.parametrize("options", [{"example": "TEST9999"}, {"example": 18}, {"examples": "TEST0018"}])
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        CraftingEnv().reset(options=options)


def test_rendering() -> None:
    env = CraftingEnv("test", render_mode="ansi")
    with pytest.raises(UsageError, match="call reset"):
        env.render()
    seen, _ = env.reset()
    assert env.render() == seen["text"]
    env = CraftingEnv("test", render_mode="rgb_array", images=True)
    seen, _ = env.reset()
    assert (env.render() == seen["image"]).all()


def test_without_gymnasium_one_line_says_what_to_install() -> None:
    program = "import sys; sys.modules['gymnasium'] = None; import autocraft.crafting.gym"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1].endswith(f"run {install_line('gym')}")
    assert "During handling" not in done.stderr


def test_importing_it_registers_nothing() -> None:
    program = (
        "import autocraft.crafting.gym as g, gymnasium; assert g.ID not in gymnasium.registry;"
        "g.register(); assert g.ID in gymnasium.registry"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
