"""Counts what an agent does again: the same command with the same result, and cycles of a few commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import blake2b
from itertools import takewhile
from typing import Any

import msgspec

from autocraft.session.events import Answer, Decision, Event, Feedback, Goals, Intent, InvalidReply, Message, Result

LONGEST = 6
"""The most turns of a cycle."""
MOST_KEYS = 1_000
"""The most commands and plans that a state remembers."""
_MOST_TURNS, _DIGITS = 4 * LONGEST, 16


def put_newest(counts: dict[str, int], key: str, count: int) -> None:
    """Set a count, and make its key the newest. Drop the oldest key if there are more than MOST_KEYS."""
    counts.pop(key, None)
    counts[key] = count
    if len(counts) > MOST_KEYS:
        del counts[next(iter(counts))]


class Cycles(msgspec.Struct):
    """The newest turns, each by its command, the state of the world after it, and the text of its result."""

    turns: list[str] = []
    doing: str = ""
    world: str = ""

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
        fold = _FOLDS.get(type(event))
        return fold is not None and fold(self, event)

    def _answer(self, event: Answer) -> bool:
        self.doing = event.text
        return False

    def _intent(self, event: Intent) -> bool:
        if event.agent != "person":
            self.doing = key_of(event.command, event.args)
        return False

    def _invalid(self, event: InvalidReply) -> bool:
        return self._end("unreadable")

    def _decision(self, event: Decision) -> bool:
        if event.kind == "refuse" and event.by == "policy":
            return self._end(f"refused {key_of(event.command, event.args)}")
        if event.kind != "run" or not event.command:
            self.turns.clear()  # the agent knows more than before
        return False

    def _result(self, event: Result) -> bool:
        if event.world is not None:
            self.world = key_of(event.world)
        if event.answered:
            self.turns.clear()  # the person's own words
        if event.agent == "person":
            return False
        return self._end(f"{event.ok} {event.answered} {self.world or event.text}", event.text)

    def _goals(self, event: Goals) -> bool:
        if event.options is not None:
            self.world = "" if event.world is None else key_of(event.world)
        self.turns.clear()
        return False

    def _news(self, event: Event) -> bool:
        self.turns.clear()
        return False

    def _end(self, outcome: str, text: str = "") -> bool:
        self.turns = [*self.turns, key_of(self.doing, outcome) + key_of(text)][-_MOST_TURNS:]
        return True


_FOLDS: Mapping[type[Event], Callable[[Cycles, Any], bool]] = {
    Answer: Cycles._answer,
    Intent: Cycles._intent,
    InvalidReply: Cycles._invalid,
    Decision: Cycles._decision,
    Result: Cycles._result,
    Goals: Cycles._goals,
    Feedback: Cycles._news,
    Message: Cycles._news,
}


def key_of(*values: object) -> str:
    """Return digits that are the same for equal JSON values."""
    try:
        data = msgspec.json.encode(values, order="deterministic")
    except UnicodeEncodeError:  # half a character
        data = repr(values).encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=_DIGITS // 2).hexdigest()
