"""Episodes by the rules of both protocols, played by models of a few lines."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from autocraft.crafting.examples import load_example
from autocraft.evaluation.conditions import Conditions
from autocraft.evaluation.episode import play
from autocraft.evaluation.model import Model
from autocraft.evaluation.players import ModelPlayer, PlannerPlayer
from autocraft.evaluation.results import EpisodeResult
from autocraft.evaluation.tools import SURE
from autocraft.protocols import Json


class Says(Model):
    """Answers with its lines in turn, the last one again and again."""

    name = "says"

    def __init__(self, *lines: str) -> None:
        self.lines = lines
        self.heard: list[str] = []

    def step(self, observation: Json, dialogue_history: Sequence[Json]) -> str:
        self.heard.append(observation["message"])
        return self.lines[min(len(self.heard), len(self.lines)) - 1]


@pytest.fixture
def played(tmp_path: Path) -> Callable[..., EpisodeResult]:
    def run(model: Model, id: str = "TEST0018", **conditions: object) -> EpisodeResult:
        chosen = Conditions("test", **conditions)  # type: ignore[arg-type]
        return asyncio.run(play(load_example(id), 0, chosen, ModelPlayer(model), tmp_path / id))

    return run


Played = Callable[..., EpisodeResult]


def test_the_small_part_of_a_split_is_less_than_the_whole() -> None:
    small, whole = (Conditions(split=split).examples() for split in ("test.small", "test"))
    assert 0 < len(small) < len(whole) and all(example.small for example in small)


def test_thirty_turns_are_the_most_and_thoughts_count(played: Played) -> None:
    result = played(Says("think: hm"))
    assert (result.ended, result.success, result.number_of_steps, result.actions) == ("max_steps", False, 30, 0)
    assert {step.text for step in result.steps} == {"Ok"}


def test_impossible_ends_the_episode_and_is_right_only_where_it_is(played: Played) -> None:
    plain = {"feedback": False}
    wrong, right = played(Says("impossible: no"), **plain), played(Says("impossible: no"), "TEST0000", **plain)
    assert (wrong.ended, wrong.success, wrong.number_of_steps) == ("impossible", False, 1)
    assert (right.ended, right.success, right.impossible, right.minimum) == ("impossible", True, True, None)


@pytest.mark.parametrize(("id", "success"), [("TEST0018", False), ("TEST0000", True)])
def test_with_feedback_a_model_is_asked_once_if_it_is_sure(played: Played, id: str, success: bool) -> None:
    """The question is the same whether it is right or not, so it gives nothing away."""
    model = Says("impossible: no")
    result = played(model, id)
    assert (result.ended, result.success, result.number_of_steps) == ("impossible", success, 2)
    assert model.heard[1].startswith(f"{SURE}\n")
    assert asyncio.run(_planned_steps(id)) == 1 or not success


async def _planned_steps(id: str) -> int:
    """Return the turns of the planner, which reads no question."""
    with TemporaryDirectory() as folder:
        result = await play(load_example(id), 0, Conditions("test"), PlannerPlayer(), Path(folder) / id)
    return result.number_of_steps


def test_a_success_ends_the_episode_at_once(played: Played, tmp_path: Path) -> None:
    example = load_example("TEST0018")
    planned = asyncio.run(play(example, 0, Conditions("test"), PlannerPlayer(), tmp_path / "planned"))
    model = Says(*[step.action for step in planned.steps])
    result = played(model)
    assert result.success
    assert result.number_of_steps == result.actions == result.minimum == planned.actions
    assert result.final_inventory[example.target] >= 1
    assert result.steps[-1].slots == planned.steps[-1].slots


def test_the_paper_stops_an_episode_in_which_nothing_changes(played: Played) -> None:
    package, paper = played(Says("think: hm")), played(Says("think: hm"), protocol="paper")
    assert package.number_of_steps == 30
    assert (paper.ended, paper.number_of_steps) == ("stuck", 10)


def test_the_paper_answers_three_thoughts_in_a_row_and_then_shows_the_world(played: Played) -> None:
    texts = [step.text for step in played(Says("think: hm"), protocol="paper").steps]
    assert texts[:3] == ["Ok", "Ok", "Ok"]
    assert texts[3].startswith("Craft an item of type: ")
    assert texts[4] == "Ok"


def test_what_was_illegal_what_is_missing_and_what_was_tried_is_told(played: Played) -> None:
    model = Says("move: from [I2] to [A1] with quantity 1")
    result = played(model, max_steps=3)
    assert result.actions == 0
    assert [step.ok for step in result.steps] == [False, False, False]
    first, second, third = (step.text for step in result.steps)
    assert "[I2] is empty" in first and "tried before" not in first
    assert "This very line was tried before at step 1 (illegal then too)" in second
    assert "at steps 1 and 2 (illegal each time)" in third
    target = load_example("TEST0018").target
    assert all(f"{target}: have 0, need 1; it is made from " in heard for heard in model.heard)


def test_without_feedback_the_model_reads_the_package_s_text_alone(played: Played) -> None:
    model = Says("move: from [I2] to [A1] with quantity 1")
    played(model, max_steps=2, feedback=False)
    assert model.heard[0] == model.heard[1]
    lines = model.heard[0].splitlines()
    assert lines[:2] == [f"Craft an item of type: {load_example('TEST0018').target}", "inventory:"]
    assert all(line.startswith(" - ") for line in lines[2:])


def test_unreadable_answers_cost_a_turn_and_change_nothing(played: Played) -> None:
    result = played(Says("I am a teapot"), max_steps=2)
    assert [(step.kind, step.ok) for step in result.steps] == [("unreadable", False)] * 2
    assert result.steps[0].text.startswith("Only select actions from the following: move, smelt, think, search, ")
    assert result.steps[1].slots == result.start


def test_gold_search_is_the_same_for_the_same_seed(played: Played) -> None:
    first, again = (played(Says("search: oak_planks"), max_steps=3) for _ in range(2))
    assert [step.text for step in first.steps] == [step.text for step in again.steps]
    assert first.steps[0].text.startswith("Recipes to craft oak_planks")


def test_whole_recipes_are_offered_only_at_the_high_level(played: Played) -> None:
    line = "craft_item: stick with quantity 1"
    assert played(Says(line), max_steps=1).steps[0].kind == "unreadable"
    assert played(Says(line), max_steps=1, high_level=True).steps[0].kind == "craft_item"


def test_a_model_that_raises_is_no_failed_example(played: Played) -> None:
    class Broken(Model):
        name = "broken"

        def step(self, observation: Json, dialogue_history: Sequence[Json]) -> str:
            raise RuntimeError("no weights")

    result = played(Broken())
    assert result.void and not result.success
    assert result.error == "the model broken raised RuntimeError: no weights"


def test_the_journal_is_that_of_any_run(played: Played, tmp_path: Path) -> None:
    played(Says("impossible: no"), feedback=False)
    events = [json.loads(line) for line in (tmp_path / "TEST0018" / "events.jsonl").read_text().splitlines()]
    assert [event["type"] for event in events] == ["goal", "answer", "reply", "decision", "intent", "result", "end"]
    assert events[3]["by"] == "continuous"


def test_a_result_is_read_back_as_it_was_written(played: Played) -> None:
    result = played(Says("think: \ud800 hm", "search: stick", "nonsense"), max_steps=4)
    assert EpisodeResult.from_json(json.loads(json.dumps(result.to_json()))) == result
