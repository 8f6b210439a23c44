"""The base of all readers, and the reader for a pipe."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence

from autocraft.agent.threads import run_in_thread
from autocraft.console.choices import Choice


class TypedAhead(Exception):
    """A line from before the question went to `on_line`, so the question must be asked anew."""


def ignore(*_: object) -> None:
    return None


class Reader:
    """Reads lines and writes text. This one opens nothing, and it prints a page as it is."""

    by = "person"
    """Who gave the last answer: ``person`` at the terminal, or ``web``."""

    def __init__(self) -> None:
        self.on_line: Callable[[str], None] = ignore
        """Gets every line that is not an answer."""
        self.on_interrupt: Callable[[], None] = ignore

    async def ask(
        self, draw: Callable[[], None], prompt: str, default: str = "", choices: Sequence[Choice] = ()
    ) -> str | None:
        """Draw the question and read its answer, such as one of the `choices`. Return None at the end of input.

        At a terminal only a line that was begun after the question had been drawn and flushed is an answer. Lines
        that had arrived until then go to `on_line`, and so does a line that was begun before and is finished later.
        Raises TypedAhead after that.
        """
        raise NotImplementedError

    async def drain(self) -> None:
        """Let every line that is already typed reach `on_line`."""

    def set_keys(self, way: str) -> str:
        """Let questions be answered by a ``line`` or by a ``single`` key. Return the line that says what holds now."""
        return (
            "questions are answered by lines here: single keys need a terminal in which autocraft draws the input line"
        )

    def write(self, text: str) -> None:
        write_out(text)

    async def page(self, text: str) -> None:
        """Show a long text, in a pager if there is one."""
        self.write(text + "\n")

    async def open(self) -> None:
        """Begin to read, if lines may come before the first question."""

    async def close(self) -> None:
        """End reading."""


class LineReader(Reader):
    """Reads a pipe: one line for one question, and nothing before it is asked for.

    Nobody looks at the screen here. Who wrote the script decided when they wrote it, and all its lines may be in the
    pipe before the first question. So nothing is typed ahead on a pipe, and TypedAhead is never raised.
    """

    def __init__(self, *, prompt: bool = True) -> None:
        super().__init__()
        self._prompt = prompt
        self._pending = b""
        self._line: asyncio.Task[str | None] | None = None
        """The reading of a line. An interrupted question leaves it to the next one."""

    async def ask(
        self, draw: Callable[[], None], prompt: str, default: str = "", choices: Sequence[Choice] = ()
    ) -> str | None:
        draw()
        if self._prompt:
            self.write(prompt)
        if self._line is None:
            self._line = asyncio.create_task(run_in_thread(self._read))
        line = await asyncio.shield(self._line)
        self._line = None
        if self._prompt:
            self.write("\n")
        return line

    def _read(self) -> str | None:
        """Read the descriptor itself: a thread that waits inside sys.stdin would stop Python from ending."""
        while b"\n" not in self._pending and (more := read_some()):
            self._pending += more
        raw, _, rest = self._pending.partition(b"\n")
        line = raw.decode("utf-8", "replace").rstrip("\r") if self._pending else None
        self._pending = rest
        return line


def read_some() -> bytes:
    """Wait for standard input, and return what has come. Return nothing at its end or if it is closed."""
    try:
        return os.read(0, 65536)
    except OSError:
        return b""


def write_out(text: str) -> None:
    """Write to standard output all that its encoding can express. A closed pipe is no error."""
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
        write_nowhere()


def write_nowhere() -> None:
    """Redirect standard output to nowhere, so that nothing more fails on it, not even the last flush."""
    sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
