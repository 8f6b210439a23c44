"""Whatever JSON an endpoint sends, as pieces or as an error, is read without an exception of any other kind."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autocraft.brains.abilities import Abilities
from autocraft.brains.faults import judge, report_of
from autocraft.brains.openai import OpenAISettings
from autocraft.brains.stream import AnswerBuilder
from autocraft.protocols import Answer

WORDS = [
    "id", "index", "choices", "delta", "message", "content", "reasoning_content", "refusal", "tool_calls", "function",
    "function_call", "name", "arguments", "finish_reason", "usage", "prompt_tokens", "completion_tokens", "type",
    "text", "error", "code", "param", "detail", "metadata", "raw", "stop", "length", "response_format", "unsupported",
]  # fmt: skip
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(WORDS)
ANY = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=5),
    max_leaves=12,
)
CALL = st.fixed_dictionaries({"index": LEAVES, "function": st.fixed_dictionaries({"name": LEAVES, "arguments": ANY})})
DELTA = st.fixed_dictionaries(
    {},
    optional={"content": ANY, "reasoning": ANY, "refusal": ANY, "tool_calls": st.lists(CALL | ANY, max_size=3) | ANY},
)
CHOICE = st.fixed_dictionaries({}, optional={"delta": DELTA | ANY, "message": DELTA, "finish_reason": LEAVES})
CHUNK = st.fixed_dictionaries({}, optional={"choices": st.lists(CHOICE | ANY, max_size=2) | ANY, "usage": ANY})


PIECES = st.lists(CHUNK | ANY, max_size=4)
ERROR = (st.integers(0, 599), ANY, st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms"]), st.text()))


@settings(max_examples=80)
@given(PIECES)
def test_any_pieces_make_an_answer(chunks: list[Any]) -> None:
    check_pieces(chunks)


@pytest.mark.full
@settings(max_examples=400)
@given(PIECES)
def test_hundreds_of_any_pieces_make_answers(chunks: list[Any]) -> None:
    check_pieces(chunks)


def check_pieces(chunks: list[Any]) -> None:
    gathered = AnswerBuilder()
    shown = [delta for chunk in chunks for delta in gathered.take(chunk)]
    answer = gathered.answer()
    assert isinstance(answer, Answer)
    assert all(isinstance(part, str) for part in (answer.text, answer.reasoning, answer.refusal, answer.finish_reason))
    told = "".join(delta.text for delta in shown if delta.kind == "text")
    assert told == answer.text or answer.tool_calls


@settings(max_examples=80)
@given(*ERROR)
def test_any_error_is_one_fault_with_one_line(status: int, body: Any, headers: dict[str, str]) -> None:
    check_error(status, body, headers)


@pytest.mark.full
@settings(max_examples=400)
@given(*ERROR)
def test_hundreds_of_any_errors_are_one_fault_each(status: int, body: Any, headers: dict[str, str]) -> None:
    check_error(status, body, headers)


def check_error(status: int, body: Any, headers: dict[str, str]) -> None:
    said = report_of(status, body, headers)
    fault = judge(said, OpenAISettings(base_url="http://127.0.0.1:1/v1"), "m")
    assert fault.text
    assert len(fault.text.splitlines()) == 1
    assert len(fault.text) < 500
    assert fault.wait is None or fault.wait >= 0
    sent = {"model": "m", "stream": True, "response_format": {"type": "json_object"}}
    lesser = Abilities().after(said, sent, frozenset())
    assert lesser is None or lesser != Abilities()
