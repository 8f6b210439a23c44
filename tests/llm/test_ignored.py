"""llama.cpp takes the Responses interface and required tools, and enforces neither. A run notices, and says so once."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.conftest import PROGRAM, STONE_PICKAXE, Place, kinds
from tests.llm.conftest import SLOW, profile

pytestmark = [pytest.mark.llm, pytest.mark.xdist_group("llm")]

WAYS = {"responses": ("--wire", "responses"), "native": ("--tools", "native")}


@pytest.mark.parametrize("way", WAYS)
def test_a_run_plays_by_each_interface_to_its_last_turn(place: Place, url: str, way: str) -> None:
    """What the model says decides nothing: each turn is real, and what is ignored is told at most once."""
    arguments = ["run", *STONE_PICKAXE, "--memory", "none", "--max-steps", "3", "--commands", "world"]
    done = subprocess.run(
        [*PROGRAM, *arguments, *WAYS[way], *profile(url), "--continuous", "--json"],
        cwd=place.folder,
        env=place.environment | SLOW | {"AUTOCRAFT_REPLY_TOKENS": "60"},
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 3), done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    answers = kinds(events, "answer")
    assert 1 <= len(answers) <= 3 and events[-1]["tokens"] > 100
    assert "4,096" in place.run("doctor", *profile(url)).stdout
    told = [event["text"] for event in kinds(events, "note") if "ignores" in event["text"]]
    assert len(told) <= 1
    print(f"SmolLM2 by {way}: {len(answers)} turns; {told or 'nothing was ignored twice in a row'}")
