"""One task's result as a value, and the summary of many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import msgspec

from autocraft.evaluation.scores import mean, rates, total
from autocraft.evaluation.suites.suite import Suite
from autocraft.protocols import Json

VERSION = 1


@dataclass(frozen=True)
class SuiteResult:
    """One task, played once in a world of its own."""

    id: str
    seed: int
    """The seed of the world."""
    group: str
    goal: str
    limit: float
    """The game minutes that it may take."""
    success: bool
    """Whether the world confirmed the goal within the limit, without a server command beside those of its start."""
    reason: str
    """How the run ended; empty if it has no end."""
    why: str
    commands: int = 0
    game_minutes: float = 0.0
    deaths: int = 0
    damage: int = 0
    """Points of health lost, of which a bot has 20."""
    assisted: int = 0
    """Server commands that were used."""
    tokens: int = 0
    cost: float | None = None
    """In US dollars; None if the price is unknown."""
    seconds: float = 0.0
    """Wall time."""
    void: bool = False
    """Whether the endpoint or the practice server failed, so that it counts neither as a success nor as a failure."""
    given: int = 0
    """How often a bot gave something to another player or bot."""
    score: float | None = None
    """How much of a building stands, from 0 to 1; None for other tasks."""

    @property
    def key(self) -> tuple[str, int]:
        return self.id, self.seed

    @property
    def error(self) -> str:
        return self.why

    def to_json(self) -> Json:
        """Return one row."""
        return {"v": VERSION, **asdict(self)}

    @classmethod
    def from_json(cls, row: Json) -> SuiteResult:
        """Return the result of such a row. Raises KeyError, TypeError or ValueError for any other value."""
        if row["v"] != VERSION:
            raise ValueError("another format")
        return msgspec.convert(row, cls)


def summary(
    suite: Suite, results: Sequence[SuiteResult], conditions: Mapping[str, object], seconds: float | None
) -> Json:
    """Return the scores as JSON, without the void results. `seconds` is the wall time of it all, None if unknown."""
    valid = [result for result in results if not result.void]
    return {
        "suite": suite.name,
        "title": suite.title,
        "void": len(results) - len(valid),
        "all": scores(valid),
        "groups": {group: scores([each for each in valid if each.group == group]) for group in suite.groups},
        "seconds": seconds,
        "conditions": {**conditions, "tasks": len(suite.tasks)},
        "published": suite.published,
        "unplayable": suite.unplayable,
        "note": suite.note,
    }


def scores(results: Sequence[SuiteResult]) -> Json:
    """Return the success rate, its spread over seeds, means for each task, and sums. A rate without tasks is None."""
    return {
        "n": len(results),
        "reached": sum(result.success for result in results),
        "success": mean(result.success for result in results),
        "spread": rates(results)["spread"],
        "commands": mean(result.commands for result in results),
        "game_minutes": mean(result.game_minutes for result in results),
        "deaths": sum(result.deaths for result in results),
        "damage": sum(result.damage for result in results),
        "assisted": sum(result.assisted > 0 for result in results),
        "tokens": sum(result.tokens for result in results),
        "given": sum(result.given for result in results),
        "score": mean(result.score for result in results if result.score is not None),
        "cost": total(result.cost for result in results),
    }
