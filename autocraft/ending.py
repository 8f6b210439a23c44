"""How a run ends: the one way out of the loop, and the event that says why and what was left.

Neighbours: `loop.py` and `console/` raise RunEnded, `cli.py` turns the end event into the exit code.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson

from autocraft.errors import AutocraftError
from autocraft.journal import Journal
from autocraft.protocols import Json, Memory, World
from autocraft.state import State


class RunEnded(Exception):
    """The run is over. `reason` is goal_reached, impossible, limit, repetition, unreadable, stopped, interrupted
    or error; `exit_code` is what the process returns; `why` is for the person; `proof` belongs to impossible, and
    `resume_with` is the flag that a resume needs to get any further."""

    def __init__(self, reason: str, exit_code: int, why: str, proof: Json | None = None, resume_with: str = "") -> None:
        super().__init__(why)
        self.reason = reason
        self.exit_code = exit_code
        self.why = why
        self.proof = proof or {}
        self.resume_with = resume_with


def accepted_end(result: Json) -> RunEnded | None:
    """The end that a result event stands for: an accepted task_complete or impossible."""
    if not result.get("end"):
        return None
    return RunEnded(result["end"], 0 if result["end"] == "goal_reached" else 5, result["text"], result["proof"])


@dataclass
class Ending:
    """Writes the end event; `workspace_digest` is a hash over the files of the workspace."""

    journal: Journal
    state: State
    world: World
    memory: Memory
    workspace_digest: Callable[[], str]

    async def write(self, ended: RunEnded) -> Json:
        """Remember a reached goal, then write the last event, synced."""
        id = self.journal.folder.name
        if ended.reason == "goal_reached":
            await self._part("memory", self._remember, None)
        rows = await self._part("memory", self._rows, [])
        workspace = await self._part("the workspace", self.workspace_digest, "unreadable")
        inventory = dict((await self.world.observe()).inventory)
        whole = [sorted(inventory.items()), workspace, rows, self.state.turns]
        return self.journal.append(
            "end",
            sync=True,
            reason=ended.reason,
            exit=ended.exit_code,
            why=ended.why,
            proof=ended.proof,
            inventory=inventory,
            turns=self.state.turns,
            errors=self.state.errors,
            stages=dict(self.state.stages),
            tokens=self.state.usage.total,
            estimated=self.state.usage.estimated,
            cost=self.state.cost if self.state.cost_known else None,
            seconds=round(self.state.seconds, 3),
            state_sha256=hashlib.sha256(orjson.dumps(whole)).hexdigest(),
            session=id,
            resume=f"autocraft run --resume {id}{ended.resume_with}",
        )

    async def _part(self, what: str, read: Callable[[], Any], otherwise: Any) -> Any:
        """A part of the end that may fail without the end being lost."""
        try:
            return await asyncio.to_thread(read)
        except (AutocraftError, OSError) as error:
            self.journal.append("note", text=f"{what}: {error}")
            return otherwise

    def _remember(self) -> None:
        """The outcome, as one row however often a killed run comes here."""
        goals = "; ".join(goal.text for goal in self.state.goals)
        text = f"Goal reached in {self.state.turns} turns: {goals}"
        metadata = {"session": self.journal.folder.name, "kind": "outcome", "goal": goals}
        self.memory.add(text, id=f"{self.journal.folder.name}:end:{self.state.turns}", metadata=metadata)

    def _rows(self) -> list[Any]:
        """This session's memory, without ids and times."""
        rows = self.memory.rows(session=self.journal.folder.name)
        return sorted([row.text, sorted((k, v) for k, v in row.metadata.items() if k != "session")] for row in rows)
