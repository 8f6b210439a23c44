"""Thinking: the prompt goes to the brain, its answer into the journal, and a command is read out of it.

Neighbours: `transcript.py` writes the prompt, `brains/` answer, `json_fix/` reads, `commands/registry.py` validates.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from autocraft.commands.registry import Registry
from autocraft.errors import BrainError, InvalidCommand, UnreadableReply
from autocraft.journal import Journal
from autocraft.json_fix import read_or_fix
from autocraft.protocols import Answer, Brain, Call, Delta, Memory, Message, World
from autocraft.state import State
from autocraft.transcript import Transcript
from autocraft.usage import Price, Usage, estimate_tokens

RECOLLECTIONS = 5
"""Rows of memory that a prompt may hold."""


@dataclass
class Thinker:
    """One brain with what it needs to be asked."""

    brain: Brain
    transcript: Transcript
    world: World
    memory: Memory
    registry: Registry
    journal: Journal
    state: State
    on_delta: Callable[[Delta], None]
    prices: Mapping[str, Price | None]
    """By role of the brain; None where nobody knows."""

    async def think(self) -> None:
        """Ask the brain, with all that was heard until now, and write its answer down as a new turn."""
        heard, started = self.journal.seq, time.monotonic()
        observed = await self.world.observe()
        messages = self.transcript.messages(observed.text, await self.recall())
        answer = await self.brain.think(messages, on_delta=self.on_delta)
        usage = answer.usage or _estimated(messages, answer)
        self.journal.turn = self.state.turns + 1
        self.journal.append(
            "answer",
            text=answer.text,
            finish_reason=answer.finish_reason,
            reasoning=answer.reasoning,
            refusal=answer.refusal,
            tool_calls=list(answer.tool_calls),
            usage=[usage.prompt_tokens, usage.completion_tokens, usage.estimated],
            cost=self._cost("smart", usage),
            seconds=round(time.monotonic() - started, 4),
            heard=heard,
        )

    async def recall(self) -> list[str]:
        """What memory holds near the goals and the last result."""
        last = self.state.turn.result
        query = " ".join([*(goal.text for goal in self.state.goals), last["text"][:200] if last else ""])
        rows = await asyncio.to_thread(self.memory.get_relevant, query, RECOLLECTIONS)
        return [row.text[:500] for row in rows]

    async def read(self) -> Call | None:
        """The command in this turn's answer, validated; None when there is none, which the model is told."""
        recorded = self.state.turn.reply
        if recorded is not None:
            return self.registry.bind(recorded["command"], recorded["args"]) if recorded["ok"] else None
        event = self.state.turn.answer or {}
        answer = Answer(event["text"], event["finish_reason"], None, event["reasoning"], event["refusal"])
        try:
            reply = await read_or_fix(answer, registry=self.registry, fixer=self._fix)
            call = self.registry.bind(reply.name, reply.args)
        except (UnreadableReply, InvalidCommand) as error:
            flags = list(error.flags) if isinstance(error, UnreadableReply) else ["invalid command"]
            self.journal.append("reply", ok=False, error=str(error), flags=flags)
            return None
        self.journal.append(
            "reply",
            ok=True,
            stage=reply.stage,
            flags=list(reply.flags),
            thoughts=reply.thoughts,
            command=call.name,
            args=call.args,
        )
        return call

    async def _fix(self, prompt: str) -> Answer:
        """Stage four of the reader: one try by the fast model, counted like any other call."""
        try:
            answer = await self.brain.think([Message("user", prompt)], role="fast")
        except BrainError as error:
            raise UnreadableReply(f"The answer could not be read, and the model to mend it failed: {error}") from None
        usage = answer.usage or _estimated([Message("user", prompt)], answer)
        self.journal.append(
            "note",
            text="the answer was given to the fast model to mend",
            usage=[usage.prompt_tokens, usage.completion_tokens, usage.estimated],
            cost=self._cost("fast", usage),
        )
        return answer

    def _cost(self, role: str, usage: Usage) -> float | None:
        price = self.prices.get(role)
        return None if price is None else price.cost(usage)


def _estimated(messages: list[Message], answer: Answer) -> Usage:
    """Tokens of a call whose endpoint reported none."""
    sent = sum(estimate_tokens(message.content) + 4 for message in messages)
    return Usage(sent, estimate_tokens(answer.text), estimated=True)
