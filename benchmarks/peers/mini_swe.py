"""Runs mini-swe-agent's own loop on its own scripted answers: ``python mini_swe.py TURNS VARIANT FIGURES``.

VARIANT: ``shell`` runs `true` in a shell each turn; ``saved`` also writes the trajectory, as its command line does;
``loop`` runs no command; ``lean`` is ``loop`` without the whole script in the model's settings, which this agent copies
every turn. FIGURES is the file that takes the milliseconds a turn: [all, first tenth, last tenth].
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.test_models import DeterministicModel, make_output

LAST = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
THOUGHTS = "I go on with the list. The step before worked, so the next one is due. Plan: do it, look, go on."


class StampedAgent(DefaultAgent):
    """Records when each turn begins."""

    def __init__(self, *parts: Any, **settings: Any) -> None:
        super().__init__(*parts, **settings)
        self.stamps: list[float] = []

    def step(self) -> list[dict[str, Any]]:
        self.stamps.append(time.perf_counter())
        messages: list[dict[str, Any]] = super().step()
        return messages


class NoEnvironment(LocalEnvironment):
    """Answers like a shell, without running one."""

    def execute(self, action: dict[str, Any], cwd: str = "", *, timeout: int | None = None) -> dict[str, Any]:
        said = LAST.removeprefix("echo ") + "\n" if action["command"] == LAST else ""
        output = {"output": said, "returncode": 0, "exception_info": ""}
        self._check_finished(output)
        return output


class LeanModel(DeterministicModel):
    """Keeps its script out of the data that is copied every turn."""

    def __init__(self, outputs: list[dict[str, Any]]) -> None:
        super().__init__(outputs=[])
        self._script = outputs

    def query(self, messages: list[dict[str, Any]], **settings: Any) -> dict[str, Any]:
        self.current_index += 1
        return self._script[self.current_index]


def main(turns: int, variant: str, figures: Path) -> None:
    outputs = [
        make_output(f"Turn {turn}. {THOUGHTS}", [{"command": "true" if turn < turns else LAST}], 0.0)
        for turn in range(1, turns + 1)
    ]
    model = LeanModel(outputs) if variant == "lean" else DeterministicModel(outputs=outputs)
    environment = NoEnvironment() if variant in ("loop", "lean") else LocalEnvironment()
    with tempfile.TemporaryDirectory(dir=figures.parent) as folder:
        agent = StampedAgent(
            model,
            environment,
            system_template="You craft things.",
            instance_template="{{task}}",
            cost_limit=0.0,
            output_path=Path(folder) / "trajectory.json" if variant == "saved" else None,
        )
        ended = agent.run("craft 1 stone_pickaxe")
    stamps = [*agent.stamps, time.perf_counter()]
    if ended["exit_status"] != "Submitted" or len(stamps) != turns + 1:
        raise SystemExit(f"mini-swe-agent ended with {ended} after {len(stamps) - 1} turns, not {turns}")
    tenth = max(1, turns // 10)
    spans = (0, turns), (0, tenth), (turns - tenth, turns)
    figures.write_text(json.dumps([1000 * (stamps[end] - stamps[start]) / (end - start) for start, end in spans]))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
