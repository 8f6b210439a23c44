"""The parts of a run that a family needs, for tests that call it without the rest of a run. All parts are real."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autocraft.agent.account import Account
from autocraft.agent.limits import Limits
from autocraft.agent.policy import Policy
from autocraft.agent.state import State
from autocraft.commands.registry import Registry
from autocraft.goals import Goal
from autocraft.protocols import Command, Memory, World
from autocraft.session.journal import Journal


@dataclass
class Live:
    """The parts of a run that a test sets. The others are missing."""

    world: World | None = None
    memory: Memory | None = None
    state: State = field(default_factory=State)
    session: str = "session"
    journal: Journal | None = None
    ask: Any = None
    policy: Policy = field(default_factory=Policy)
    account: Account | None = None
    registry: Registry | None = None

    def asker(self, agent: str) -> Any:
        return self.ask

    def accounts(self, agent: str) -> list[Account | None]:
        return [self.account]

    def state_of(self, agent: str) -> State:
        return self.state


def live_registry(commands: Iterable[Command], **parts: Any) -> Registry:
    """Return a registry whose calls belong to a run with these parts."""
    registry = Registry(commands)
    registry.run = Live(registry=registry, **parts)
    return registry


def with_goals(*goals: Goal) -> State:
    return State(goals=goals)


def account(folder: Path, limits: Limits | None = None) -> Account:
    """Return the account of a run, which the journal's events fill."""
    folder.mkdir(parents=True, exist_ok=True)
    journal, state = Journal(folder), State()
    journal.listeners.append(state.apply)
    return Account(limits or Limits(), state, journal)
