"""Plays one task of a suite: `autocraft run` in a process and a practice world of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from autocraft.agent.state import State
from autocraft.building.plans import Plan
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
            result = result_of(suite_task, task.seed, journal, time.monotonic() - start)
            if suite_task.group != "construction":
                return result
            return await asyncio.to_thread(compared, result, file.parent / "minecraft")

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
        command += ["--bots", str(task.bots), *(part for item in task.unknown for part in ("--unknown", item))]
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
    state, commands, given = State(), 0, 0
    end = End(reason="", why="the run was killed", inventory={})
    for line in journal.splitlines():
        with contextlib.suppress(ValueError, RecursionError):  # an incomplete last line
            event = read_line(line)
            if event.bot:  # what the other bots pay counts, and nothing else of them
                state.pay(event)
            else:
                state.apply(event)
            if isinstance(event, Result) and event.agent == "main":
                commands += 1
                given += event.command == "give" and event.ok
            end = event if isinstance(event, End) else end
    minutes, reached, why = state.totals.game_minutes, end.reason == "goal_reached", end.why[:500]
    if reached and minutes > task.game_minutes:
        reached, why = False, "the goal was reached, but after the limit"
    elif reached and end.assisted > task.commands:
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
        given=given,
    )


def compared(result: SuiteResult, folder: Path) -> SuiteResult:
    """Return the result of a construction with the score of what stands in the kept world of a run.

    The score is 1 less the edit distance to the plan, in blocks of the plan: the blocks that would have to be placed,
    taken away or replaced. It is 0 if nothing was planned. Only a whole building is a success.
    """
    from autocraft.worlds.minecraft.land import distance, read_land

    plans = sorted(folder.glob("plans/*.json"), key=lambda path: path.stat().st_mtime_ns)
    if not plans:
        return replace(result, score=0.0)
    plan = msgspec.json.decode(plans[-1].read_bytes(), type=Plan)
    away = distance(plan, read_land(result.seed, plan.box, folder / "world"))
    score = max(0.0, 1 - away / len(plan.blocks))
    if result.success and away:
        why = f"the bots said that it stands, and {away} blocks are wrong"
        return replace(result, score=score, success=False, why=why)
    return replace(result, score=score)
