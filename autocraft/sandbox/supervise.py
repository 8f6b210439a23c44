"""Waits for a program beside the pipe that tells its end. Standard library only."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time


def supervise(child: int, lifeline: int, seconds: float | None = None) -> int:
    """Wait for the child's end. Kill it after `seconds`, or when the pipe `lifeline` ends. Return its wait status.

    All other children that end meanwhile are removed from the list of processes.
    """
    wake_reader, wake_writer = os.pipe()
    os.set_blocking(wake_writer, False)
    signal.set_wakeup_fd(wake_writer, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    deadline = None if seconds is None else time.monotonic() + seconds
    while True:
        statuses: dict[int, int] = {}
        with contextlib.suppress(ChildProcessError):
            while (result := os.waitpid(-1, os.WNOHANG))[0]:
                if os.WIFSTOPPED(result[1]):
                    os.kill(result[0], signal.SIGKILL)  # it asked to be traced, so it would never go on
                else:
                    statuses[result[0]] = result[1]
        if child in statuses:
            return statuses[child]
        remaining = None if deadline is None else deadline - time.monotonic()
        ready, _, _ = select.select([lifeline, wake_reader], [], [], None if remaining is None else max(0.0, remaining))
        if wake_reader in ready:
            os.read(wake_reader, 4096)
        if (remaining is not None and remaining <= 0) or (lifeline in ready and not os.read(lifeline, 1)):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return int(signal.SIGKILL)
