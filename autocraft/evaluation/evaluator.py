"""Plays a split with a player, stores every episode as it ends, and summarises the results.

The folder has `conditions.json`, `results.jsonl` (one episode a line), `summary.json`, `page.html` and the episodes'
journals.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from autocraft.errors import UsageError
from autocraft.evaluation.conditions import Conditions, check_count, read_tools
from autocraft.evaluation.engines import Engine, LocalEngine, RayEngine, Task
from autocraft.evaluation.model import Model
from autocraft.evaluation.page import write_page
from autocraft.evaluation.players import ModelPlayer, Player
from autocraft.evaluation.results import EpisodeResult, append_result, read_results
from autocraft.evaluation.scores import summary
from autocraft.protocols import Json
from autocraft.session.atomic import lock_file, write_atomic

ENGINES = ("local", "ray")
_CONDITIONS = tuple(field.name for field in fields(Conditions))
OnResult = Callable[[EpisodeResult, int, int], None]
"""Called with each result, how many are done, and how many there will be."""


@dataclass(frozen=True)
class EvaluationOutcome:
    """All results of an evaluation, their summary, and the folder with both."""

    results: Sequence[EpisodeResult]
    summary: Json
    folder: Path


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
        **conditions: Any,
    ) -> None:
        """`out` is created if it is missing. A folder with results is only continued with `resume`. Raises
        UsageError."""
        if unknown := [name for name in conditions if name not in _CONDITIONS]:
            raise UsageError(
                f"there is no condition {unknown[0]!r}: choose among {', '.join(_CONDITIONS)}, out, workers"
            )
        self.conditions = Conditions(tools=_letters(tools), **conditions)
        self.conditions.check()
        check_count("workers", workers)
        if engine not in ENGINES:
            raise UsageError(f"there is no engine {str(engine)[:60]!r}: choose {' or '.join(ENGINES)}")
        if not isinstance(out, str | os.PathLike | None):
            raise UsageError(f"--out is {str(out)[:60]!r}: give the path of a folder")
        if resume and out is None:
            raise UsageError("--resume needs --out with the folder of the evaluation to go on with")
        self.workers = workers
        self.engine = engine
        self.resume = resume
        self.out = Path(out) if out is not None else None
        self.folder = self.out
        """The folder with the results of the newest run."""

    def run(self, player: Player | Model | Callable[[], Model], on_result: OnResult | None = None) -> EvaluationOutcome:
        """Play every episode that has no result yet. Raises UsageError before the first one, and nothing after it."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.play(player, on_result))
        raise UsageError("an asyncio loop runs here already, as in a notebook: await play(…) instead of calling run(…)")

    async def play(
        self, player: Player | Model | Callable[[], Model], on_result: OnResult | None = None
    ) -> EvaluationOutcome:
        """Do the same as `run`, within a running loop."""
        chosen = player if isinstance(player, Player) else ModelPlayer(player)
        chosen.check(self.conditions)
        most = chosen.plays_at_once
        if most is not None and self.workers > most:
            raise UsageError(f"{chosen.name} plays one episode at a time: give it a batch_step, or leave workers at 1")
        started = time.monotonic()
        folder = self._folder(chosen)
        with self._locked(folder):
            done = self._earlier_results(folder, chosen)
            results = await self._play_missing(folder, chosen, done, on_result)
            return self._finish(folder, chosen, results, time.monotonic() - started)

    async def _play_missing(
        self, folder: Path, player: Player, done: dict[tuple[str, int], EpisodeResult], on_result: OnResult | None
    ) -> list[EpisodeResult]:
        """Play the missing episodes. Every result is on disk before `on_result` gets it."""
        tasks = [(e.id, seed) for seed in range(self.conditions.seeds) for e in self.conditions.examples()]
        missing = [Task(id, seed, folder / "episodes" / f"{id}-{seed}") for id, seed in tasks if (id, seed) not in done]
        engine: Engine = LocalEngine(self.workers) if self.engine == "local" else RayEngine(self.workers)
        file = folder / "results.jsonl"
        async with contextlib.aclosing(engine.play(missing, self.conditions, player)) as episodes:
            async for result in episodes:
                append_result(file, result)
                done[result.key] = result
                if on_result is not None:
                    on_result(result, len(done), len(tasks))
        return [done[key] for key in tasks]

    def _folder(self, player: Player) -> Path:
        """Return the named folder, or a new one with a generated name."""
        if self.resume and self.out is not None and not self.out.is_dir():
            raise UsageError(f"{self.out} holds no evaluation to resume: leave --resume away, or mend --out")
        stamp, who = time.strftime("%Y%m%d-%H%M%S"), re.sub(r"[^A-Za-z0-9_-]+", "-", player.name)[:40]
        folder = first = self.out or Path("evaluations") / f"{stamp}-{self.conditions.split}-{who}"
        numbers = itertools.count(2)
        while True:
            try:
                folder.mkdir(parents=True, exist_ok=self.out is not None)
                break
            except FileExistsError as error:
                if self.out is not None:
                    raise _no_folder(folder, error) from None
                folder = first.with_name(f"{first.name}-{next(numbers)}")  # another one began in the same second
            except (OSError, ValueError) as error:
                raise _no_folder(folder, error) from None
        self.folder = folder
        return folder

    @contextlib.contextmanager
    def _locked(self, folder: Path) -> Iterator[None]:
        lock = lock_file(folder / "lock", f"the evaluation in {folder}")
        try:
            yield
        finally:
            lock.close()

    def _earlier_results(self, folder: Path, player: Player) -> dict[tuple[str, int], EpisodeResult]:
        """Return the results of an earlier run that this one resumes under the same conditions."""
        file, conditions_file = folder / "results.jsonl", folder / "conditions.json"
        conditions = {**self.conditions.to_json(), "brain": player.name, "model": player.model}
        if not self.resume:
            if file.exists() and file.stat().st_size:
                raise UsageError(
                    f"{folder} holds results already: go on with them by --resume, or choose another --out"
                )
            write_atomic(conditions_file, json.dumps(conditions, indent=1).encode() + b"\n")
            return {}
        _check_same(conditions_file, conditions)
        if not file.exists():
            return {}
        results, torn = read_results(file)
        if torn:
            os.truncate(file, file.stat().st_size - torn)
        return {result.key: result for result in results if not result.void}

    def _finish(self, folder: Path, player: Player, results: list[EpisodeResult], seconds: float) -> EvaluationOutcome:
        conditions = {**self.conditions.to_json(), "brain": player.name, "model": player.model, "engine": self.engine}
        conditions["workers"] = self.workers
        totals = summary(results, split=self.conditions.split, conditions=conditions, seconds=seconds)
        write_atomic(folder / "summary.json", json.dumps(totals, indent=1).encode() + b"\n")
        name = f"{player.name} {player.model}".strip()
        write_page(folder / "page.html", results, totals, f"{name} on Plancraft {self.conditions.split}")
        return EvaluationOutcome(results, totals, folder)


def _letters(tools: str | Sequence[str]) -> tuple[str, ...]:
    """Return the tools as letters. Raises UsageError."""
    letters = tools.split(",") if isinstance(tools, str) else tools
    if not isinstance(letters, Sequence) or not all(isinstance(letter, str) for letter in letters):
        raise UsageError(f"--tools is {str(tools)[:60]!r}: give letters, such as M,S,T,SE,I")
    return read_tools(",".join(letters))


def _no_folder(folder: Path, error: OSError | ValueError) -> UsageError:
    why = error.strerror if isinstance(error, OSError) else error
    return UsageError(f"cannot make the folder {folder}: {why}; choose another with --out")


def _check_same(file: Path, conditions: Mapping[str, Any]) -> None:
    """Raises UsageError unless the folder was begun under the conditions that are given now."""
    try:
        earlier = json.loads(file.read_bytes())
    except (OSError, ValueError):
        earlier = None
    if not isinstance(earlier, dict):
        raise UsageError(f"{file.parent} holds no evaluation to resume: leave --resume away, or mend --out")
    for name, value in json.loads(json.dumps(conditions)).items():
        if earlier.get(name) != value:
            raise UsageError(
                f"this evaluation was begun with {name} {earlier.get(name)!r}, not {value!r}: give the same, or "
                "another --out"
            )
