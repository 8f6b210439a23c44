"""Thoughts are readable while they arrive, however the answer is cut into pieces."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autocraft.console.stream import ThoughtStream

THOUGHTS = {
    "text": 'I need "planks"',
    "reasoning": "logs\nmake é them",
    "plan": ["a", "b"],
    "criticism": "none",
    "speak": "On it.",
}
COMMAND = {"name": "craft_item", "args": {"text": "no"}}
ANSWER = json.dumps({"thoughts": {**THOUGHTS, "mood": "hush"}, "command": COMMAND})


def shown(*pieces: str) -> str:
    stream = ThoughtStream()
    for piece in pieces:
        stream.feed(piece)
    return stream.text


def test_only_the_thoughts_are_shown() -> None:
    assert shown(ANSWER).startswith('I need "planks"\nlogs\nmake é them\na\nb\nnone\nOn it.')
    assert "hush" not in shown(ANSWER)
    assert "craft_item" not in shown(ANSWER)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
def test_pieces_of_any_size_give_the_same(size: int) -> None:
    assert shown(*[ANSWER[at : at + size] for at in range(0, len(ANSWER), size)]) == shown(ANSWER)


def test_what_has_arrived_is_shown_at_once() -> None:
    assert shown('{"thoughts": {"text": "half a tho') == "half a tho"


@pytest.mark.parametrize("fence", ["```json\n", "  \n"])
def test_a_fence_before_the_object_is_passed_over(fence: str) -> None:
    assert "I need" in shown(fence + ANSWER)


def test_an_answer_in_prose_is_shown_as_it_is() -> None:
    assert shown("I am sorry, ", "{no}") == "I am sorry, {no}"


@given(st.lists(st.text(max_size=40), max_size=20))
def test_nothing_that_arrives_is_a_fault(pieces: list[str]) -> None:
    assert isinstance(shown("{", *pieces), str)


@given(st.dictionaries(st.sampled_from(["text", "reasoning", "criticism"]), st.text(), min_size=1))
def test_every_character_of_a_thought_is_shown(thoughts: dict[str, str]) -> None:
    expected = "\n".join(thoughts.values()).replace("\r", "").replace("\b", "").replace("\f", "")
    assert shown(json.dumps({"thoughts": thoughts}, ensure_ascii=False)).strip("\n") == expected.strip("\n")
