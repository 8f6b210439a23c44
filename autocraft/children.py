"""Starts every process that autocraft starts, and ends it together with what it has started.

Each start names a `Lifetime`: how the process ends if autocraft ends without a word, as by kill -9.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

Command = Sequence[str] | Sequence[str | Path] | Sequence[str | bytes]
_GUARD = Path(__file__).with_name("sandbox") / "guard.py"


class Lifetime(Enum):
    """How a process ends when autocraft ends. Windows has no guard: there it stays if it ignores the end of stdin."""

    GUARDED = "guarded"
    """`sandbox/guard.py` ends it with its descendants. It is the way for every program that is not our own."""
    OWN = "own"
    """It is our own program. It ends when its stdin ends, or the kernel kills it together with its parent."""
    DETACHED = "detached"
    """It goes on. The person chose the program, and it may tell of the end of the run."""


class _Lifeline:
    """The end of the pipe that keeps a guard's program alive. There is none (None) without a guard."""

    def __init__(self, end: int | None) -> None:
        self._end = end

    def cut(self) -> bool:
        """Close it. Return whether it was open."""
        end, self._end = self._end, None
        if end is not None:
            os.close(end)
        return end is not None


class Child:
    """A process that was started beside the event loop, with the methods of asyncio's `Process` that are needed."""

    def __init__(self, process: asyncio.subprocess.Process, lifeline: _Lifeline) -> None:
        self._process = process
        self._lifeline = lifeline
        self.pid = process.pid
        self.stdin, self.stdout, self.stderr = process.stdin, process.stdout, process.stderr

    def __del__(self) -> None:
        self._lifeline.cut()

    @property
    def returncode(self) -> int | None:
        return self._process.returncode

    async def wait(self) -> int:
        """Wait for the end. Return the exit code, or minus the number of the signal."""
        code = await self._process.wait()
        self._lifeline.cut()
        return code

    async def communicate(self) -> tuple[bytes, bytes]:
        """Read the output to its end, and wait for the end."""
        try:
            return await self._process.communicate()
        finally:
            if self.returncode is not None:
                self._lifeline.cut()

    def terminate(self) -> None:
        """Ask the program to end, by SIGTERM."""
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()

    def kill(self) -> None:
        """Kill it with what it started. If its guard does not answer, a second call kills the guard."""
        if self._lifeline.cut() or self.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self.pid, signal.SIGKILL)


class WaitingChild(subprocess.Popen[Any]):
    """A process that a thread waits for."""

    lifeline = _Lifeline(None)

    def kill(self) -> None:
        """Kill it with what it started."""
        if not self.lifeline.cut():
            super().kill()

    def wait(self, timeout: float | None = None) -> int:
        code = super().wait(timeout)
        self.lifeline.cut()
        return code


async def start(
    command: Command,
    lifetime: Lifetime,
    *,
    env: Mapping[str, str],
    pass_fds: Sequence[int] = (),
    confinement: str = "",
    **options: Any,
) -> Child:
    """Start a process in a session of its own, so that Ctrl-C at the terminal does not reach it.

    `options` are those of `asyncio.create_subprocess_exec`. Raises OSError if it cannot be started. If the guard cannot
    start its program, it says on stderr why, and ends with 126. With a `confinement` (`sandbox/confinement.py`) the
    guard starts the program confined, or not at all.
    """
    assert lifetime is Lifetime.GUARDED or not confinement, "only a guard confines"
    with _line(command, lifetime, env, confinement) as (line, ends):
        process = await asyncio.create_subprocess_exec(
            *line, env=dict(env), pass_fds=(*pass_fds, *ends[:1]), start_new_session=os.name != "nt", **options
        )
        return Child(process, _Lifeline(ends.pop() if ends else None))


def start_waiting(
    command: Command,
    lifetime: Lifetime,
    *,
    env: Mapping[str, str],
    pass_fds: Sequence[int] = (),
    **options: Any,
) -> WaitingChild:
    """Start a process as `start` does, without an event loop. `options` are those of `subprocess.Popen`."""
    with _line(command, lifetime, env) as (line, ends):
        child = WaitingChild(
            line, env=dict(env), pass_fds=(*pass_fds, *ends[:1]), start_new_session=os.name != "nt", **options
        )
        child.lifeline = _Lifeline(ends.pop() if ends else None)
        return child


@contextlib.contextmanager
def _line(
    command: Command, lifetime: Lifetime, env: Mapping[str, str], confinement: str = ""
) -> Iterator[tuple[list[Any], list[int]]]:
    """Yield the command line to start, and the two ends of its lifeline, which are closed unless they are taken."""
    if lifetime is not Lifetime.GUARDED or os.name == "nt":
        yield list(command), []
        return
    ends = list(os.pipe())
    kept = "LC_CTYPE" if "LC_CTYPE" in env else ""
    try:
        yield [sys.executable, "-I", "-S", "-B", _GUARD, str(ends[0]), kept, confinement, *command], ends
    finally:
        for end in ends:
            os.close(end)
