"""A client as the caller of commands. It takes the place of the brain: a tool call is an answer of the main agent.

So each call is journaled, bound, judged by the gate and carried out as the command of a model is, one at a time.
"""

from __future__ import annotations

import asyncio
import json

from autocraft.agent.ending import RunEnded, accepted_end
from autocraft.agent.limits import first_exceeded
from autocraft.agent.threads import run_in_thread
from autocraft.app import Run
from autocraft.errors import AutocraftError, InvalidCommand, LimitReached
from autocraft.mcp.approver import ClientApprover
from autocraft.mcp.pending import Outcome, Pending
from autocraft.protocols import Call
from autocraft.session import events
from autocraft.session.fields import too_deep
from autocraft.usage import Usage

ROLE = "mcp"
"""The role of the answers that are calls of a client."""


class Caller:
    """Takes the calls of all clients of one run, in the order in which they come."""

    def __init__(self, run: Run, approver: ClientApprover) -> None:
        self.run = run.context
        self.agent = run.agent
        self._approver = approver
        self._queue: asyncio.Queue[Pending | None] = asyncio.Queue()
        self._current: Pending | None = None
        self._settling: asyncio.Task[None] | None = None
        self._fault: AutocraftError | None = None
        self._end: events.End | None = None
        self._unheard = [event.text for event in self.run.state.pending_feedback]
        """Words of the person that no client has received yet."""
        self._heard = 0
        """The number of the last event that a client knows of."""
        self.run.journal.listeners.append(self._listen)
        self.run.journal.viewers.append(self._show)

    async def play(self) -> events.End:
        """Take calls until the run ends. Return the end event. Later calls get an answer that says so."""
        self._end = await self.agent.repeat(self._turn)
        while not self._queue.empty():
            late = self._queue.get_nowait()
            if late is not None:
                late.finish(self._late())
        return self._end

    def submit(self, pending: Pending) -> None:
        """Queue a call. Its steps say what becomes of it."""
        if self._end is not None:
            pending.finish(self._late())
        else:
            if self._current is not None:
                pending.steps.put_nowait(f"it waits until {self._current.name} is over")
            self._queue.put_nowait(pending)

    def hear(self) -> list[str]:
        """Return the words of the person that no client has received. They are about to be sent to one."""
        words, self._unheard = self._unheard, []
        self._heard = self.run.journal.seq
        return words

    def stop(self) -> None:
        """End the run, since the clients are gone. The call under way is interrupted, with its result journaled."""
        if self._current is not None:
            self._current.cancel()
        if self._settling is not None:
            self._settling.cancel()
        self._queue.put_nowait(None)

    def lose(self, fault: AutocraftError) -> None:
        """End the run after the calls that wait, since the world is lost."""
        self._fault = fault
        self._queue.put_nowait(None)

    def _late(self) -> Outcome:
        assert self._end is not None
        return Outcome(
            "over", f"The run is over ({self._end.reason}): {self._end.why}. Resume with: {self._end.resume}"
        )

    async def _turn(self) -> None:
        """Take the next call to its outcome. Raises RunEnded, LimitReached or SessionError."""
        if self.run.state.open_intents:  # of a killed run
            self._settling = asyncio.create_task(self.run.executor.settle(looks=False))
            await asyncio.wait([self._settling])
            if not self._settling.cancelled():
                self._settling.result()
        pending = await self._queue.get()
        if pending is None:
            raise self._fault or RunEnded("interrupted", "the client left")
        if pending.over:
            return
        self._current = pending
        self._approver.reader.pending = pending
        pending.task = asyncio.create_task(self._take(pending))
        try:
            await asyncio.wait([pending.task])
            if not pending.task.cancelled():
                pending.finish(pending.task.result())
        except Exception as error:
            pending.finish(Outcome("over", f"The run ends: {error}"))
            raise
        finally:
            self._current = None
            self._approver.reader.pending = None

    async def _take(self, pending: Pending) -> Outcome:
        over = first_exceeded(self.agent.spec.limits, self.run.state.spending)
        if over is not None:
            raise LimitReached(*over)
        try:
            call = await self._bound(pending)
            decision, result = await self.agent.gate.carry_out(call, self.agent.execute)
        except InvalidCommand as error:
            wrong = events.InvalidReply(error=str(error), flags=["invalid command"])
            self.run.journal.append(wrong)
            return Outcome("invalid", str(error))
        if decision.kind == "stop":
            raise RunEnded("stopped", decision.why or "you stopped the run")
        self._unheard += [decision.feedback] if decision.feedback else []
        if result is None:
            why = f": {decision.why}" if decision.why else ""
            return Outcome("refused", f"The command {call.name} was not run{why}.")
        if result.answered:
            return Outcome("done", "", result.text)
        outcome = Outcome("done" if result.ok else "failed", result.text)
        end = accepted_end(result)
        if end is not None:
            pending.finish(outcome)
            raise end
        return outcome

    async def _bound(self, pending: Pending) -> Call:
        """Journal the call as an answer, and bind it. Raises InvalidCommand."""
        journal = self.run.journal
        if too_deep(pending.args):
            raise InvalidCommand("the arguments have too many levels: send a flatter object")
        text = json.dumps({"command": {"name": pending.name, "args": pending.args}}, ensure_ascii=False)
        journal.turns["main"] = self.run.state.turns + 1
        answer = events.Answer(
            text=text, finish_reason="tool_calls", reasoning="", refusal="", tool_calls=[], usage=Usage(), cost=0.0,
            seconds=0.0, heard=self._heard, role=ROLE,
        )  # fmt: skip
        journal.append(answer)
        call = await run_in_thread(self.run.registry.bind, pending.name, pending.args)
        if why := await run_in_thread(self.run.registry.refusal, call):  # the person is not asked about it
            raise InvalidCommand(f"{call.name} would fail: {why}")
        thoughts = {"text": f"Called over MCP by {pending.client or 'a client'}."}
        reply = events.Reply(stage="plain", flags=[ROLE], thoughts=thoughts, command=call.name, args=call.args)
        journal.append(reply)
        return call

    def _listen(self, event: events.Event) -> None:
        match event:
            case events.Feedback():
                self._unheard.append(event.text)
            case events.Goals(options=None):
                self._unheard.append(f"The goal is now: {self.run.state.goal_text}")

    def _show(self, event: events.Event) -> None:
        """Pass on where the command under way is, and what its program prints."""
        if isinstance(event, events.Progress) and self._current is not None:
            self._current.steps.put_nowait(event.line or event.output)
