"""Only what is plainly an authorisation authorises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autocraft.console.grammar import Again, Always, Authorise, Edit, Feedback, Slash, Stop, understand


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("y", Authorise()), (" Y ", Authorise()), ("y -1", Authorise(1)), ("Y  -12", Authorise(12)),
        ("y-2", Authorise(2)), ("n", Stop()), (" N", Stop()), (None, Stop()),
        ("a", Always()), ("e", Edit()), ("?", Slash("help")),
        ("/do craft_item name=stick", Slash("do", "craft_item name=stick")), ("/HELP", Slash("help")),
        ("y3 logs", Feedback("y3 logs")), ("help me", Feedback("help me")),
        ("y please", Feedback("y please")), ("y and then sticks", Feedback("y and then sticks")),
        ("no birch", Feedback("no birch")), ("// y", Feedback("y")), ("y\ny", Feedback("y\ny")),
        ("/do x\n/do y", Feedback("/do x\n/do y")), ("да", Feedback("да")), ("ｙ", Feedback("ｙ")),
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
        "//",
    ],
)
def test_unclear_lines_ask_again(line: str) -> None:
    assert isinstance(understand(line), Again)


@given(st.text())
def test_nothing_but_y_authorises(line: str) -> None:
    if isinstance(understand(line), (Authorise, Always)):
        assert line.strip().lower().split()[0] in ("y", "a")
        assert "\n" not in line.strip()
