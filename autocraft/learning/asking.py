"""Asks the brain the questions of learning. Each kind of question has a separate role."""

from __future__ import annotations

from dataclasses import dataclass

from autocraft.agent.account import MeteredBrain
from autocraft.protocols import Message
from autocraft.text.prompts import Prompt, render

REPLY_TOKENS = 2_000
"""The most tokens of an answer, where its role has no setting for them."""


@dataclass(frozen=True)
class Adviser:
    """A brain that answers questions about tasks, programs and skills. Every call is counted and journaled."""

    model: MeteredBrain

    @property
    def asks_model(self) -> bool:
        """Return whether the brain can answer in words. Otherwise only tasks and programs are asked for."""
        return self.model.priced.brain.asks_model

    async def ask(self, role: str, template: str, **values: Prompt) -> str:
        """Return the answer to a template of two messages in a role. Raises BrainError and LimitReached."""
        reads = self.model.priced.brain.reads_prompt
        messages = both(template, **values) if reads else []
        answer = await self.model.ask(messages, role, REPLY_TOKENS, f"the model was asked as {role}")
        return without_thoughts(answer.text)


def both(template: str, **values: object) -> list[Message]:
    """Return the two messages of a template. Only its block `user` gets values."""
    return [Message("system", render(template, "system")), Message("user", render(template, "user", **values))]


def without_thoughts(text: str) -> str:
    """Return an answer without the thinking before it."""
    return text.rpartition("</think>")[2].strip()
