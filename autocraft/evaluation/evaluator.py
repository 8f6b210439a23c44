"""Plays a split with a player, stores every episode as it ends, and summarises the results.

The folder of the results gets a `summary.json` and a `page.html`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from autocraft.errors import UsageError
from autocraft.evaluation.conditions import Conditions, read_tools
from autocraft.evaluation.durable import EvaluationOutcome, EvaluationSpec, OnResult, TaskRunner
from autocraft.evaluation.episode import Episodes
from autocraft.evaluation.model import Model
from autocraft.evaluation.page import page_text
from autocraft.evaluation.players import ModelPlayer, Player
from autocraft.evaluation.published import ASSISTED
from autocraft.evaluation.results import EpisodeResult
from autocraft.evaluation.scores import summary

_CONDITIONS = tuple(field.name for field in fields(Conditions))


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
        ids: Sequence[str] = (),
        **conditions: Any,
    ) -> None:
        """Check the conditions. Results in the folder `out` are only continued with `resume`. Raises UsageError."""
        if unknown := [name for name in conditions if name not in _CONDITIONS]:
            raise UsageError(
                f"there is no condition {unknown[0]!r}: choose among {', '.join(_CONDITIONS)}, out, workers"
            )
        self.conditions = Conditions(tools=read_tools(tools), ids=tuple(ids), **conditions)
        self.conditions.check()
        self.runner = TaskRunner(out, workers, engine, resume)  # type: ignore[arg-type]  # `check` makes a path of it
        self.runner.check()

    def run(
        self, player: Player | Model | Callable[[], Model], on_result: OnResult[EpisodeResult] | None = None
    ) -> EvaluationOutcome[EpisodeResult]:
        """Play every episode that has no result yet. Raises UsageError, but only before the first episode."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.play(player, on_result))
        raise UsageError("an asyncio loop runs here already, as in a notebook: await play(…) instead of calling run(…)")

    async def play(
        self, player: Player | Model | Callable[[], Model], on_result: OnResult[EpisodeResult] | None = None
    ) -> EvaluationOutcome[EpisodeResult]:
        """Do the same as `run`, within a running loop."""
        player = player if isinstance(player, Player) else ModelPlayer(player)
        player.check(self.conditions)
        most = player.plays_at_once
        if most is not None and self.runner.workers > most:
            raise UsageError(f"{player.name} plays one episode at a time: give it a batch_step, or leave workers at 1")
        return await self.runner.evaluate(self._spec(player), on_result)

    def _spec(self, player: Player) -> EvaluationSpec[EpisodeResult]:
        split = self.conditions.split
        sampling = {"brain": player.name, "model": player.model, **player.sampling}
        title = f"{f'{player.name} {player.model}'.strip()} on Plancraft {split}"
        title += f" ({ASSISTED.lower()})" if self.conditions.advice else ""
        return EvaluationSpec(
            split,
            player.name,
            {**self.conditions.to_json(), **sampling},
            [(e.id, seed) for seed in range(self.conditions.seeds) for e in self.conditions.examples()],
            Episodes(self.conditions, player),
            EpisodeResult.from_json,
            partial(summary, split=split),
            partial(page_text, title=title),
            player.budget,
        )
