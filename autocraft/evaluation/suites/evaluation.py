"""Evaluates a brain on a suite: plays its tasks with several seeds, stores each result, and sums them up."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autocraft.errors import UsageError
from autocraft.evaluation.conditions import check_count
from autocraft.evaluation.durable import Bench, OnResult, Sitting
from autocraft.evaluation.suites.play import SuiteJob
from autocraft.evaluation.suites.rows import SuiteResult, summary
from autocraft.evaluation.suites.suite import Suite, SuiteTask
from autocraft.protocols import Json
from autocraft.session.atomic import write_atomic


@dataclass(frozen=True)
class SuiteConditions:
    """Which tasks are played, and by whom."""

    suite: Suite
    seeds: int = 1
    first_seed: int = 101
    """The seed of the first world; the others follow it."""
    limit: int | None = None
    """The number of tasks that are played, evenly spread. None stands for all."""
    brain: str = "planner"
    model: str = ""

    def check(self) -> None:
        """Raises UsageError for a count that is none."""
        check_count("seeds", self.seeds)
        if self.limit is not None:
            check_count("limit", self.limit)
        if self.brain not in ("planner", "openai"):
            raise UsageError(f"--brain {self.brain[:40]!r} plays no suite: choose planner or openai")

    @property
    def tasks(self) -> Sequence[SuiteTask]:
        """Return the tasks that are played."""
        every = self.suite.tasks
        if self.limit is None or self.limit >= len(every):
            return every
        return [every[index * len(every) // self.limit] for index in range(self.limit)]

    def to_json(self) -> Json:
        return {
            "suite": self.suite.name, "seeds": self.seeds, "first_seed": self.first_seed, "limit": self.limit,
            "brain": self.brain, "model": self.model,
        }  # fmt: skip


@dataclass
class SuiteEvaluation:
    """An evaluation of a suite. `arguments` are those of `autocraft run` that choose the brain."""

    conditions: SuiteConditions
    sitting: Sitting
    arguments: Sequence[str] = ()

    async def play(self, on_result: OnResult[SuiteResult] | None = None) -> tuple[Json, Path]:
        """Play the tasks that have no result yet. Return the summary, and the folder of the results.

        Raises UsageError, InUse and SessionError.
        """
        self.conditions.check()
        self.sitting.check()
        started = time.monotonic()
        bench = self._bench()
        with self.sitting.opened(bench) as folder:
            results = await self.sitting.play(bench, folder, on_result)
            told = {**bench.conditions, "engine": self.sitting.engine, "workers": self.sitting.workers}
            totals = summary(self.conditions.suite, results, told, time.monotonic() - started)
            write_atomic(folder / "summary.json", json.dumps(totals, indent=1).encode() + b"\n")
            return totals, folder

    def _bench(self) -> Bench[SuiteResult]:
        first = self.conditions.first_seed
        seeds = range(first, first + self.conditions.seeds)
        tasks = [(task.id, seed) for seed in seeds for task in self.conditions.tasks]
        job = SuiteJob(self.conditions.suite, self.arguments, model=self.conditions.brain == "openai")
        name, told = self.conditions.suite.name, self.conditions.to_json()
        return Bench(name, self.conditions.brain, told, tasks, job, SuiteResult.from_json)
