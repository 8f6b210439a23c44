"""Counts of tokens that no endpoint can mean: they are estimated instead, live and in journals that hold them."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from typing import Any

import msgspec
import pytest

from autocraft.agent.state import State
from autocraft.brains.priced import sent_tokens, usage_of
from autocraft.protocols import Answer, Message
from autocraft.session.events import Expense
from autocraft.usage import MOST_TOKENS, Price, Usage, read_usage
from tests.brains.conftest import Told
from tests.brains.stand_in import COMMAND, Reply, StandIn, event, fault, piece, streamed
from tests.conftest import Place, kinds
from tests.console.emulator import Emulator
from tests.waiting import LATER

HUGE = 10**400
NONSENSE: dict[str, Any] = {
    "400 digits": HUGE,
    "negative": -1,
    "a fraction": 11.5,
    "a whole float": 11.0,
    "not a number": float("nan"),
    "infinite": float("inf"),
    "a text": "11",
    "true": True,
    "null": None,
    "a list": [11],
    "more than there can be": MOST_TOKENS + 1,
}


def answered(usage: Any, *, stream: bool = True) -> Reply:
    """A good answer with this usage."""
    if stream:
        last = event({"id": "x", "object": "chat.completion.chunk", "choices": [], "usage": usage})
        chunks = [piece(role="assistant", content=COMMAND), piece("stop"), last, event(b"[DONE]")]
        return Reply(chunks=chunks, kind="text/event-stream")
    choice = {"index": 0, "message": {"role": "assistant", "content": COMMAND}, "finish_reason": "stop"}
    return Reply(
        chunks=[json.dumps({"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage}).encode()]
    )


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("value", NONSENSE)
@pytest.mark.sampled(6)
def test_a_count_that_is_none_is_passed_over(
    ask: Callable[..., Told], stand_in: StandIn, value: str, stream: bool
) -> None:
    for usage in (
        {"prompt_tokens": NONSENSE[value], "completion_tokens": 7},
        {"prompt_tokens": 11, "completion_tokens": NONSENSE[value]},
    ):
        stand_in.replies.append(answered(usage, stream=stream))
        assert ask().answer.usage is None
    stand_in.replies.append(answered({"prompt_tokens": 11, "completion_tokens": 7}, stream=stream))
    assert ask().answer.usage == Usage(11, 7), "the control"


USELESS = [None, 5, "x", [], [11, 7, False], {}, {"prompt_tokens": 11}, {"prompt_tokens": 0, "completion_tokens": 0}]


@pytest.mark.parametrize("usage", USELESS)
def test_a_usage_of_another_shape_is_none(usage: Any) -> None:
    assert read_usage(usage) is None


def test_reasoning_is_estimated_too() -> None:
    usage = usage_of(Answer("a" * 35, reasoning="r" * 35_000), sent_tokens([Message("user", "u")]))
    assert usage.estimated and usage.completion_tokens > 10_000


def test_the_run_goes_on_with_an_estimate(place: Place, stand_in: StandIn) -> None:
    """A local server costs nothing, and nothing times 400 digits was a fault of ours."""
    with pytest.raises(OverflowError):
        Price(0.0, 0.0).cost(Usage(HUGE, 7))  # what happened before
    stand_in.replies += [answered({"prompt_tokens": HUGE, "completion_tokens": HUGE}) for _ in range(2)]
    model = {"OPENAI_BASE_URL": stand_in.url, "SMART_LLM_MODEL": "m", "FAST_LLM_MODEL": "m"}
    arguments = ["--goal", "craft 12 oak_planks", "--inventory", "oak_log=3", "--continuous", "--max-steps", "2"]
    done = place.run("run", *arguments, **model)
    assert done.returncode == 3 and "fault" not in done.stdout + done.stderr, done.stdout + done.stderr
    for answer in kinds(place.events(), "answer"):
        sent, made, estimated, _ = answer["usage"]
        assert 0 < sent < 10_000 and 0 < made < 10_000 and estimated
    assert kinds(place.events(), "end")[0]["estimated"]


@pytest.mark.parametrize(("letter", "tokens"), [("x", 2000), ("木", 6000)])
def test_answers_that_were_cut_off_are_counted_if_no_other_comes(
    place: Place, stand_in: StandIn, letter: str, tokens: int
) -> None:
    stand_in.replies += [streamed(letter * 3500, finish=None)] * 2
    model = {"OPENAI_BASE_URL": stand_in.url, "SMART_LLM_MODEL": "m", "AUTOCRAFT_RETRY_SECONDS": "0.01"}
    place.run("run", "--goal", "craft 8 oak_planks", "--continuous", OPENAI_RETRIES="1", **model)
    (expense,), (end,) = kinds(place.events(), "expense"), kinds(place.events(), "end")
    assert (end["reason"], expense["usage"][1], end["tokens"]) == ("error", tokens, sum(expense["usage"][:2]))


def limit_reached_at(place: Place, stand_in: StandIn, shown: str) -> dict[str, Any]:
    """Run until these words are shown. Then its time is over. Return the event of its end."""
    model: dict[str, Any] = {"OPENAI_BASE_URL": stand_in.url, "SMART_LLM_MODEL": "m", "OPENAI_TIMEOUT": "99999"}
    arguments = ["run", "--goal", "craft 8 oak_planks", "--continuous", "--max-seconds", "9000"]
    with closing(Emulator(place, arguments, 200, program=LATER, **model)) as screen:
        screen.until(shown)
        (place.folder / "later").touch()
        screen.leave()
    (end,) = kinds(place.events(), "end")
    assert end["reason"] == "limit"
    return end


CALL = {"index": 0, "id": "c", "function": {"name": "chat", "arguments": f'{{"text": "{"x" * 3487}'}}


@pytest.mark.parametrize(
    ("received", "tokens"),
    [
        ([piece(content="x" * 3500)], 1000),
        ([piece(content="木" * 3500)], 3000),
        ([piece(tool_calls=[CALL]), piece(content="end")], 1000),
    ],
    ids=["text", "Chinese", "a call"],
)
@pytest.mark.sampled(1)
def test_what_was_received_of_an_interrupted_answer_is_counted(
    place: Place, stand_in: StandIn, received: list[bytes], tokens: int
) -> None:
    stand_in.replies.append(Reply(chunks=received, kind="text/event-stream", end="open"))
    end = limit_reached_at(place, stand_in, "~1 tokens")  # a piece of text is shown after all before it are received
    (expense,) = kinds(place.events(), "expense")
    assert (expense["usage"][1], end["tokens"]) == (tokens, sum(expense["usage"][:2]))


def test_a_refused_call_costs_nothing_when_the_wait_after_it_is_interrupted(place: Place, stand_in: StandIn) -> None:
    stand_in.replies.append(fault(429, "slow", headers={"retry-after": "60"}))
    end = limit_reached_at(place, stand_in, "trying again in 60 s")
    assert (end["tokens"], kinds(place.events(), "expense")) == (0, [])


def test_any_cost_can_be_folded() -> None:
    state = State()
    for cost in (*NONSENSE.values(), 0.5):
        if type(cost) in (int, float, type(None)):
            state.apply(Expense(text="", usage=Usage(1, 3), cost=cost))
    assert state.spending.tokens > 0 and 0 < state.totals.cost < 1_000 and not state.totals.cost_known


@pytest.mark.parametrize(
    ("said", "cached"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 8}}, 8),
        ({"prompt_tokens_details": None}, 0),
        ({"prompt_tokens_details": {"cached_tokens": 12}}, 0),
        ({"prompt_cache_hit_tokens": 8}, 8),
        *(({"prompt_tokens_details": {"cached_tokens": value}}, 0) for value in NONSENSE.values()),
    ],
)
def test_cached_tokens_are_counted(said: dict[str, Any], cached: int) -> None:
    usage = read_usage({"prompt_tokens": 11, "completion_tokens": 7, **said})
    assert usage == Usage(11, 7, False, cached)
    assert msgspec.json.decode(msgspec.json.encode(usage), type=Usage) == usage
    assert (usage + usage).cached_tokens == 2 * cached


@pytest.mark.parametrize(("total", "made"), [(18, 7), (318, 307), (3, 7), (HUGE, 7), (None, 7)])
def test_reasoning_that_only_the_total_counts_is_counted(total: int | None, made: int) -> None:
    said = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": total}
    assert read_usage(said) == Usage(11, made)


def test_the_names_of_the_responses_interface_are_read() -> None:
    said = {"input_tokens": 11, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 4}}
    assert read_usage(said) == Usage(11, 7, False, 4)
