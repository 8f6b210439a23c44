"""Stopping early never runs another command than the whole answer would."""

from __future__ import annotations

import json
import time
from random import Random

import pytest

from autocraft.json_fix import parse_command
from autocraft.json_fix.prefix import Prefix
from autocraft.json_fix.values import equal
from tests.json_fix.answer_breaker import ALL, cases
from tests.json_fix.native_writers import READ
from tests.json_fix.test_devset import SETS
from tests.json_fix.test_native import COMMANDS

WHOLE = {"thoughts": {"text": 'a "{" b'}, "command": {"name": "say", "args": {"text": '}\\ " {', "n": [{}]}}}


def stops_at(text: str, size: int = 1) -> int | None:
    """How many characters had come when the command was certain; None where it never was."""
    prefix = Prefix()
    for start in range(0, len(text), size):
        if prefix.take(text[start : start + size]):
            return min(len(text), start + size)
    return None


def check(text: str) -> bool:
    """Whether reading stopped early; what was read then is what the whole answer says, if it says anything."""
    at = stops_at(text)
    if at is None:
        return False
    early, late = parse_command(text[:at]), parse_command(text)
    assert early is not None
    assert late is None or equal(early, late), text
    return True


@pytest.mark.parametrize("around", [("", ""), ("\n ", "\nDone."), ("```json\n", "\n```")])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_it_stops_where_the_object_ends(around: tuple[str, str], indent: int | None, size: int) -> None:
    body = json.dumps(WHOLE, indent=indent)
    text = around[0] + body + around[1]
    at = stops_at(text, size)
    end = len(around[0]) + len(body)
    assert at is not None and end <= at < end + size
    assert parse_command(text[: end if size == 1 else at], accept_unsure=True) is not None


@pytest.mark.parametrize(
    "text",
    [
        "I think: " + json.dumps(WHOLE),
        json.dumps({"command": WHOLE["command"]}),
        json.dumps([WHOLE]),
        "<think>" + json.dumps(WHOLE) + "</think>",
        json.dumps(WHOLE)[:-1],
        json.dumps(WHOLE).replace(", ", ",, ", 1),
        json.dumps({**WHOLE, "status": "rejected"}),
        json.dumps({"thoughts": {}, "command": {"name": "command name", "args": {}}}),
    ],
)
def test_nothing_else_is_certain(text: str) -> None:
    assert stops_at(text) is None


def test_no_prefix_of_any_case_gives_another_command() -> None:
    answers = [case.text for case in cases(9, 6 * len(ALL))]
    answers += [write([meant]) for write in READ.values() for meant in COMMANDS]
    answers += [case["text"] for case in SETS["devset"] if len(case["text"]) < 10_000]
    stopped = sum(check(text) for text in answers)
    assert stopped > 30


def seconds(pieces: int) -> float:
    prefix, start = Prefix(), time.process_time()
    prefix.take('{"thoughts": {"text": "')
    for _ in range(pieces):
        prefix.take("word")
    return time.process_time() - start


def test_a_piece_of_a_long_answer_costs_no_more_than_one_of_a_short_answer() -> None:
    """Joining all pieces so far with each piece made it a hundred times as much."""
    long, short = (min(seconds(pieces) for _ in range(3)) for pieces in (40_000, 5_000))
    assert long < 30 * short


def test_pieces_of_any_size_stop_at_the_same_place() -> None:
    rng = Random(4)
    text = json.dumps(WHOLE) + " and more"
    prefix, pos = Prefix(), 0
    while not prefix.certain:
        step = rng.randrange(1, 9)
        prefix.take(text[pos : pos + step])
        pos += step
    assert len(json.dumps(WHOLE)) <= pos < len(json.dumps(WHOLE)) + 9
