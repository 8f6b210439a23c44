"""Commands that write a note, search memory, and replay an earlier plan."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from typing import Protocol

from autocraft.commands.run_protocols import HasMemory, HasRegistry, HasSession, HasState, HasWorld
from autocraft.errors import CommandError, InvalidCommand, MemoryFault
from autocraft.memory.plans import StoredPlan, plan_of
from autocraft.protocols import Call, Json, Reach, Risk, Settled, command

_ADDED = "Committed to memory."
_DUPLICATE = "This is in memory already."
_LONGEST = 20_000
_NEAREST = 10
"""Rows among which an equal text is looked for. It is the nearest to itself."""
_MOST_SHOWN = 2_000
"""Most characters of a row that memory_search shows."""


class _Notes(HasMemory, HasSession, HasState, HasWorld, Protocol):
    """The memory, and the session, goal and place of a note."""


class _Plans(HasMemory, HasWorld, HasRegistry, Protocol):
    """The memory with plans, and the parts that carry out their steps."""


class MemoryCommands:
    """Notes of one session. The id of a row is that of its call, so that a repeated call adds nothing."""

    family = "memory"

    @command(help="Store a note in long-term memory", risk=Risk.CHANGE)
    async def memory_add(self, call: Call, string: str) -> str:
        run: _Notes = call.run
        if not run.memory.remembers:
            raise CommandError("memory is switched off, so nothing was stored; write it to a file instead")
        if not string.strip():
            raise CommandError("there is nothing to remember; give the text in the argument string")
        if len(string) > _LONGEST:
            raise CommandError(f"a note may have {_LONGEST:,} characters and this has {len(string):,}; write a file")
        if any(row.text == string for row in await asyncio.to_thread(run.memory.get_relevant, string, _NEAREST)):
            return _DUPLICATE
        note: Json = {"session": run.session, "kind": "note", "time": int(time.time())}
        note |= {"goal": run.state.goal_text, "place": run.world.name}
        await asyncio.to_thread(run.memory.add, string, id=call.id or None, metadata=note)
        return _ADDED

    @command(help="Search long-term memory for notes that are similar to a text", risk=Risk.LOOK)
    async def memory_search(self, call: Call, query: str) -> str:
        run: HasMemory = call.run
        rows = await asyncio.to_thread(run.memory.get_relevant, query)
        lines = [f"{n}. {row.text[:_MOST_SHOWN]}{_omission(row.text)}" for n, row in enumerate(rows, 1)]
        return "\n".join(lines) or "[Nothing in memory is near to this.]"

    @memory_add.evidence
    def _evidence(self, call: Call) -> Json:
        return {"row": call.id} if call.id else {}

    @memory_add.settle
    def _settle(self, call: Call, evidence: Json) -> Settled:
        run: HasMemory = call.run
        return Settled("done", _ADDED) if run.memory.has(call.id) else Settled("not done")

    @memory_add.undo
    def _undo(self, call: Call, evidence: Json) -> str:
        """Delete the note. A repetition changes nothing."""
        run: HasMemory = call.run
        if not evidence.get("row"):
            raise CommandError("nothing was recorded of this note, so it stays; clear the namespace if it must go")
        return "the note was forgotten." if run.memory.delete(evidence["row"]) else "memory holds no note of it."


class PlanCommands:
    """Replays earlier plans.

    Only commands of the world may be steps. Each step is validated like a command of the model, and the policy judges
    it as if it came alone.
    """

    family = "memory"

    def __init__(self) -> None:
        self._plans: dict[str, StoredPlan] = {}

    @command(help="Carry out a plan from memory, by its id, as one command", risk=Risk.DESTROY)
    async def replay_plan(self, call: Call, id: str) -> str:
        """Carry out all steps up to the first failure. After a failure, a world that can be restored undoes them."""
        run: _Plans = call.run
        before = run.world.snapshot()
        steps = await asyncio.to_thread(self._steps, call)
        report = []
        for number, step in enumerate(steps, 1):
            result = await run.registry.call(replace(step, id=f"{call.id}.{number}"))
            if not result.ok:
                changes = "Nothing was changed"
                if before is not None:
                    run.world.restore(before)
                elif number > 1:
                    changes = f"The {number - 1} steps before it were carried out"
                which = f"Step {number} of {len(steps)}, {_step_text(step)}"
                raise CommandError(f"{which}, failed: {result.text} {changes}.")
            report.append(f"{number}. {_step_text(step)}: {result.text}")
        return "\n".join([f"All {len(steps)} steps were carried out.", *report])

    @replay_plan.risk
    def _risk(self, call: Call) -> Risk:
        """Return the highest risk of the steps. Raises InvalidCommand for a missing or invalid plan."""
        return max(step.risk for step in self._steps(call))

    @replay_plan.warning
    def _warning(self, call: Call) -> str:
        worst = max(self._steps(call), key=lambda step: step.risk)
        return f"carries out a plan that {worst.warning}"

    @replay_plan.reach
    def _reach(self, call: Call) -> Reach:
        """Return every step as a command of the agent that replays it. Raises InvalidCommand."""
        return Reach(call.args, calls=tuple(self._steps(call)))

    @replay_plan.evidence
    def _evidence(self, call: Call) -> Json:
        """Return the steps, so that the journal shows what ran."""
        return {"steps": [[step.name, step.args] for step in self._steps(call)]}

    @replay_plan.preview
    def _preview(self, call: Call) -> str:
        return "\n".join(f"{n}. {_step_text(step)}" for n, step in enumerate(self._steps(call), 1))

    @replay_plan.settle
    def _settle(self, call: Call, evidence: Json) -> Settled:
        """Answer ``not done`` if the journal restores the world as it was before, otherwise ``unknown``."""
        run: HasWorld = call.run
        return Settled("unknown" if run.world.snapshot() is None else "not done")

    def _steps(self, call: Call) -> list[Call]:
        """Return the steps of a call's plan, each bound for its agent. Raises InvalidCommand."""
        run: _Plans = call.run
        steps = [replace(run.registry.bind(name, args), agent=call.agent) for name, args in self._plan(call).steps]
        other = [step.name for step in steps if step.command.owner is not run.world]
        if other:
            raise InvalidCommand(f"the world has no command {other[0]!r}, which is in this plan; use single commands")
        return steps

    def _plan(self, call: Call) -> StoredPlan:
        """Return the plan of a call. Its id is a hash, so it never means another plan. Raises InvalidCommand."""
        run: _Plans = call.run
        id: str = call.args["id"]
        if id not in self._plans:
            try:
                row = run.memory.fetch(id)
            except MemoryFault as error:
                raise InvalidCommand(f"{error}; use single commands meanwhile") from None
            plan = plan_of(row) if row is not None else None
            if plan is None:
                raise InvalidCommand(f"memory holds no plan {id[:40]!r}; use an id from the prompt, or single commands")
            if plan.place != run.world.name:
                raise InvalidCommand(f"this plan is for the world {plan.place[:40]!r} and not for this one")
            self._plans[id] = plan
        return self._plans[id]


def _step_text(step: Call) -> str:
    return f"{step.name} {json.dumps(step.args)}"


def _omission(text: str) -> str:
    """Return a note about the characters that are not shown. Return "" if all are shown."""
    return f" [{len(text) - _MOST_SHOWN:,} more characters are left out.]" if len(text) > _MOST_SHOWN else ""
