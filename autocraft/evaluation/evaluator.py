"""Plays a split with a player, stores every episode as it ends, and summarises the results.

The folder of the results gets a `summary.json` and a `page.html`.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from autocraft.errors import UsageError
from autocraft.evaluation.conditions import Conditions, read_tools
from autocraft.evaluation.durable import EvaluationSpec, OnResult, TaskRunner
from autocraft.evaluation.episode import Episodes
from autocraft.evaluation.model import Model
from autocraft.evaluation.page import write_page
from autocraft.evaluation.players import ModelPlayer, Player
from autocraft.evaluation.results import EpisodeResult
from autocraft.evaluation.scores import summary
from autocraft.protocols import Json
from autocraft.session.atomic import write_atomic

_CONDITIONS = tuple(field.name for field in fields(Conditions))


@dataclass(frozen=True)
class EvaluationOutcome:
    """All results of an evaluation, their summary, and the folder with both."""

    results: Sequence[EpisodeResult]
    summary: Json
    folder: Path


class Evaluator:
    """An evaluation under fixed conditions. The keyword arguments are the fields of `Conditions`."""

    def __init__(
        self,
        *,
        out: Path | str | None = None,
        workers: int = 1,
        engine: str = "local",
        resume: bool = False,
        tools: str | Sequence[str] = "M,S,T,SE,I",
        **conditions: Any,
    ) -> None:
        """Check the conditions. Results in the folder `out` are only continued with `resume`. Raises UsageError."""
        if unknown := [name for name in conditions if name not in _CONDITIONS]:
            raise UsageError(
                f"there is no condition {unknown[0]!r}: choose among {', '.join(_CONDITIONS)}, out, workers"
            )
        self.conditions = Conditions(tools=_letters(tools), **conditions)
        self.conditions.check()
        self.runner = TaskRunner(out, workers, engine, resume)  # type: ignore[arg-type]  # `check` makes a path of it
        self.runner.check()

    def run(
        self, player: Player | Model | Callable[[], Model], on_result: OnResult[EpisodeResult] | None = None
    ) -> EvaluationOutcome:
        """Play every episode that has no result yet. Raises UsageError, but only before the first episode."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.play(player, on_result))
        raise UsageError("an asyncio loop runs here already, as in a notebook: await play(…) instead of calling run(…)")

    async def play(
        self, player: Player | Model | Callable[[], Model], on_result: OnResult[EpisodeResult] | None = None
    ) -> EvaluationOutcome:
        """Do the same as `run`, within a running loop."""
        player = player if isinstance(player, Player) else ModelPlayer(player)
        player.check(self.conditions)
        most = player.plays_at_once
        if most is not None and self.runner.workers > most:
            raise UsageError(f"{player.name} plays one episode at a time: give it a batch_step, or leave workers at 1")
        began = time.monotonic()
        spec = self._spec(player)
        with self.runner.lock_results(spec) as folder:
            results = await self.runner.play(spec, folder, on_result)
            return self._finish(folder, player, results, time.monotonic() - began)

    def _spec(self, player: Player) -> EvaluationSpec[EpisodeResult]:
        tasks = [(e.id, seed) for seed in range(self.conditions.seeds) for e in self.conditions.examples()]
        job = Episodes(self.conditions, player)
        return EvaluationSpec(
            self.conditions.split, player.name, self._conditions_of(player), tasks, job, EpisodeResult.from_json
        )

    def _conditions_of(self, player: Player) -> Json:
        return {**self.conditions.to_json(), "brain": player.name, "model": player.model}

    def _finish(self, folder: Path, player: Player, results: list[EpisodeResult], seconds: float) -> EvaluationOutcome:
        conditions = self._conditions_of(player) | {"engine": self.runner.engine, "workers": self.runner.workers}
        totals = summary(results, split=self.conditions.split, conditions=conditions, seconds=seconds)
        write_atomic(folder / "summary.json", json.dumps(totals, indent=1).encode() + b"\n")
        name = f"{player.name} {player.model}".strip()
        write_page(folder / "page.html", results, totals, f"{name} on Plancraft {self.conditions.split}")
        return EvaluationOutcome(results, totals, folder)


def _letters(tools: str | Sequence[str]) -> tuple[str, ...]:
    """Return the letters of the tools. Raises UsageError."""
    letters = tools.split(",") if isinstance(tools, str) else tools
    if not isinstance(letters, Sequence) or not all(isinstance(letter, str) for letter in letters):
        raise UsageError(f"--tools is {str(tools)[:60]!r}: give letters, such as M,S,T,SE,I")
    return read_tools(",".join(letters))
