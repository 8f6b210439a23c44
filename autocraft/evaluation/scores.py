"""Results summed up, counted as the Plancraft paper counts, so that its table can stand beside ours.

Void episodes are in no figure but `void`.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

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


def summary(results: Sequence[EpisodeResult], *, split: str, conditions: Mapping[str, object], seconds: float) -> Json:
    """The scores as JSON. `conditions` and `seconds` (of the whole run) are passed on as they are.

    ``success``, ``spread``, ``levels``, ``plan_length``, ``per_example`` and the efficiencies leave out the impossible
    examples, as the paper does; ``all`` and ``recipe_types`` hold them. A spread is the standard deviation of the
    seeds' rates, None with one seed. What has no episode to count is 0, or None where it is a mean.
    """
    counted = [each for each in results if not each.void]
    solvable = [each for each in counted if not each.impossible]
    tools, kinds = conditions.get("tools"), failures(counted)
    return {
        "split": split,
        "n": len(counted),
        "void": len(results) - len(counted),
        **rates(solvable),
        "all": {"n": len(counted), **rates(counted)},
        "levels": {level: _group(solvable, lambda each: each.complexity, level) for level in LEVELS},
        "recipe_types": {
            kind: _group(counted, lambda each: each.recipe_type, kind)
            for kind in sorted({each.recipe_type for each in counted})
        },
        **_impossible(counted),
        **_lengths(solvable),
        "per_example": {
            kind: _mean(sum(step.kind == kind for step in each.steps) for each in solvable)
            for kind in ("think", "search", "impossible")
        },
        "turns": sum(each.number_of_steps for each in counted),
        **wasted(counted),
        "failures": {key: kinds[words] for words, key in FAILURES.items()},
        "tokens": sum(each.prompt_tokens + each.completion_tokens for each in counted),
        "cost": _total(each.cost for each in counted),
        "seconds": seconds,
        "seeds": len({each.seed for each in counted}),
        "conditions": dict(conditions),
        "paper": paper_rows([str(tool) for tool in tools] if isinstance(tools, list | tuple) else ()),
        "paper_source": SOURCE,
    }


def rates(results: Sequence[EpisodeResult]) -> Json:
    """``success`` over all episodes, and over seeds: ``mean`` and ``spread`` of the seeds' own rates."""
    by_seed: dict[int, list[bool]] = {}
    for each in results:
        by_seed.setdefault(each.seed, []).append(each.success)
    rates = [statistics.fmean(successes) for successes in by_seed.values()]
    several = len(rates) > 1
    return {
        "success": _mean(each.success for each in results) or 0.0,
        "mean": statistics.fmean(rates) if several else None,
        "spread": statistics.stdev(rates) if several else None,
    }


def _group(results: Sequence[EpisodeResult], of: Callable[[EpisodeResult], str], value: str) -> Json:
    chosen = [each for each in results if of(each) == value]
    return {"n": len(chosen), **rates(chosen)}


def said_impossible(result: EpisodeResult) -> bool:
    """Whether the model ended the episode by calling it impossible; on an impossible example that is its success."""
    return result.ended == "impossible" or (result.impossible and result.success)


def _impossible(results: Sequence[EpisodeResult]) -> Json:
    """Precision, recall and F1 of saying impossible: None when there was nothing to tell apart, else 0 if undefined."""
    right = sum(said_impossible(each) and each.impossible for each in results)
    said = sum(said_impossible(each) for each in results)
    true = sum(each.impossible for each in results)
    if not true and not said:
        return dict.fromkeys(("impossible_precision", "impossible_recall", "impossible_f1"))
    return {
        "impossible_precision": right / said if said else 0.0,
        "impossible_recall": right / true if true else 0.0,
        "impossible_f1": 2 * right / (said + true),
    }


def answers(result: EpisodeResult) -> int:
    """What the paper calls the total actions: every answer, thoughts and unreadable ones too.

    A craft_item or smelt_item counts as the moves that it took, so that whole recipes do not look like single moves.
    """
    return result.number_of_steps + sum(max(step.moves - 1, 0) for step in result.steps)


def _lengths(solvable: Sequence[EpisodeResult]) -> Json:
    """How long plans were, and how much longer than they had to be.

    ``plan_length`` is the mean of `answers` over all examples, as in the paper; ``plan_length_successes`` over the
    successes. The efficiencies are the paper's AE, answers beyond a plan's actions, a mean over successes: beyond our
    minimum, and ``package_efficiency`` beyond the plan of the package's planner, as the paper has it. The totals are of
    the same successes: legal moves and smelts, our minima, how many of those are ``certified``, the package's actions.
    """
    solved = [each for each in solvable if each.success]
    return {
        "solved": len(solved),
        "plan_length": _mean(answers(each) for each in solvable),
        "plan_length_successes": _mean(answers(each) for each in solved),
        "action_efficiency": _mean(answers(each) - each.minimum for each in solved if each.minimum is not None),
        "package_efficiency": _mean(
            answers(each) - each.package_actions for each in solved if each.package_actions is not None
        ),
        "actions_total": sum(each.actions for each in solved),
        "actions_minimum": _total(each.minimum for each in solved),
        "certified": sum(each.minimum_proven for each in solved),
        "package_actions": _total(each.package_actions for each in solved),
    }


def wasted(results: Sequence[EpisodeResult]) -> dict[str, int]:
    """Count the turns that changed nothing: "illegal" actions and "unreadable" answers, void episodes left out."""
    steps = [step for each in results if not each.void for step in each.steps]
    illegal = sum(step.kind in ACTING and not step.ok for step in steps)
    return {"illegal": illegal, "unreadable": sum(step.kind == "unreadable" for step in steps)}


def outcome(result: EpisodeResult) -> str:
    """Return "solved", a failure in words, "void", or "other" for an end that has no name."""
    if result.void:
        return "void"
    if result.success:
        return "solved"
    if result.impossible:
        return "missed impossible"
    ended = "wrongly_impossible" if result.ended == "impossible" else result.ended
    return next((words for words, key in FAILURES.items() if key == ended), "other")


def failures(results: Sequence[EpisodeResult]) -> dict[str, int]:
    """Count the episodes of each failure and the void ones; "other" only where there is one."""
    counted = Counter(outcome(each) for each in results)
    return {kind: counted[kind] for kind in (*FAILURES, "other", "void") if kind != "other" or counted[kind]}


def _mean(numbers: Iterable[float]) -> float | None:
    listed = list(numbers)
    return statistics.fmean(listed) if listed else None


def _total(numbers: Iterable[float | None]) -> float | None:
    """The sum, or None when one of them is unknown."""
    listed = list(numbers)
    known = [number for number in listed if number is not None]
    return sum(known) if len(known) == len(listed) else None
