"""Commands that write a note, search memory, and replay a plan that worked before."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

from autocraft.errors import CommandError, InvalidCommand, MemoryFault
from autocraft.memory.plans import StoredPlan, plan_of
from autocraft.protocols import Args, Call, Json, Memory, Reach, Result, Risk, Settled, World, command

_ADDED = "Committed to memory."
_KNOWN = "This is in memory already."
_LONGEST = 20_000
_SAME = 10  # a text that is stored already is among so many rows, as it is the nearest to itself
_SHOWN = 2_000


class MemoryCommands:
    """Notes of one `session`. The row of a note has the id of its call, so that a repeat adds nothing.

    `about` returns the goal and the place that a note belongs to.
    """

    family = "memory"

    def __init__(self, memory: Memory, session: str, about: Callable[[], Json] = dict) -> None:
        self.memory = memory
        self.session = session
        self.about = about

    @command(help="Keep a note in long-term memory", risk=Risk.CHANGE)
    async def memory_add(self, call: Call, string: str) -> str:
        if self.memory.name == "none":
            raise CommandError("memory is switched off, so nothing was kept; write it to a file instead")
        if not string.strip():
            raise CommandError("there is nothing to remember; give the text in the argument string")
        if len(string) > _LONGEST:
            raise CommandError(f"a note may have {_LONGEST:,} characters and this has {len(string):,}; write a file")
        if any(row.text == string for row in await asyncio.to_thread(self.memory.get_relevant, string, _SAME)):
            return _KNOWN
        note: Json = {"session": self.session, "kind": "note", "time": int(time.time()), **self.about()}
        await asyncio.to_thread(self.memory.add, string, id=call.id or None, metadata=note)
        return _ADDED

    @command(help="Look in long-term memory for what is near to a text", risk=Risk.LOOK)
    async def memory_search(self, call: Call, query: str) -> str:
        rows = await asyncio.to_thread(self.memory.get_relevant, query)
        lines = [f"{n}. {row.text[:_SHOWN]}{_omission(row.text)}" for n, row in enumerate(rows, 1)]
        return "\n".join(lines) or "[Nothing in memory is near to this.]"

    def evidence(self, call: Call) -> Json:
        return {"row": call.id} if call.name == "memory_add" and call.id else {}

    def settle(self, call: Call, evidence: Json) -> Settled:
        if call.name == "memory_add" and self.memory.has(call.id):
            return Settled("done", _ADDED)
        return Settled("not done")

    def undo(self, evidence: Json) -> str:
        """Delete the note. It can be repeated."""
        if not evidence.get("row"):
            raise CommandError("nothing was recorded of this note, so it stays; clear the namespace if it must go")
        return "the note was forgotten." if self.memory.delete(evidence["row"]) else "the note was already forgotten."


class PlanCommands:
    """Replays plans. `bind` and `call` are the registry's, so each step is validated as if the model had named it.

    Only commands of the `world` itself may be steps. The policy judges each of them as if it came alone.
    """

    family = "memory"

    def __init__(
        self,
        memory: Memory,
        world: World,
        bind: Callable[[str, Args], Call],
        call: Callable[[Call], Awaitable[Result]],
    ) -> None:
        self.memory = memory
        self.world = world
        self.bind = bind
        self.call = call
        self._plans: dict[str, StoredPlan] = {}

    def risk(self, id: str) -> Risk:
        """Return the highest risk of the steps. Raises InvalidCommand if `id` is not the id of a plan in memory."""
        return max(step.risk for step in self._steps(id))

    @command(help="Carry out a plan of memory, whose id was told, as one command", risk=risk)
    async def replay_plan(self, call: Call, id: str) -> str:
        """Carry out every step. The first that fails ends the command; all or none count if the world can go back."""
        before = self.world.snapshot()
        steps = await asyncio.to_thread(self._steps, id)
        report = []
        for number, step in enumerate(steps, 1):
            result = await self.call(replace(step, id=f"{call.id}.{number}", agent=call.agent))
            if not result.ok:
                changes = "Nothing was changed"
                if before is not None:
                    self.world.restore(before)
                elif number > 1:
                    changes = f"The {number - 1} steps before it were carried out"
                raise CommandError(
                    f"Step {number} of {len(steps)}, {_step_text(step)}, failed: {result.text} {changes}."
                )
            report.append(f"{number}. {_step_text(step)}: {result.text}")
        return "\n".join([f"All {len(steps)} steps were carried out.", *report])

    def reach(self, call: Call) -> Reach:
        """Return every step as a command of the agent that replays it. Raises InvalidCommand."""
        steps = self._steps(call.args["id"])
        return Reach(call.args, calls=tuple(replace(step, agent=call.agent) for step in steps))

    def evidence(self, call: Call) -> Json:
        """Return the steps themselves, so that the journal shows what ran."""
        return {"steps": [[step.name, step.args] for step in self._steps(call.args["id"])]}

    def preview(self, call: Call) -> str:
        return "\n".join(f"{n}. {_step_text(step)}" for n, step in enumerate(self._steps(call.args["id"]), 1))

    def settle(self, call: Call, evidence: Json) -> Settled:
        """Return `not done` for a world that the journal restores, `unknown` for any other."""
        return Settled("unknown" if self.world.snapshot() is None else "not done")

    def _steps(self, id: str) -> list[Call]:
        """Return the steps of a plan, bound. They may be cached: an id is a hash of its plan, so it never means
        another."""
        if id not in self._plans:
            try:
                row = self.memory.fetch(id)
            except MemoryFault as error:
                raise InvalidCommand(f"{error}; use single commands meanwhile") from None
            plan = plan_of(row) if row is not None else None
            if plan is None:
                raise InvalidCommand(f"memory holds no plan {id[:40]!r}; use the id that was told, or single commands")
            if plan.place != self.world.name:
                raise InvalidCommand(f"this plan is for the world {plan.place[:40]!r} and not for this one")
            self._plans[id] = plan
        steps = [self.bind(name, args) for name, args in self._plans[id].steps]
        other = [step.name for step in steps if step.command.owner is not self.world]
        if other:
            raise InvalidCommand(f"this plan holds {other[0]!r}, which is no command of the world; use single commands")
        return steps


def _step_text(step: Call) -> str:
    return f"{step.name} {json.dumps(step.args)}"


def _omission(text: str) -> str:
    return f" [{len(text) - _SHOWN:,} more characters are left out.]" if len(text) > _SHOWN else ""
