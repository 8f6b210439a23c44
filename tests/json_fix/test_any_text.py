"""Properties that hold for every text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autocraft.errors import UnreadableReply
from autocraft.json_fix import Reply, parse_command
from autocraft.json_fix.keys import check_meant
from autocraft.json_fix.reading import read
from autocraft.json_fix.values import equal

PIECES = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        ":",
        ",",
        "\\",
        "\n",
        "```",
        "```json\n",
        "<think>",
        "</think>",
        '{"command": ',
        '"name"',
        '"args": {',
        '"dig"',
        "true",
        "None",
        "1",
        "-",
        ".5",
        "// ",
        "/*",
        "#",
        "Action: dig\n",
        "command:\n",
        "  name: dig\n",
        "<function=dig>",
        "dig(",
        "a=1",
        ")",
        '\\"',
        "“",
        "”",
        "：",
        "｛",
        "\u200b",
        "\ufeff",
        "\x1b[1m",
        "\ud800",
        "I will not ",
        "thoughts",
        "&quot;",
        "x",
        " ",
    ]
)
NOISE = st.one_of(st.text(), st.lists(PIECES, max_size=60).map("".join))
HALVES = st.lists(
    st.sampled_from(["\\ud83d", "\\ude00", "\ud83d", "\n", "\t", "\\d", "\\'", '\\"', '"', "a", ",", "\\"]), max_size=6
).map("".join)
DEFECTS = st.sampled_from(
    ["@", "@,", "@}", "{@}", "// \ud83d\n@", "Here: @", "```json\n@\n```", "<tool_call>@</tool_call>", "[@", "@ x"]
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=8
)


def is_meant(command: dict[str, Any]) -> bool:
    """Return whether a command is meant. One that only shows how a command looks, such as `{"item": "<item>"}`, is
    refused, and test_policy.py tests that.
    """
    try:
        check_meant(command["name"], command["args"])
    except UnreadableReply:
        return False
    return True


COMMANDS = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["dig", "write_file", "go-to"]),
        "args": st.dictionaries(st.text(min_size=1), VALUES, max_size=4),
    }
).filter(is_meant)
WHOLE = '{"thoughts": {"text": "t"}, "command": {"name": "dig", "args": {}}}'
HEADS = ["", '{"command": {"name": "x", "args": {"a": "', "<tool_call>", "```json\n", WHOLE]
AROUND = st.sampled_from(
    [
        ("", ""),
        ("```json\n", "\n```"),
        ("Here you go:\n", "\nDone."),
        ("<think>a { b</think>", ""),
        ("\ufeff", "\n"),
        ("I'll act now. ", " (end)"),
    ]
)


def total(text: str) -> None:
    try:
        assert isinstance(read(text), Reply)
    except UnreadableReply as error:
        assert str(error) and error.flags


def returns_equal(
    command: dict[str, Any], around: tuple[str, str], first: bool, ascii_only: bool, indent: int | None
) -> None:
    thoughts = {"text": "t", "plan": ["a", "b"]}
    answer = {"command": command, "thoughts": thoughts} if first else {"thoughts": thoughts, "command": command}
    text = around[0] + json.dumps(answer, ensure_ascii=ascii_only, indent=indent) + around[1]
    got = parse_command(text, accept_unsure=True)
    assert got is not None
    assert equal(got["command"], command)


def never_shortened(command: dict[str, Any], tail: dict[str, str], ascii_only: bool) -> None:
    text = json.dumps({**tail, "command": command}, ensure_ascii=ascii_only)
    for end in range(len(text)):
        got = parse_command(text[:end])
        assert got is None or equal(got["command"], command), text[:end]


def bytes_never_shortened(command: dict[str, Any]) -> None:
    data = json.dumps({"command": command}, ensure_ascii=False).encode("utf-8", "surrogatepass")
    for end in range(len(data)):
        got = parse_command(data[:end].decode("utf-8", "replace"))
        assert got is None or equal(got["command"], command)


@settings(max_examples=60)
@given(NOISE)
def test_any_text_gives_a_reply_or_our_error(text: str) -> None:
    total(text)


@settings(max_examples=60)
@given(HALVES, HALVES, DEFECTS)
def test_half_characters_beside_defects_give_a_reply_or_our_error(thought: str, text: str, defect: str) -> None:
    answer = f'{{"thoughts": {{"text": "{thought}"}}, "command": {{"name": "dig", "args": {{"text": "{text}"}}}}}}'
    total(defect.replace("@", answer))
    total(defect.replace("@", answer.replace('"', "'")))


@settings(max_examples=40)
@given(COMMANDS, AROUND, st.booleans(), st.booleans(), st.sampled_from([None, 2]))
def test_whatever_json_writes_comes_back(
    command: Any, around: Any, first: bool, ascii_only: bool, indent: int | None
) -> None:
    returns_equal(command, around, first, ascii_only, indent)


@settings(max_examples=6)
@given(COMMANDS, st.sampled_from([{}, {"thoughts": "t"}]), st.booleans())
def test_a_cut_never_shortens_an_argument(command: Any, tail: Any, ascii_only: bool) -> None:
    never_shortened(command, tail, ascii_only)


@settings(max_examples=6)
@given(COMMANDS)
def test_a_cut_between_bytes_never_shortens_an_argument(command: Any) -> None:
    bytes_never_shortened(command)


@settings(max_examples=30)
@given(st.sampled_from(HEADS), st.lists(PIECES, min_size=1, max_size=4).map("".join), st.sampled_from(["", "}", WHOLE]))
def test_any_piece_two_thousand_times_gives_a_reply_or_our_error(head: str, piece: str, tail: str) -> None:
    total(head + piece * 2_000 + tail)


@pytest.mark.parametrize("sign", ["\x1b[0m", "\u200b", "\u202e", "\u2066", "\x00", "\ufeff ", "> ", "(", "</b>"])
def test_any_number_of_signs_around_an_object_is_no_recursion(sign: str) -> None:
    for count in (1, 1_000, 5_000):
        total(WHOLE + sign * count)
        total(sign * count + WHOLE)
    if sign not in ("> ", "(", "</b>"):
        assert read(sign * 3_000 + WHOLE + sign * 3_000).name == "dig"


@pytest.mark.full
@settings(max_examples=700)
@given(NOISE)
def test_any_text_at_length(text: str) -> None:
    total(text)


@pytest.mark.full
@settings(max_examples=350)
@given(COMMANDS, AROUND, st.booleans(), st.booleans(), st.sampled_from([None, 2]))
def test_whatever_json_writes_at_length(
    command: Any, around: Any, first: bool, ascii_only: bool, indent: int | None
) -> None:
    returns_equal(command, around, first, ascii_only, indent)


@pytest.mark.full
@settings(max_examples=100)
@given(COMMANDS, st.sampled_from([{}, {"thoughts": "t"}]), st.booleans())
def test_a_cut_never_shortens_an_argument_at_length(command: Any, tail: Any, ascii_only: bool) -> None:
    never_shortened(command, tail, ascii_only)
