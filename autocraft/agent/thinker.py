"""Thinking: the prompt goes to the brain, its answer into the journal, and a command is read out of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from autocraft.agent.account import Account, Model
from autocraft.agent.context import RunContext
from autocraft.agent.spec import AgentSpec
from autocraft.agent.state import State
from autocraft.agent.threads import off_loop
from autocraft.brains.stream import MOST_CHARACTERS
from autocraft.errors import BrainError, ContextOverflow, InvalidCommand, MemoryFault, UnreadableReply
from autocraft.json_fix import read, read_or_fix
from autocraft.memory.plans import digest
from autocraft.memory.recall import Recalled, Situation, recall
from autocraft.protocols import Answer, Brain, Call, Delta, Json, Message
from autocraft.usage import Usage

TIGHTER = 0.6
"""What is left of the window after an endpoint called the prompt too long."""
MORE_ROOM = 4
"""How much more room an answer gets after one was cut inside an argument."""
TRIES = 3


class Thinker:
    """Asks the brain for the answers of one agent, and reads its commands."""

    def __init__(self, run: RunContext, spec: AgentSpec) -> None:
        self.run = run
        self.spec = spec
        accounts = [Account(spec.limits, spec.state, run.journal)]
        self.model = Model(run.priced, accounts if spec.state is run.state else [*accounts, run.account])
        self._memory_failed = False
        self._recalled_for: tuple[str, ...] = ()

    @property
    def state(self) -> State:
        return self.spec.state

    @property
    def brain(self) -> Brain:
        return self.model.brain

    async def think(self) -> None:
        """Ask the brain, with all that was heard until now, and write its answer down as a new turn.

        Raises BrainError, and LimitReached before a call that could break a limit.
        """
        heard, started = self.run.journal.seq, time.monotonic()
        told = await self.recall()
        answer, usage = await self._ask(self.spec.prompter.settings.reply_tokens, told)
        endless = len(answer.text) + len(answer.reasoning) >= MOST_CHARACTERS
        if answer.finish_reason == "length" and not endless and self._was_cut(answer):
            room = self.spec.prompter.settings.reply_tokens * MORE_ROOM
            self.model.note(
                f"the answer was cut inside an argument; asked again with room for {room} tokens",
                self.spec.answering.role,
                usage,
            )
            self.spec.answering.on_delta(Delta("reset"))
            answer, usage = await self._ask(room, told)
        self.run.journal.turns[self.state.agent] = self.state.turns + 1
        self._write(
            "answer",
            text=answer.text,
            finish_reason=answer.finish_reason,
            reasoning=answer.reasoning,
            refusal=answer.refusal,
            tool_calls=list(answer.tool_calls),
            usage=[usage.prompt_tokens, usage.completion_tokens, usage.estimated],
            cost=self.model.priced.cost(self.spec.answering.role, usage),
            seconds=round(time.monotonic() - started, 4),
            heard=heard,
            recalled=[each.event() for each in told],
        )

    async def prompt(self, window: int = 0, told: Sequence[Recalled] | None = None) -> list[Message]:
        """Exactly what would be sent now."""
        observed = await self.spec.world.observe()
        told = await self._near() if told is None else told
        messages = self.model.masked(self.spec.prompter.messages(observed.text, [each.text for each in told], window))
        return [*messages[:-1], replace(messages[-1], images=observed.images)] if observed.images else messages

    async def recall(self) -> list[Recalled]:
        """What memory holds near the goals and the last result; a plan that fits is told to the person too.

        A brain that reads no prompt only asks for plans, so it is asked once for each goal. A memory that fails is
        noted once, and the run goes on without it.
        """
        goals = tuple(goal.text for goal in self.state.goals)
        if self._memory_failed or (not self.brain.reads_prompt and goals == self._recalled_for):
            return []
        if not self._recalled_for and self.spec.memory.notice:
            self._write("note", text=self.spec.memory.notice)
        self._recalled_for = goals
        try:
            told = await self._near()
        except MemoryFault as error:
            self._memory_failed = True
            self._write("note", text=f"{error}; the run goes on without what was remembered")
            return []
        plans = [each for each in told if each.steps]
        known = {each["id"] for each in self.state.recalled}
        if plans and plans[0].row.id not in known:
            text = f"memory holds a plan that worked for this goal: replay_plan id={plans[0].row.id}"
            self._write("note", text=text, recalled=[each.event() for each in told])
        return told

    async def _near(self) -> list[Recalled]:
        if not self.spec.memory.remembers:
            return []
        last = self.state.turn.result
        goals = [goal.text for goal in self.state.goals]
        query = " ".join([*goals, last["text"][:200] if last else ""])
        inventory = (await self.spec.world.observe()).inventory
        start = digest(self.spec.world.snapshot())
        situation = Situation(goals, self.spec.world.name, inventory, start, self.state.tried)
        return await asyncio.to_thread(recall, self.spec.memory, query, situation)

    async def read(self) -> Call | None:
        """Parse and validate this turn's answer.

        Return None if it holds no usable command; the error is journaled, so the model sees it next turn.
        """
        event, recorded = self.state.turn.answer or {}, self.state.turn.reply
        calls = tuple(event["tool_calls"])
        answer = Answer(event["text"], event["finish_reason"], None, event["reasoning"], event["refusal"], calls)
        try:
            if recorded is not None:
                return await self._bind(recorded["command"], recorded["args"]) if recorded["ok"] else None
            if self.spec.answering.reader is not None:
                reply = self.spec.answering.reader(answer)
            else:
                reply = await read_or_fix(answer, registry=self.spec.registry, fixer=self._fix)
            call = await self._bind(reply.name, reply.args)
        except (UnreadableReply, InvalidCommand) as error:
            flags = list(error.flags) if isinstance(error, UnreadableReply) else ["invalid command"]
            self._write("reply", ok=False, error=str(error), flags=flags)
            return None
        self._write(
            "reply",
            ok=True,
            stage=reply.stage,
            flags=list(reply.flags),
            thoughts=reply.thoughts,
            command=call.name,
            args=call.args,
        )
        return call

    async def _bind(self, name: str, args: Json) -> Call:
        """Validate a command in a thread: its risk may depend on files or on memory. Raises InvalidCommand."""
        return await off_loop(self.spec.registry.bind, name, args, agent=self.state.agent)

    async def _ask(self, room: int, told: Sequence[Recalled]) -> tuple[Answer, Usage]:
        """One answer of at most `room` tokens; a prompt that is too long is trimmed harder and sent again."""
        window, how = self.spec.prompter.settings.window, self.spec.answering
        for last in (False,) * (TRIES - 1) + (True,):
            messages = await self.prompt(window, told) if self.brain.reads_prompt else []
            try:
                return await self.model.think(messages, how.role, room, schema=how.schema, on_delta=how.on_delta)
            except ContextOverflow as error:
                if last:
                    raise
                window = int(min(error.limit or window, window) * TIGHTER)
                self._write("note", text=f"the prompt was too long for the model; trimmed to {window} tokens")
        raise AssertionError("the last try returns or raises")

    def _was_cut(self, answer: Answer) -> bool:
        if self.spec.answering.reader is not None:
            return False
        try:
            read(answer, registry=self.spec.registry)
        except UnreadableReply:
            return True
        return False

    async def _fix(self, prompt: str) -> Answer:
        """Stage four of the reader: one try by the fast model, counted like any other call."""
        messages = self.model.masked([Message("user", prompt)])
        room = self.spec.prompter.settings.reply_tokens * MORE_ROOM
        try:
            answer, usage = await self.model.think(messages, "fast", room, schema=self.spec.answering.schema)
        except BrainError as error:
            raise UnreadableReply(f"The answer could not be read, and the model to mend it failed: {error}") from None
        self.model.note("the answer was given to the fast model to mend", "fast", usage)
        return answer

    def _write(self, type: str, **fields: Any) -> None:
        self.run.journal.append(type, agent=self.state.agent, **fields)
