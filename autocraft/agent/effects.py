"""Effects: a command is carried out between its intent and its result, exactly once, whatever kills the run.

The model's commands, the person's (`/do`) and a resumed run's all pass here.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from autocraft.agent.state import State
from autocraft.agent.threads import off_loop
from autocraft.commands.registry import Registry
from autocraft.errors import AutocraftError, InvalidCommand, ShownOtherwise
from autocraft.protocols import Call, Result, Risk, World
from autocraft.session import events
from autocraft.session.journal import Journal

GRACE = 2.0
"""Seconds that an interrupted command gets to finish."""
NESTED = ("agents", "programs")
"""Families whose commands carry out others, which count their own seconds."""


@dataclass
class Effects:
    """One effect at a time on one world."""

    registry: Registry
    world: World
    journal: Journal
    state: State
    denied: Callable[[Call], str] = lambda call: ""
    """Why the policy does not let this call run; empty where it does."""
    helpers: Callable[[str], Registry | None] = lambda agent: None
    """A helper's own registry, by its name."""
    left: Callable[[], Exception | None] = lambda: None
    """How the person ended the run while a helper was asked about."""

    async def act(self, call: Call) -> Result:
        """Carry out an approved call. Interrupted, it writes its result before the cancellation goes on.

        Raises ShownOtherwise, with nothing done, where the call was shown with files that have changed since.
        """
        if not await self._as_shown(call):
            raise ShownOtherwise(f"what {call.name} was shown with has changed since")
        call = replace(call, id=f"{self.journal.folder.name}:{self.journal.seq + 1}")
        try:
            evidence = await asyncio.to_thread(self.registry.evidence, call)
        except AutocraftError:
            evidence = {}  # the command will meet the same fault and say so
        intent = events.Intent(
            agent=call.agent,
            id=call.id,
            command=call.name,
            args=call.args,
            risk=int(call.risk),
            fingerprint=call.fingerprint,
            evidence=evidence,
        )
        intent = self.journal.append(intent, sync=call.risk is Risk.DESTROY)
        return await self._carry_out(call, intent)

    async def settle(self) -> None:
        """Find out what became of the effects that a killed run left without a result, the innermost first."""
        for intent in reversed(list(self.state.open_intents.values())):
            started = time.monotonic()
            try:
                registry = self.helpers(intent.agent) or self.registry
                bound = registry.bind(intent.command, intent.args, agent=intent.agent)
            except InvalidCommand as error:
                self._lost(intent, str(error))
                continue
            call = replace(bound, id=intent.id, fingerprint=intent.fingerprint)
            if call.command.asks:  # the model may ask again, where the answer still matters
                said = "The run was stopped before this was answered; ask again if it still matters."
                self._record(call, intent, Result(said, answered=False), started)
                continue
            in_journal = call.command.owner is self.world and self.world.snapshot() is not None
            settled = await asyncio.to_thread(self.registry.settle, call, intent.evidence)
            denied = await off_loop(self.denied, call)
            if not denied and not await self._as_shown(call):
                denied = "what it was shown with has changed since it was approved; propose it again"
            if denied and (in_journal or settled.outcome == "not done"):
                self._record(call, intent, Result(f"Not carried out: {denied}", ok=False), started)
            elif in_journal or settled.outcome == "not done":
                text = f"{call.name} was not carried out before the stop; it is carried out now"
                self.journal.append(events.Note(text=text))
                await self._carry_out(call, intent)
            elif settled.outcome == "done":
                text = f"{call.name} was carried out before the stop; its result is filled in"
                self.journal.append(events.Note(text=text))
                self._record(call, intent, Result(settled.text), started)
            else:
                text = f"Outcome unknown: the run was killed during {call.name}. {settled.text}".strip()
                self._record(call, intent, Result(text, ok=False), started)

    async def _as_shown(self, call: Call) -> bool:
        """Whether everything that a person was shown of the call is still the same; true where nothing was shown."""
        if not call.fingerprint:
            return True
        return await off_loop(self.registry.fingerprint, call) == call.fingerprint

    def _lost(self, intent: events.Intent, why: str) -> None:
        """An effect that this run cannot even name any more."""
        text = f"Outcome unknown: the run was killed during {intent.command}. {why}"
        result = events.Result(
            agent=intent.agent, intent=intent.seq, command=intent.command, ok=False, text=text, seconds=0.0
        )
        self.journal.append(result)

    async def _carry_out(self, call: Call, intent: events.Intent) -> Result:
        started = time.monotonic()
        work = asyncio.create_task(self.registry.call(call))
        try:
            result = await asyncio.shield(work)
        except asyncio.CancelledError:
            result = await self._interrupted(call, work)
            self._record(call, intent, result, started)
            raise
        ended = self.left()
        if ended is not None:  # without a result, so that a resumed run goes on with the helper where it stood
            raise ended
        self._record(call, intent, result, started)
        return result

    async def _interrupted(self, call: Call, work: asyncio.Task[Result]) -> Result:
        """Cancel what can be cancelled; the rest gets a moment to end by itself."""
        if call.command.cancellable:
            work.cancel()
        holds = call.command.family in (*NESTED, "skills")  # one that may hold another, which ends before it
        await asyncio.wait([work], timeout=2 * GRACE if holds else GRACE)
        if work.done() and not work.cancelled():
            return work.result()
        work.cancel()
        if call.command.cancellable or call.risk is Risk.LOOK:
            return Result("Interrupted before it was done.", ok=False)
        return Result("Interrupted; whether it took effect is unknown.", ok=False)

    def _record(self, call: Call, intent: events.Intent, result: Result, started: float) -> None:
        """Write the result, with the world's new state where it changed."""
        if result.trace:
            text = f"a fault of autocraft's own in {call.name}: {result.text}"
            self.journal.append(events.Note(text=text, trace=result.trace))
        counted = call.command.asks or call.command.family in NESTED  # by the person's clock, or by its parts
        seconds = result.seconds if result.seconds is not None else 0.0 if counted else time.monotonic() - started
        world = self.world.snapshot()
        event = events.Result(
            agent=call.agent,
            intent=intent.seq,
            command=call.name,
            ok=result.ok,
            text=result.text,
            seconds=round(seconds, 4),
            answered=result.answered,
            world=world if world != self.state.world else None,
            end=result.end or "",
            proof=None if result.end is None else result.proof,
            undone=result.undone,
        )
        self.journal.append(event)
