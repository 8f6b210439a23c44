"""Counts what an agent does again: the same command with the same result, and cycles of a few commands."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import takewhile

from autocraft.protocols import Json
from autocraft.session.atomic import sha256
from autocraft.session.events import Answer, Decision, Event, Feedback, Goals, Intent, InvalidReply, Message, Result

LONGEST = 6
"""The most turns of a cycle."""
MOST_KEYS = 1_000
"""The most commands and plans that a state remembers."""
_MOST_TURNS, _DIGITS = 4 * LONGEST, 16


class Newest(dict[str, int]):
    """Counts by key, 0 for a missing one. It drops the oldest key when there are more than MOST_KEYS."""

    def __missing__(self, key: str) -> int:
        return 0

    def __setitem__(self, key: str, count: int) -> None:
        self.pop(key, None)
        super().__setitem__(key, count)
        if len(self) > MOST_KEYS:
            del self[next(iter(self))]


@dataclass
class Cycles:
    """The newest turns, each by its command, the state of the world after it, and the text of its result."""

    turns: list[str] = field(default_factory=list)
    _doing: str = ""
    _world: str = ""

    @property
    def loose(self) -> Cycles:
        """Return the turns without the texts of their results, except in a world without snapshots."""
        return Cycles([turn[:_DIGITS] for turn in self.turns])

    @property
    def length(self) -> int:
        """Return the number of turns that were just repeated. Return 0 if there is no cycle."""
        lengths = range(1, min(LONGEST, len(self.turns) // 2) + 1)
        return next((each for each in lengths if self.turns[-each:] == self.turns[-2 * each : -each]), 0)

    @property
    def rounds(self) -> int:
        """Return how often the turns of the cycle were taken, one after another. Return 0 if there is no cycle."""
        length = self.length or len(self.turns) + 1
        ends = range(len(self.turns), length - 1, -length)
        rounds = (self.turns[end - length : end] == self.turns[-length:] for end in ends)
        return sum(takewhile(bool, rounds))

    def apply(self, event: Event) -> bool:
        """Fold in one event of the agent or of the person. Return whether it ended a turn."""
        match event:
            case Answer():
                self._doing = event.text
            case Intent() if event.agent != "person":
                self._doing = _text_of(event.command, event.args)
            case InvalidReply():
                return self._end("unreadable")
            case Decision(kind="refuse", by="policy", command=str(name), args=dict(args)):
                return self._end(f"refused {_text_of(name, args)}")
            case Result():
                if event.world is not None:
                    self._world = _digest(json.dumps(event.world, sort_keys=True))
                if event.answered:
                    self.turns.clear()  # the person's own words
                if event.agent != "person":
                    return self._end(f"{event.ok} {event.answered} {self._world or event.text}", event.text)
            case Goals() if event.options is not None:
                self._world = "" if event.world is None else _digest(json.dumps(event.world, sort_keys=True))
                self.turns.clear()
            case Decision() | Feedback() | Goals() | Message():
                if not isinstance(event, Decision) or event.kind != "run" or not event.command:
                    self.turns.clear()  # the agent knows more than before
        return False

    def _end(self, outcome: str, text: str = "") -> bool:
        self.turns = [*self.turns, _digest(f"{self._doing} {outcome}") + _digest(text)][-_MOST_TURNS:]
        return True

    def to_json(self) -> Json:
        return {"turns": self.turns, "doing": self._doing, "world": self._world}

    @classmethod
    def from_json(cls, data: Json) -> Cycles:
        """Read what `to_json` returned. Raises LookupError or TypeError for anything else."""
        return cls(list(data["turns"]), data["doing"], data["world"])


def _text_of(command: str, args: Json) -> str:
    return json.dumps([command, args], sort_keys=True, ensure_ascii=False)


def _digest(text: str) -> str:
    return sha256(text)[:_DIGITS]
