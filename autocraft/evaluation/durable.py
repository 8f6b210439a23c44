"""Plays tasks and stores each result at once, so that an interrupted evaluation can be resumed.

The folder has `conditions.json`, `results.jsonl` (one result a line), the journals of the episodes, and at the end
`summary.json` and `page.html`.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from autocraft.errors import LimitReached, UsageError
from autocraft.evaluation.conditions import check_count
from autocraft.evaluation.engines import ENGINES, Job, Task
from autocraft.evaluation.results import Result, append_result, read_results
from autocraft.page.rendering import write
from autocraft.protocols import Json
from autocraft.session.atomic import lock_file, write_atomic

FILES = ("results.jsonl", "conditions.json", "summary.json", "page.html")
"""The files of an evaluation. A new one never replaces them, whoever wrote them."""
Row = TypeVar("Row", bound=Result)
OnResult = Callable[[Row, int, int], None]
"""Called with each result, how many are done, and how many there will be."""


@dataclass(frozen=True)
class EvaluationSpec(Generic[Row]):
    """What is evaluated. The results of specs with equal conditions can be compared."""

    name: str
    """A part of the name of a generated folder."""
    player: str
    conditions: Json
    tasks: Sequence[tuple[str, int]]
    """The id of each task, and a seed."""
    job: Job[Row]
    read: Callable[[Json], Row]
    """Reads a stored row. Raises KeyError, TypeError or ValueError for an invalid one."""
    summary: Callable[..., Json]
    """Called with the results, `conditions` and `seconds`, which is None after a resume."""
    page: Callable[[Sequence[Row], Json], str]
    """Makes the page of the results and their summary."""
    budget: Mapping[str, float] = field(default_factory=dict)
    """The limits of tokens and dollars, by the names of their settings. After them, no further task begins."""


@dataclass(frozen=True)
class EvaluationOutcome(Generic[Row]):
    """All results of an evaluation, their summary, and the folder with both."""

    results: Sequence[Row]
    summary: Json
    folder: Path


@dataclass
class TaskRunner:
    """Plays the tasks of a spec with an engine, and stores the results in a folder."""

    out: Path | None = None
    """The folder of the results, created if it is missing. None means a new folder with a generated name."""
    workers: int = 1
    engine: str = "local"
    resume: bool = False
    """Whether to go on with the results in `out`."""
    folder: Path | None = field(init=False, default=None)
    """The folder with the results of the newest run."""

    def check(self) -> None:
        """Raise UsageError for values that are invalid or contradict each other."""
        check_count("workers", self.workers)
        if self.engine not in ENGINES:
            raise UsageError(f"there is no engine {str(self.engine)[:60]!r}: choose {' or '.join(ENGINES)}")
        if not isinstance(self.out, str | os.PathLike | None):
            raise UsageError(f"--out is {str(self.out)[:60]!r}: give the path of a folder")
        self.out = None if self.out is None else Path(self.out)
        if self.resume and self.out is None:
            raise UsageError("--resume needs --out with the folder of the evaluation to go on with")

    async def evaluate(self, spec: EvaluationSpec[Row], on_result: OnResult[Row] | None) -> EvaluationOutcome[Row]:
        """Play the tasks that have no result yet.

        The folder is locked against other programs. Raises UsageError and InUse, but only before the first task,
        SessionError, and LimitReached if the budget is used up.
        """
        start, folder = time.monotonic(), self._folder(spec)
        with contextlib.closing(lock_file(folder / "lock", f"the evaluation in {folder}")):
            results = await self._play(spec, folder, on_result)
            conditions = {**spec.conditions, "engine": self.engine, "workers": self.workers}
            seconds = None if self.resume else time.monotonic() - start  # nobody measured how long a killed run took
            totals = spec.summary(results, conditions=conditions, seconds=seconds)
            write_atomic(folder / "summary.json", json.dumps(totals, indent=1).encode() + b"\n")
            write(folder / "page.html", spec.page(results, totals))
        return EvaluationOutcome(results, totals, folder)

    async def _play(self, spec: EvaluationSpec[Row], folder: Path, on_result: OnResult[Row] | None) -> list[Row]:
        """Return all results, in the order of the tasks. Every result is on disk before `on_result` is called."""
        paid = self._earlier(spec, folder)
        by_key = {result.key: result for result in paid if not result.void}
        missing = [Task(id, seed, folder / "episodes" / f"{id}-{seed}") for id, seed in spec.tasks]
        missing = [task for task in missing if task.key not in by_key]
        affordable = itertools.takewhile(lambda _: not _used_up(spec.budget, paid), missing)
        async with contextlib.aclosing(ENGINES[self.engine](affordable, spec.job, self.workers)) as results:
            async for result in results:
                append_result(folder / "results.jsonl", result)
                paid.append(result)
                by_key[result.key] = result
                if on_result is not None:
                    on_result(result, len(by_key), len(spec.tasks))
        if len(by_key) < len(spec.tasks):
            name, _, setting = _used_up(spec.budget, paid).rpartition(".")
            raise LimitReached(
                f"{name}.{setting} is used up after {len(by_key)} of {len(spec.tasks)} episodes: raise it under "
                f"[{name}] in autocraft.toml, then go on with --resume --out {folder}"
            )
        return [by_key[key] for key in spec.tasks]

    def _folder(self, spec: EvaluationSpec[Row]) -> Path:
        """Create and return the folder `out`, or a new one with a generated name. Raises UsageError."""
        if self.resume and self.out is not None and not self.out.is_dir():
            raise UsageError(f"{self.out} holds no evaluation to resume: leave --resume out, or correct --out")
        stamp, player = time.strftime("%Y%m%d-%H%M%S"), re.sub(r"[^A-Za-z0-9_-]+", "-", spec.player)[:40]
        folder = first = self.out or Path("evaluations") / f"{stamp}-{spec.name}-{player}"
        numbers = itertools.count(2)
        while True:
            try:
                folder.mkdir(parents=True, exist_ok=self.out is not None)
                break
            except (OSError, ValueError) as error:
                if self.out is not None or not isinstance(error, FileExistsError):
                    why = error.strerror if isinstance(error, OSError) else error
                    raise UsageError(f"cannot make the folder {folder}: {why}; choose another with --out") from None
                folder = first.with_name(f"{first.name}-{next(numbers)}")  # another evaluation began in the same second
        self.folder = folder
        return folder

    def _earlier(self, spec: EvaluationSpec[Row], folder: Path) -> list[Row]:
        """Return all results of the run that this one resumes. Raises UsageError under other conditions."""
        file, conditions_file = folder / "results.jsonl", folder / "conditions.json"
        if not self.resume:
            if there := next((name for name in FILES if (folder / name).exists()), ""):
                raise UsageError(f"{folder} holds {there} already: go on with it by --resume, or choose another --out")
            write_atomic(conditions_file, json.dumps(spec.conditions, indent=1).encode() + b"\n")
            return []
        _check_same(conditions_file, spec.conditions)
        if not file.exists():
            return []
        results, torn = read_results(file, spec.read)
        if torn:
            os.truncate(file, file.stat().st_size - torn)
        return results


def _used_up(budget: Mapping[str, float], results: Sequence[Result]) -> str:
    """Return the name of a limit that the results have used up, void ones too. Return '' if none is."""
    used = {"max_tokens": sum(each.tokens for each in results), "max_cost": sum(each.cost or 0 for each in results)}
    return next((name for name, limit in budget.items() if used[name.rpartition(".")[2]] >= limit), "")


def _check_same(file: Path, conditions: Json) -> None:
    """Raise UsageError unless the evaluation of the folder has the same conditions."""
    try:
        earlier = json.loads(file.read_bytes())
    except (OSError, ValueError):
        earlier = None
    if not isinstance(earlier, dict):
        raise UsageError(f"{file.parent} holds no evaluation to resume: leave --resume out, or correct --out")
    for name, value in json.loads(json.dumps(conditions)).items():
        if earlier.get(name) != value:
            before, now = ("none" if setting is None else repr(setting) for setting in (earlier.get(name), value))
            raise UsageError(
                f"this evaluation was begun with {name} {before}, not {now}: give the same, or another --out"
            )
