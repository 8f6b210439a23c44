"""Broken answers made from known commands: none is read wrongly, and none is refused without need."""

from __future__ import annotations

import json
from random import Random

import pytest

from autocraft.errors import UnreadableReply
from autocraft.json_fix import parse_command, read
from autocraft.json_fix.values import equal
from tests.json_fix.answer_breaker import ALL, Case, cases, damaged
from tests.sampling import drawn


def verdict(case: Case) -> str:
    """Return ``right`` if the command is read, at once or after a question, and no other one."""
    got = parse_command(case.text, accept_unsure=not case.unsure)
    if got is None:
        return "right" if case.command is None or case.may_refuse else "refused"
    return "right" if case.command is not None and equal(got["command"], case.command) else "WRONG"


def check(seed: int, count: int) -> None:
    wrong = [case for case in cases(seed, count) if verdict(case) != "right"]
    assert not wrong, "\n".join(f"{verdict(case)} {case.kind}: {case.text!r} {case.command}" for case in wrong[:5])


def test_some_hundred_answers() -> None:
    check(seed=1, count=25 * len(ALL))


@pytest.mark.full
@pytest.mark.parametrize("seed", drawn(range(2, 12), 4))
def test_thousands_of_answers(seed: int) -> None:
    check(seed, count=100 * len(ALL))


def check_cuts(seed: int, count: int) -> int:
    """Cut each answer at many places; a dispatched command must be the whole one. Returns how many were cut."""
    rng = Random(seed)
    tried = 0
    for case in cases(seed, count):
        if case.command is None or case.kind in ("multi", "yaml", "call", "xml tool", "duplicate keys", "think lone"):
            continue  # the rest of these may hold another whole command
        places = range(len(case.text)) if len(case.text) < 300 else rng.sample(range(len(case.text)), 100)
        for place in places:
            got = parse_command(case.text[:place])
            assert got is None or equal(got["command"], case.command), (case.kind, case.text[:place])
            tried += 1
    return tried


def test_a_cut_answer_never_runs_shortened() -> None:
    assert check_cuts(seed=3, count=len(ALL)) > 1_000


@pytest.mark.full
def test_many_cut_answers_never_run_shortened() -> None:
    assert check_cuts(seed=4, count=10 * len(ALL)) > 15_000


def check_damage(seed: int, count: int) -> tuple[int, int]:
    """Spoil one sign of the structure at a time: (answers dispatched, of them read otherwise than meant)."""
    dispatched = wrong = 0
    for text, command in damaged(seed, count):
        got = parse_command(text)
        dispatched += got is not None
        wrong += got is not None and not equal(got["command"], command)
    return dispatched, wrong


def test_one_spoiled_sign_hardly_ever_misleads() -> None:
    """A sign too many may well mean something else, so this is a bound and not zero."""
    dispatched, wrong = check_damage(seed=5, count=9)
    assert dispatched > 300
    assert wrong <= dispatched // 1_000


@pytest.mark.full
@pytest.mark.parametrize("seed", drawn([6, 7], 1))
def test_many_spoiled_signs_hardly_ever_mislead(seed: int) -> None:
    """At least 7,000 answers that were dispatched, nested arguments in most of them."""
    dispatched, wrong = check_damage(seed, count=200)
    assert dispatched > 7_000
    assert wrong <= dispatched // 1_000


def test_the_stages_are_named() -> None:
    whole = json.dumps({"thoughts": {"text": "t"}, "command": {"name": "dig", "args": {}}})
    stages = {read(text).stage for text in (whole, whole[:-1] + ",}", "Here: " + whole)}
    assert stages == {"plain", "heuristic", "brace slice"}


def test_thoughts_are_read_and_never_decide() -> None:
    reply = read(
        '{"thoughts": {"text": "I refuse", "confidence": NaN, "x": "say "no" now"}, "command": {"name": "dig"}}'
    )
    assert (reply.name, reply.args, reply.thoughts["text"]) == ("dig", {}, "I refuse")
    assert "quotes guessed" in reply.flags
    with pytest.raises(UnreadableReply):
        read('{"thoughts": {"text": "I refuse"}}')
