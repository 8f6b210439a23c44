"""What reaches the terminal beside the console: prints and warnings of libraries, npm's lines, children's errors.

Written straight to a terminal that is being drawn, it would tear the rows. So while an input line is open, standard
error and Python's standard output end in one pipe, and the console draws its lines. The console itself writes to the
terminal as before.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

WAIT = 0.5
"""Seconds for the last lines, if a child still holds the pipe."""


class StrayOutput:
    """The lines that others write. `show` draws a line above the input, and `step` one that the next replaces."""

    def __init__(self, show: Callable[[str], None], step: Callable[[str], None]) -> None:
        self._show = show
        self._step = step
        self._terminal = -1
        """The descriptor of standard error as it was; -1 while it is not taken."""
        self._pipe = -1
        self._stdout: Any = None
        self._mine: Any = None
        self._reading: threading.Thread | None = None

    def open(self) -> None:
        """Take standard error and standard output, if standard error is a terminal."""
        if self._terminal >= 0 or not os.isatty(2):
            return
        reading, self._pipe = os.pipe()
        self._terminal, self._stdout = os.dup(2), sys.stdout
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        self._mine = os.fdopen(os.dup(self._pipe), "w", 1, encoding=encoding, errors="backslashreplace")
        loop = asyncio.get_running_loop()
        self._reading = threading.Thread(target=self._read, args=(reading, loop), daemon=True)
        self._reading.start()
        self._take()

    def _take(self) -> None:
        os.dup2(self._pipe, 2)
        if sys.stdout is self._stdout:  # it is not, once the terminal was closed
            sys.stdout = self._mine

    def _give_back(self) -> None:
        if sys.stdout is self._mine:
            self._mine.flush()
            sys.stdout = self._stdout
        os.dup2(self._terminal, 2)

    @contextlib.contextmanager
    def lent(self) -> Iterator[None]:
        """Give the terminal to a program of the person, such as a pager."""
        if self._terminal < 0:
            yield
            return
        self._give_back()
        try:
            yield
        finally:
            self._take()

    async def close(self) -> None:
        """Give back what was taken, and show the last lines."""
        if self._terminal < 0 or self._reading is None:
            return
        self._give_back()
        self._mine.close()
        os.close(self._pipe)
        await asyncio.to_thread(self._reading.join, WAIT)
        os.close(self._terminal)
        self._terminal = -1

    def _read(self, pipe: int, loop: asyncio.AbstractEventLoop) -> None:
        """Read to the end of the pipe, and pass on each line. It never waits for the loop, so no writer is held up."""
        rest = b""
        with os.fdopen(pipe, "rb", 0) as source:
            while data := source.read(65536):
                *lines, rest = (rest + data).split(b"\n")
                self._pass(loop, lines)
        self._pass(loop, [rest] if rest else [])

    def _pass(self, loop: asyncio.AbstractEventLoop, lines: list[bytes]) -> None:
        for line in lines:
            text = line.decode("utf-8", "replace").rstrip("\r").rpartition("\r")[2]
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._step if text.startswith(" ") else self._show, text)
