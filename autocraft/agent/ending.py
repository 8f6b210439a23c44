"""How a run ends: the exception that leaves the loop, and the end event with its reason and the final state.

Memory stores a reached goal with the plan that led there. It also stores a goal that was proven impossible.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable
from contextlib import closing
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from autocraft.agent.context import RunContext
from autocraft.errors import AutocraftError
from autocraft.memory.plans import (
    BY_NAME,
    LEAST_STEPS,
    MOST_STEPS,
    PlanOutcome,
    StoredPlan,
    digest,
    needs_of,
    plan_outcome_of,
)
from autocraft.protocols import Json, LiveWorld, MemoryRecord, Observation, Result
from autocraft.session import events
from autocraft.session.atomic import sha256
from autocraft.session.reading import Events
from autocraft.text.phrases import count

MOST_OUTCOME = 500
"""The most characters of an outcome that memory stores."""


EXITS = {
    "goal_reached": 0, "learned": 0, "error": 1, "limit": 3, "repetition": 3, "unreadable": 3, "stopped": 4,
    "impossible": 5, "claimed": 6, "interrupted": 130,
}  # fmt: skip
"""The exit code of the process for each reason for which a run ends."""
OWN_ENDS = frozenset({"claimed", "impossible", "repetition", "unreadable"})
"""The ends to which the brain of one of several bots came alone. They leave the rest to the others."""


class RunEnded(Exception):
    """Raised when the run is over.

    `reason` is one of `EXITS`, or what a person's own command says. `why` is for the person. `proof` proves impossible.
    A resume needs the flag `resume_with`. `exit_code` is given if it is not that of the reason.
    """

    def __init__(
        self, reason: str, why: str, proof: Json | None = None, resume_with: str = "", exit_code: int | None = None
    ) -> None:
        super().__init__(why)
        self.reason = reason
        self.exit_code = EXITS.get(reason, 5) if exit_code is None else exit_code
        self.why = why
        self.proof = proof or {}
        self.resume_with = resume_with


def accepted_end(result: events.Result | Result | None) -> RunEnded | None:
    """Return the end that a result means: an accepted task_complete or impossible. Return None for other results."""
    if result is None or not result.end:
        return None
    return RunEnded(result.end, result.text, result.proof)


@dataclass
class Ending:
    """Writes the end event."""

    run: RunContext
    skip_slow_work: Event = field(init=False, default_factory=Event)
    """Stops the hashing of the workspace once it is set, because the person does not want to wait for it."""

    async def write(self, ended: RunEnded) -> events.End:
        """Store the outcome in memory, then write and sync the end event. Return the event."""
        id = self.run.session
        self.skip_slow_work.clear()
        if ended.reason in ("goal_reached", "impossible") and self.run.memory.remembers:
            plan = await self._part("the plan is not remembered", self._plan(ended), [])
            outcome = [self._outcome(ended), *plan]
            await self._part("memory", asyncio.to_thread(self.run.memory.add_many, outcome), None)
        rows = await self._part("memory", asyncio.to_thread(self._rows), [])
        workspace = await self._part("the workspace", asyncio.to_thread(self._files), "unreadable")
        seen = await self._part("the world", self.run.world.observe(), Observation("", {}))
        inventory = dict(seen.inventory)
        whole = [sorted(inventory.items()), workspace, rows, self.run.state.turns]
        assisted, totals = self.assisted, self.run.state.totals
        label = f" (assisted by {count(assisted, 'server command')})" if assisted else ""
        advice = await self._part("the advice", asyncio.to_thread(self._advice, ended), "")
        end = events.End(
            reason=ended.reason,
            exit=ended.exit_code,
            why=ended.why + label + advice,
            assisted=assisted,
            deaths=self.run.world.deeds.get("die", 0),
            damage=self.run.world.deeds.get("take damage", 0),
            proof=ended.proof,
            inventory=inventory,
            turns=self.run.state.turns,
            errors=self.run.state.errors,
            judged=self.run.state.judged,
            stages=dict(self.run.state.stages),
            tokens=totals.usage.total,
            estimated=totals.usage.estimated,
            cost=totals.known_cost,
            seconds=round(totals.seconds, 3),
            state_sha256=sha256(json.dumps(whole)),
            session=id,
            resume="" if advice else f"{self.run.options.resume(id)}{ended.resume_with}",
        )
        return self.run.journal.append(end, sync=True)

    def _files(self) -> str:
        """Return a hash of the files of the workspace. Return '' if the run has none."""
        return self.run.workspace.digest(self.skip_slow_work.is_set) if self.run.workspace is not None else ""

    def _advice(self, ended: RunEnded) -> str:
        """Return what helps where a resume would end in the same way: other items for the crafting world."""
        if ended.reason != "impossible" or self.run.world.snapshot() is None:
            return ""
        first = Events(self.run.journal.folder).first()
        options = (first and first.options) or {}
        if options.get("inventory"):
            return ". Start a new run with more items in --inventory, or leave --inventory out"
        place = " in place of --example" if options.get("example") else ""
        return f'. Start a new run with --inventory "NAME=COUNT"{place}'

    @property
    def assisted(self) -> int:
        """Return how many server commands such as /give were used. A world that is not live has none."""
        return self.run.world.cheats if isinstance(self.run.world, LiveWorld) else 0

    async def _part(self, what: str, read: Awaitable[Any], otherwise: Any) -> Any:
        """Return what `read` gives. If it fails, note the error and return `otherwise`, so that the end is not lost."""
        try:
            return await read
        except (AutocraftError, OSError) as error:
            self.run.journal.append(events.Note(text=f"{what}: {error}"))
            return otherwise

    def _outcome(self, end: RunEnded) -> MemoryRecord:
        """Return the outcome as a row of memory. Its id stays the same if a killed run writes it again."""
        by = ", assisted by server commands" if self.assisted else ""
        text = f"Goal reached in {count(self.run.state.turns, 'turn')}{by}: {self.run.state.goal_text}"
        if end.reason == "impossible":
            text = f"Proven impossible with what there was: {self.run.state.goal_text}. {end.why}"[:MOST_OUTCOME]
        metadata: Json = {"session": self.run.session, "kind": "outcome", "goal": self.run.state.goal_text}
        metadata |= {"place": self.run.world.name, "time": int(time.time()), "outcome": end.reason}
        return MemoryRecord(f"{self.run.session}:end:{self.run.state.turns}", text, metadata)

    async def _plan(self, end: RunEnded) -> list[MemoryRecord]:
        """Return the plan that reached the goals; nothing if the world cannot check or replay it."""
        if end.reason != "goal_reached" or not all(goal.checkable for goal in self.run.state.goals):
            return []
        if self.run.world.snapshot() is None:  # without snapshots there is no plan to store
            return []
        course = await asyncio.to_thread(self._course)
        if course is None or not LEAST_STEPS <= len(course.steps) <= MOST_STEPS:
            return []
        start = "" if all(name in BY_NAME for name, _ in course.steps) else digest(course.states[0])
        plan = StoredPlan(self.run.state.goal_text, self.run.world.name, course.steps, await self._needs(course), start)
        return [plan.row(self.run.session, int(time.time()))]

    def _course(self) -> PlanOutcome | None:
        names = {command.name for command in self.run.world.commands()}
        with closing(Events(self.run.journal.folder).backward()) as read:
            return plan_outcome_of((event for event, _ in read), names)

    async def _needs(self, course: PlanOutcome) -> dict[str, int]:
        """Return the items that the course used up. The world shows its inventory in each of the states."""
        now = self.run.world.snapshot()
        assert now is not None  # without snapshots there is no plan to store
        inventories = []
        try:
            for state in course.states:
                self.run.world.restore(state)
                inventories.append((await self.run.world.observe()).inventory)
        finally:
            self.run.world.restore(now)
        return needs_of(inventories)

    def _rows(self) -> list[Any]:
        """Return the rows that this session stored, without ids and times."""
        rows = self.run.memory.rows(session=self.run.session)
        return sorted(
            [row.text, sorted((k, v) for k, v in row.metadata.items() if k not in ("session", "time"))] for row in rows
        )
