"""The helpers of a run as their events tell, each with a state and a transcript of its own.

Live and on resume the same events are folded, so a helper survives a kill as the main agent does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from autocraft.agent.limits import Limits
from autocraft.agent.state import Newest, State
from autocraft.agent.transcript import PromptSettings, Transcript
from autocraft.commands.registry import Registry
from autocraft.protocols import Call, Command, Json, Result, Risk, command, commands_of
from autocraft.session.journal import Journal

MOST_DELETED = 100
"""Calls that deleted a helper and are known to have done so."""
REPLY = "reply"


class Replies:
    """The one command that every helper has of its own."""

    @command(help="Say your answer to the main agent; your work ends until you are spoken to again", risk=Risk.LOOK)
    async def reply(self, call: Call, text: str) -> Result:
        return Result(text, end=REPLY)


def can_be_granted(registry: Registry, name: str) -> bool:
    """Tell whether a helper may have this command of the main agent's `registry` at all."""
    found = registry.named(name)
    return found is not None and _can_be_given(found) and not registry.off_by(found)


def granted(registry: Registry, grants: Sequence[str]) -> list[Command]:
    """Return the commands of a helper: those that only look, then the grants.

    Each is there once, under whatever names it was granted; what this run has switched off is left out.
    """
    known = [each for each in registry.commands() if _can_be_given(each)]
    looks = [each for each in known if each.tier is Risk.LOOK and not each.asks]
    names = {found.name for name in grants if (found := registry.named(name)) is not None}
    return [*looks, *(each for each in known if each.name in names and each not in looks)]


def _can_be_given(command: Command) -> bool:
    return command.offered and command.family != "agents"


@dataclass
class Helper:
    """One sub-agent. `spawn` is what it was started with."""

    name: str
    spawn: Json
    state: State
    transcript: Transcript
    registry: Registry
    asked: Newest = field(default_factory=Newest)
    """The calls whose message it was given."""
    begun: int = 0
    """Its turns when it was last spoken to."""

    @property
    def key(self) -> int:
        key: int = self.spawn["key"]
        return key

    @property
    def task(self) -> str:
        return str(self.spawn["task"])

    @property
    def grants(self) -> tuple[str, ...]:
        return tuple(self.spawn["grants"])

    @property
    def call(self) -> str:
        """The call that started it."""
        return str(self.spawn["call"])

    @property
    def limits(self) -> Limits:
        return Limits(max_tokens=self.spawn["max_tokens"], max_cost=self.spawn["max_cost"])

    def apply(self, event: Json) -> None:
        """Fold one event of its own in."""
        if "message" in event:
            self.asked[event["call"]] = 1
            self.begun = self.state.turns
        self.state.apply(event)
        self.transcript.apply(event)

    def to_json(self) -> Json:
        folds = {"state": self.state.to_json(), "transcript": self.transcript.to_json()}
        return {"name": self.name, "spawn": self.spawn, "asked": list(self.asked), "begun": self.begun, **folds}

    def restore(self, data: Json) -> None:
        """Take what `to_json` gave. Raises ValueError, TypeError, LookupError or AttributeError for anything else."""
        self.state.restore(data["state"])
        self.transcript.restore(data["transcript"])
        self.asked, self.begun = Newest((call, 1) for call in data["asked"]), data["begun"]


class Helpers:
    """All helpers of a run, of whom those that were deleted are known by their calls alone."""

    def __init__(self, journal: Journal, registry: Registry, prompt: PromptSettings) -> None:
        """`registry` holds the commands of the main agent, of which helpers get some."""
        self.journal = journal
        self.registry = registry
        self.prompt = prompt
        self.live: dict[str, Helper] = {}
        self.deleted: dict[str, str] = {}
        """The call that deleted a helper -> its name, for the newest."""
        self.made = 0
        """The key of the last one."""

    def apply(self, event: Json) -> None:
        """A new helper, or an event of one that there is; what ends permissions ends those of helpers too."""
        name = event["agent"]
        if "spawn" in event:
            self.made = event["spawn"]["key"]
            self.live[name] = self._empty(name, event["spawn"])
            self.journal.turns[name] = 0
        if name == "main" and event["type"] == "note":
            for each in self.live.values():
                each.state.narrow(event)
        helper = self.live.get(name)
        if helper is None:
            return
        helper.apply(event)
        if "deleted" in event:
            self._forget(helper, event["call"])

    def of_key(self, key: int) -> Helper | None:
        return next((each for each in self.live.values() if each.key == key), None)

    def of_call(self, call: str) -> Helper | None:
        """The helper that a call started; None where it started none, or one that was deleted."""
        return next((each for each in self.live.values() if each.call == call), None)

    def to_json(self) -> Json:
        live = [each.to_json() for each in self.live.values()]
        return {"live": live, "deleted": self.deleted, "made": self.made}

    def restore(self, data: Json) -> None:
        """Take what `to_json` gave. Raises ValueError, TypeError, LookupError or AttributeError for anything else."""
        live = {}
        for each in data["live"]:
            live[each["name"]] = helper = self._empty(each["name"], each["spawn"])
            helper.restore(each)
        self.live, self.deleted, self.made = live, dict(data["deleted"]), data["made"]

    def _empty(self, name: str, spawn: Json) -> Helper:
        commands = [*granted(self.registry, spawn["grants"]), *commands_of(Replies())]
        registry = Registry(commands, mask=self.journal.mask, run=self.registry.run)
        prompt = replace(self.prompt, ai_name=name)
        return Helper(
            name, spawn, State(agent=name), Transcript(prompt, registry.describe(), name, "agent.j2"), registry
        )

    def _forget(self, helper: Helper, call: str) -> None:
        del self.live[helper.name]
        self.journal.turns.pop(helper.name, None)
        self.deleted[call] = helper.name
        if len(self.deleted) > MOST_DELETED:
            del self.deleted[next(iter(self.deleted))]
