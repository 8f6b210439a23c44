"""Signals of a process with an event loop, such as Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable


def on_signals(**actions: Callable[[], object]) -> None:
    """Let the running event loop call an action for each signal, given by its name.

    Signals that the system lacks are ignored. So are all of them outside the main thread, and on Windows.
    """
    for name, action in actions.items():
        with contextlib.suppress(AttributeError, NotImplementedError, RuntimeError, ValueError):
            asyncio.get_running_loop().add_signal_handler(getattr(signal, name), action)
