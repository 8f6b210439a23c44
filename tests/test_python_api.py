"""A run from Python: who answers its questions, what its block leaves behind, and what is refused."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autocraft import AutocraftError, Brain, Config, Event, Question, UsageError, World, open_run
from autocraft.brains.scripted import ScriptedBrain
from autocraft.protocols import Answer, Observation
from tests.conftest import Place

CRAFT = '{"command": {"name": "craft_item", "args": {"name": "oak_planks", "count": 4}}}'
DONE = '{"command": {"name": "task_complete", "args": {"reason": "done"}}}'


class Talker(Brain):
    """Gives these answers, and keeps what it was asked."""

    name, asks_model = "talker", True

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.heard: list[str] = []

    async def think(self, messages: Any, **options: Any) -> Answer:
        self.heard.append("\n".join(message.content for message in messages))
        return Answer(self.answers.pop(0))


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return {"inventory": "oak_log=8", "memory": "none", "state_dir": tmp_path / "state"}


async def play(
    settings: dict[str, Any], brain: Brain | None = None, goal: str = "craft 4 oak_planks", **options: Any
) -> list[Event]:
    """Return all events of a run."""
    async with open_run(goal, config=Config(**settings), brain=brain, **options) as run:
        return [event async for event in run]


def played(settings: dict[str, Any], brain: Brain | None = None, *goal: str, **options: Any) -> list[Event]:
    return asyncio.run(play(settings, brain, *goal, **options))


def of(events: list[Event], kind: str) -> list[Any]:
    return [event for event in events if event.type == kind]


def test_a_run_yields_every_event_of_its_journal(settings: dict[str, Any], place: Place) -> None:
    events = played({**settings, "continuous": True, "state_dir": place.state})
    assert [event.seq for event in events if event.seq] == [event["seq"] for event in place.events()]
    assert events[0].type == "goal" and events[-1].type == "end"


@pytest.mark.parametrize(
    ("replies", "kinds", "reason"),
    [
        ([True, True], ["run", "run"], "goal_reached"),
        ([2], ["run", "run"], "goal_reached"),
        ([False], ["stop"], "stopped"),
        (["use birch", True, True], ["refuse", "run", "run"], "goal_reached"),
        ([(True, "use birch"), True], ["run", "run"], "goal_reached"),
        ([(2, "use birch")], ["run", "run"], "goal_reached"),
        (["goal: craft 4 oak_planks", True], ["refuse", "run"], "goal_reached"),
    ],
    ids=["yes", "two turns", "no", "words", "a remark", "two turns with a remark", "another goal"],
)
@pytest.mark.parametrize("is_async", [False, True], ids=["a function", "a coroutine"])
def test_a_reply_means_what_the_same_line_means_at_a_terminal(
    settings: dict[str, Any], replies: list[Any], kinds: list[str], reason: str, is_async: bool
) -> None:
    left, asked = list(replies), list[Question]()

    def ask(question: Question) -> Any:
        asked.append(question)
        return left.pop(0)

    async def wait_and_ask(question: Question) -> Any:
        await asyncio.sleep(0)
        return ask(question)

    brain = Talker(*([CRAFT] * (2 + ("refuse" in kinds))), DONE)
    events = played(settings, brain, "craft 8 oak_planks", ask=wait_and_ask if is_async else ask)
    assert [event.kind for event in of(events, "decision")] == kinds
    assert (events[-1].reason, left) == (reason, [])  # type: ignore[attr-defined]
    assert (asked[0].command, asked[0].args) == ("craft_item", {"name": "oak_planks", "count": 4})
    assert ("use birch" in brain.heard[-1]) == ("use birch" in str(replies))


@pytest.mark.parametrize("reply", ["the red one", None])
def test_a_question_in_words_gets_words_or_no_answer(settings: dict[str, Any], reply: str | None) -> None:
    question = '{"command": {"name": "ask_human", "args": {"question": "Which one?"}}}'
    brain = Talker(question, DONE, DONE)
    events = played(settings, brain, ask=lambda asked: reply if asked.wants == "words" else True)
    [result] = [event for event in of(events, "result") if event.command == "ask_human"]
    assert ("the red one" in result.text) == (reply is not None)


def _fails(question: Question) -> bool:
    raise ValueError("no such color")


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (_fails, "ask raised ValueError: no such color; correct it, and resume the run"),
        (lambda question: None, "ask returned 'None': return True, False, a number of turns, words, or"),
        (lambda question: 0, "ask returned '0': return True"),
        (lambda question: 2.5, "ask returned '2.5': return True"),
        (lambda question: (False, "no"), "ask returned \"(False, 'no')\": return True"),
    ],
)
def test_a_function_that_fails_ends_the_run_in_one_line(
    settings: dict[str, Any], ask: Callable[[Question], Any], said: str
) -> None:
    events = played(settings, Talker(CRAFT), ask=ask)
    assert events[-1].reason == "error" and events[-1].why.startswith(said)  # type: ignore[attr-defined]
    assert not of(events, "result")


def test_leaving_the_block_ends_the_run_and_a_resume_goes_on(settings: dict[str, Any]) -> None:
    async def leave_and_resume() -> tuple[str, str]:
        config = Config(**settings, continuous=True)
        async with open_run("craft 4 oak_planks", config=config, brain=Talker(CRAFT, DONE)) as run:
            async for event in run:
                if event.type == "result":
                    break
        assert run.end is not None
        rest = Config(state_dir=settings["state_dir"], continuous=True)
        async with open_run(config=rest, brain=Talker(DONE), resume=run.session) as again:
            events = [event async for event in again]
        assert not of(events, "intent")[:-1], "what was done is not done again"
        assert again.end is not None
        return run.end.reason, again.end.reason

    assert asyncio.run(leave_and_resume()) == ("interrupted", "goal_reached")


class _Garden(World):
    name = "crafting"

    async def observe(self) -> Observation:
        return Observation("A garden.", {})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, r"give ask=…, or Config\(continuous=True\)"),
        ({"world": _Garden(), "ask": bool}, "autocraft has a world of the name 'crafting': give yours another name"),
        ({"brain": ScriptedBrain, "ask": bool}, "is no brain: give an object that has a name"),
        ({"memory": object(), "ask": bool}, "is no memory: give an object that has a name"),
        ({"resume": "nothing", "ask": bool}, "there are no sessions in"),
    ],
)
def test_what_cannot_play_is_refused_before_anything_is_written(
    settings: dict[str, Any], options: dict[str, Any], said: str
) -> None:
    with pytest.raises(AutocraftError, match=said):
        played(settings, **options)
    assert not list((settings["state_dir"]).glob("sessions/*")) if settings["state_dir"].exists() else True


def test_a_part_that_lacks_something_is_named(settings: dict[str, Any]) -> None:
    class Half:
        name = "half"

    half: Any = Half()
    with pytest.raises(UsageError, match=r"the brain half is no whole brain, as it lacks .*think"):
        played(settings, half, ask=bool)


def test_settings_are_checked_by_their_names_and_read_by_section(settings: dict[str, Any]) -> None:
    given: dict[str, Any] = {**settings, "max_steps": 7, "limits.max_cost": 0.5}
    config = Config(**given)
    assert (config.limits.max_steps, config.limits.max_cost) == (7, 0.5)
    for name in ("max_step", "limits.max_step", "nonsense"):
        with pytest.raises(UsageError, match=re.escape(f"{name!r} is not a setting: ")):
            Config(**dict[str, Any]({name: 1}))
