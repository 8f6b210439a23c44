"""The dev set with its scorer: every case is read exactly, or refused where that is right."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from autocraft.json_fix import parse_command
from tests.json_fix import score

HERE = Path(__file__).parent
CASES = score.load(str(HERE / "devset.jsonl"))


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_case_is_exact(case: dict[str, Any]) -> None:
    got = score.to_command(parse_command(case["text"]))
    assert any(score.match(got, reading) for reading in [case["expected"], *case["accept"]]), got


def test_most_that_hold_a_command_are_recovered() -> None:
    meant = [case for case in CASES if not case["expected"].get("refuse")]
    recovered = [case for case in meant if parse_command(case["text"]) is not None]
    assert len(recovered) >= 0.96 * len(meant)


def test_the_scorer_itself_says_so() -> None:
    command = [sys.executable, str(HERE / "score.py"), str(HERE / "devset.jsonl"), "--quiet"]
    done = subprocess.run(
        [*command, "--func", "autocraft.json_fix:parse_command", "--path", str(HERE.parents[1])],
        capture_output=True,
        text=True,
        cwd=HERE,
    )
    assert "overall exact 179/179 = 100.0%" in done.stdout, done.stdout + done.stderr
    assert "WRONG 0  crash/timeout 0" in done.stdout
