"""The executor: a command is carried out between its intent and its result, exactly once, whatever kills the run.

The model's commands, the person's (`/do`), those of helpers and programs, and a resumed run's all pass here.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import Protocol

from autocraft.agent.helper_states import Helpers
from autocraft.agent.policy import Policy
from autocraft.agent.state import State
from autocraft.agent.threads import off_loop
from autocraft.commands.registry import Registry
from autocraft.errors import AutocraftError, InvalidCommand, ShownOtherwise
from autocraft.protocols import Call, Json, Result, Risk, World
from autocraft.session.journal import Journal

GRACE = 2.0
"""Seconds that an interrupted command gets to finish."""


class Effects(Protocol):
    """What effects touch: the parts of a `RunContext` that carrying one out needs."""

    journal: Journal
    world: World
    state: State
    registry: Registry
    policy: Policy
    helpers: Helpers
    ended: Exception | None
    """How the person ended the run at a question of a helper or a program."""


@dataclass(frozen=True)
class Executor:
    """Carries out one effect at a time on the world of one run."""

    run: Effects

    async def execute(self, call: Call) -> Result:
        """Carry out an approved call. Interrupted, it writes its result before the cancellation goes on.

        Raises ShownOtherwise, with nothing done, where the call was shown with files that have changed since.
        """
        if not await self._as_shown(call):
            raise ShownOtherwise(f"what {call.name} was shown with has changed since")
        call = replace(call, id=f"{self.run.journal.folder.name}:{self.run.journal.seq + 1}")
        try:
            evidence = await asyncio.to_thread(self.run.registry.evidence, call)
        except AutocraftError:
            evidence = {}  # the command will meet the same fault and say so
        intent = self.run.journal.append(
            "intent",
            agent=call.agent,
            id=call.id,
            sync=call.risk is Risk.DESTROY,
            command=call.name,
            args=call.args,
            risk=int(call.risk),
            fingerprint=call.fingerprint,
            evidence=evidence,
        )
        return await self._carry_out(call, intent)

    async def settle(self) -> None:
        """Find out what became of the effects that a killed run left without a result, the innermost first."""
        for intent in reversed(list(self.run.state.open_intents.values())):
            started = time.monotonic()
            try:
                bound = await off_loop(self._bind, intent)
            except InvalidCommand as error:
                self._lost(intent, str(error))
                continue
            call = replace(bound, id=intent["id"], fingerprint=intent.get("fingerprint", ""))
            if call.command.asks:  # the model may ask again, where the answer still matters
                said = "The run was stopped before this was answered; ask again if it still matters."
                self._record(call, intent, Result(said, answered=False), started)
                continue
            in_journal = call.command.owner is self.run.world and self.run.world.snapshot() is not None
            settled = await asyncio.to_thread(self.run.registry.settle, call, intent["evidence"])
            denied = await off_loop(self.run.policy.denied, call)
            if not denied and not await self._as_shown(call):
                denied = "what it was shown with has changed since it was approved; propose it again"
            if denied and (in_journal or settled.outcome == "not done"):
                self._record(call, intent, Result(f"Not carried out: {denied}", ok=False), started)
            elif in_journal or settled.outcome == "not done":
                self.run.journal.append(
                    "note", text=f"{call.name} was not carried out before the stop; it is carried out now"
                )
                await self._carry_out(call, intent)
            elif settled.outcome == "done":
                self.run.journal.append(
                    "note", text=f"{call.name} was carried out before the stop; its result is filled in"
                )
                self._record(call, intent, Result(settled.text), started)
            else:
                text = f"Outcome unknown: the run was killed during {call.name}. {settled.text}".strip()
                self._record(call, intent, Result(text, ok=False), started)

    def _bind(self, intent: Json) -> Call:
        """Bind the recorded call anew, among the commands of its agent. Raises InvalidCommand."""
        helper = self.run.helpers.live.get(intent["agent"])
        registry = self.run.registry if helper is None else helper.registry
        return registry.bind(intent["command"], intent["args"], agent=intent["agent"])

    async def _as_shown(self, call: Call) -> bool:
        """Whether everything that a person was shown of the call is still the same; true where nothing was shown."""
        if not call.fingerprint:
            return True
        return await off_loop(self.run.registry.fingerprint, call) == call.fingerprint

    def _lost(self, intent: Json, why: str) -> None:
        """An effect that this run cannot even name any more."""
        text = f"Outcome unknown: the run was killed during {intent['command']}. {why}"
        fields = {"intent": intent["seq"], "command": intent["command"], "ok": False, "text": text, "seconds": 0.0}
        self.run.journal.append("result", agent=intent["agent"], **fields)

    async def _carry_out(self, call: Call, intent: Json) -> Result:
        started = time.monotonic()
        work = asyncio.create_task(self.run.registry.call(call))
        try:
            result = await asyncio.shield(work)
        except asyncio.CancelledError:
            result = await self._interrupted(call, work)
            self._record(call, intent, result, started)
            raise
        if self.run.ended is not None:  # without a result, so that a resumed run goes on with the helper where it stood
            raise self.run.ended
        self._record(call, intent, result, started)
        return result

    async def _interrupted(self, call: Call, work: asyncio.Task[Result]) -> Result:
        """Cancel what can be cancelled; the rest gets a moment to end by itself."""
        if call.command.cancellable:
            work.cancel()
        await asyncio.wait([work], timeout=2 * GRACE if call.command.nested else GRACE)  # what is inside ends before it
        if work.done() and not work.cancelled():
            return work.result()
        work.cancel()
        if call.command.cancellable or call.risk is Risk.LOOK:
            return Result("Interrupted before it was done.", ok=False)
        return Result("Interrupted; whether it took effect is unknown.", ok=False)

    def _record(self, call: Call, intent: Json, result: Result, started: float) -> None:
        """Write the result, with the world's new state where it changed."""
        if result.trace:
            self.run.journal.append(
                "note", text=f"a fault of autocraft's own in {call.name}: {result.text}", trace=result.trace
            )
        fields: Json = {"intent": intent["seq"], "command": call.name, "ok": result.ok, "text": result.text}
        counted = call.command.asks or call.command.nested  # by the person's clock, or by its parts
        seconds = result.seconds if result.seconds is not None else 0.0 if counted else time.monotonic() - started
        fields["seconds"] = round(seconds, 4)
        if result.answered is not None:
            fields["answered"] = result.answered
        world = self.run.world.snapshot()
        if world is not None and world != self.run.state.world:
            fields["world"] = world
        if result.end is not None:
            fields |= {"end": result.end, "proof": result.proof}
        if result.undone is not None:
            fields["undone"] = result.undone
        self.run.journal.append("result", agent=call.agent, **fields)
