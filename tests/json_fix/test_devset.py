"""The dev set by its scorer: every case is read exactly, or refused where that is right."""

from __future__ import annotations

from pathlib import Path

from autocraft.json_fix import parse_command
from tests.json_fix import score

HERE = Path(__file__).parent
CASES = score.load(str(HERE / "devset.jsonl"))


def test_every_case_is_exact() -> None:
    got = {case["id"]: score.to_command(parse_command(case["text"])) for case in CASES}
    wrong = {
        case["id"]: got[case["id"]]
        for case in CASES
        if not any(score.match(got[case["id"]], reading) for reading in [case["expected"], *case["accept"]])
    }
    assert wrong == {}
    assert len(got) == 179
