"""Thinking: send the prompt to the brain, journal its answer, and read a command out of it."""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol, runtime_checkable

from autocraft.agent.account import MORE_ROOM, MeteredBrain, no_room
from autocraft.agent.context import RunContext
from autocraft.agent.open_memory import feedback_rows
from autocraft.agent.spec import AgentSpec
from autocraft.agent.state import State
from autocraft.agent.threads import run_in_thread
from autocraft.agent.transcript import MOST_WINDOW, USUAL_WINDOW
from autocraft.brains.stream import MOST_CHARACTERS
from autocraft.errors import AutocraftError, BrainError, ContextOverflow, InvalidCommand, MemoryFault, UnreadableReply
from autocraft.json_fix import Reply, read, read_or_fix
from autocraft.json_fix.llm_fix import judge_question, says_yes
from autocraft.json_fix.reply import unreadable
from autocraft.memory.plans import digest
from autocraft.memory.recall import MemoryHit, Situation, recall
from autocraft.protocols import Answer, Brain, Call, Delta, Json, Message, peek
from autocraft.session import events
from autocraft.text.phrases import count
from autocraft.text.prompts import Prompt, data_of
from autocraft.usage import Usage
from autocraft.worlds.advice import AdvisingWorld, advise

_TOO_SMALL = (
    "the fixed part of the prompt takes about {:,} tokens, and the window of the model is {:,}: {}, or tell it fewer "
    "commands with --commands world"
)
TIGHTER = 0.6
"""The share of the window that is used after an endpoint called the prompt too long."""
TRIES = 3
REPEATED = "The last command was tried {} with the same result, and changed nothing: do something else."
USUAL, WARMER, HOTTEST = 0.7, 0.4, 1.5
"""The temperature of a model that has none set, what each round of a cycle adds to it, and the highest."""


@runtime_checkable
class HasWindow(Protocol):
    """A brain that knows what its models can take in."""

    async def window(self, role: str) -> int:
        """Return the tokens that the model of a role can take in, 0 if that is unknown."""
        ...


class Thinker:
    """Asks the brain for the answers of one agent, and reads its commands."""

    def __init__(self, run: RunContext, spec: AgentSpec) -> None:
        self.run = run
        self.spec = spec
        self.model = MeteredBrain(run.priced, run.accounts(spec.state.agent))
        self._told_window = 0
        self._checked_window = 0
        """The window of the model that holds the fixed part of the prompt for certain."""
        self._advised = ""
        """What ended the text of the world in the newest prompt."""
        self._memory_failed = False
        self._recalled_for: tuple[str, ...] = ()
        self._answered, self._sources = "", list[str]()
        """The text of the last answer, and the data of the prompt that it answered."""

    @property
    def state(self) -> State:
        return self.spec.state

    @property
    def brain(self) -> Brain:
        return self.run.priced.brain

    @property
    def room(self) -> int:
        """Return the most tokens of an answer."""
        return self.model.priced.of(self.spec.role).reply_tokens or self.spec.prompter.settings.reply_tokens

    async def think(self) -> None:
        """Ask the brain, with all feedback until now, and journal its answer as a new turn.

        Raises BrainError, and LimitReached before a call that could break a limit.
        """
        last_seq, start = self.run.journal.seq, time.monotonic()
        memories = await self.recall()
        await self._remember_feedback()
        role = self.spec.role
        answer, usage = await self._ask(self.room, memories)
        endless = len(answer.text) + len(answer.reasoning) >= MOST_CHARACTERS
        if answer.finish_reason == "length" and not endless and self._was_cut(answer):
            room = self.room * MORE_ROOM
            text = f"the answer was cut off and could not be read; asked again with room for {room} tokens"
            self.model.note(text, role, usage)
            if show := self.spec.on_delta:
                show(Delta("reset"))
            answer, usage = await self._ask(room, memories)
        self.run.journal.turns[self.state.agent] = self.state.turns + 1
        event = events.Answer(
            agent=self.state.agent,
            text=answer.text,
            finish_reason=answer.finish_reason,
            reasoning=answer.reasoning,
            refusal=answer.refusal,
            tool_calls=list(answer.tool_calls),
            usage=usage,
            role=role,
            cost=self.model.priced.cost(role, usage),
            seconds=round(time.monotonic() - start, 4),
            heard=last_seq,
            recalled=[row.event() for row in memories],
        )
        self.run.journal.append(event)

    async def prompt(
        self, window: int = 0, recalled: Sequence[MemoryHit] | None = None, *, sent: bool = True
    ) -> list[Message]:
        """Return exactly the messages that would be sent now. If they are not `sent`, the world keeps its news."""
        look = self.run.world.observe if sent else partial(peek, self.run.world)
        observation = self.spec.observation or await look()
        memories = [row.text for row in (await self._near() if recalled is None else recalled)]
        settings = self.spec.prompter.settings
        self._advised = await self._advice()
        text = "\n".join(filter(None, [observation.text, self._advised]))
        window = (window or settings.window or USUAL_WINDOW) - (self.room - settings.reply_tokens)
        window = max(1, window - self.model.priced.sent_tokens([], self.spec.schema))
        messages = self.model.mask_all(self.spec.prompter.messages(text, memories, window))
        return [*messages[:-1], messages[-1]._replace(images=observation.images)] if observation.images else messages

    def _data_in(self, messages: Sequence[Message]) -> list[str]:
        """Return the texts that the messages show as data, without the lines that autocraft's own planner wrote."""
        texts, world = data_of(messages), self.run.world
        for line in filter(None, [self._advised, *(world.advised if isinstance(world, AdvisingWorld) else ())]):
            texts = [text.replace(line, "") for text in texts]
        return texts

    async def _advice(self) -> str:
        """Return what ends the text of the world: a repetition, and the planner's next command."""
        spec, state = self.spec, self.state
        if not spec.prompter.settings.advice or spec.observation is not None:
            return ""
        again = REPEATED.format(count(state.repeated, "time")) if state.repeated > 1 else ""
        names, words = spec.registry.names(), state.has_feedback
        line = await advise(self.run.world, state.goals, names, spec.spell, feedback=words)
        return "\n".join(filter(None, [again, line]))

    async def recall(self) -> list[MemoryHit]:
        """Return the rows of memory that are near the goals and the last result. Journal a plan that fits.

        A brain that reads no prompt only needs plans, so memory is asked once for the same goals. If memory fails,
        the failure is noted once, and the run goes on without it.
        """
        goals = tuple(goal.text for goal in self.state.goals)
        if self._memory_failed or (not self.brain.reads_prompt and goals == self._recalled_for):
            return []
        if not self._recalled_for and self.spec.memory.notice:
            self._note(self.spec.memory.notice)
        self._recalled_for = goals
        try:
            memories = await self._near()
        except MemoryFault as error:
            self._memory_failed = True
            self._note(f"{error}; the run goes on without memory")
            return []
        plans = [row for row in memories if row.steps]
        earlier = {row.id for row in self.state.recalled}
        if plans and plans[0].row.id not in earlier:
            text = f"memory holds a plan that worked for this goal: replay_plan id={plans[0].row.id}"
            rows = [row.event() for row in memories]
            self.run.journal.append(events.Recalled(agent=self.state.agent, text=text, recalled=rows))
        return memories

    async def _remember_feedback(self) -> None:
        """Store what the person typed since the last answer. A row that a killed run stored is not stored again."""
        rows = feedback_rows(self.state, self.run.session, self.run.world.name, self.run.journal.mask)
        if not rows or self._memory_failed or not self.spec.memory.remembers:
            return
        try:
            await asyncio.to_thread(self.spec.memory.add_many, rows)
        except MemoryFault as error:
            self._memory_failed = True
            self._note(f"{error}; the feedback is not remembered for later runs")

    async def _near(self) -> list[MemoryHit]:
        if not self.spec.memory.remembers:
            return []
        last = self.state.turn.result
        query = " ".join([*(goal.text for goal in self.state.goals), last.text[:200] if last else ""])
        inventory = (await peek(self.run.world)).inventory
        start = digest(self.run.world.snapshot())
        told = self.run.session if self.state.agent == "main" else ""
        situation = Situation(self.state.goal_text, self.run.world.name, inventory, start, self.state.tried, told)
        return await asyncio.to_thread(recall, self.spec.memory, query, situation)

    async def read(self) -> Call | None:
        """Parse and validate this turn's answer.

        Return None if it holds no usable command; the error is journaled, so the model sees it next turn.
        """
        turn = self.state.turn
        assert turn.answer is not None  # `think` comes first
        answer = turn.answer.answer
        try:
            if turn.invalid is not None:
                return None
            if turn.reply is not None:
                call = await self._bind(turn.reply.command, turn.reply.args)
                return replace(call, doubt=turn.reply.doubt)
            reply = await self._reply(answer)
            call = await self._bind(reply.name, reply.args)
        except (UnreadableReply, InvalidCommand) as error:
            flags = list(error.flags) if isinstance(error, UnreadableReply) else ["invalid command"]
            if answer.without_room:
                error.args, flags = (no_room(self.spec.role),), ["no room"]
            self.run.journal.append(events.InvalidReply(agent=self.state.agent, error=str(error), flags=flags))
            return None
        read_reply = events.Reply(
            agent=self.state.agent,
            stage=reply.stage,
            flags=list(reply.flags),
            thoughts=reply.thoughts,
            command=call.name,
            args=call.args,
            doubt=reply.doubt,
        )
        self.run.journal.append(read_reply)
        return replace(call, doubt=reply.doubt)

    async def _reply(self, answer: Answer) -> Reply:
        """Read an answer. Raises UnreadableReply, also for a bug of the reader: each resume would meet it again."""
        try:
            if self.spec.reader is not None:
                return self.spec.reader(answer)
            return await read_or_fix(
                answer, registry=self.spec.registry, fixer=self._fix, sources=await self._shown(answer)
            )
        except (AutocraftError, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - a bug must not stop the run for good
            self.run.journal.append(events.Note(text="a fault of autocraft's reader", trace=traceback.format_exc()))
            raise unreadable("unreadable", type(error).__name__) from None

    async def _shown(self, answer: Answer) -> list[str]:
        """Return the data of the prompt that was answered. After a resume, it is that of the prompt as it is now."""
        if answer.text == self._answered:
            return self._sources
        return self._data_in(await self.prompt(sent=False)) if self.brain.reads_prompt else []

    async def judge(self, call: Call) -> bool:
        """Ask the fast model whether this turn's answer means its command: one counted call, answered by yes or no.

        Raises UnreadableReply if no model can be asked.
        """
        answer = self.state.turn.answer
        if answer is None or not self.brain.asks_model:
            raise unreadable("words")
        prompt = judge_question(answer.text, call.name, call.args)
        why = "a model was asked whether the answer means its command"
        try:
            verdict = await self.model.ask([Message("user", prompt)], "fast", self.room, why)
        except BrainError as error:
            raise UnreadableReply(
                f"words stand beside it, and the model that should judge them failed: {error}"
            ) from None
        return says_yes(verdict.text)

    async def _bind(self, name: str, args: Json) -> Call:
        """Validate a command in a thread, since its risk may depend on files or memory. Raises InvalidCommand."""
        return await run_in_thread(self.spec.registry.bind, name, args, agent=self.state.agent)

    async def _ask(self, room: int, memories: Sequence[MemoryHit]) -> tuple[Answer, Usage]:
        """Return an answer of at most `room` tokens and its usage. Trim a prompt that is too long and send it again."""
        window, how = await self._window(), self.spec
        for last in (False,) * (TRIES - 1) + (True,):
            messages = await self.prompt(window, memories) if self.brain.reads_prompt else []
            try:
                answer, usage = await self.model.think(
                    messages, how.role, room, schema=how.schema, temperature=self._temperature, on_delta=how.on_delta
                )
                self._answered, self._sources = answer.text, self._data_in(messages)
                return answer, usage
            except ContextOverflow as error:
                if error.limit is not None and (least := await self._least()) > error.limit:
                    raise BrainError(_TOO_SMALL.format(least, error.limit, self._widen)) from None
                if last:
                    raise
                window = self._told_window = int(min(error.limit or window, window) * TIGHTER)
                self._note(f"the prompt was too long for the model; trimmed to {window} tokens")
        raise AssertionError("the last try returns or raises")

    async def _window(self) -> int:
        """Return the tokens that a prompt and its answer may have: those that are set, or that the model takes in."""
        if self.spec.prompter.settings.window:
            return self.spec.prompter.settings.window
        window = await self.brain.window(self.spec.role) if isinstance(self.brain, HasWindow) else 0
        if not window and not self.state.turns:  # the first model on offer is known after the first answer
            return self._told_window or USUAL_WINDOW
        known = min(window or USUAL_WINDOW, MOST_WINDOW)
        self._told_window = min(self._told_window or known, known)
        if window not in (0, self._checked_window):
            if (least := await self._least()) > window:
                raise BrainError(_TOO_SMALL.format(least, window, self._widen))
            self._checked_window = window
        return self._told_window

    async def _least(self) -> int:
        """Return the tokens of the shortest prompt, which has no history and no memories."""
        return self.model.priced.sent_tokens(await self.prompt(1, [], sent=False), self.spec.schema)

    @property
    def _widen(self) -> str:
        """Return what gives the model a larger window."""
        how = getattr(self.brain, "widen", "")
        return f"start the server with a larger one ({how})" if how else "choose a model with a larger one"

    @property
    def _temperature(self) -> float | None:
        """Return another randomness than that of the role after a cycle, more with each round. Else return None."""
        rounds = self.state.cycles.loose.rounds if self.spec.varied else 0
        if not rounds:
            return None
        usual = self.model.priced.of(self.spec.role).temperature
        return min(HOTTEST, (USUAL if usual is None else usual) + WARMER * (rounds - 1))

    def _was_cut(self, answer: Answer) -> bool:
        try:
            if self.spec.reader is not None:
                self.spec.reader(answer)
            else:
                read(answer, registry=self.spec.registry)
        except UnreadableReply:
            return True
        return False

    async def _fix(self, prompt: Prompt) -> Answer:
        """Mend an answer as stage four of the reader: one counted call to the fast model. Raises UnreadableReply.

        No schema is sent, since it would force a command where the prompt asks for null.
        """
        why = "the answer was given to the fast model to repair"
        try:
            return await self.model.ask([Message("user", prompt)], "fast", self.room * MORE_ROOM, why)
        except BrainError as error:
            raise UnreadableReply(
                f"The answer could not be read, and the model that should repair it failed: {error}"
            ) from None

    def _note(self, text: str) -> None:
        self.run.journal.append(events.Note(agent=self.state.agent, text=text))
