"""Small protocols for the parts of a run that commands may use.

A command names the parts that it needs, as in ``run: HasWorld = call.run``. `agent/context.py` implements all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, AsyncExitStack
from typing import Protocol

from autocraft.agent.state import State
from autocraft.commands.registry import Registry
from autocraft.protocols import Approver, Call, Memory, World
from autocraft.session.journal import Journal
from autocraft.text.prompts import Ask


class HasSession(Protocol):
    @property
    def session(self) -> str:
        """Return the id of the session."""
        ...


class HasJournal(Protocol):
    journal: Journal


class HasWorld(Protocol):
    world: World


class HasMemory(Protocol):
    memory: Memory


class HasState(Protocol):
    """The state of the main agent."""

    state: State

    def state_of(self, agent: str) -> State:
        """Return the state of a helper, or of the main agent for any other name."""
        ...


class HasRegistry(Protocol):
    registry: Registry


class HasApprover(Protocol):
    approver: Approver


class Clock(Protocol):
    def pause(self) -> AbstractContextManager[None]:
        """Stop the clock while the context is open, because the person is being asked."""
        ...


class HasClock(Protocol):
    @property
    def clock(self) -> Clock: ...


class HasModel(Protocol):
    def asker(self, agent: str) -> Ask | None:
        """Return the function that asks a model for an agent. Return None if there is no model."""
        ...


class HasExits(Protocol):
    exits: AsyncExitStack
    """Is closed at the end of the run."""


class Payer(Protocol):
    """The account of purchases. A cost of None is unknown."""

    def purchase(self, cost: float | None) -> AbstractContextManager[None]:
        """Return what holds back this cost while the purchase is made.

        Raises CommandError if a limit leaves too little for it, or if it is unknown and a limit needs it.
        """
        ...

    def record_purchase(self, cost: float | None) -> None: ...


class HasPayer(Protocol):
    def accounts(self, agent: str) -> Sequence[Payer]:
        """Return the accounts from which an agent pays, its own first."""
        ...


class Rules(Protocol):
    """The policy, as a running command may ask it."""

    def objection(self, call: Call, onward: Call) -> str:
        """Return why `call` must not continue as `onward`, such as at a redirect. Return "" if it may."""
        ...


class HasRules(Protocol):
    @property
    def policy(self) -> Rules: ...
