"""Only what is plainly an authorisation authorises."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autocraft.console.grammar import (
    Again,
    Always,
    Authorise,
    Edit,
    Feedback,
    Slash,
    Stop,
    authorising_line,
    understand,
    words_line,
)


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("y", Authorise()), (" Y ", Authorise()), ("y -1", Authorise(1)), ("Y  -12", Authorise(12)),
        ("y-2", Authorise(2)), ("n", Stop()), (" N", Stop()), (None, Stop()),
        ("y, but keep the torches", Authorise(words="but keep the torches")), ("Y ,now", Authorise(words="now")),
        ("y -3 programs", Authorise(3, programs=True)), ("y -3, not oak", Authorise(3, words="not oak")),
        ("y-12  Programs , go", Authorise(12, programs=True, words="go")), ("y, y -9", Authorise(words="y -9")),
        ("goal: farm wheat", Slash("goal", "farm wheat")), (" Goal : + 2 stick", Slash("goal", "+ 2 stick")),
        ("goal farm wheat", Feedback("goal farm wheat")), ("// goal: x", Feedback("goal: x")),
        ("stop and farm wheat", Feedback("stop and farm wheat")), ("y,\nnow", Feedback("y,\nnow")),
        ("a", Always()), ("e", Edit()), ("?", Slash("help")),
        ("/do craft_item name=stick", Slash("do", "craft_item name=stick")), ("/HELP", Slash("help")),
        ("y3 logs", Feedback("y3 logs")), ("help me", Feedback("help me")),
        ("y please", Feedback("y please")), ("y and then sticks", Feedback("y and then sticks")),
        ("no birch", Feedback("no birch")), ("// y", Feedback("y")), ("y\ny", Feedback("y\ny")),
        ("/do x\n/do y", Feedback("/do x\n/do y")), ("да", Feedback("да")),
        ("ｙ", Again("'ｙ' is not clear: type y in plain letters")),
        ("ｎ", Again("'ｎ' is not clear: type n in plain letters")),
        ("y –3", Again("'y –3' is not clear: type y -3 in plain letters")), ("ｙ ですか", Feedback("ｙ ですか")),
        ("y3", Again("'y3' is not understood: type y -N with N at least 1, such as y -3")),
        ("y -１", Again("'y -１' is not understood: type y -N with N at least 1, such as y -3")),
    ],
)  # fmt: skip
def test_meanings(line: str | None, meaning: object) -> None:
    assert understand(line) == meaning


@pytest.mark.parametrize(
    "line",
    [
        "",
        "  ",
        "yes",
        "No",
        "q",
        "quit",
        "EXIT",
        "help",
        "h",
        "ok",
        "okay",
        "Stop",
        "cancel",
        "continue",
        "Y12",
        "y3x",
        "y -0",
        "y 5",
        "y -abc",
        "y - 3",
        "y --3",
        "y -3x",
        "y 5 ",
        "y-0",
        "y-3x",
        "y,",
        "y -2,",
        "y -0, now",
        "y -3 program",
        "goal:",
        "//",
    ],
)
def test_unclear_lines_ask_again(line: str) -> None:
    assert isinstance(understand(line), Again)


@given(st.text())
def test_nothing_but_y_authorises(line: str) -> None:
    if isinstance(understand(line), (Authorise, Always)):
        assert re.split(r"[\s,-]", line.strip().lower())[0] in ("y", "a")
        assert "\n" not in line.strip()


@given(st.text())
def test_words_of_a_field_never_authorise_and_replace_a_goal_as_at_the_terminal(text: str) -> None:
    meaning = understand(words_line(text))
    assert isinstance(meaning, Feedback | Again) or (isinstance(meaning, Slash) and meaning.name == "goal")
    assert not isinstance(meaning, Slash) or text.strip().lower().startswith("goal")


@given(st.integers(0, 10**6), st.booleans(), st.text())
def test_a_written_authorisation_is_read_as_it_was_meant(turns: int, programs: bool, words: str) -> None:
    programs = programs and turns > 0
    line = authorising_line(turns, programs=programs, words=words)
    assert understand(line) == Authorise(turns, programs, " ".join(words.split()))
