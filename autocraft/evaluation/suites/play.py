"""Plays one task of a suite: `autocraft run` in a process and a practice world of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autocraft.agent.state import State
from autocraft.children import Child, Lifetime, start
from autocraft.errors import UsageError
from autocraft.evaluation.engines import Task
from autocraft.evaluation.suites.rows import SuiteResult
from autocraft.evaluation.suites.suite import Suite, SuiteTask
from autocraft.session.event import read_line
from autocraft.session.events import End, Result
from autocraft.session.folder import private_folder
from autocraft.settings.trust import ConfirmedFiles

GRACE = 20.0
"""Seconds that a run gets to close its world after it was asked to stop."""


@dataclass(frozen=True)
class SuiteJob:
    """Plays tasks of a suite with the brain that `arguments` of `autocraft run` choose."""

    suite: Suite
    arguments: Sequence[str] = ()
    confirmed: ConfirmedFiles | None = None
    """The settings files that the person confirmed, and that so count in the runs."""

    async def play(self, task: Task) -> SuiteResult:
        """Play one task to its end, and keep its journal. Raises UsageError if no run began."""
        suite_task = next(each for each in self.suite.tasks if each.id == task.id)
        start = time.monotonic()
        private_folder(task.folder)
        with tempfile.TemporaryDirectory(prefix="autocraft-") as folder:
            output = await self._run(suite_task, task.seed, Path(folder))
            file = next(Path(folder).glob("state/sessions/*/events.jsonl"), None)
            if file is None:
                words = output.strip().splitlines() or ["autocraft: no run began"]
                raise UsageError(words[-1].removeprefix("autocraft: "))
            journal = file.read_bytes()
            (task.folder / "events.jsonl").write_bytes(journal)
        return result_of(suite_task, task.seed, journal, time.monotonic() - start)

    def command(self, task: SuiteTask, seed: int, folder: Path) -> list[str]:
        """Return the command line of a run of a task that keeps all of it in a folder."""
        command = [sys.executable, "-m", "autocraft", "run", "--goal", task.goal, "--world", "minecraft"]
        command += ["--server", "", "--mc-version", "", "--inventory", "", "--example", ""]  # none of the settings
        command += ["--no-low-level"]
        command += ["--seed", str(seed), "--speed", "0", "--continuous", "--json", "--memory", "none"]
        command += ["--max-game-minutes", f"{task.game_minutes:g}", "--max-steps", str(task.turns)]
        command += ["--state-dir", str(folder / "state"), "--workspace", str(folder / "workspace"), *self.arguments]
        for line in task.begin:
            command += ["--cheats", "--begin", line]
        return command

    async def _run(self, task: SuiteTask, seed: int, folder: Path) -> str:
        """Run to the end. Return the text on standard error. If cancelled, stop the run and wait for its end."""
        if self.confirmed is not None:
            self.confirmed.copy_to(folder / "state")
        process = await start(
            self.command(task, seed, folder), Lifetime.GUARDED, env=os.environ, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            return (await process.communicate())[1].decode("utf-8", "replace")
        finally:
            await _wait_for_end(process)

    async def close(self) -> None:
        """Do nothing: nothing stays open between tasks."""


async def _wait_for_end(process: Child) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), GRACE)
    except TimeoutError:
        process.kill()
        await process.wait()


def result_of(task: SuiteTask, seed: int, journal: bytes, seconds: float) -> SuiteResult:
    """Return the result of a run from its journal, which may lack an end."""
    state, commands, bots = State(), 0, {""}
    end = End(reason="", why="the run was killed", inventory={})
    for line in journal.splitlines():
        with contextlib.suppress(ValueError, RecursionError):  # an incomplete last line
            event = read_line(line)
            bots.add(event.bot)
            if not event.bot:  # those of the other bots do not count as its own
                state.apply(event)
            commands += isinstance(event, Result) and event.agent == "main"
            end = event if isinstance(event, End) else end
    minutes, reached, why = state.totals.game_minutes, end.reason == "goal_reached", end.why[:500]
    if reached and minutes > task.game_minutes:
        reached, why = False, "the goal was reached, but after the limit"
    elif reached and end.assisted > len(task.begin) * len(bots):  # each bot begins with them
        reached, why = False, "the goal was reached, but with the help of server commands"
    return SuiteResult(
        task.id,
        seed,
        task.group,
        task.goal,
        task.game_minutes,
        success=reached,
        reason=end.reason,
        why=why,
        commands=commands,
        game_minutes=round(minutes, 2),
        deaths=end.deaths,
        damage=end.damage,
        assisted=end.assisted,
        tokens=state.totals.usage.total,
        cost=state.totals.known_cost,
        seconds=round(seconds, 1),
        void=end.reason == "error",
    )
