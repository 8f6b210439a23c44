"""Long work in a thread that Ctrl-C can stop, such as copying a workspace or storing what a program wrote."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from threading import Event
from typing import TypeVar

T = TypeVar("T")


class Stopped(Exception):
    """Raised in the thread after the person has stopped the work."""


class Stop(Event):
    """Asks a thread to stop. The thread calls `check` between two steps of its work."""

    def check(self) -> None:
        """Raise Stopped if the work should stop."""
        if self.is_set():
            raise Stopped


async def in_thread(work: Callable[[Stop], T]) -> T:
    """Run `work` in a thread and return its result. When cancelled, ask it to stop and wait until it has stopped."""
    stop = Stop()
    task = asyncio.create_task(asyncio.to_thread(work, stop))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        stop.set()
        while not task.done():  # however often the person interrupts
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        task.exception()  # marks it as seen
        raise
