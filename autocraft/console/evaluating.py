"""`autocraft eval`: the bar while it runs, the table at the end, and the summary as JSON."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

from autocraft.console.read import write_out
from autocraft.console.scores import progress_line, score_lines
from autocraft.evaluation.evaluator import EvaluationOutcome, Evaluator
from autocraft.evaluation.players import Player
from autocraft.evaluation.results import EpisodeResult
from autocraft.text.sanitize import clean_line

Show = Callable[[EpisodeResult, int, int], None]


def evaluate(evaluator: Evaluator, player: Player, *, as_json: bool) -> int:
    """Run to the end; 0 when every episode was played, 1 when the endpoint failed some, 130 after Ctrl-C."""
    if as_json:
        return _told(evaluator, player, _line, as_json=True)
    with _bar() as show:
        return _told(evaluator, player, show, as_json=False)


def _told(evaluator: Evaluator, player: Player, show: Show, *, as_json: bool) -> int:
    outcome = asyncio.run(_interruptible(evaluator, player, show))
    if outcome is None:
        print(f"\nInterrupted. What was played is kept: go on with --resume --out {evaluator.folder}", file=sys.stderr)
        return 130
    if as_json:
        write_out(json.dumps({"type": "summary", **outcome.summary}) + "\n")
    else:
        write_out("\n".join(score_lines(outcome.summary)) + "\n")
        write_out(f"\nAll episodes: {outcome.folder / 'page.html'}\n")
    void = outcome.summary["void"]
    if void:
        why = next(each.error for each in reversed(outcome.results) if each.void)
        print(
            f"autocraft: the endpoint failed {void} episodes, which count for nothing: play them again with "
            f"--resume --out {outcome.folder}; the last one said: {clean_line(why)[:300]}",
            file=sys.stderr,
        )
    return 1 if void else 0


async def _interruptible(evaluator: Evaluator, player: Player, show: Show) -> EvaluationOutcome | None:
    """The outcome; None after Ctrl-C or a polite kill, with every finished episode kept."""
    work = asyncio.create_task(evaluator.play(player, show))
    for name in ("SIGINT", "SIGTERM"):
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            asyncio.get_running_loop().add_signal_handler(getattr(signal, name), work.cancel)
    try:
        return await work
    except asyncio.CancelledError:
        return None


def _line(result: EpisodeResult, done: int, total: int) -> None:
    told: dict[str, Any] = {"type": "episode", "example_id": result.example_id, "seed": result.seed}
    told |= {"success": result.success, "ended": result.ended, "number_of_steps": result.number_of_steps}
    told |= {"actions": result.actions, "minimum": result.minimum, "done": done, "total": total}
    write_out(json.dumps(told) + "\n")


@contextlib.contextmanager
def _bar() -> Iterator[Show]:
    """A bar with the running success on a terminal; elsewhere a line now and then. Both on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, highlight=False)
    results: list[EpisodeResult] = []
    if not console.is_terminal:

        def say(result: EpisodeResult, done: int, total: int) -> None:
            results.append(result)
            if done == total or len(results) % 50 == 0:
                print(progress_line(done, total, results), file=sys.stderr, flush=True)

        yield say
        return
    columns = (BarColumn(), TextColumn("{task.description}", markup=False), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("starting", total=None)

        def draw(result: EpisodeResult, done: int, total: int) -> None:
            results.append(result)
            progress.update(bar, total=total, completed=done, description=progress_line(done, total, results))

        yield draw
