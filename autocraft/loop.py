"""The loop: think, read, decide, act; again, until the run is over.

It prints nothing and prompts nobody. Each step writes its event before the next begins, and `turn` goes on with
the first step whose event is missing, so a killed run is resumed by running it again. Neighbours, one a step:
`thinker.py`, `gate.py`, `effects.py`, `ending.py`; `state.py` is where the run stands, and `assemble.py` joins them.
"""

from __future__ import annotations

import asyncio
import traceback
from dataclasses import dataclass

from autocraft.effects import Effects
from autocraft.ending import Ending, RunEnded, accepted_end
from autocraft.errors import AutocraftError, LimitReached
from autocraft.gate import Gate
from autocraft.journal import Journal
from autocraft.limits import Limits, exceeded
from autocraft.protocols import Json
from autocraft.state import State
from autocraft.thinker import Thinker

PATIENCE = 3
"""Unusable answers in a row, or equal results of one command, before a person is needed."""


@dataclass
class Loop:
    """The parts of one run."""

    thinker: Thinker
    gate: Gate
    effects: Effects
    ending: Ending
    journal: Journal
    state: State
    limits: Limits
    _task: asyncio.Task[None] | None = None
    _paused: bool = False
    _leaving: bool = False

    async def run(self) -> Json:
        """Run to the end; returns the end event."""
        try:
            await self.effects.settle()
            while True:
                await self._interruptible()
        except RunEnded as ended:
            return await self.ending.write(ended)
        except AutocraftError as error:
            reason = "limit" if isinstance(error, LimitReached) else "error"
            return await self.ending.write(RunEnded(reason, error.exit_code, str(error)))
        except Exception as error:  # a fault of ours must not lose the run
            self.journal.append("note", text="a fault of autocraft's own", trace=traceback.format_exc())
            why = f"a fault in autocraft itself, {type(error).__name__}: {error}; its trace is in the session"
            return await self.ending.write(RunEnded("error", 1, why))

    async def turn(self) -> None:
        """One turn, or what is left of it."""
        if self.state.turn.done:
            await self.check()
            await self.think()
        call = await self.thinker.read()
        if call is None:
            return
        decision = self.gate.recorded(call) or await self.gate.decide(call, self.effects.registry.preview(call))
        if decision.kind == "stop":
            raise RunEnded("stopped", 4, decision.why or "you stopped the run")
        if decision.kind == "run" and decision.call is not None:
            await self.effects.act(decision.call)

    async def check(self) -> None:
        """What ends a run, or needs a person, between two turns."""
        await self.gate.approver.attend()
        ended = accepted_end(self.state.turn.result or {})
        if ended is not None:
            raise ended
        reason = exceeded(self.limits, self.state.spent)
        if reason is not None:
            self.journal.append("limit", text=reason)
            raise RunEnded("limit", 3, reason)
        if self.state.repetition >= PATIENCE:
            why = f"the same command gave the same result {PATIENCE} times and the world did not change"
            if self.state.continuous:
                raise RunEnded("repetition", 3, why)
            self.journal.append("note", text=f"{why}; you are asked again", budget=0, repeats=0)
        if self.state.invalid_in_a_row >= PATIENCE:
            why = f"{PATIENCE} answers in a row could not be used"
            if self.state.continuous:
                raise RunEnded("unreadable", 3, why)
            await self.ask_way_on(why + ".")

    async def think(self) -> None:
        """One answer, within the seconds that are left."""
        limit = self.limits.max_seconds
        try:
            async with asyncio.timeout(None if limit is None else max(0.0, limit - self.state.seconds)):
                await self.thinker.think()
        except TimeoutError:
            raise RunEnded("limit", 3, f"--max-seconds {limit:g} reached while thinking") from None

    async def ask_way_on(self, why: str) -> None:
        """Ask the person how to go on where no command waits to be authorised."""
        decision = await self.gate.ask_way_on(why)
        self._paused = False
        if decision.kind == "stop":
            raise RunEnded("stopped", 4, decision.why or "you stopped the run")

    def interrupt(self) -> None:
        """Ctrl-C: the first pauses and asks, the second leaves; with nobody to ask, the first leaves."""
        self._leaving = self._paused or not self.gate.approver.attended
        self._paused = True
        if self._task is not None:
            self._task.cancel()

    def leave(self) -> None:
        """End at once, as when the terminal is closed; the run can be resumed."""
        self._leaving = self._paused = True
        if self._task is not None:
            self._task.cancel()

    async def _interruptible(self) -> None:
        """One turn, or the question after a pause, as a task that `interrupt` may cancel."""
        self._task = asyncio.create_task(self.ask_way_on("Paused.") if self._paused else self.turn())
        try:
            await self._task
        except asyncio.CancelledError:
            if self._leaving:
                raise RunEnded("interrupted", 130, "you interrupted the run") from None
            if not self._paused:
                raise
