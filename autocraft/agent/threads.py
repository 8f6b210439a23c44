"""Runs slow plain code beside the event loop, and work that no interrupt may cut off.

`asyncio.to_thread` is right for work that must be complete before the program ends. The work here only reads, or is
begun anew by the next run as a fetch of packages is, so an interrupt and the end of the program do not wait for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


async def run_in_thread(work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
    """Run `work` in a thread of its own and return what it returns. Raises what it raises.

    A cancelled caller goes on at once, and the result of the thread is dropped.
    """
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(work(*args, **named))
        except BaseException as error:  # noqa: BLE001 - it goes to the caller
            future.set_exception(error)

    threading.Thread(target=run, daemon=True, name=getattr(work, "__name__", "work")).start()
    return await asyncio.wrap_future(future)


async def shield(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, however often the caller is cancelled. Return what it returns."""
    task = asyncio.ensure_future(work)
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(task)
    return task.result()
