"""Evaluates a brain on a suite: plays its tasks with several seeds, stores each result, and sums them up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from autocraft.evaluation.conditions import check_count, evenly_spread
from autocraft.evaluation.durable import EvaluationOutcome, EvaluationSpec, OnResult, TaskRunner
from autocraft.evaluation.players import Player
from autocraft.evaluation.suites.page import page_text
from autocraft.evaluation.suites.play import SuiteJob
from autocraft.evaluation.suites.rows import SuiteResult, summary
from autocraft.evaluation.suites.suite import Suite
from autocraft.settings.trust import ConfirmedFiles


@dataclass
class SuiteEvaluation:
    """An evaluation of a suite. `options` are more options of `autocraft run`: the player's profile and prices."""

    suite: Suite
    runner: TaskRunner
    player: Player
    options: Sequence[str] = ()
    seeds: int = 1
    first_seed: int = 101
    """The seed of the first world; the others follow it."""
    limit: int | None = None
    """The number of tasks that are played, evenly spread. None stands for all."""
    confirmed: ConfirmedFiles | None = None
    """The settings files that the person confirmed."""

    async def play(self, on_result: OnResult[SuiteResult] | None = None) -> EvaluationOutcome[SuiteResult]:
        """Play the tasks that have no result yet. Raises UsageError, InUse and SessionError."""
        check_count("seeds", self.seeds)
        if self.limit is not None:
            check_count("limit", self.limit)
        self.runner.check()
        return await self.runner.evaluate(self._spec(), on_result)

    def _spec(self) -> EvaluationSpec[SuiteResult]:
        suite, player = self.suite, self.player
        seeds = range(self.first_seed, self.first_seed + self.seeds)
        tasks = [(task.id, seed) for seed in seeds for task in evenly_spread(suite.tasks, self.limit)]
        model = ["--model", player.model] if player.model else []
        arguments = ["--brain", player.name, *model, *self.options]
        job = SuiteJob(suite, arguments, self.confirmed)
        counts = {"seeds": self.seeds, "first_seed": self.first_seed, "limit": self.limit}
        conditions = {"suite": suite.name, **counts, "brain": player.name, "model": player.model, **player.sampling}
        read, summary_of = SuiteResult.from_json, partial(summary, suite)
        return EvaluationSpec(suite.name, player.name, conditions, tasks, job, read, summary_of, page_text)
