"""The counting of attacks: by kind and name, over tests and workers, in a pytest of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Place

CONFTEST = """
from tests.security.count import summarise

pytest_plugins = ["tests.security.conftest"]

def pytest_terminal_summary(terminalreporter):
    summarise(terminalreporter)
"""
ONCE = """
def test_once(tally):
    attacks = tally("paths")
    attacks.add("../x")
    attacks.add("half a character \\ud83d")
    attacks.done()
"""
AGAIN = """
import pytest

@pytest.mark.parametrize("way", range(10))
def test_again(tally, way):
    attacks = tally("paths")
    attacks.add("../x")
    attacks.add("../x")
    attacks.done()

def test_another_kind_and_name(tally):
    attacks = tally("pages")
    attacks.add("../x")
    attacks.add("../y")
    attacks.done()
"""
THROUGH = """
def test_through(tally):
    attacks = tally("pages")
    attacks.add("../z", "a secret")
    attacks.done()

def test_nothing(tally):
    tally("paths").done()
"""


def summary(folder: Path, *flags: str, **files: str) -> tuple[int, str]:
    """The line that a run over these test files ends with, and its exit code."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text("[pytest]\n")
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(text)
    done = Place(folder).python("-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), *flags)
    lines = [line for line in done.stdout.splitlines() if line.startswith("attacks: ")]
    assert len(lines) == 1, done.stdout + done.stderr
    return done.returncode, lines[0]


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
@pytest.mark.sampled(1)
@pytest.mark.full
def test_an_attack_is_counted_once_however_often_it_is_tried(workers: tuple[str, ...], tmp_path: Path) -> None:
    said = summary(tmp_path, *workers, once=ONCE, again=AGAIN)
    assert said == (0, "attacks: 4 tried (24 times with repetitions), 0 let through (pages 2, 0; paths 2, 0)")


def test_without_repetitions_none_are_named(tmp_path: Path) -> None:
    assert summary(tmp_path, once=ONCE) == (0, "attacks: 2 tried, 0 let through (paths 2, 0)")


def test_what_gets_through_fails_and_is_counted(tmp_path: Path) -> None:
    said = summary(tmp_path, once=ONCE, through=THROUGH)
    assert said == (1, "attacks: 3 tried, 1 let through (pages 1, 1; paths 2, 0)")
