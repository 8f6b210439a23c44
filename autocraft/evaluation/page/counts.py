"""What the plots show, counted from the results: success by level, actions against the minimum, failures."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autocraft.evaluation.results import EpisodeResult
from autocraft.evaluation.scores import ACTING, LEVELS

FAILURES = ("max steps", "stuck", "wrongly called impossible", "missed impossible", "other", "void")


@dataclass(frozen=True, slots=True)
class Rate:
    """Episodes solved of `n`; `spread` is the standard deviation of the seeds' rates, None with one seed."""

    level: str
    n: int
    solved: int
    spread: float | None

    @property
    def rate(self) -> float:
        return self.solved / self.n


@dataclass(frozen=True, slots=True)
class Pair:
    """How many solved episodes took `actions` where `minimum` is the least that is known."""

    minimum: int
    actions: int
    episodes: int


def outcome(result: EpisodeResult) -> str:
    """ "solved", or how the episode failed: one of FAILURES."""
    if result.void:
        return "void"
    if result.success:
        return "solved"
    if result.impossible:
        return "missed impossible"
    named = {"max_steps": "max steps", "stuck": "stuck", "impossible": "wrongly called impossible"}
    return named.get(result.ended, "other")


def rates(results: Sequence[EpisodeResult]) -> list[Rate]:
    """Of each level that was played, of all solvable examples (the paper's overall), and of the impossible ones."""
    played = [each for each in results if not each.void]
    groups = {level: [each for each in played if each.complexity == level and not each.impossible] for level in LEVELS}
    groups["solvable"] = [each for each in played if not each.impossible]
    groups["impossible"] = [each for each in played if each.impossible]
    return [
        Rate(level, len(each), sum(one.success for one in each), _spread(each))
        for level, each in groups.items()
        if each
    ]


def _spread(results: Iterable[EpisodeResult]) -> float | None:
    seeds: dict[int, list[bool]] = {}
    for each in results:
        seeds.setdefault(each.seed, []).append(each.success)
    return statistics.stdev([statistics.mean(each) for each in seeds.values()]) if len(seeds) > 1 else None


def pairs(results: Sequence[EpisodeResult]) -> list[Pair]:
    """Actions and minimum of the solved episodes of solvable examples, alike ones counted together."""
    counted = Counter(
        (each.minimum, each.actions)
        for each in results
        if each.success and not each.void and not each.impossible and each.minimum is not None
    )
    return [Pair(minimum, actions, count) for (minimum, actions), count in sorted(counted.items())]


def failures(results: Sequence[EpisodeResult]) -> dict[str, int]:
    """Every kind of FAILURES with its episodes; "other" only where there is one."""
    counted = Counter(outcome(each) for each in results)
    return {kind: counted[kind] for kind in FAILURES if kind != "other" or counted[kind]}


def wasted(results: Sequence[EpisodeResult]) -> dict[str, int]:
    """Turns that changed nothing: "illegal" actions and "unreadable" answers, void episodes left out."""
    turns = [step for each in results for step in each.steps if not each.void]
    illegal = sum(step.kind in ACTING and not step.ok for step in turns)
    return {"illegal": illegal, "unreadable": sum(step.kind == "unreadable" for step in turns)}
