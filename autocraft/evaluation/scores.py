"""Summarises results. They are counted as in the Plancraft paper, so that its table can stand beside them.

Void episodes appear only in the figure `void`.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from autocraft.evaluation.published import SOURCE, paper_rows
from autocraft.evaluation.results import EpisodeResult
from autocraft.protocols import Json

LEVELS = ("easy", "medium", "hard")
ACTING = ("move", "smelt", "craft_item", "smelt_item")
FAILURES = {
    "max steps": "max_steps",
    "stuck": "stuck",
    "wrongly called impossible": "wrongly_impossible",
    "missed impossible": "missed_impossible",
}
"""How an episode can fail, in words and as a key of the summary."""


def summary(
    results: Sequence[EpisodeResult], *, split: str, conditions: Mapping[str, object], seconds: float | None
) -> Json:
    """Return the scores as JSON. `conditions` and `seconds` (of the whole run, if known) are passed on unchanged.

    ``success``, ``spread``, ``levels``, ``plan_length``, ``per_example`` and the efficiencies leave out the impossible
    examples, as the paper does; ``all`` and ``recipe_types`` include them. A spread is the standard deviation of the
    seeds' rates, None with one seed. A figure without any episode is 0, or None if it is a mean.
    """
    valid = [result for result in results if not result.void]
    solvable = [result for result in valid if not result.impossible]
    kinds = failures(valid)
    return {
        "split": split,
        "n": len(valid),
        "void": len(results) - len(valid),
        **rates(solvable),
        "all": _group(valid),
        "levels": {level: _group([each for each in solvable if each.complexity == level]) for level in LEVELS},
        "recipe_types": {
            kind: _group([each for each in valid if each.recipe_type == kind])
            for kind in sorted({each.recipe_type for each in valid})
        },
        **_impossible(valid),
        **_lengths(solvable),
        "per_example": {
            kind: mean(sum(step.kind == kind for step in result.steps) for result in solvable)
            for kind in ("think", "search", "impossible")
        },
        "turns": sum(result.number_of_steps for result in valid),
        **waste(valid),
        "failures": {key: kinds[words] for words, key in FAILURES.items()},
        "tokens": sum(result.tokens for result in valid),
        "cost": total(result.cost for result in valid),
        "seconds": seconds,
        "seeds": len({result.seed for result in valid}),
        "conditions": dict(conditions),
        **_beside(conditions),
    }


def _beside(conditions: Mapping[str, object]) -> Json:
    """Return the paper's rows, or none for figures that are assisted by the planner: these are never beside them."""
    if conditions.get("advice"):
        return {"paper": [], "paper_source": ""}
    tools = conditions.get("tools")
    rows = paper_rows([str(tool) for tool in tools] if isinstance(tools, list | tuple) else ())
    return {"paper": rows, "paper_source": SOURCE}


def rates(results: Sequence[Any]) -> Json:
    """Return ``success`` over all results, and over seeds: ``mean`` and ``spread`` of the seeds' own rates."""
    by_seed: dict[int, list[bool]] = {}
    for result in results:
        by_seed.setdefault(result.seed, []).append(result.success)
    rates = [statistics.fmean(successes) for successes in by_seed.values()]
    several = len(rates) > 1
    return {
        "success": mean(result.success for result in results) or 0.0,
        "mean": statistics.fmean(rates) if several else None,
        "spread": statistics.stdev(rates) if several else None,
    }


def _group(results: Sequence[EpisodeResult]) -> Json:
    return {"n": len(results), **rates(results)}


def said_impossible(result: EpisodeResult) -> bool:
    """Return whether the model ended the episode by calling the example impossible."""
    return result.ended == "impossible" or (result.impossible and result.success)


def _impossible(results: Sequence[EpisodeResult]) -> Json:
    """Return precision, recall and F1 of calling examples impossible, or None for each without any such case."""
    correct = sum(said_impossible(result) and result.impossible for result in results)
    claims = sum(said_impossible(result) for result in results)
    true = sum(result.impossible for result in results)
    if not true and not claims:
        return dict.fromkeys(("impossible_precision", "impossible_recall", "impossible_f1"))
    return {
        "impossible_precision": correct / claims if claims else 0.0,
        "impossible_recall": correct / true if true else 0.0,
        "impossible_f1": 2 * correct / (claims + true),
    }


def answers(result: EpisodeResult) -> int:
    """Return what the paper calls the total actions: every answer, with thoughts and unreadable ones.

    A craft_item or smelt_item counts as the moves that it took, so that whole recipes do not look like single moves.
    """
    return result.number_of_steps + sum(max(step.moves - 1, 0) for step in result.steps)


def _lengths(solvable: Sequence[EpisodeResult]) -> Json:
    """Return how long plans were, and how much longer than necessary.

    ``plan_length`` is the mean of `answers` over all examples, as in the paper; ``plan_length_successes`` over the
    successes. The efficiencies are the paper's AE, answers beyond a plan's actions, a mean over successes:
    ``action_efficiency`` beyond the minimum of this program's planner, ``package_efficiency`` beyond the plan of the
    package's planner, as in the paper. The totals are of the same successes: legal moves and smelts, the minima, how
    many of those are ``certified``, the package's actions.
    """
    wins = [result for result in solvable if result.success]
    return {
        "solved": len(wins),
        "plan_length": mean(answers(result) for result in solvable),
        "plan_length_successes": mean(answers(result) for result in wins),
        "action_efficiency": mean(answers(result) - result.minimum for result in wins if result.minimum is not None),
        "package_efficiency": mean(
            answers(result) - result.package_actions for result in wins if result.package_actions is not None
        ),
        "actions_total": sum(result.actions for result in wins),
        "actions_minimum": total(result.minimum for result in wins),
        "certified": sum(result.minimum_proven for result in wins),
        "package_actions": total(result.package_actions for result in wins),
    }


def waste(results: Sequence[EpisodeResult]) -> dict[str, int]:
    """Count the turns that changed nothing: "illegal" actions and "unreadable" answers. Void episodes do not count."""
    steps = [step for result in results if not result.void for step in result.steps]
    illegal = sum(step.kind in ACTING and not step.ok for step in steps)
    return {"illegal": illegal, "unreadable": sum(step.kind == "unreadable" for step in steps)}


def outcome(result: EpisodeResult) -> str:
    """Return "solved", a failure in words, "void", or "other" for an unknown end."""
    if result.void:
        return "void"
    if result.success:
        return "solved"
    if result.impossible:
        return "missed impossible"
    end = "wrongly_impossible" if result.ended == "impossible" else result.ended
    return next((words for words, key in FAILURES.items() if key == end), "other")


def failures(results: Sequence[EpisodeResult]) -> dict[str, int]:
    """Count the episodes of each failure and the void ones. "other" appears only if it is not 0."""
    counts = Counter(outcome(result) for result in results)
    return {kind: counts[kind] for kind in (*FAILURES, "other", "void") if kind != "other" or counts[kind]}


def mean(numbers: Iterable[float]) -> float | None:
    """Return the mean. Return None without a number."""
    values = list(numbers)
    return statistics.fmean(values) if values else None


def total(numbers: Iterable[float | None]) -> float | None:
    """Return the sum, or None if one of the numbers is unknown."""
    values = list(numbers)
    present = [number for number in values if number is not None]
    return sum(present) if len(present) == len(values) else None
