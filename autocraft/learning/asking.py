"""Asks the brain the questions of learning. Each kind of question has a separate role."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from autocraft.agent.account import MORE_ROOM, MeteredBrain, way_to_more_room
from autocraft.agent.ending import RunEnded
from autocraft.protocols import Message
from autocraft.text.prompts import Data, Prompt, render

T = TypeVar("T")
REPLY_TOKENS = 2_000
"""The most tokens of an answer, where its role has no setting for them."""
TRIES = 5
"""The most answers to a question on which the run depends, as in Voyager."""
FEW_TRIES = 2
"""The most answers to a question without whose answer the run goes on."""
_AGAIN = Prompt("{}\n\nYour last answer cannot be used:\n{}\nAnswer again, in the form that is asked for.")


class Unusable(Exception):
    """Raised by the reader of an answer that cannot be used. Its text tells the model why."""


class NoRoom(RunEnded):
    """Raised if an answer is cut off also with more room. It ends the run, and no task is at fault."""

    def __init__(self, role: str) -> None:
        super().__init__("limit", f"the answers as {role} were cut off. {way_to_more_room(role)}")


@dataclass(frozen=True)
class Adviser:
    """A brain that answers questions about tasks, programs and skills. Every call is counted and journaled."""

    model: MeteredBrain

    @property
    def asks_model(self) -> bool:
        """Return whether the brain can answer in words. Otherwise only tasks and programs are asked for."""
        return self.model.priced.brain.asks_model

    async def ask(
        self,
        role: str,
        template: str,
        read: Callable[[str], Awaitable[T]],
        values: Mapping[str, Prompt],
        tries: int = TRIES,
    ) -> T:
        """Ask in a role until `read` can use the answer, at most `tries` times. Return what it makes of the answer.

        `template` has two messages. Each further prompt ends with what was wrong with the answer before; an answer
        that was cut off is asked for once more with more room instead. Raises Unusable with the last reason, NoRoom,
        BrainError and LimitReached.
        """
        fault, more, done = "", 1, 0
        while True:
            messages = _both(template, values, fault) if self.model.priced.brain.reads_prompt else []
            why = f"the model was asked as {role}"
            answer = await self.model.ask_once(messages, role, REPLY_TOKENS, why, more)
            try:
                return await read(without_thoughts(answer.text))
            except Unusable as error:
                fault = f"The model refused: {answer.refusal}" if answer.refusal else str(error)
            if answer.finish_reason == "length":
                if more > 1:
                    raise NoRoom(role)
                fault, more = "", MORE_ROOM
                continue
            done += 1
            if done >= tries:
                raise Unusable(fault)


def _both(template: str, values: Mapping[str, object], fault: str = "") -> list[Message]:
    """Return the two messages of a template. Only its block `user` gets values. `fault` is what was wrong before."""
    user = render(template, "user", **values)
    return [
        Message("system", render(template, "system")),
        Message("user", _AGAIN.format(user, Data("error", fault)) if fault else user),
    ]


def without_thoughts(text: str) -> str:
    """Return an answer without the thinking before it."""
    return text.rpartition("</think>")[2].strip()
