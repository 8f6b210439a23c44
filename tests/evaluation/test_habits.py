"""The habits of a small model, each acted by a few lines that read only what such a model is told."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from autocraft.agent.cycles import LONGEST
from autocraft.crafting.examples import load_example
from autocraft.evaluation.conditions import Conditions
from autocraft.evaluation.episode import play
from autocraft.evaluation.model import Model
from autocraft.evaluation.players import ModelPlayer
from autocraft.evaluation.results import EpisodeResult
from autocraft.protocols import Json

SMELTED = {"TEST0285": "oak_log", "TEST0482": "potato"}
"""Easy example -> what its target is smelted from."""


class Actor(Model):
    """Answers what `act` makes of the number of the turn and of all that was said to it since its last answer."""

    name = "actor"

    def __init__(self, act: Callable[[int, str], str]) -> None:
        self.act = act
        self.heard: list[str] = []
        self.dialogues: list[Sequence[Json]] = []

    def step(self, observation: Json, dialogue_history: Sequence[Json]) -> str:
        self.dialogues.append(list(dialogue_history))
        self.heard.append(observation["message"])
        return self.act(len(self.heard) - 1, self.heard[-1])


@pytest.fixture
def played(tmp_path: Path) -> Callable[..., EpisodeResult]:
    def run(act: Callable[[int, str], str] | Model, id: str, **conditions: object) -> EpisodeResult:
        model = act if isinstance(act, Model) else Actor(act)
        chosen = Conditions("test", **conditions)  # type: ignore[arg-type]
        return asyncio.run(play(load_example(id), 0, chosen, ModelPlayer(model), tmp_path / f"{id}{conditions}"))

    return run


Played = Callable[..., EpisodeResult]


def copied(text: str) -> str | None:
    """Return the first line that the text writes in full."""
    found = re.search(r"`((?:move|smelt|craft_item|smelt_item): [^`]+)`", text)
    return found[1] if found else None


@pytest.mark.parametrize("id", SMELTED)
def test_an_item_where_a_slot_belongs(played: Played, id: str) -> None:
    """It writes the item, and then the slot that it is told. Without feedback it never learns the slot."""

    def act(turn: int, said: str) -> str:
        told = re.search(rf"{SMELTED[id]} is held in \[(\w+)\]", said)
        source = told[1] if told else SMELTED[id]
        return f"smelt: from [{source}] to [C3] with quantity 1" if turn < 4 else "impossible: I cannot smelt"

    helped, alone = played(act, id), played(act, id, feedback=False)
    assert (helped.success, alone.success, alone.ended) == (True, False, "impossible")
    assert helped.number_of_steps <= 3


@pytest.mark.parametrize("id", SMELTED)
def test_impossible_after_one_look(played: Played, id: str) -> None:
    """It gives up at once. Asked if it is sure, it copies the line that it is shown."""

    def act(turn: int, said: str) -> str:
        return "impossible: it has no recipe" if turn == 0 else copied(said) or "think: hm"

    helped, alone = played(act, id), played(act, id, feedback=False)
    assert (helped.success, helped.number_of_steps) == (True, 2)
    assert (alone.success, alone.ended) == (False, "impossible")


@pytest.mark.parametrize("length", range(1, LONGEST + 1))
@pytest.mark.sampled(2)
def test_a_cycle_is_folded_and_the_next_answer_may_differ(played: Played, length: int) -> None:
    """It goes in a circle of thoughts, searches and an illegal move to the end. The prompt stops growing."""
    circle = ["search: charcoal", "think: a furnace", "move: from [I36] to [A1] with quantity 1", "think: again",
              "smelt: from [I36] to [A2] with quantity 1", "think: once more"][:length]  # fmt: skip
    folded, whole = (Actor(lambda turn, said: circle[turn % length]) for _ in range(2))
    result = played(folded, "TEST0285", max_steps=24)
    played(whole, "TEST0285", max_steps=24, feedback=False)
    assert (result.success, result.ended) == (False, "max_steps")
    answers = [sum(each["role"] == "assistant" for each in model.dialogues[-1]) for model in (folded, whole)]
    before = [sum(each["role"] == "assistant" for each in model.dialogues[0]) for model in (folded, whole)]
    new = [last - first for last, first in zip(answers, before, strict=True)]
    assert new[1] == 23
    assert new[0] <= 3 * length


@pytest.mark.parametrize("id", SMELTED)
def test_an_answer_that_cannot_be_read_is_followed_by_what_to_do(played: Played, id: str) -> None:
    """It copies the last line that it was told, whatever that is. A placeholder would be copied too."""

    def act(turn: int, said: str) -> str:
        found = re.findall(r"((?:move|smelt|craft_item|smelt_item): [^`\n]+)", said)
        return found[-1] if turn and found else "craft: to [Target] with quantity N."

    assert played(act, id, high_level=True).success
    assert not played(act, id, high_level=True, feedback=False).success
