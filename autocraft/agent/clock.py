"""The clock of a run: steps within the seconds that --max-seconds leaves, and no time while the person is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class Clock:
    """Time limits of the steps that run now, the outermost first."""

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
    def paused(self) -> Iterator[None]:
        """Stop the clock while the person is asked in the middle of a step: they may take their time."""
        now = asyncio.get_running_loop().time
        rest = [(step, end - now()) for step in self._steps if (end := step.when()) is not None]
        for step, _ in rest:
            step.reschedule(None)
        try:
            yield
        finally:
            for step, seconds in rest:
                if step in self._steps:  # it has not been given up meanwhile
                    step.reschedule(now() + seconds)
