"""The clock of a run: it limits each step by --max-seconds, and stops while the person is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class Clock:
    """The time limits of the steps that run now, the outermost first."""

    def __init__(self) -> None:
        self._steps: list[asyncio.Timeout] = []

    @contextmanager
    def step(self, timeout: asyncio.Timeout) -> Iterator[None]:
        """Count the time of a step against `timeout`, which the caller has entered."""
        self._steps.append(timeout)
        try:
            yield
        finally:
            self._steps.remove(timeout)

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Stop the clock while the person answers a question in the middle of a step."""
        now = asyncio.get_running_loop().time
        running = [step for step in self._steps if not step.expired()]
        rest = [(step, end - now()) for step in running if (end := step.when()) is not None]
        for step, _ in rest:
            step.reschedule(None)
        try:
            yield
        finally:
            for step, seconds in rest:
                if step in self._steps:  # the step may have ended meanwhile
                    step.reschedule(now() + seconds)
