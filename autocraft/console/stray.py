"""What reaches the terminal beside the console: prints and warnings of libraries, npm's lines, children's errors.

Written straight to a terminal that is being drawn, it would tear the rows. So while an input line is open, each of
Python's streams ends in a pipe, and all else that writes to standard error in another, and the console draws the lines
of all. The console itself writes to the terminal as before.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
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
        self._children = -1
        """The pipe of all that writes to standard error but Python."""
        self._streams: dict[str, Any] = {}
        """Name in `sys` -> Python's stream as it was."""
        self._own: dict[str, Any] = {}
        """The streams in place of those, each with a pipe of its own, since others may have written half of a row."""
        self._reading: list[threading.Thread] = []

    def open(self) -> None:
        """Take standard error and standard output, if standard error is a terminal."""
        if self._terminal >= 0 or not os.isatty(2):
            return
        loop = asyncio.get_running_loop()
        self._terminal, self._children = os.dup(2), self._new_pipe(loop)
        self._streams = {name: getattr(sys, name) for name in ("stdout", "stderr")}
        for name in self._streams:
            encoding = getattr(self._streams[name], "encoding", None) or "utf-8"
            self._own[name] = os.fdopen(self._new_pipe(loop), "w", 1, encoding=encoding, errors="backslashreplace")
        self._take()

    def _new_pipe(self, loop: asyncio.AbstractEventLoop) -> int:
        """Return a descriptor whose lines are drawn."""
        reading, writing = os.pipe()
        self._reading.append(threading.Thread(target=self._read, args=(reading, loop), daemon=True))
        self._reading[-1].start()
        return writing

    def _take(self) -> None:
        os.dup2(self._children, 2)
        _replace(self._streams, self._own)

    def _give_back(self) -> None:
        for stream in self._own.values():
            stream.flush()
        _replace(self._own, self._streams)
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
        if self._terminal < 0:
            return
        self._give_back()
        for stream in self._own.values():
            stream.close()
        os.close(self._children)
        for thread in self._reading:
            await asyncio.to_thread(thread.join, WAIT)
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


def _replace(old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Put the new streams of `sys` where the old ones are. Somebody may have put others there meanwhile."""
    for name, stream in new.items():
        if getattr(sys, name) is old[name]:
            setattr(sys, name, stream)
