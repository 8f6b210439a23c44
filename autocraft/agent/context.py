"""The context of a run: what everything in it shares."""

from __future__ import annotations

import contextlib
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from autocraft.agent.account import Account, Model, PricedBrain
from autocraft.agent.clock import Clock
from autocraft.agent.executor import Executor
from autocraft.agent.helper_states import Helpers
from autocraft.agent.options import RunOptions
from autocraft.agent.policy import Policy
from autocraft.agent.state import State
from autocraft.commands.registry import Registry
from autocraft.errors import SessionError
from autocraft.protocols import Approver, Call, LiveWorld, Memory, Result, World
from autocraft.session.journal import Journal
from autocraft.text.prompts import Ask


@dataclass(eq=False)
class RunContext:
    """The shared parts of one run. Calls that its registry binds belong to it.

    `approver` is set once, before the first turn.
    """

    journal: Journal
    world: World
    memory: Memory
    priced: PricedBrain
    options: RunOptions
    state: State
    """The main agent's."""
    registry: Registry
    policy: Policy
    approver: Approver = field(init=False)
    helpers: Helpers = field(init=False)
    executor: Executor = field(init=False)
    clock: Clock = field(init=False, default_factory=Clock)
    exits: AsyncExitStack = field(init=False, default_factory=AsyncExitStack)
    """Closes everything that was opened for the run, the last first."""
    ended: Exception | None = field(init=False, default=None)
    """How the person ended the whole run at a question."""

    def __post_init__(self) -> None:
        self.registry.run = self
        self.helpers = Helpers(self.journal, self.registry, self.options.prompt)
        self.executor = Executor(self)

    @property
    def session(self) -> str:
        """Return the id of the session."""
        return self.journal.folder.name

    @property
    def account(self) -> Account:
        """Return the account of the whole run."""
        return Account(self.options.limits, self.state, self.journal)

    @property
    def ask(self) -> Ask | None:
        """Return what puts a command's question to the model; None where there is no model to ask."""
        return self._ask if self.priced.brain.asks_model else None

    async def _ask(self, prompt: str, role: str) -> str:
        return await Model(self.priced, [self.account]).ask(prompt, role, self.options.prompt.reply_tokens)

    async def execute(self, call: Call) -> Result:
        """Carry out an approved call between its intent and its result. Raises what `Executor.execute` raises."""
        return await self.executor.execute(call)

    async def enter(self) -> list[str]:
        """Join a world that one has to join; return what the person should know.

        What happens there by itself is journaled. What a player says whom the person named is their feedback, but
        never consent.
        """
        if not isinstance(self.world, LiveWorld):
            return []
        self.world.note, self.world.hear = self._note, self._hear
        return await self.world.open()

    # where the journal cannot be written, its next event of a turn ends the run; the world's own reader must go on

    def _note(self, text: str) -> None:
        with contextlib.suppress(SessionError):
            self.journal.append("note", text=text)

    def _hear(self, who: str, text: str) -> None:
        with contextlib.suppress(SessionError):
            self.journal.append("feedback", text=text, by=who)
