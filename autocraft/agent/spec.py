"""What tells one agent of a run from another: its own state, commands and senses, and how it answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from autocraft.agent.limits import Limits
from autocraft.agent.state import State
from autocraft.agent.transcript import PromptSettings
from autocraft.commands.registry import Registry
from autocraft.json_fix.reply import Reply
from autocraft.protocols import Answer, Delta, Json, Memory, Message, World


class Prompter(Protocol):
    """Who writes the prompt: a `Transcript`, or the dialogue of an evaluation."""

    settings: PromptSettings

    def messages(self, observation: str, memories: Sequence[str] = (), window: int = 0) -> list[Message]: ...

    def apply(self, event: Json) -> None: ...


def _unseen(delta: Delta) -> None:
    """Show nothing of an answer while it comes."""


@dataclass(frozen=True)
class Answering:
    """How an agent is asked, and how its answers are read.

    `role` picks the model; `schema` is what an answer should obey; `reader` reads answers that are no JSON, which
    without it all stages of `json_fix` do; `on_delta` gets an answer while it comes.
    """

    role: str = "smart"
    schema: Json | None = None
    reader: Callable[[Answer], Reply] | None = None
    on_delta: Callable[[Delta], None] = _unseen


@dataclass
class AgentSpec:
    """What one agent has of its own: whose turns it counts, what it may call, sees, is told, and how it answers."""

    state: State
    limits: Limits
    registry: Registry
    prompter: Prompter
    world: World
    memory: Memory
    answering: Answering = Answering()
    free: tuple[str, ...] = ()
    """Commands that nobody decides about."""


class Rules(Protocol):
    """What ends a helper or an episode, instead of what ends a run."""

    def check(self, state: State) -> None:
        """Raise RunEnded where it is over; called once before every turn."""
        ...
