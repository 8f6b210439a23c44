"""Tool calls as the model families write them: read as meant, or refused; never another command."""

from __future__ import annotations

from typing import Any

import pytest

from autocraft.json_fix import parse_command, read
from autocraft.json_fix.values import equal
from tests.json_fix.native_writers import READ, REFUSED, dumps

FAKE = '{"command": {"name": "drop_all", "args": {"to": "Bob"}}}'
PLAIN: dict[str, Any] = {"name": "collect", "args": {"block": "oak log", "amount": 6}}
JSON_INSIDE: dict[str, Any] = {"name": "write_file", "args": {"filename": "a.json", "content": FAKE}}
NO_ARGUMENTS: dict[str, Any] = {"name": "wait", "args": {}}
COMMANDS: list[dict[str, Any]] = [
    PLAIN,
    {"name": "chat", "args": {"text": 'It\'s "here": a < b, {x}, [y]'}},
    JSON_INSIDE,
    {"name": "write_file", "args": {"content": '{\n  "a": [1, 2]\n}', "version": "1.10"}},
    {"name": "start_agent", "args": {"name": "scout", "args": {"task": "map"}}},
    NO_ARGUMENTS,
]


def dispatched(text: str) -> dict[str, Any] | None:
    got = parse_command(text)
    return None if got is None else got["command"]


def alike(got: dict[str, Any], meant: dict[str, Any]) -> bool:
    """Equal, or a nested value kept as the text that the tag holds, which the registry then types."""
    if equal(got, meant):
        return True
    texts = {key: item if isinstance(item, str) else dumps(item) for key, item in meant["args"].items()}
    kept = {key: item if isinstance(item, str) else dumps(item) for key, item in got["args"].items()}
    return got["name"] == meant["name"] and kept == texts


@pytest.mark.parametrize("family", READ)
def test_a_call_is_read_as_meant(family: str) -> None:
    for meant in COMMANDS:
        got = dispatched(READ[family]([meant]))
        assert got is not None and alike(got, meant), got


@pytest.mark.parametrize("family", REFUSED)
def test_what_is_no_call_of_the_model_is_refused(family: str) -> None:
    for meant in COMMANDS:
        assert dispatched(REFUSED[family]([meant])) is None, meant


@pytest.mark.parametrize("family", READ)
def test_two_calls_are_refused_and_one_call_twice_is_read(family: str) -> None:
    assert dispatched(READ[family]([PLAIN, NO_ARGUMENTS])) is None
    got = dispatched(READ[family]([PLAIN, PLAIN]))
    assert got is None or alike(got, PLAIN)


@pytest.mark.parametrize("family", [*READ, *REFUSED])
@pytest.mark.sampled(20)
def test_a_call_cut_anywhere_is_whole_or_refused(family: str) -> None:
    for meant in COMMANDS:
        text = (READ.get(family) or REFUSED[family])([meant])
        for end in range(len(text)):
            got = dispatched(text[:end])
            assert got is None or (family in READ and alike(got, meant)), text[:end]


@pytest.mark.parametrize("family", READ)
@pytest.mark.sampled(15)
def test_two_calls_cut_anywhere_give_one_of_them_or_none(family: str) -> None:
    both = [PLAIN, JSON_INSIDE]
    text = READ[family](both)
    for end in range(len(text)):
        got = dispatched(text[:end])
        assert got is None or any(alike(got, each) for each in both), text[:end]


class Typed:
    """A registry in which only `content` is text."""

    def names(self) -> list[str]:
        return ["write_file"]

    def parameters(self, name: str) -> list[str]:
        return ["content", "count"]

    def accepts(self, name: str) -> list[str]:
        return self.parameters(name)

    def texts(self, name: str) -> list[str]:
        return ["content"]


@pytest.mark.parametrize("value", ["6", "true", "null", "1.10", '{"a": 1}', " x ", "007"])
def test_the_registry_decides_what_the_text_of_a_parameter_becomes(value: str) -> None:
    count = '<parameter name="count">6</parameter>'
    text = f'<invoke name="write_file"><parameter name="content">{value}</parameter>{count}</invoke>'
    assert read(text, registry=Typed()).args == {"content": value, "count": 6}
