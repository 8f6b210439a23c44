"""The executor carries out a command between its intent and its result, exactly once, even if the run is killed.

Commands of the model, the person (`/do`), helpers, programs and resumed runs all take this route.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import field, replace
from typing import Protocol

from autocraft.agent.helper_states import Helpers
from autocraft.agent.policy import Policy
from autocraft.agent.state import State
from autocraft.agent.threads import run_in_thread, shield
from autocraft.commands.registry import Registry
from autocraft.commands.undo import known_changes
from autocraft.commands.workspace import asked_about
from autocraft.errors import ApprovalStale, AutocraftError, InvalidCommand, SessionError
from autocraft.frozen import frozen
from autocraft.protocols import Call, Result, Risk, World
from autocraft.session import events
from autocraft.session.journal import Journal
from autocraft.session.reading import Events
from autocraft.text.phrases import join_words

GRACE = 2.0
"""Seconds that an interrupted command gets to finish."""
_MOST_CHANGES = 5


class HasEffects(Protocol):
    """The parts of a `RunContext` that the executor needs."""

    journal: Journal
    world: World
    state: State
    registry: Registry
    policy: Policy
    helpers: Helpers
    stop_cause: Exception | None
    """Why the run ended, if the person ended it at a question of a helper or a program."""


@frozen
class Executor:
    """Carries out one effect at a time on the world of one run."""

    run: HasEffects
    silence: float = 30.0
    """After this many seconds without an event, report that the command is still running."""
    running: list[tuple[Call, asyncio.Event]] = field(default_factory=list)
    """The calls under way, an outer one before its inner ones, and what stops each."""

    def stop(self) -> None:
        """End the outermost running command that can be cut off, at its next safe point.

        Its result says so, and the run goes on. Without such a command nothing is stopped.
        """
        for call, stop in self.running:
            if call.command.cancellable:
                stop.set()
                return

    async def execute(self, call: Call) -> Result:
        """Carry out an approved call. If it is cancelled, write its result before the cancellation goes on.

        Raises ApprovalStale, with nothing done, if files that the call was shown with have changed since.
        """
        if not await self._is_unchanged(call):
            raise ApprovalStale(f"what was shown with {call.name} has changed since")
        call = replace(call, id=f"{self.run.journal.folder.name}:{self.run.journal.seq + 1}")
        try:
            evidence = await asyncio.to_thread(self.run.registry.evidence, call)
        except AutocraftError:
            evidence = {}  # the command will meet the same fault and say so
        intent = events.Intent(
            agent=call.agent,
            id=call.id,
            command=call.name,
            args=call.args,
            risk=call.risk,
            fingerprint=call.fingerprint,
            evidence=evidence,
        )
        intent = self.run.journal.append(intent, sync=call.risk is Risk.DESTROY)
        return await self._carry_out(call, intent)

    async def settle(self, *, looks: bool = True) -> None:
        """Settle the effects of a killed run that have no result, the innermost first.

        Without `looks`, a command that only looks is not carried out again, because nobody waits for its result.
        """
        for intent in reversed(list(self.run.state.open_intents.values())):
            start = time.monotonic()
            try:
                call = await run_in_thread(self._bind, intent)
            except InvalidCommand as error:
                text = f"Outcome unknown: the run was killed during {intent.command}. {error}"
                self._record(None, intent, Result(text, ok=False), start)
                continue
            result = await self._outcome(call, intent, looks)
            if result is not None:
                self._record(call, intent, result, start)
                continue
            text = f"{call.name} was not carried out before the stop; it is carried out now"
            self.run.journal.append(events.Note(text=text))
            await self._carry_out(call, intent)

    async def _outcome(self, call: Call, intent: events.Intent, looks: bool) -> Result | None:
        """Return the result of an effect of a killed run. Return None if it has to be carried out now."""
        if call.command.asks:  # the model may ask again if the answer still matters
            text = "The run was stopped before this was answered; ask again if it still matters."
            return Result(text, answered=False)
        if call.risk is Risk.LOOK and not looks:
            return Result("The run was stopped before it was done.", ok=False)
        in_journal = call.command.owner is self.run.world and self.run.world.snapshot() is not None
        outcome = await asyncio.to_thread(self.run.registry.settle, call, intent.evidence)
        is_open = in_journal or outcome.outcome in ("not done", "again")
        denial = await run_in_thread(self.run.policy.denial, call)
        if not denial and not await self._is_unchanged(call):
            denial = "what was shown with it has changed since it was approved; propose it again"
        if is_open:
            if denial:
                return Result(f"Not carried out: {denial}", ok=False)
            if outcome.outcome == "again":
                await self._rewind(call, intent)
            return None
        if outcome.outcome == "done":
            text = f"{call.name} was carried out before the stop; its result is filled in"
            self.run.journal.append(events.Note(text=text))
            return Result(outcome.text)
        return Result(f"Outcome unknown: the run was killed during {call.name}. {outcome.text}".strip(), ok=False)

    async def _rewind(self, call: Call, intent: events.Intent) -> None:
        """Restore the world from before an effect that was done in part, and journal that it is taken back."""
        world = await asyncio.to_thread(Events(self.run.journal.folder).world_before, intent.seq)
        if world is None:
            raise SessionError(f"the journal has no state of the world before event {intent.seq}; start a new run")
        self.run.world.restore(world)
        text = f"{call.name} was cut off by the stop. Its effects are undone, and it runs again from the beginning"
        self.run.journal.append(events.Rewind(agent=intent.agent, id=intent.id, text=text, world=world))

    def _bind(self, intent: events.Intent) -> Call:
        """Bind the recorded call anew, among the commands of its agent. Raises InvalidCommand."""
        helper = self.run.helpers.live.get(intent.agent)
        registry = self.run.registry if helper is None else helper.registry
        call = registry.bind(intent.command, intent.args, agent=intent.agent)
        return replace(call, id=intent.id, fingerprint=intent.fingerprint)

    async def _is_unchanged(self, call: Call) -> bool:
        """Tell whether everything that the person was shown of the call is the same. True if nothing was shown."""
        if not call.fingerprint:
            return True
        return await run_in_thread(self.run.registry.fingerprint, call) == call.fingerprint

    async def _carry_out(self, call: Call, intent: events.Intent) -> Result:
        start = time.monotonic()
        with asked_about(call.obeyed):  # the task keeps it: the gate lets such a call through only after its question
            work = asyncio.create_task(self.run.registry.call(call))
        signs = asyncio.create_task(self._show_life(call, start))
        stop = asyncio.Event()
        stopping = asyncio.create_task(stop.wait())
        self.running.append((call, stop))
        try:
            await asyncio.wait([work, stopping], return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                result = work.result()
            else:
                result = self._with_changes(call, await shield(self._interrupt(call, work, "Stopped by the person")))
        except asyncio.CancelledError:
            result = self._with_changes(call, await shield(self._interrupt(call, work)))
            self._record(call, intent, result, start)
            raise
        finally:
            self.running.remove((call, stop))
            stopping.cancel()
            signs.cancel()
        if self.run.stop_cause is not None:  # no result is written, so that a resumed run goes on with the helper
            raise self.run.stop_cause
        self._record(call, intent, result, start)
        return result

    async def _show_life(self, call: Call, start: float) -> None:
        """Journal now and then that the command goes on, while nothing else is journaled.

        One that asks the person waits for them, and the inner calls of a nested one have signs of their own.
        """
        journal = self.run.journal
        while not (call.command.asks or call.command.nested):
            seq = journal.seq
            await asyncio.sleep(self.silence)
            if journal.seq == seq:
                text = f"running for {time.monotonic() - start:.0f} s"
                with contextlib.suppress(SessionError):  # the result meets the same fault, and ends the run
                    journal.append(events.Progress(agent=call.agent, id=call.id, command=call.name, text=text))

    async def _interrupt(self, call: Call, work: asyncio.Task[Result], how: str = "Interrupted") -> Result:
        """Cancel the call if it can be cancelled; else wait a moment for its end. Return its result.

        `how` begins the text of a result that it did not give itself.
        """
        if call.command.cancellable:
            work.cancel()
        await asyncio.wait([work], timeout=2 * GRACE if call.command.nested else GRACE)  # inner calls end first
        if work.done() and not work.cancelled():
            return work.result()
        work.cancel()
        if call.command.cancellable or call.risk is Risk.LOOK:
            return Result(f"{how} before it was done.", ok=False)
        return Result(f"{how}; whether it took effect is unknown.", ok=False)

    def _with_changes(self, call: Call, result: Result) -> Result:
        """Add what an interrupted command is known to have changed."""
        changes = [] if result.ok else known_changes(self.run.world, [call.id])
        if not changes:
            return result
        more = [f"{len(changes) - _MOST_CHANGES} more"] if len(changes) > _MOST_CHANGES else []
        return replace(result, text=f"{result.text} Until then it {join_words([*changes[:_MOST_CHANGES], *more])}.")

    def _record(self, call: Call | None, intent: events.Intent, result: Result, start: float) -> None:
        """Journal the result, and the new state of the world if it changed. Without a `call` nothing was done."""
        if result.trace:
            text = f"a fault of autocraft's own in {intent.command}: {result.text}"
            self.run.journal.append(events.Note(text=text, trace=result.trace))
        excluded = call is None or call.command.asks or call.command.nested  # its time is the person's or inner calls'
        seconds = result.seconds if result.seconds is not None else 0.0 if excluded else time.monotonic() - start
        world = self.run.world.snapshot()
        event = events.Result(
            agent=intent.agent,
            intent=intent.seq,
            command=intent.command,
            ok=result.ok,
            text=result.text,
            seconds=round(seconds, 4),
            answered=result.answered,
            world=world if world != self.run.state.world else None,
            end=result.end or "",
            proof=None if result.end is None else result.proof,
            undone=result.undone,
            program=result.program,
        )
        self.run.journal.append(event)
