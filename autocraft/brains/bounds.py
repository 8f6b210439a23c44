"""How long a streamed answer may take, and how many pieces without text it may have."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

from autocraft.brains.endpoint import OpenAISettings
from autocraft.http_client import Refusal

MOST_PIECES = 100_000
"""Most pieces without text, one after another."""
LINGER = 2.0
"""Seconds in which an endpoint may send its usage after the answer is complete."""

BEAT = 0.25
"""Seconds after which the time limits are looked at again."""
LONGEST_BEAT = 1.0

Wait = Literal["first", "piece", "text", "end"]
"""The events that have a time limit: the first text of an answer, its next piece, its next text, its end."""


class AwakeClock:
    """Counts the seconds in which this process ran. Ctrl-Z stops it, and so does a computer that sleeps."""

    def __init__(self) -> None:
        self._time = asyncio.get_running_loop().time
        self._seen = self._time()
        self._missed = 0.0

    def now(self) -> float:
        """Return the time. It leaves out what passed while nobody looked at this clock for a whole second."""
        time = self._time()
        if time - self._seen > LONGEST_BEAT:
            self._missed += time - self._seen
        self._seen = time
        return time - self._missed

    @asynccontextmanager
    async def limit(self, until: Callable[[], float]) -> AsyncIterator[None]:
        """End the block with TimeoutError when it is later than `until`, which may change meanwhile."""
        loop = asyncio.get_running_loop()
        beats: list[asyncio.TimerHandle] = []
        async with asyncio.timeout(None) as timeout:

            def look() -> None:
                if self.now() >= until():
                    timeout.reschedule(loop.time())
                else:
                    beats[:] = [loop.call_later(BEAT, look)]

            look()
            try:
                yield
            finally:
                for beat in beats:
                    beat.cancel()


@dataclass(slots=True)
class Progress:
    """The times at which an answer last made progress, in seconds of an AwakeClock."""

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
        """Return the time at which the first time limit passes."""
        if self.finished_at is not None:
            return self.finished_at + LINGER
        return min(self._ends().values())

    @property
    def missing(self) -> Wait:
        """Return the event whose time limit passes first."""
        ends = self._ends()
        return min(ends, key=lambda wait: ends[wait])

    def _ends(self) -> dict[Wait, float]:
        """Return when each limit passes. Before its first text a model may be loaded, or think, without a sign."""
        text, end = self.text_at + self.settings.stall_seconds, self.started + self.settings.answer_seconds
        if not self.size:
            return {"first": text, "end": end}
        return {"piece": self.piece_at + self.settings.timeout, "text": text, "end": end}
