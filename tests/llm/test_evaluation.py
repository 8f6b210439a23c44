"""An evaluation of a real model, which scores what it scores."""

from __future__ import annotations

import json
import subprocess

import pytest

from autocraft.evaluation.results import EpisodeResult, read_results
from tests.conftest import PROGRAM, Place
from tests.llm.conftest import SLOW, profile

pytestmark = [pytest.mark.llm, pytest.mark.xdist_group("llm")]


def test_smollm2_plays_an_example_to_its_last_turn(place: Place, url: str) -> None:
    """It cannot play: what is checked is that every turn was real, and that the report says what happened."""
    arguments = ["eval", "--split", "test", "--limit", "1", "--max-steps", "3", "--out", "out"]
    done = subprocess.run(
        [*PROGRAM, *arguments, *profile(url), "--json"], cwd=place.folder, env=place.environment | SLOW,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    summary = lines[-1]
    assert (summary["type"], summary["n"], summary["void"]) == ("summary", 1, 0)
    assert summary["conditions"]["model"] == "smollm2"
    results, torn = read_results(place.folder / "out" / "results.jsonl", EpisodeResult.from_json)
    assert (len(results), torn) == (1, 0)
    for result in results:
        assert result.number_of_steps == len(result.steps) <= 3
        assert result.prompt_tokens > 100 * result.number_of_steps
        assert all(len(step.answer) > 0 for step in result.steps if step.kind != "unreadable")
        assert result.success or result.ended in ("max_steps", "impossible")
    assert summary["tokens"] == sum(result.prompt_tokens + result.completion_tokens for result in results)
    solved, turns = sum(result.success for result in results), sum(result.number_of_steps for result in results)
    print(f"SmolLM2: {solved} of 1 in {turns} turns, {summary['unreadable']} unreadable")
