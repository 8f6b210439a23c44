"""`autocraft eval`: the bar while it runs, the table at the end, and the summary as JSON."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from autocraft.agent.account import no_room
from autocraft.agent.signals import on_signals
from autocraft.brains.choose import BrainChoice
from autocraft.cli import completion
from autocraft.cli.options import Flags, Profile, new_app, with_settings
from autocraft.cli.scores import progress_line, score_lines
from autocraft.cli.suite import progress_words, suite_lines
from autocraft.console.read import write_out
from autocraft.errors import UsageError
from autocraft.evaluation.conditions import read_ids
from autocraft.evaluation.durable import EvaluationOutcome, TaskRunner
from autocraft.evaluation.evaluator import Evaluator
from autocraft.evaluation.players import choose_player
from autocraft.evaluation.results import EpisodeResult
from autocraft.evaluation.suites.evaluation import SuiteEvaluation
from autocraft.evaluation.suites.rows import SuiteResult
from autocraft.evaluation.suites.suite import load_suite
from autocraft.protocols import Json
from autocraft.settings.config import read_config
from autocraft.settings.trust import ConfirmedFiles
from autocraft.text.phrases import count
from autocraft.text.sanitize import clean_line

Show = Callable[[EpisodeResult, int, int], None]
Shown = tuple[str, Callable[[Json], Sequence[str]]]
"""What was played, and the lines of a summary of it."""
Outcome = TypeVar("Outcome")
_OF_EXAMPLES = "split tools high_level max_steps protocol prompt search feedback advice images ids"
"""The options that only Plancraft's examples have."""


app = new_app()


@app.command()
@with_settings("openai.base_url", "run.price_in", "run.price_out", "session.state_dir")
def evaluate(
    flags: Flags,
    suite: Annotated[str, typer.Option(help="optimus, minedojo or together: tasks in Minecraft.")] = "",
    first_seed: Annotated[int, typer.Option(help="Seed of the first world of a suite.")] = 101,
    split: Annotated[
        str, typer.Option(help="train, val, test, val.small, test.small, …", autocompletion=completion.splits)
    ] = "test",
    brain: Annotated[str | None, typer.Option(help="planner or openai.")] = None,
    model: Annotated[str | None, typer.Option(help="The model that plays, where the brain is openai.")] = None,
    tools: Annotated[str, typer.Option(help="M(ove), S(melt), T(hink), SE(arch), I(mpossible).")] = "M,S,T,SE,I",
    high_level: Annotated[bool, typer.Option("--high-level", help="Offer craft_item and smelt_item too.")] = False,
    seeds: Annotated[int, typer.Option(help="How often each example is played.")] = 1,
    limit: Annotated[int | None, typer.Option(help="Play only so many examples, evenly spread.")] = None,
    max_steps: Annotated[int, typer.Option(help="Turns of an episode.")] = 30,
    workers: Annotated[int, typer.Option(help="Episodes at the same time.")] = 1,
    engine: Annotated[str, typer.Option(help="local, or ray for a cluster.")] = "local",
    protocol: Annotated[str, typer.Option(help="package: plancraft 0.4.9; paper: with its first rules.")] = "package",
    prompt: Annotated[str, typer.Option(help="paper: few-shot lines; own: the JSON commands of run.")] = "paper",
    search: Annotated[str, typer.Option(help="gold: exact names; similar: what is near.")] = "gold",
    feedback: Annotated[bool, typer.Option(help="Say what was illegal, what is missing, what was tried.")] = True,
    advice: Annotated[bool, typer.Option("--advice", help="End each text with the planner's next line.")] = False,
    ids: Annotated[Path | None, typer.Option(help="File with the ids of the examples to play, one a line.")] = None,
    images: Annotated[bool, typer.Option("--images", help="Send a picture of the inventory window.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder of the results; evaluations/… by default.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the evaluation in --out.")] = False,
    profile: Profile = "",
    as_json: Annotated[bool, typer.Option("--json", help="One line per episode, then the summary.")] = False,
) -> int:
    """Play Plancraft's examples, or the tasks of a suite, and score them beside published figures.

    Exit codes: 0 every episode was played, 1 an error, or the endpoint or server failed some, 2 usage, 3 a budget is
    used up, 130 interrupted by Ctrl-C.
    """
    _check_suite(suite, locals())
    config = read_config({**flags, "brain": brain, "smart_model": model}, profile)
    choice = BrainChoice.of(config.run, config.openai, config.models, config.session.root)
    config.refuse_unknown()
    if suite:
        runner, options = TaskRunner(out, workers, engine, resume), run_options(flags, profile)
        player = choose_player(choice, config.limits, config.mask, model)
        confirmed = ConfirmedFiles(config.own_root)
        evaluation = SuiteEvaluation(load_suite(suite), runner, player, options, seeds, first_seed, limit, confirmed)
        work = evaluation.play(_task_line if as_json else _show_task)
        return _play(work, runner, ("tasks", suite_lines), as_json=as_json)
    evaluator = Evaluator(
        split=split, tools=tools, high_level=high_level, seeds=seeds, limit=limit, max_steps=max_steps, out=out,
        workers=workers, engine=engine, protocol=protocol, prompt=prompt, search=search, feedback=feedback,
        advice=advice, ids=read_ids(ids), images=images, resume=resume,
    )  # fmt: skip
    player = choose_player(choice, config.limits, config.mask, model)
    if player.address:
        line = f"Brain: {player.name} ({player.model} at {player.address})"
        print(clean_line(player.mask.text(line)), file=sys.stderr)
    with contextlib.nullcontext(_line) if as_json else _bar() as show:
        return _play(evaluator.play(player, show), evaluator.runner, ("episodes", score_lines), as_json=as_json)


def run_options(flags: Flags, profile: str) -> list[str]:
    """Return the options of `autocraft run` for the endpoint and the prices that an evaluation was given."""
    values = {
        "--profile": profile or None,
        "--base-url": flags["base_url"],
        "--price-in": flags["price_in"],
        "--price-out": flags["price_out"],
    }
    return [text for name, value in values.items() if value is not None for text in (name, str(value))]


def _check_suite(suite: str, values: Mapping[str, Any]) -> None:
    """Raise UsageError for an option that only Plancraft's examples have, or only a suite."""
    defaults = inspect.signature(evaluate).parameters
    for name in _OF_EXAMPLES.split() if suite else ["first_seed"]:
        if values[name] != defaults[name].default:
            option = f"--{'no-' * (name == 'feedback')}{name.replace('_', '-')}"
            if suite:
                raise UsageError(f"{option} belongs to Plancraft's examples: leave it out with --suite")
            raise UsageError(f"{option} belongs to a suite: add --suite, or leave it out")


def _play(work: Coroutine[Any, Any, EvaluationOutcome[Any]], runner: TaskRunner, show: Shown, *, as_json: bool) -> int:
    """Play to the end, and show the summary. Return the exit code: 0, or 1 for void results."""
    outcome = _outcome(work, runner)
    what, lines_of = show
    summary, folder = outcome.summary, outcome.folder
    if as_json:
        write_out(json.dumps({"type": "summary", **summary}) + "\n")
    else:
        write_out("\n".join(lines_of(summary)) + f"\n\nAll {what}: {folder / 'page.html'}\n")
    missing = no_room("smart")
    silent = sum(step.text == missing for each in outcome.results for step in getattr(each, "steps", ()))
    if silent:
        print(f"autocraft: {count(silent, 'turn')} without a command: {missing}", file=sys.stderr)
    if not summary["void"]:
        return 0
    last = clean_line(next(each.error for each in reversed(outcome.results) if each.void))[:300]
    words = f"{count(summary['void'], what[:-1])} not counted, since the endpoint or the practice server failed"
    print(f"autocraft: {words}: play again with --resume --out {folder}; the last one said: {last}", file=sys.stderr)
    return 1


def _show_task(result: SuiteResult, number: int, total: int) -> None:
    print(progress_words(result, number, total), file=sys.stderr, flush=True)


def _outcome(play: Coroutine[Any, Any, Outcome], runner: TaskRunner) -> Outcome:
    """Return the outcome. After Ctrl-C or a polite kill, keep everything that has ended, and end with 130."""

    async def interruptible() -> Outcome:
        work = asyncio.create_task(play)
        on_signals(SIGINT=work.cancel, SIGTERM=work.cancel)
        return await work

    try:
        return asyncio.run(interruptible())
    except asyncio.CancelledError:
        folder = runner.folder or runner.out
        print(f"\nInterrupted. What was played is kept: go on with --resume --out {folder}", file=sys.stderr)
        raise typer.Exit(130) from None


def _task_line(result: SuiteResult, number: int, total: int) -> None:
    write_out(json.dumps({"type": "task", **result.to_json(), "done": number, "total": total}) + "\n")


def _line(result: EpisodeResult, number: int, total: int) -> None:
    record: dict[str, Any] = {"type": "episode", "example_id": result.example_id, "seed": result.seed}
    record |= {"success": result.success, "ended": result.ended, "number_of_steps": result.number_of_steps}
    record |= {"actions": result.actions, "minimum": result.minimum, "done": number, "total": total}
    write_out(json.dumps(record) + "\n")


@contextlib.contextmanager
def _bar() -> Iterator[Show]:
    """Yield a function that shows progress on standard error: a bar on a terminal, else a line now and then."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, highlight=False)
    results: list[EpisodeResult] = []
    columns = (BarColumn(), TextColumn("{task.description}", markup=False), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("starting", total=None)

        def show(result: EpisodeResult, number: int, total: int) -> None:
            results.append(result)
            if console.is_terminal:
                progress.update(bar, total=total, completed=number, description=progress_line(number, total, results))
            elif number == total or len(results) % 50 == 0:
                print(progress_line(number, total, results), file=sys.stderr, flush=True)

        yield show
