"""How long a streamed answer may take, and how many pieces without text it may have."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from autocraft.brains.endpoint import OpenAISettings
from autocraft.http_client import Refusal

MOST_PIECES = 100_000
"""Most pieces without text, one after another."""
LINGER = 2.0
"""Seconds in which an endpoint may send its usage after the answer is complete."""

Wait = Literal["piece", "text", "end"]
"""The three events that have a time limit: the next piece of an answer, its next text, its end."""


@dataclass(slots=True)
class Progress:
    """The times at which an answer last made progress, in seconds of the event loop's clock."""

    settings: OpenAISettings
    started: float
    piece_at: float = field(init=False)
    text_at: float = field(init=False)
    finished_at: float | None = None
    size: int = 0
    empty: int = 0

    def __post_init__(self) -> None:
        self.piece_at = self.text_at = self.started

    def record(self, now: float, size: int, *, finished: bool) -> bool:
        """Record a piece, after which the answer has `size` characters. Return whether it brought text.

        Raises Refusal after too many pieces without text.
        """
        self.piece_at = now
        if finished and self.finished_at is None:
            self.finished_at = now
        if size > self.size:
            self.size, self.text_at, self.empty = size, now, 0
            return True
        self.empty += 1
        if self.empty > MOST_PIECES:
            raise Refusal(f"sent {MOST_PIECES:,} pieces without text in them: look at its log, then resume")
        return False

    @property
    def until(self) -> float:
        """Return the time at which the first time limit passes, in seconds of the event loop's clock."""
        if self.finished_at is not None:
            return self.finished_at + LINGER
        return min(self._ends().values())

    @property
    def missing(self) -> Wait:
        """Return the event whose time limit passes first."""
        ends = self._ends()
        return min(ends, key=lambda wait: ends[wait])

    def _ends(self) -> dict[Wait, float]:
        return {
            "piece": self.piece_at + self.settings.timeout,
            "text": self.text_at + self.settings.stall_seconds,
            "end": self.started + self.settings.answer_seconds,
        }
