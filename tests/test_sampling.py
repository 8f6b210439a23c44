"""The drawn parts of the long lists: they depend on the seed alone, and can be repeated."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, unmeasured
from tests.sampling import covering, seed

LONG = """
import pytest
pytestmark = pytest.mark.full

@pytest.mark.parametrize("n", range(40))
def test_number(n):
    assert n != {bad}
"""
DRAWN = """
import pytest

@pytest.mark.sampled(3)
@pytest.mark.parametrize("n", range(20))
def test_fast(n):
    pass
"""


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    (tmp_path / "test_long.py").write_text(LONG.format(bad=99))
    (tmp_path / "test_bad.py").write_text(LONG.format(bad=7))
    (tmp_path / "test_drawn.py").write_text(DRAWN)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    full\n    llm\n    sampled(count)\n")
    return tmp_path


def run(folder: Path, *arguments: str, seed: str = "one") -> str:
    """Run pytest with our conftest on these lists. Return what it says."""
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", *arguments]
    environment = unmeasured(os.environ) | {"SAMPLE_SEED": seed, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True).stdout


def chosen(folder: Path, *arguments: str, seed: str = "one") -> list[str]:
    said = run(folder, "--collect-only", "-q", *arguments, seed=seed)
    return [line for line in said.splitlines() if "::" in line]


@pytest.mark.full
def test_a_sample_is_a_part_of_each_file_and_depends_on_the_seed_alone(lists: Path) -> None:
    first = chosen(lists, "-m", "full", "--sample", "10")
    assert [sum(name in each for each in first) for name in ("test_bad", "test_long")] == [4, 4]
    assert sum("test_drawn" in each for each in first) in (1, 2)  # of 17
    assert chosen(lists, "-m", "full", "--sample", "10") == first
    other = chosen(lists, "-m", "full", "--sample", "10", seed="two")
    assert not set(other) <= set(first)


def test_of_many_files_with_one_long_test_a_part_is_drawn(lists: Path) -> None:
    for number in range(40):
        (lists / f"test_single_{number}.py").write_text("import pytest\n\n@pytest.mark.full\ndef test(): pass\n")
    names = [each for each in chosen(lists, "-m", "full", "--sample", "25") if "test_single" in each]
    assert 3 <= len(names) <= 20


@pytest.mark.full
def test_a_failure_names_the_command_that_repeats_it(lists: Path) -> None:
    said = run(lists, "-q", "-m", "full", "--sample", "100")
    assert "long lists: sampled by SAMPLE_SEED=one" in said
    (command,) = re.findall(r"^to repeat: (.*)$", said, re.M)
    seed, _, *arguments = shlex.split(command)
    assert (seed, arguments) == ("SAMPLE_SEED=one", ["-m", "pytest", "test_bad.py::test_number[7]"])
    assert "1 failed" in run(lists, *arguments[2:])


@pytest.mark.full
def test_an_order_is_repeated_by_its_seed(lists: Path) -> None:
    shuffled = chosen(lists, "test_long.py", "--order", "1")
    assert shuffled != sorted(shuffled, key=lambda each: int(each[:-1].rpartition("[")[2])) and len(shuffled) == 40
    assert chosen(lists, "test_long.py", "--order", "1") == shuffled


def test_each_value_of_each_parameter_stands_in_a_covering_list_and_the_seed_chooses_the_pairs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lists = []
    for commit in ("one", "two", "one"):
        seed.cache_clear()
        monkeypatch.setenv("SAMPLE_SEED", commit)
        lists.append(covering(range(16), "ab", [True]))
    assert any(one != other for one, other in covering(range(16), range(16))), "equal parameters are mixed too"
    seed.cache_clear()
    assert lists[0] == lists[2] != lists[1]
    assert sorted(number for number, _, _ in lists[0]) == list(range(16))
    assert sorted(letter for _, letter, _ in lists[0]) == ["a"] * 8 + ["b"] * 8
