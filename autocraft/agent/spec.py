"""The parts that differ between the agents of a run: state, commands, memory and prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from autocraft.agent.limits import Limits
from autocraft.agent.state import State
from autocraft.agent.transcript import PromptSettings
from autocraft.commands.registry import Registry
from autocraft.errors import Spell
from autocraft.frozen import frozen
from autocraft.json_fix.reply import Reply
from autocraft.protocols import Answer, Delta, Json, Memory, Message, Observation
from autocraft.session.events import Event
from autocraft.worlds.advice import spell_json


class Prompter(Protocol):
    """Writes the prompt: a `Transcript`, or the dialogue of an evaluation."""

    settings: PromptSettings

    def messages(self, observation: str, memories: Sequence[str] = (), window: int = 0) -> list[Message]: ...

    def apply(self, event: Event) -> None: ...


@frozen
class AgentSpec:
    """The parts of one agent: its state, limits, commands, prompt, memory, and how it is asked.

    `role` picks the model. An answer should obey `schema`. `reader` reads answers that are not JSON, in place of
    `json_fix`. `on_delta` gets pieces of an answer. If `varied`, change the temperature after the agent
    repeats a cycle of commands.
    """

    state: State
    limits: Limits
    registry: Registry
    prompter: Prompter
    memory: Memory
    role: str = "smart"
    schema: Json | None = None
    reader: Callable[[Answer], Reply] | None = None
    on_delta: Callable[[Delta], None] | None = None
    varied: bool = True
    free: tuple[str, ...] = ()  # commands that run without a decision
    observation: Observation | None = None  # what it sees in place of the world
    spell: Spell = spell_json  # writes the command that the planner advises


class Rules(Protocol):
    """Ends a helper, an episode or a learning run, in place of the rules of a run."""

    async def check(self, state: State) -> None:
        """Raise RunEnded or LimitReached if the agent is done. Called before every turn; it may prepare the turn."""
        ...
