"""A brain: what it is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, Protocol

from autocraft.protocols.values import Json
from autocraft.usage import Usage


class Image(NamedTuple):
    """A picture of the world. `alt` describes it in words, for brains that cannot see."""

    data: bytes
    kind: str = "image/png"
    alt: str = ""


class Message(NamedTuple):
    """One message to a model. Only the system prompt has the role ``system``."""

    role: Literal["system", "user", "assistant"]
    content: str
    images: tuple[Image, ...] = ()


class Answer(NamedTuple):
    """The answer of a brain, before a command is read in it."""

    text: str
    finish_reason: str = "stop"
    usage: Usage | None = None
    reasoning: str = ""
    refusal: str = ""
    tool_calls: tuple[Json, ...] = ()

    @property
    def without_room(self) -> bool:
        """Return whether its tokens ended before its text began, so that all of them went into reasoning."""
        return self.finish_reason == "length" and not (self.text.strip() or self.refusal or self.tool_calls)


class Delta(NamedTuple):
    """A piece of an incoming answer, or what the brain waits for.

    ``text`` and ``reasoning`` are pieces to be joined. ``wait`` is a whole sentence that replaces the last one.
    ``reset`` means that the answer begins anew, so what was shown of it is void.
    """

    kind: Literal["text", "reasoning", "wait", "reset"]
    text: str = ""


class Brain(Protocol):
    """Answers prompts. `name` is only for display: no code decides by it. A subclass sets it and defines `think`."""

    name: str
    reads_prompt: bool = True
    """Whether it gets a prompt."""
    metered: bool = False
    """Whether it uses tokens, so that limits are checked before a call."""
    asks_model: bool = False
    """Whether it can answer questions and pursue goals in any words. Otherwise goals must name items."""

    async def think(
        self,
        messages: Sequence[Message],
        *,
        role: str = "smart",
        schema: Json | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
        on_delta: Callable[[Delta], None] | None = None,
    ) -> Answer:
        """Return one answer of at most `max_tokens`. It may be cancelled at any moment.

        `role` (smart, fast, action …) picks the model and its settings, of which `temperature` replaces one. The answer
        should obey the JSON schema `schema`. Raises BrainError, or ContextOverflow for too long a prompt. An exception
        may have `usage`: what was used of answers that never came whole."""

    async def close(self) -> None:
        """Release what it holds."""
        return
