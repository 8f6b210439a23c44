"""Thinking: the prompt goes to the brain, its answer into the journal, and a command is read out of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from autocraft.agent.limits import Limits, check_affordable
from autocraft.agent.state import State
from autocraft.agent.threads import off_loop
from autocraft.agent.transcript import PromptSettings
from autocraft.brains.stream import MOST_CHARACTERS
from autocraft.commands.registry import Registry
from autocraft.errors import BrainError, ContextOverflow, InvalidCommand, MemoryFault, UnreadableReply
from autocraft.json_fix import read, read_or_fix
from autocraft.json_fix.reply import Reply
from autocraft.memory.plans import digest
from autocraft.memory.recall import Situation, Told, recall
from autocraft.protocols import Answer, Brain, Call, Delta, Json, Memory, Message, World
from autocraft.session import events
from autocraft.session.journal import Journal
from autocraft.usage import PICTURE_TOKENS, Price, Usage, estimate_tokens

TIGHTER = 0.6
"""What is left of the window after an endpoint called the prompt too long."""
MORE_ROOM = 4
"""How much more room an answer gets after one was cut inside an argument."""
TRIES = 3


class Prompter(Protocol):
    """Who writes the prompt: `transcript.Transcript`, or the dialogue of an evaluation."""

    settings: PromptSettings

    def messages(self, observation: str, memories: Sequence[str] = (), window: int = 0) -> list[Message]: ...


@dataclass
class Thinker:
    """One brain with what it needs to be asked. `prices` by role of the brain, None where nobody knows.

    `reader` reads answers that are no JSON; without it all stages of `json_fix` do.
    """

    brain: Brain
    transcript: Prompter
    world: World
    memory: Memory
    registry: Registry
    journal: Journal
    state: State
    limits: Limits
    on_delta: Callable[[Delta], None]
    prices: Mapping[str, Price | None]
    schema: Json | None = None
    reader: Callable[[Answer], Reply] | None = None
    role: str = "smart"
    also: tuple[tuple[Limits, State], ...] = ()
    """Further accounts that must be able to pay: a helper spends from the whole run's too."""
    _deaf: bool = False
    _recalled_for: tuple[str, ...] = ()

    async def think(self) -> None:
        """Ask the brain, with all that was heard until now, and write its answer down as a new turn.

        Raises BrainError, and LimitReached before a call that could break a limit.
        """
        heard, started = self.journal.seq, time.monotonic()
        told = await self.recall()
        answer, usage = await self._ask(self.transcript.settings.reply_tokens, told)
        endless = len(answer.text) + len(answer.reasoning) >= MOST_CHARACTERS
        if answer.finish_reason == "length" and not endless and self._was_cut(answer):
            room = self.transcript.settings.reply_tokens * MORE_ROOM
            self._note(
                f"the answer was cut inside an argument; asked again with room for {room} tokens", self.role, usage
            )
            self.on_delta(Delta("reset"))
            answer, usage = await self._ask(room, told)
        self.journal.turns[self.state.agent] = self.state.turns + 1
        said = events.Answer(
            agent=self.state.agent,
            text=answer.text,
            finish_reason=answer.finish_reason,
            reasoning=answer.reasoning,
            refusal=answer.refusal,
            tool_calls=list(answer.tool_calls),
            usage=usage,
            cost=self._cost(self.role, usage),
            seconds=round(time.monotonic() - started, 4),
            heard=heard,
            recalled=[each.event() for each in told],
        )
        self.journal.append(said)

    async def prompt(self, window: int = 0, told: Sequence[Told] | None = None) -> list[Message]:
        """Exactly what would be sent now."""
        observed = await self.world.observe()
        told = await self._near() if told is None else told
        messages = self._masked(self.transcript.messages(observed.text, [each.text for each in told], window))
        return [*messages[:-1], replace(messages[-1], images=observed.images)] if observed.images else messages

    async def recall(self) -> list[Told]:
        """What memory holds near the goals and the last result; a plan that fits is told to the person too.

        A brain that reads no prompt only asks for plans, so it is asked once for each goal. A memory that fails is
        noted once, and the run goes on without it.
        """
        goals = tuple(goal.text for goal in self.state.goals)
        if self._deaf or (not self.brain.reads_prompt and goals == self._recalled_for):
            return []
        if not self._recalled_for and self.memory.notice:
            self._tell(self.memory.notice)
        self._recalled_for = goals
        try:
            told = await self._near()
        except MemoryFault as error:
            self._deaf = True
            self._tell(f"{error}; the run goes on without what was remembered")
            return []
        plans = [each for each in told if each.steps]
        known = {each["id"] for each in self.state.recalled}
        if plans and plans[0].row.id not in known:
            text = f"memory holds a plan that worked for this goal: replay_plan id={plans[0].row.id}"
            rows = [each.event() for each in told]
            self.journal.append(events.Recalled(agent=self.state.agent, text=text, recalled=rows))
        return told

    async def _near(self) -> list[Told]:
        if self.memory.name == "none":
            return []
        last = self.state.turn.result
        goals = [goal.text for goal in self.state.goals]
        query = " ".join([*goals, last.text[:200] if last else ""])
        inventory = (await self.world.observe()).inventory
        start = digest(self.world.snapshot())
        situation = Situation(goals, self.world.name, inventory, start, self.state.tried)
        return await asyncio.to_thread(recall, self.memory, query, situation)

    async def read(self) -> Call | None:
        """The command in this turn's answer, validated; None when there is none, which the model is told."""
        event, recorded = self.state.turn.answer, self.state.turn.reply
        assert event is not None  # `think` comes first
        answer = event.answer
        try:
            if isinstance(recorded, events.InvalidReply):
                return None
            if recorded is not None:
                return await self._bind(recorded.command, recorded.args)
            if self.reader is not None:
                reply = self.reader(answer)
            else:
                reply = await read_or_fix(answer, registry=self.registry, fixer=self._fix)
            call = await self._bind(reply.name, reply.args)
        except (UnreadableReply, InvalidCommand) as error:
            flags = list(error.flags) if isinstance(error, UnreadableReply) else ["invalid command"]
            self.journal.append(events.InvalidReply(agent=self.state.agent, error=str(error), flags=flags))
            return None
        found = events.Reply(
            agent=self.state.agent,
            stage=reply.stage,
            flags=list(reply.flags),
            thoughts=reply.thoughts,
            command=call.name,
            args=call.args,
        )
        self.journal.append(found)
        return call

    async def _bind(self, name: str, args: Json) -> Call:
        """Validate a command in a thread: its risk may depend on files or on memory. Raises InvalidCommand."""
        return await off_loop(self.registry.bind, name, args, agent=self.state.agent)

    async def _ask(self, room: int, told: Sequence[Told]) -> tuple[Answer, Usage]:
        """One answer of at most `room` tokens; a prompt that is too long is trimmed harder and sent again."""
        window = self.transcript.settings.window
        for last in (False,) * (TRIES - 1) + (True,):
            messages = await self.prompt(window, told) if self.brain.reads_prompt else []
            self._check_budget(self.role, messages, room)
            try:
                answer = await self.brain.think(
                    messages, role=self.role, schema=self.schema, max_tokens=room, on_delta=self.on_delta
                )
            except ContextOverflow as error:
                if last:
                    raise
                window = int(min(error.limit or window, window) * TIGHTER)
                self._tell(f"the prompt was too long for the model; trimmed to {window} tokens")
                continue
            return answer, answer.usage or _estimated(messages, answer)
        raise AssertionError("the last try returns or raises")

    def _was_cut(self, answer: Answer) -> bool:
        if self.reader is not None:
            return False
        try:
            read(answer, registry=self.registry)
        except UnreadableReply:
            return True
        return False

    async def _fix(self, prompt: str) -> Answer:
        """Stage four of the reader: one try by the fast model, counted like any other call."""
        messages = self._masked([Message("user", prompt)])
        room = self.transcript.settings.reply_tokens * MORE_ROOM
        self._check_budget("fast", messages, room)
        try:
            answer = await self.brain.think(messages, role="fast", schema=self.schema, max_tokens=room)
        except BrainError as error:
            raise UnreadableReply(f"The answer could not be read, and the model to mend it failed: {error}") from None
        self._note(
            "the answer was given to the fast model to mend", "fast", answer.usage or _estimated(messages, answer)
        )
        return answer

    async def ask(self, prompt: str, role: str) -> str:
        """One question that a command puts to a model, counted like any other call. Raises what `think` raises."""
        messages = self._masked([Message("user", prompt)])
        room = self.transcript.settings.reply_tokens
        self._check_budget(role, messages, room)
        answer = await self.brain.think(messages, role=role, max_tokens=room)
        self._note("a command asked the model", role, answer.usage or _estimated(messages, answer))
        return answer.text

    def _check_budget(self, role: str, messages: Sequence[Message], room: int) -> None:
        if not self.brain.metered:
            return
        price = self.prices.get(role)
        sent = _sent(messages)
        cost = None if price is None else price.cost(Usage(sent, room))
        for limits, state in ((self.limits, self.state), *self.also):
            check_affordable(limits, state.spent, sent + room, cost)

    def _masked(self, messages: Sequence[Message]) -> list[Message]:
        """Whatever they were made of, memory of older runs too, no secret leaves this machine in them."""
        return [replace(each, content=self.journal.mask.text(each.content)) for each in messages]

    def _note(self, text: str, role: str, usage: Usage) -> None:
        """A call that is no turn of its own, with what it used."""
        cost = self._cost(role, usage)
        self.journal.append(events.Expense(agent=self.state.agent, text=text, usage=usage, cost=cost))

    def _tell(self, text: str) -> None:
        self.journal.append(events.Note(agent=self.state.agent, text=text))

    def _cost(self, role: str, usage: Usage) -> float | None:
        price = self.prices.get(role)
        return None if price is None else price.cost(usage)


def _sent(messages: Sequence[Message]) -> int:
    return sum(estimate_tokens(each.content) + 4 + PICTURE_TOKENS * len(each.images) for each in messages)


def _estimated(messages: Sequence[Message], answer: Answer) -> Usage:
    """Tokens of a call whose endpoint reported none."""
    return Usage(_sent(messages), estimate_tokens(answer.text), estimated=True)
