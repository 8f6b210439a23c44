"""`Evaluator` and `Model` in a program that gives them what they cannot use."""

from __future__ import annotations

import asyncio
import pickle
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from autocraft import Evaluator, Model
from autocraft.errors import UsageError
from autocraft.evaluation.model import Batcher
from autocraft.evaluation.players import ModelPlayer
from autocraft.evaluation.tools import fewest
from autocraft.protocols import Json


class GivesUp(Model):
    """A dummy of one turn, whose name is no part of a path, and which can be called."""

    name = "../../up/\x00and away"

    def step(self, observation: Json, dialogue_history: Sequence[Json]) -> str:
        return "impossible: I give up"

    def __call__(self) -> None:
        raise AssertionError("a model is not called")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"split": 5}, "there is no split '5'"),
        ({"split": None}, "there is no split 'None'"),
        ({"split": ["test"]}, "there is no split"),
        ({"limit": "3"}, "--limit must be a whole number, not '3'"),
        ({"limit": 1.5}, "--limit must be a whole number, not '1.5'"),
        ({"seeds": True}, "--seeds must be a whole number, not 'True'"),
        ({"max_steps": None}, "--max-steps must be a whole number, not 'None'"),
        ({"workers": "2"}, "--workers must be a whole number, not '2'"),
        ({"tools": 5}, "--tools is '5': give letters"),
        ({"tools": [1, 2]}, "--tools is .* give letters"),
        ({"tools": ()}, "--tools names no tool"),
        ({"engine": 3}, "there is no engine '3'"),
        ({"out": 5}, "--out is '5': give the path of a folder"),
        ({"protocol": 3}, "--protocol '3' is unknown"),
        ({"prompt": None}, "--prompt 'None' is unknown"),
        ({"feedback": "no"}, "feedback is 'no': give True or False"),
        ({"foo": 1}, "there is no condition 'foo': choose among split, tools"),
    ],
)
def test_wrong_arguments_are_one_clear_line(given: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why) as raised:
        Evaluator(**given)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("player", [42, None, "planner", object, lambda: 3])
def test_what_is_no_model_is_refused_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, player: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="is not a model: subclass"):
        Evaluator(split="test.small", limit=1).run(player)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("make", [GivesUp, GivesUp(), lambda: GivesUp()])
def test_a_model_may_be_given_as_it_is_or_by_what_makes_it(tmp_path: Path, make: Any) -> None:
    outcome = Evaluator(split="test.small", limit=2, out=tmp_path).run(make)
    assert [each.ended for each in outcome.results] == ["impossible"] * 2


class Stumbles(GivesUp):
    """Its own code fails before every other episode."""

    def __init__(self) -> None:
        self.begun = 0

    def reset(self) -> None:
        self.begun += 1
        if self.begun % 2:
            raise RuntimeError("no weights")

    def batch_step(self, observations: Sequence[Json], histories: Sequence[Sequence[Json]]) -> list[str]:
        return ["impossible: I give up"] * len(observations)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_model_that_cannot_be_reset_is_no_failed_example(tmp_path: Path, workers: int) -> None:
    outcome = Evaluator(split="test.small", limit=6, out=tmp_path, workers=workers).run(Stumbles)
    assert sorted(each.ended for each in outcome.results) == ["impossible"] * 3 + ["infrastructure"] * 3
    assert {each.error for each in outcome.results if each.void} == {
        "the model ../../up/\x00and away raised RuntimeError: no weights"
    }


def test_an_interrupted_question_is_not_put_to_the_model() -> None:
    class Counts(Stumbles):
        calls = 0

        def batch_step(self, observations: Sequence[Json], histories: Sequence[Sequence[Json]]) -> list[str]:
            self.calls += 1
            return super().batch_step(observations, histories)

    async def interrupt(model: Counts) -> None:
        batcher = Batcher(model)
        for _ in range(3):
            batcher.playing += 1
        asking = [asyncio.create_task(batcher.ask({}, [])) for _ in range(2)]
        await asyncio.sleep(0)
        for each in asking:
            each.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        for _ in range(3):
            batcher.end()

    model = Counts()
    asyncio.run(interrupt(model))
    assert model.calls == 0


def test_the_minimum_is_known_before_a_model_is_asked(tmp_path: Path) -> None:
    class Looks(GivesUp):
        planned = 0

        def step(self, observation: Json, dialogue_history: Sequence[Json]) -> str:
            self.planned = fewest.cache_info().currsize
            return super().step(observation, dialogue_history)

    fewest.cache_clear()
    model = Looks()
    Evaluator(split="test.small.easy", limit=1, out=tmp_path).run(model)
    assert model.planned == 1


def test_folders_without_a_name_are_each_their_own_and_stay_where_they_belong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folders = [Evaluator(split="test.small", limit=1).run(GivesUp()).folder for _ in range(4)]
    assert len(set(folders)) == 4
    assert sorted(path.name for path in (tmp_path / "evaluations").iterdir()) == sorted(each.name for each in folders)
    assert [path.name for path in tmp_path.iterdir()] == ["evaluations"]
    assert all((folder / "results.jsonl").stat().st_size for folder in folders)


def test_in_a_running_loop_it_says_what_to_await(tmp_path: Path) -> None:
    async def both(make: Callable[[], Evaluator]) -> float:
        with pytest.raises(UsageError, match="await play"):
            make().run(GivesUp())
        return float((await make().play(GivesUp())).summary["success"])

    assert asyncio.run(both(lambda: Evaluator(split="test.small", limit=1, tools="M,I", out=tmp_path))) in (0.0, 1.0)


class Locked(Model):
    """A model that cannot be sent to another process, as one on a graphics card."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


def test_a_worker_of_a_cluster_makes_its_own_model() -> None:
    player = ModelPlayer(Locked)
    there = pickle.loads(pickle.dumps(player))  # noqa: S301 - our own bytes
    assert isinstance(there.batcher.model, Locked) and (there.name, there.plays_at_once) == ("model", 1)
