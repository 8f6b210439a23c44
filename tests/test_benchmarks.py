"""A benchmark plays what it measures. A change of the command line that stops it fails here, and not months later."""

from __future__ import annotations

from benchmarks import turns
from benchmarks.measure import place


def test_the_benchmark_of_turns_plays_a_short_run_to_its_goal() -> None:
    with place() as where:
        run = turns.run_ours(where, turns.Kind("autocraft", 6), 0)
    assert run.cost.wall > 0
    assert all(seconds > 0 for seconds in run.stamps)
