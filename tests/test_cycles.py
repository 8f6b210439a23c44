"""Cycles of turns: they are seen, folded in the history, and answered at another temperature."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from autocraft.agent.cycles import LONGEST, Cycles
from autocraft.agent.state import State
from autocraft.agent.transcript import PromptSettings, Transcript
from autocraft.crafting.examples import load_example
from autocraft.evaluation.conditions import Conditions
from autocraft.evaluation.episode import play
from autocraft.evaluation.model import Model
from autocraft.evaluation.players import ModelPlayer
from autocraft.protocols import Json
from autocraft.session.events import Event
from tests.brains.stand_in import StandIn, streamed
from tests.conftest import Place
from tests.journals import event


def turns(names: str, text: str = "fine") -> Iterator[Event]:
    """Yield the events of one turn for each letter, which names its command."""
    for number, name in enumerate(names, 1):
        yield event("answer", turn=number, text=f"thought {number}: {name}")
        yield event("intent", turn=number, command=name, args={})
        yield event("result", turn=number, command=name, text=f"{text} {name}")


def folded(events: Iterator[Event]) -> Cycles:
    cycles = Cycles()
    for each in events:
        cycles.apply(each)
    return cycles


@pytest.mark.parametrize(
    ("names", "length", "rounds"),
    [
        ("abcdef", 0, 0),
        ("aa", 1, 2),
        ("xaaaa", 1, 4),
        ("abab", 2, 2),
        ("ababa", 2, 2),
        ("xyabcabcabc", 3, 3),
        ("abcdefabcdef", 6, 2),
        ("abcdefgabcdefg", 0, 0),
        ("ababc", 0, 0),
        ("aab" * 2, 3, 2),
    ],
)
def test_cycles_up_to_six_turns_are_seen(names: str, length: int, rounds: int) -> None:
    cycles = folded(turns(names))
    assert (cycles.length, cycles.rounds) == (length, rounds)
    assert msgspec.json.decode(msgspec.json.encode(cycles), type=Cycles) == cycles
    assert cycles.length <= LONGEST


def test_the_same_commands_in_another_state_of_the_world_are_no_cycle() -> None:
    def moved(worlds: Sequence[int]) -> Cycles:
        cycles = Cycles()
        for number, slots in enumerate(worlds, 1):
            cycles.apply(event("intent", turn=number, command="move", args={}))
            world = {"slots": {"I1": ["stick", slots]}}
            cycles.apply(event("result", turn=number, command="move", text="moved", world=world))
        return cycles

    assert moved([1, 2, 3, 4]).length == 0
    assert moved([1, 2, 1, 2]).length == 2, "there and back again, though the world changes each time"


def test_the_same_commands_with_other_results_are_only_loosely_a_cycle() -> None:
    cycles = Cycles()
    cycles.apply(event("goal", goals=[], options={}, continuous=False, world={"slots": {}}))
    for number in range(1, 5):
        cycles.apply(event("intent", turn=number, command="execute_python_file", args={"file": "poll.py"}))
        cycles.apply(event("result", turn=number, command="execute_python_file", text=f"step {number}"))
    assert cycles.length == 0, "what it printed is not folded away, and the run goes on"
    assert cycles.loose.rounds == 4


def test_words_of_the_person_begin_anew() -> None:
    cycles = folded(turns("abab"))
    cycles.apply(event("feedback", turn=4, text="use birch"))
    assert cycles.length == 0


def test_a_run_that_nobody_attends_ends_in_a_cycle_that_changes_the_world() -> None:
    state = State()
    for number in range(1, 7):
        state.apply(event("answer", turn=number, text="x"))
        state.apply(event("intent", turn=number, command="move", args={"to": number % 2}))
        state.apply(event("result", turn=number, command="move", text="moved", world={"slots": number % 2}))
    assert state.repetition == 3
    assert state.repetition_text == "the same 2 commands came round"


@pytest.mark.parametrize(("ok", "risk", "repetition"), [(True, "change", 1), (True, "look", 3), (False, "change", 3)])
def test_what_newly_succeeds_between_equal_results_ends_their_repetition(ok: bool, risk: str, repetition: int) -> None:
    """Three nights in a shelter beside a field were a repetition, though each day had its own work."""
    state = State()
    for number in range(1, 6):
        command, text, result = ("shelter", "slept", True) if number % 2 else ("mine", f"mined {number}", ok)
        state.apply(event("answer", turn=number, text=f"answer {number}"))
        state.apply(event("intent", turn=number, command=command, args={}, risk=risk))
        state.apply(event("result", turn=number, command=command, text=text, ok=result))
    assert state.repetition == repetition


def prompt_after(names: str) -> str:
    transcript = Transcript(PromptSettings(), list)
    for each in turns(names):
        transcript.apply(each)
    return "\n".join(message.content for message in transcript.messages("now"))


def test_a_repetition_is_one_line_of_the_history() -> None:
    text = prompt_after("xabcabcabc")
    assert [number for number in range(1, 11) if f"thought {number}:" in text] == [1, 2, 3, 4]
    assert text.count("was then repeated") == 1
    assert "in the 3 turns before this was then repeated 2 times" in text
    text = prompt_after("xabcabcabcd")
    assert "repeated 2 times" in text and "thought 11: d" in text


def test_a_half_repetition_is_told_as_it_is() -> None:
    text = prompt_after("abcabcab")
    assert [number for number in range(1, 9) if f"thought {number}:" in text] == [1, 2, 3, 7, 8]


class Loops(Model):
    """Goes round in three answers."""

    name = "loops"

    def __init__(self) -> None:
        self.histories: list[list[Json]] = []

    def step(self, observation: Json, dialogue_history: Sequence[Json]) -> str:
        self.histories.append(list(dialogue_history))
        return ("search: ladder", "think: hm", "move: from [0] to [A1] with quantity 1")[len(self.histories) % 3]


@pytest.mark.parametrize("feedback", [True, False])
def test_an_evaluation_folds_them_as_feedback(tmp_path: Path, feedback: bool) -> None:
    model = Loops()
    conditions = Conditions("test", feedback=feedback)
    result = asyncio.run(play(load_example("TEST0018"), 0, conditions, ModelPlayer(model), tmp_path / "one"))
    assert result.number_of_steps == 30
    last = "\n".join(message["content"] for message in model.histories[-1])
    assert ("was then repeated" in last) is feedback
    assert (len(model.histories[-1]) == len(model.histories[20])) is feedback
    assert len(result.dialogue) == 61, "the record has every turn"


def test_the_answer_after_a_cycle_is_sampled_at_another_temperature(place: Place, stand_in: StandIn) -> None:
    same = json.dumps({"command": {"name": "search_recipe", "args": {"name": "stick"}}})
    stand_in.replies = [streamed(same) for _ in range(3)]
    url = {"OPENAI_BASE_URL": stand_in.url, "OPENAI_API_KEY": ""}
    done = place.run("run", "--goal", "craft 1 ladder", "--brain", "openai", "--model", "m", "--continuous", **url)
    assert done.returncode == 3, done.stderr
    assert [sent.get("temperature") for sent in stand_in.requests] == [None, None, 1.1]
