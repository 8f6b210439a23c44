"""Comparing two texts: an exact diff, and a bounded amount of work whatever the texts are."""

from __future__ import annotations

import difflib
import random
import subprocess
import sys
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from autocraft.commands import previews


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


def lines(*parts: Iterable[object]) -> str:
    return "".join(f"{part}\n" for part in chain(*parts))


EQUAL = ("x\n" * 20_000, "x\ny\n" * 99)
TEXTS = {
    "many equal lines": EQUAL,
    "the other way around": EQUAL[::-1],
    "equal lines beside few": ("x\n" * 850, lines(*(("x", f"v{n}") for n in range(74)))),
    "nothing in common": ("a\n" * 20_000, "b\n" * 20_000),
    "reversed": (lines(range(500)), lines(reversed(range(500)))),
    "two kinds of line": tuple(lines(random.Random(seed).choices("ab", k=500)) for seed in (1, 2)),
    "sorted": ("a\nb\n" * 250, "a\n" * 250 + "b\n" * 250),
    "every second line": tuple(lines(*((n, f"{side}{n}") for n in range(250))) for side in "ab"),
    "ten of each line": tuple(lines(*((n // 10, f"{side}{n}") for n in range(250))) for side in "ab"),
    "ten of each beside others": (lines(n // 20 for n in range(500)), lines(*((n // 10, f"v{n}") for n in range(250)))),
}
MOST = 5_000_000


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.sampled(3)
def test_the_work_is_bounded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(previews, "_DIFF_LINES", 1_000)  # a third of the lines is a ninth of the work: tracing is slow
    old, new = TEXTS[name]
    assert work(lambda: previews.diff(old, new, "a"), MOST)


@pytest.mark.full
def test_without_the_bounds_difflib_does_far_more() -> None:
    before, after = (text.splitlines() for text in EQUAL)
    with pytest.raises(TooMuch):
        work(lambda: list(difflib.unified_diff(before, after)), MOST)


def test_what_is_too_long_to_compare_is_shown_whole() -> None:
    old, new = lines(range(9_000)), lines(reversed(range(9_000)))
    shown = previews.diff(old, new, "a")
    assert shown.startswith("replaces 9,000 lines by 43,890 bytes in 9,000 lines, too long to compare:\n8999\n")
    assert shown.count("\n") == 9_000


def test_equal_lines_at_the_start_and_the_end_are_not_counted() -> None:
    old, new = (lines(range(90_000), [side], range(90_000)) for side in ("old", "new"))
    shown = previews.diff(old, new, "a").splitlines()
    assert shown[2:] == [
        "@@ -89998,7 +89998,7 @@", " 89997", " 89998", " 89999", "-old", "+new", " 0", " 1", " 2",
    ]  # fmt: skip


@pytest.mark.full
def test_a_huge_line_is_shown_whole() -> None:
    assert "too long" in previews.diff("a", "b" * 5_000_000, "a")


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
