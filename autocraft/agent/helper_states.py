"""The helpers of a run as the fold of their events. Each has its own state and transcript.

The same events are folded live and on resume, so a helper survives a kill as the main agent does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from autocraft.agent.cycles import put_newest
from autocraft.agent.limits import Limits
from autocraft.agent.state import State
from autocraft.agent.transcript import PromptSettings, Transcript
from autocraft.commands.registry import Registry
from autocraft.protocols import Call, Command, Json, Result, Risk, command, commands_of
from autocraft.session.events import Deleted, Event, Message, Permission, Spawn
from autocraft.session.journal import Journal

REPLY = "reply"


class Replies:
    """The command that only helpers have."""

    @command(help="Say your answer to the main agent; your work ends until you are spoken to again", risk=Risk.LOOK)
    async def reply(self, call: Call, text: str) -> Result:
        return Result(text, end=REPLY)


def grantable(registry: Registry) -> list[Command]:
    """Return the commands of the main agent's `registry` that a helper may have."""
    return [command for command in registry.commands() if command.offered and command.family != "agents"]


def helper_commands(registry: Registry, grants: Sequence[str]) -> list[Command]:
    """Return the commands of a helper: those that only look, then the grants.

    Each command appears once, even if it was granted under several names. Commands that are off are not included.
    """
    commands = grantable(registry)
    looks = [command for command in commands if command.tier is Risk.LOOK and not command.asks]
    names = {command.name for name in grants if (command := registry.find(name)) is not None}
    return [*looks, *(command for command in commands if command.name in names and command not in looks)]


@dataclass
class Helper:
    """One sub-agent. `spawn` is the event that started it."""

    name: str
    spawn: Spawn
    state: State
    transcript: Transcript
    registry: Registry
    messages: dict[str, int] = field(default_factory=dict)
    """The calls that sent it a message."""
    turns_at_message: int = 0
    """The number of its turns when the last message came."""

    @property
    def limits(self) -> Limits:
        return Limits(max_tokens=self.spawn.max_tokens, max_cost=self.spawn.max_cost)

    def apply(self, event: Event) -> None:
        """Fold in one of its events."""
        if isinstance(event, Message):
            put_newest(self.messages, event.call, 1)
            self.turns_at_message = self.state.turns
        self.state.apply(event)
        self.transcript.apply(event)

    def to_json(self) -> Json:
        folds = {"state": self.state.to_json(), "transcript": self.transcript.to_json()}
        message = {"asked": list(self.messages), "begun": self.turns_at_message}
        return {"name": self.name, "spawn": self.spawn.to_json(), **message, **folds}

    def restore(self, data: Json) -> None:
        """Take what `to_json` gave. Raises ValueError, TypeError, LookupError or AttributeError for anything else."""
        self.state.restore(data["state"])
        self.transcript.restore(data["transcript"])
        self.messages, self.turns_at_message = dict.fromkeys(data["asked"], 1), data["begun"]


class Helpers:
    """All helpers of a run. Nothing remains of a deleted one; its key is not used again."""

    def __init__(self, journal: Journal, registry: Registry, prompt: PromptSettings) -> None:
        """Take the main agent's `registry`, from which helpers get some commands."""
        self.journal = journal
        self.registry = registry
        self.prompt = prompt
        self.live: dict[str, Helper] = {}
        self.last_key = 0
        """The key of the newest helper."""

    def apply(self, event: Event) -> None:
        """Add a new helper, or fold in an event of one. What ends the main agent's permissions ends theirs too."""
        name = event.agent
        if isinstance(event, Spawn):
            self.last_key = event.key
            self.live[name] = self._empty(name, event)
            self.journal.turns[name] = 0
        if name == "main" and isinstance(event, Permission):
            for one in self.live.values():
                one.state.narrow(event)
        helper = self.live.get(name)
        if helper is None:
            return
        helper.apply(event)
        if isinstance(event, Deleted):
            del self.live[name]
            self.journal.turns.pop(name, None)

    def to_json(self) -> Json:
        return {"live": [helper.to_json() for helper in self.live.values()], "made": self.last_key}

    def restore(self, data: Json) -> None:
        """Take what `to_json` gave. Raises ValueError, TypeError, LookupError or AttributeError for anything else."""
        live = {}
        for row in data["live"]:
            live[row["name"]] = helper = self._empty(row["name"], Spawn.from_json(row["spawn"]))
            helper.restore(row)
        self.live, self.last_key = live, data["made"]

    def _empty(self, name: str, spawn: Spawn) -> Helper:
        commands = [*helper_commands(self.registry, spawn.grants), *commands_of(Replies())]
        registry = Registry(commands, mask=self.journal.mask, run=self.registry.run)
        prompt = replace(self.prompt, ai_name=name)
        return Helper(name, spawn, State(agent=name), Transcript(prompt, registry.describe, name, "agent.j2"), registry)
