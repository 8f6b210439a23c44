"""A real small model as the writer of programs, on two fixed tasks. It scores what it scores."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.commands.programs import with_programs
from tests.conftest import PROGRAM, Place, kinds
from tests.llm.conftest import SLOW, profile

pytestmark = [pytest.mark.llm, pytest.mark.xdist_group("llm")]

TASKS = ("craft 4 oak_planks", "smelt 1 iron_ingot")


def test_smollm2_writes_programs_for_two_tasks(place: Place, url: str) -> None:
    """It cannot program: what is checked is that each attempt has an outcome, and nothing unverified is a success."""
    service = SLOW | {"AUTOCRAFT_REPLY_TOKENS": "400"}
    reached, attempts = [], []
    for task in TASKS:
        arguments = ["learn", "--world", "crafting", "--inventory", "oak_log=8,iron_ore=1", "--memory", "none"]
        arguments += ["--task", task, "--sub-goal", task, "--iterations", "1", "--max-steps", "1", "--critic", "none"]
        done = subprocess.run(
            [*PROGRAM, *arguments, *profile(url), "--continuous", "--json"],
            cwd=place.folder,
            env=place.environment | with_programs() | service,
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode in (0, 3), done.stderr
        events = [json.loads(line) for line in done.stdout.splitlines()]
        assert events[-1]["tokens"] > 100
        attempts += kinds(events, "attempt")
        reached += [task] * (events[-1]["reason"] == "goal_reached")
        for event in kinds(events, "attempt"):
            assert event["outcome"] in ("goal", "program", "critic")
    print(f"SmolLM2: {len(reached)} of {len(TASKS)} tasks, one try each; {len(attempts)} attempts judged")
