"""The context of a run: the parts that everything in it shares."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import InitVar, dataclass, field
from functools import partial

from autocraft.agent.account import Account, MeteredBrain, ModelCall
from autocraft.agent.clock import Clock
from autocraft.agent.executor import Executor
from autocraft.agent.helper_states import Helpers
from autocraft.agent.options import RunOptions
from autocraft.agent.policy import Policy
from autocraft.agent.state import State
from autocraft.brains.priced import PricedBrain
from autocraft.commands.registry import Registry
from autocraft.commands.workspace import Workspace
from autocraft.errors import SessionError
from autocraft.protocols import Approver, LiveWorld, Memory, Message, World
from autocraft.session.events import Event, Feedback
from autocraft.session.journal import Journal
from autocraft.text.prompts import Ask, Prompt


@dataclass(eq=False)
class RunContext:
    """The shared parts of one run. The calls that its registry binds carry it.

    `make_approver` returns who decides about calls. It gets the run, which a person at a terminal looks into.
    """

    journal: Journal
    world: World
    memory: Memory
    priced: PricedBrain
    options: RunOptions
    state: State
    """The state of the main agent."""
    registry: Registry
    policy: Policy
    make_approver: InitVar[Callable[[RunContext], Approver]]
    workspace: Workspace | None = None
    """The folder of the file commands, which the end event has a hash of."""
    notices: Sequence[str] = ()
    """Lines for the person that came up while the parts were opened."""
    first: RunContext | None = None
    """The context of the first bot of a run with several. None for the first one itself."""
    approver: Approver = field(init=False)
    helpers: Helpers = field(init=False)
    executor: Executor = field(init=False)
    clock: Clock = field(init=False)
    """That of all bots of the run: all of them stand while the person is asked."""
    exits: AsyncExitStack = field(init=False, default_factory=AsyncExitStack)
    """Closes everything that the run opened, in reverse order."""
    calls: list[ModelCall] = field(init=False, default_factory=list)
    """The calls of models that run or wait, and the purchases being made, by all agents of all bots of the run."""
    stop_cause: Exception | None = field(init=False, default=None)
    """Why the run ended, if the person ended it at a question."""

    def __post_init__(self, make_approver: Callable[[RunContext], Approver]) -> None:
        self.registry.run = self
        self.clock = self.first.clock if self.first else Clock()
        self.helpers = Helpers(self.journal, self.registry, self.options.prompt)
        self.executor = Executor(self)
        self.approver = make_approver(self)
        self.journal.listeners.append(self._stop_by_words)

    @property
    def session(self) -> str:
        """Return the id of the session."""
        return self.journal.folder.name

    @property
    def looks_freely(self) -> bool:
        """Return whether commands that only look run without a question: by /mode, else by --auto-look."""
        return self.options.gate.auto_look if self.state.looks is None else self.state.looks

    def state_of(self, agent: str) -> State:
        """Return the state of a helper, or of the main agent for any other name."""
        return getattr(self.helpers.live.get(agent), "state", self.state)

    def accounts(self, agent: str) -> list[Account]:
        """Return the accounts from which an agent pays: a helper's own, that of its bot, and that of the whole run."""
        helper = self.helpers.live.get(agent)
        own = [] if helper is None else [Account(helper.limits, helper.state, self.journal)]
        if self.first is not None:
            return [*own, Account(self.options.limits, self.state, self.journal), *self.first.accounts("main")]
        return [*own, Account(self.options.limits, self.state, self.journal, self.calls)]

    def asker(self, agent: str) -> Ask | None:
        """Return the function with which an agent asks the model and pays. Return None if the brain is not a model."""
        model, room = MeteredBrain(self.priced, self.accounts(agent)), self.options.prompt.reply_tokens

        async def ask(prompt: Prompt, role: str) -> str:
            return (await model.ask([Message("user", prompt)], role, room, "a command asked the model")).text

        return ask if self.priced.brain.asks_model else None

    async def enter(self) -> list[str]:
        """Join a live world, whose events go into the journal. Return lines for the person."""
        if not isinstance(self.world, LiveWorld):
            return []
        self.world.report = self._report
        self.journal.clock = partial(getattr, self.world, "ticks")
        return await self.world.open()

    def _stop_by_words(self, event: Event) -> None:
        """End the running command if the person's words begin with "stop", from wherever they came."""
        if isinstance(event, Feedback) and event.stops:
            self.executor.stop()

    def _report(self, event: Event) -> None:
        with contextlib.suppress(SessionError):  # the next event of a turn meets the same fault, and ends the run
            self.journal.append(event)
