"""Reading what the person says: the promise of every reader, and the one for a pipe.

A line finished before a question was drawn is never an answer to it. Neighbours: `terminal.py` is the reader for a
terminal, `approver.py` asks, `render.py` writes through the same object so that output and input do not mix.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import sys
import threading
from collections.abc import Callable
from typing import Protocol


class Reader(Protocol):
    """Where lines come from and text goes to."""

    on_line: Callable[[str], None]
    """Gets what was typed while no question stood."""
    on_interrupt: Callable[[], None]

    async def ask(self, draw: Callable[[], None], prompt: str, default: str = "") -> str | None:
        """Draw the question and read its answer; None at the end of input."""
        ...

    async def drain(self) -> None:
        """Let everything that is already typed reach `on_line`."""
        ...

    def write(self, text: str) -> None: ...

    async def page(self, text: str) -> None:
        """Show a long text, in a pager where there is one."""
        ...

    async def open(self) -> None:
        """Begin to read, where lines may come before the first question."""
        ...

    async def close(self) -> None: ...


def ignore(*_: object) -> None:
    return None


PASTE_GAP = 0.03
"""Seconds: lines that follow each other faster than this on a terminal are one pasted block."""


class LineReader:
    """Reads whole lines: on a pipe, one for one question and nothing before it is asked for; on a plain terminal
    (`typed`), what was finished before the question goes to `on_line`, and a pasted block is one answer."""

    def __init__(self, *, prompt: bool = True, typed: bool = False) -> None:
        self.on_line: Callable[[str], None] = ignore
        self.on_interrupt: Callable[[], None] = ignore
        self._prompt = prompt
        self._typed = typed and os.name != "nt"
        self._wanted: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._thread: threading.Thread | None = None
        self._asked = False

    async def ask(self, draw: Callable[[], None], prompt: str, default: str = "") -> str | None:
        draw()
        if self._prompt:
            self.write(prompt)
        if self._thread is None:
            loop = asyncio.get_running_loop()
            self._thread = threading.Thread(target=self._read, args=(loop,), daemon=True)
            self._thread.start()
        if not self._asked:  # an interrupted question leaves its request standing
            self._asked = True
            self._wanted.put(True)
        line = await self._lines.get()
        self._asked = False
        if self._prompt and not self._typed:
            self.write("\n")
        return line

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """Reads the descriptor itself: a thread that waits inside sys.stdin would stop Python from ending."""
        pending = b""
        while self._wanted.get():
            while b"\n" not in pending:
                more = _more()
                if not more:
                    break
                pending += more
            while self._typed and _ready(PASTE_GAP) and (more := _more()):
                pending += more
            raw, _, rest = (pending, b"", b"") if self._typed else pending.partition(b"\n")
            line = raw.decode("utf-8", "replace").rstrip("\r\n") if pending else None
            pending = rest
            with contextlib.suppress(RuntimeError):  # the loop is closed: the run is over
                loop.call_soon_threadsafe(self._lines.put_nowait, line)

    async def drain(self) -> None:
        if not self._typed:
            return
        while self._asked and not self._lines.empty():  # finished while an interrupted question's request stood
            self._asked = False
            self.on_line(self._lines.get_nowait() or "")
        while not self._asked and _ready(0) and (more := _more()):
            self.on_line(more.decode("utf-8", "replace").rstrip("\r\n"))

    def write(self, text: str) -> None:
        write_out(text)

    async def page(self, text: str) -> None:
        write_out(text + "\n")

    async def open(self) -> None:
        return

    async def close(self) -> None:
        return


def _more() -> bytes:
    try:
        return os.read(0, 65536)
    except OSError:
        return b""


def _ready(seconds: float) -> bool:
    import select

    return bool(select.select([0], [], [], seconds)[0])


def write_out(text: str) -> None:
    """Write to standard output whatever its encoding can take; a reader that went away is no error."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding or "ascii"
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    except OSError:  # a closed pipe or terminal, a full disk: there is nobody left to show it to
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
