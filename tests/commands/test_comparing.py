"""Comparing two texts: the fewest changes, an exact diff, and a bounded amount of work whatever the texts are."""

from __future__ import annotations

import difflib
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from autocraft.commands import comparing, previews
from autocraft.commands.comparing import Edit, compare


class TooMuch(Exception):
    """More lines of Python were run than allowed."""


def work(act: Callable[[], Any], most: int) -> int:
    """How many lines of Python are run; raises TooMuch above `most`. It does not depend on how busy the machine is."""
    count = 0

    def line(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        if count > most:
            raise TooMuch
        return line

    before = sys.gettrace()
    sys.settrace(line)
    try:
        act()
    finally:
        sys.settrace(before)
    return count


def test_work_leaves_the_tracer_of_coverage_in_place() -> None:
    """Otherwise nothing that this process runs later would be measured."""

    def other(frame: FrameType, event: str, argument: Any) -> None:
        pass

    before = sys.gettrace()
    sys.settrace(other)
    try:
        work(lambda: None, 100)
        assert sys.gettrace() is other
    finally:
        sys.settrace(before)


EQUAL = ("x\n" * 20_000, "x\ny\n" * 99)
TEXTS = {
    "many equal lines": EQUAL,
    "the other way around": EQUAL[::-1],
    "many equal lines between others": tuple(f"{n}\n{text}{n}\n" for n, text in enumerate(EQUAL)),
    "nothing in common": ("a\n" * 20_000, "b\n" * 20_000),
    "reversed": tuple("".join(f"{n}\n" for n in order) for order in (range(9_000), reversed(range(9_000)))),
    "two kinds of line": tuple("".join(random.Random(seed).choices(["a\n", "b\n"], k=20_000)) for seed in (1, 2)),
    "sorted": ("a\nb\n" * 5_000, "a\n" * 5_000 + "b\n" * 5_000),
    "spread": ("".join(f"{n}\nx\n" for n in range(3_000)), "".join(f"{n}\ny\nx\n" for n in range(3_000))),
}
MOST = 12 * comparing.MOST_STEPS


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.sampled(2)
def test_the_work_is_bounded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "MOST_STEPS", comparing.MOST_STEPS // 10)  # as tracing is slow
    old, new = TEXTS[name]
    assert work(lambda: previews.diff(old, new, "a"), MOST // 10)


def test_difflib_does_far_more_for_equal_lines() -> None:
    before, after = (text.splitlines() for text in EQUAL)
    with pytest.raises(TooMuch):
        work(lambda: list(difflib.unified_diff(before, after)), MOST // 10)


@pytest.mark.full
def test_what_is_too_long_to_compare_is_shown_whole() -> None:
    old, new = TEXTS["reversed"]
    shown = previews.diff(old, new, "a")
    assert shown.startswith("replaces 9,000 lines by 43,890 bytes in 9,000 lines, too long to compare:\n8999\n")
    assert shown.count("\n") == 9_000


def test_lines_without_a_counterpart_cost_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "MOST_STEPS", 0)
    old, new = ([f"{name} {n}" for n in range(2_000)] for name in ("old", "new"))
    assert compare(old, new) == [Edit(0, 2_000, 0, 2_000)]
    assert compare([*old, "kept", *old], [*new, "kept"]) == [Edit(0, 2_000, 0, 2_000), Edit(2_001, 4_001, 2_001, 2_001)]


@pytest.mark.full
def test_a_huge_line_is_shown_whole() -> None:
    assert "too long" in previews.diff("a", "b" * 5_000_000, "a")


def carried_out(old: list[str], edits: list[Edit], new: list[str]) -> list[str]:
    made, at = [], 0
    for edit in edits:
        made += old[at : edit.at]
        assert len(made) == edit.new_at and (edit.end > edit.at or edit.new_end > edit.new_at)
        made += new[edit.new_at : edit.new_end]
        at = edit.end
    return made + old[at:]


def common(a: list[str], b: list[str]) -> int:
    """The length of the longest common subsequence, by the book."""
    row = [0] * (len(b) + 1)
    for one in a:
        last = 0
        for at, other in enumerate(b, 1):
            last, row[at] = row[at], last + 1 if one == other else max(row[at], row[at - 1])
    return row[-1]


def test_the_edits_are_right_and_the_fewest() -> None:
    chance = random.Random(7)
    for _ in range(5_000):
        old, new = (chance.choices("abcd", k=chance.randrange(10)) for _ in range(2))
        edits = compare(old, new)
        assert edits is not None and carried_out(old, edits, new) == new
        changed = sum(edit.end - edit.at + edit.new_end - edit.new_at for edit in edits)
        assert changed == len(old) + len(new) - 2 * common(old, new)


def test_patch_makes_the_new_text_of_the_old_one(tmp_path: Path) -> None:
    chance = random.Random(8)
    (tmp_path / "old").write_text("")
    if subprocess.run(["which", "patch"], capture_output=True).returncode:
        pytest.skip("patch is not installed")
    for _ in range(100):
        lines = [f"{chance.choice('abc')}\n" for _ in range(chance.randrange(1, 60))]
        new = list(lines)
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(len(new) + 1)
            new[at : at + chance.randrange(2)] = ["new\n"] * chance.randrange(2)
        shown = previews.diff("".join(lines), "".join(new), "old")
        assert bool(shown) is (lines != new)
        if shown:
            (tmp_path / "old").write_text("".join(lines))
            done = subprocess.run(["patch", "-s", "old"], cwd=tmp_path, input=f"{shown}\n", text=True, timeout=60)
            assert done.returncode == 0 and (tmp_path / "old").read_text() == "".join(new), shown


def test_rows_are_those_of_the_language() -> None:
    text = "a\rb\r\nc\nd\u2028e\x0cf\x85g"
    assert previews.rows(text) == ["a\rb", "c", "d\u2028e\x0cf\x85g"]
    assert previews.rows(text, previews.PYTHON) == ["a", "b", "c", "d\u2028e\x0cf\x85g"]
    assert previews.rows(text, previews.JAVASCRIPT) == ["a", "b", "c", "d\u2028", "e\x0cf\x85g"]
