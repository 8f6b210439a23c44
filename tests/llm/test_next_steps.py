"""A real small model plays with the advice of next_steps. It comes as far as it comes."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.conftest import PROGRAM, Place, kinds
from tests.llm.conftest import SLOW, profile

pytestmark = [pytest.mark.llm, pytest.mark.xdist_group("llm")]

GOALS = ("craft 4 oak_planks", "craft 1 stick")
OFF = "files,memory,skills,programs,web,code,agents,own,mcp"
"""Families that are switched off, so that the advice stands among few commands."""


def test_smollm2_plays_with_next_steps(place: Place, url: str) -> None:
    """It cannot play: what is checked is that it was offered advice, and that nothing unreached counts as reached."""
    shown = place.run("prompt", "--goal", GOALS[0], "--memory", "none", DISABLED_COMMAND_CATEGORIES=OFF)
    assert "next_steps" in shown.stdout
    reached, asked, turns = [], 0, 0
    for goal in GOALS:
        arguments = ["run", "--goal", goal, "--inventory", "oak_log=3", "--memory", "none", "--max-steps", "5"]
        done = subprocess.run(
            [*PROGRAM, *arguments, *profile(url), "--continuous", "--json"],
            cwd=place.folder,
            env=place.environment | SLOW | {"DISABLED_COMMAND_CATEGORIES": OFF},
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode in (0, 3), done.stderr
        events = [json.loads(line) for line in done.stdout.splitlines()]
        turns += len(kinds(events, "answer"))
        asked += sum(event["command"] == "next_steps" for event in kinds(events, "intent"))
        reached += [goal] * (events[-1]["reason"] == "goal_reached")
        assert (goal in reached) == (done.returncode == 0)
    print(f"SmolLM2: {len(reached)} of {len(GOALS)} goals in {turns} turns, next_steps asked {asked} times")
