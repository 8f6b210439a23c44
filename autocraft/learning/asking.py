"""Asks the brain the questions of learning. Each kind of question has a separate role."""

from __future__ import annotations

from dataclasses import dataclass

from autocraft.agent.account import MeteredBrain
from autocraft.protocols import Message
from autocraft.text.prompts import render

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

    async def ask(self, role: str, template: str, text: str) -> str:
        """Return the answer to `text` in a role, after the prompt `template`. Raises BrainError and LimitReached."""
        reads = self.model.priced.brain.reads_prompt
        messages = [Message("system", render(template)), Message("user", text)] if reads else []
        answer = await self.model.ask(messages, role, REPLY_TOKENS, f"the model was asked as {role}")
        return without_thoughts(answer.text)


def without_thoughts(text: str) -> str:
    """Return an answer without the thinking before it."""
    return text.rpartition("</think>")[2].strip()
