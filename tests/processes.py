"""Reads `/proc` for the tests. A process that ends while it is read counts as ended, and never fails a test."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from autocraft.sandbox.processes import all_processes


def alive(pid: int) -> bool:
    """Tell whether a process runs. A zombie does not run."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return text.rpartition(b")")[2].split()[0] not in (b"Z", b"X")


def command_line(pid: int) -> bytes:
    """Return the words of a process's command, each with a zero byte after it. Return none if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def carrying(text: str) -> list[int]:
    """Return the ids of the processes with this text in their command."""
    return [each.pid for each in all_processes() if text.encode() in command_line(each.pid)]


def children(pid: int) -> list[int]:
    """Return the ids of the processes that this one has started."""
    return [each.pid for each in all_processes() if each.parent == pid]


def kill(pids: Iterable[int]) -> None:
    """End processes, if they have not ended."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
