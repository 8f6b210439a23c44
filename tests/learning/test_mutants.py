"""Some of Voyager's numbers, others with each commit, changed in a copy of the program: a test notices it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.sampling import drawn

NUMBERS = "test_numbers.py"
QUESTIONS = "test_endpoint.py::test_after_fifteen_tasks_the_curriculum_asks_itself_as_voyager_does"
PROPOSALS = "test_learning.py::test_five_useless_proposals_end_the_run"
DIFFICULTY = "test_ckpt.py::test_the_rule_of_difficulty_is_voyagers[15-sent1]"
MUTANTS = [
    ("facts.py", "SHARE = 0.8", "SHARE = 0.1", NUMBERS),
    ("facts.py", "NEARLY_FULL = 33", "NEARLY_FULL = 35", NUMBERS),
    ("facts.py", "DEPOSITED = 20", "DEPOSITED = 27", NUMBERS),
    ("facts.py", "|sand|snow", "|sand", NUMBERS),
    ("settings.py", '"context": 15', '"context": 9', NUMBERS),
    ("settings.py", '"biome": 10', '"biome": 4', NUMBERS),
    ("settings.py", '"nearby_entities": 5', '"nearby_entities": 6', NUMBERS),
    ("settings.py", '"optional_inventory_items": 7', '"optional_inventory_items": 2', NUMBERS),
    ("settings.py", "|dirt|coal|", "|dirt|", NUMBERS),
    ("settings.py", "setting(160,", "setting(100,", NUMBERS),
    ("settings.py", "setting(4,", "setting(3,", NUMBERS),
    ("settings.py", "setting(5,", "setting(4,", NUMBERS),
    ("questions.py", "ALIKE = 0.975", "ALIKE = 0.9", NUMBERS),
    ("questions.py", "MOST_SHOWN = 5", "MOST_SHOWN = 2", QUESTIONS),
    ("questions.py", "MOST_ASKED = 10", "MOST_ASKED = 12", QUESTIONS),
    ("questions.py", '"blocks", "items", "mobs"', '"blocks",', QUESTIONS),
    ("asking.py", "\nTRIES = 5", "\nTRIES = 2", PROPOSALS),
    ("learner.py", "EASY_FROM = 16", "EASY_FROM = 15", DIFFICULTY),
]
"""Module, its text, what stands there instead, and the tests that must fail."""
TRIED = drawn(MUTANTS, 4)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the program and its tests."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("autocraft", "prompts", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def passes(folder: Path, tests: str) -> bool:
    """Return whether these tests pass in a copy."""
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", f"tests/learning/{tests}"]
    done = subprocess.run(command, cwd=folder, env=os.environ | {"PYTHONPATH": str(folder)}, capture_output=True)
    assert done.returncode in (0, 1), done.stdout.decode() + done.stderr.decode()
    return done.returncode == 0


@pytest.mark.full
@pytest.mark.parametrize("tests", sorted({row[3] for row in TRIED}))
def test_the_tests_pass_as_long_as_nothing_is_changed(copy: Path, tests: str) -> None:
    assert passes(copy, tests)


@pytest.mark.full
@pytest.mark.parametrize(("module", "text", "other", "tests"), TRIED)
def test_a_changed_number_is_noticed(copy: Path, module: str, text: str, other: str, tests: str) -> None:
    path = copy / "autocraft" / "learning" / module
    right = path.read_text(encoding="utf-8")
    assert right.count(text) == 1
    path.write_text(right.replace(text, other), encoding="utf-8")
    try:
        assert not passes(copy, tests)
    finally:
        path.write_text(right, encoding="utf-8")
