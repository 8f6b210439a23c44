"""The helpers of a run as their events tell, each with a state and a transcript of its own.

Live and on resume the same events are folded, so a helper survives a kill as the main agent does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from autocraft.agent.limits import Limits
from autocraft.agent.state import Newest, State
from autocraft.agent.transcript import Transcript
from autocraft.protocols import Json
from autocraft.session.events import Deleted, Event, Message, Permission, Spawn
from autocraft.session.journal import Journal

MOST_DELETED = 100
"""Calls that deleted a helper and are known to have done so."""


@dataclass
class Helper:
    """One sub-agent. `spawn` is what it was started with."""

    name: str
    spawn: Spawn
    state: State
    transcript: Transcript
    asked: Newest = field(default_factory=Newest)
    """The calls whose message it was given."""
    begun: int = 0
    """Its turns when it was last spoken to."""

    @property
    def key(self) -> int:
        return self.spawn.key

    @property
    def task(self) -> str:
        return self.spawn.task

    @property
    def grants(self) -> tuple[str, ...]:
        return tuple(self.spawn.grants)

    @property
    def call(self) -> str:
        """The call that started it."""
        return self.spawn.call

    @property
    def limits(self) -> Limits:
        return Limits(max_tokens=self.spawn.max_tokens, max_cost=self.spawn.max_cost)

    def apply(self, event: Event) -> None:
        """Fold one event of its own in."""
        if isinstance(event, Message):
            self.asked[event.call] = 1
            self.begun = self.state.turns
        self.state.apply(event)
        self.transcript.apply(event)

    def to_json(self) -> Json:
        folds = {"state": self.state.to_json(), "transcript": self.transcript.to_json()}
        spawn = self.spawn.to_json()
        return {"name": self.name, "spawn": spawn, "asked": list(self.asked), "begun": self.begun, **folds}

    def restore(self, data: Json) -> None:
        """Take what `to_json` gave. Raises ValueError, TypeError, LookupError or AttributeError for anything else."""
        self.state.restore(data["state"])
        self.transcript.restore(data["transcript"])
        self.asked, self.begun = Newest((call, 1) for call in data["asked"]), data["begun"]


class Helpers:
    """All helpers of a run, of whom those that were deleted are known by their calls alone."""

    def __init__(self, journal: Journal, transcript: Callable[[str, Sequence[str]], Transcript]) -> None:
        """`transcript` makes an empty one for a helper of this name with these grants."""
        self.journal = journal
        self.transcript = transcript
        self.live: dict[str, Helper] = {}
        self.deleted: dict[str, str] = {}
        """The call that deleted a helper -> its name, for the newest."""
        self.made = 0
        """The key of the last one."""

    def apply(self, event: Event) -> None:
        """A new helper, or an event of one that there is; what ends permissions ends those of helpers too."""
        name = event.agent
        if isinstance(event, Spawn):
            self.made = event.key
            self.live[name] = self._empty(name, event)
            self.journal.turns[name] = 0
        if name == "main" and isinstance(event, Permission):
            for each in self.live.values():
                each.state.narrow(event)
        helper = self.live.get(name)
        if helper is None:
            return
        helper.apply(event)
        if isinstance(event, Deleted):
            self._forget(helper, event.call)

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
            live[each["name"]] = helper = self._empty(each["name"], Spawn.from_json(each["spawn"]))
            helper.restore(each)
        self.live, self.deleted, self.made = live, dict(data["deleted"]), data["made"]

    def _empty(self, name: str, spawn: Spawn) -> Helper:
        return Helper(name, spawn, State(agent=name), self.transcript(name, spawn.grants))

    def _forget(self, helper: Helper, call: str) -> None:
        del self.live[helper.name]
        self.journal.turns.pop(helper.name, None)
        self.deleted[call] = helper.name
        if len(self.deleted) > MOST_DELETED:
            del self.deleted[next(iter(self.deleted))]
