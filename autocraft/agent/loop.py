"""The loop of an agent: think, read, decide and act, until the run is over.

The loop prints nothing and reads no input. Each step writes its event before the next step begins. `turn` goes on
with the first step that has no event, so a killed run is resumed by running it again.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from autocraft.agent.context import RunContext
from autocraft.agent.ending import Ending, RunEnded, accepted_end
from autocraft.agent.gate import Gate
from autocraft.agent.limits import first_exceeded, flag, more
from autocraft.agent.spec import AgentSpec, Rules
from autocraft.agent.state import State
from autocraft.agent.thinker import Thinker
from autocraft.errors import AutocraftError, InvalidCommand, LimitReached
from autocraft.protocols import Call, Result, SharedWorld
from autocraft.session.events import End, InvalidReply, Limit, Note

T = TypeVar("T")
PATIENCE = 3
"""A person is needed after so many unusable answers in a row, or equal results of one command."""


class Agent:
    """The main agent of a run, one of its helpers, or the player of an episode.

    It thinks and acts within a run until its rules end it. The default rules are those of a run.
    """

    def __init__(self, run: RunContext, spec: AgentSpec, rules: Rules | None = None) -> None:
        self.context = run
        self.spec = spec
        self.rules = rules
        self.thinker = Thinker(run, spec)
        self.gate = Gate(run, spec.state, spec.registry, spec.free, self.thinker.judge)
        self.ending = Ending(run)
        self._task: asyncio.Task[None] | None = None
        self._paused = False
        self._leaving = False
        self._ended: RunEnded | None = None
        """How another bot of the run has ended it."""

    @property
    def state(self) -> State:
        return self.spec.state

    async def run(self) -> End:
        """Take turns until the end. Return the end event."""
        return await self.repeat(self.interruptible)

    async def repeat(self, step: Callable[[], Awaitable[None]]) -> End:
        """Repeat `step` until it raises. Write and return the end event."""
        try:
            while True:
                await step()
        except RunEnded as ended:
            return await self.ending.write(ended)
        except LimitReached as error:
            self.context.journal.append(Limit(text=str(error)))
            return await self.ending.write(RunEnded("limit", str(error), resume_with=error.resume_with))
        except AutocraftError as error:
            return await self.ending.write(RunEnded("error", str(error), exit_code=error.exit_code))
        except Exception as error:  # noqa: BLE001 - a bug must not lose the run
            self.context.journal.append(Note(text="a fault of autocraft's own", trace=traceback.format_exc()))
            why = f"a fault in autocraft itself, {type(error).__name__}: {error}; its trace is in the session"
            return await self.ending.write(RunEnded("error", why))

    async def turn(self) -> None:
        """Take one turn, or the rest of an interrupted one. Raises RunEnded, LimitReached or BrainError."""
        if self.state.turn.done:
            await self.check()
            await self._timed(self.thinker.think(), "thinking")
        call = await self._timed(self.thinker.read(), "reading the answer")
        if call is None:
            return
        try:
            decision, _ = await self.gate.carry_out(call, self.execute, resumed=True)
        except InvalidCommand as error:  # it fitted when it was read, and does not fit any more
            invalid = InvalidReply(agent=self.state.agent, error=str(error), flags=["invalid command"])
            self.context.journal.append(invalid)
            return
        if decision.kind == "stop":
            raise RunEnded("stopped", decision.why or "you stopped the run")

    async def execute(self, call: Call) -> Result:
        """Carry out an approved call within the run's time. A question to the person has no time limit."""
        acting = self.context.executor.execute(call)
        return await (acting if call.command.asks else self._timed(acting, f"running {call.name}"))

    async def step(self) -> None:
        """Finish effects that a killed run left open, then take a turn. This may ask the person."""
        if self.state.open_intents:
            await self.context.executor.settle()
        await self._rest()
        await self.turn()

    async def _rest(self) -> None:
        """Let time pass while this bot has nothing to do, but for the others of the run.

        A model is not asked meanwhile, unless somebody spoke to it, or a goal is not one that can be shared out.
        """
        world, model = self.context.world, self.context.priced.brain.asks_model
        if not isinstance(world, SharedWorld):
            return
        while self.state.turn.done and not (model and self._is_wanted(world)) and await world.rests(self.state.goals):
            await self.check()
            await world.rest()

    def _is_wanted(self, world: SharedWorld) -> bool:
        return world.spoken_to or self.state.has_feedback or not all(goal.checkable for goal in self.state.goals)

    async def check(self) -> None:
        """Raise RunEnded or LimitReached if the run is over. Ask the person if the agent makes no progress."""
        if self.rules is not None:
            await self.rules.check(self.state)
            return
        await self.context.approver.attend()
        end = accepted_end(self.state.turn.result)
        if end is not None:
            raise end
        if not self.state.has_feedback:
            await self.end_if_reached()
        over = first_exceeded(self.spec.limits, self.state.spending)
        if over is not None:
            raise LimitReached(*over)
        if self.state.invalid_in_a_row >= PATIENCE:
            why = f"{PATIENCE} answers in a row could not be used"
            last = self.state.turn.invalid
            if last is not None and "no room" in last.flags:
                why = f"{why}. {last.error.removesuffix('.')}"
            if not self.context.approver.attended:
                raise RunEnded("unreadable", why)
            await self.ask_way_on(why + ".")
        elif self.state.repetition >= PATIENCE:
            why = f"{self.state.repetition_text} {PATIENCE} times and the world did not change"
            if not self.context.approver.attended:
                raise RunEnded("repetition", why)
            await self.ask_way_on(f"Stuck? {why[0].upper()}{why[1:]}.")

    async def end_if_reached(self) -> None:
        """Raise RunEnded if the world can check all goals and finds them reached."""
        goals, world = self.state.goals, self.context.world
        if not goals or not all(goal.checkable for goal in goals):
            return
        try:
            checks = [await world.check(goal) for goal in goals]
        except AutocraftError:  # the observation meets the same fault, and the run decides
            return
        if all(check.verdict == "met" for check in checks):
            raise RunEnded("goal_reached", "; ".join(check.why for check in checks))

    async def _timed(self, step: Coroutine[Any, Any, T], doing: str) -> T:
        """Return what a step gives within the rest of --max-seconds. Raises LimitReached if the time is over."""
        limit = self.spec.limits.max_seconds
        timeout = asyncio.timeout(None if limit is None else max(0.0, limit - self.state.totals.seconds))
        try:
            async with timeout:
                with self.context.clock.step(timeout):
                    return await step
        except TimeoutError:
            if limit is None or not timeout.expired():
                raise
            text = f"{flag('max_seconds', limit)} reached while {doing}"
            raise LimitReached(text, more("max_seconds", 2 * limit)) from None

    async def ask_way_on(self, why: str, *, alone: bool = True) -> None:
        """Ask the person how to go on if no command waits to be authorised: this bot `alone`, or all."""
        decision = await self.gate.ask_way_on(why, alone=alone)
        self._paused = False
        if decision.kind == "stop":
            raise RunEnded("stopped", decision.why or "you stopped the run")

    def interrupt(self) -> None:
        """Handle Ctrl-C: the first pauses and asks, the second leaves. If nobody can answer, the first leaves.

        At the end of a run it skips slow work.
        """
        self.ending.skip_slow_work.set()
        self._leaving = self._paused or not self.context.approver.attended
        self._paused = True
        if self._task is not None:
            self._task.cancel()

    def leave(self) -> None:
        """End at once, as when the terminal is closed. The run can be resumed."""
        self._paused = True
        self.interrupt()

    def end(self, ended: RunEnded) -> None:
        """End the run, since another bot came to an end that holds for all: any end but those in `OWN_ENDS`."""
        self._ended = ended
        if self._task is not None:
            self._task.cancel()

    async def interruptible(self, step: Callable[[], Coroutine[Any, Any, None]] | None = None) -> None:
        """Take a turn or another `step`, or ask after a pause, in a task that `interrupt` may cancel."""
        if self._ended is not None:
            raise self._ended
        if self._leaving:
            raise RunEnded("interrupted", "you interrupted the run")
        turn = self.ask_way_on("Paused.", alone=False) if self._paused else (step or self.step)()
        self._task = asyncio.create_task(turn)
        try:
            await self._task
        except asyncio.CancelledError:
            if not (self._paused or self._ended):
                raise
