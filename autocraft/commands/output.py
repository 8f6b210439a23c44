"""What a running program prints, told as it comes: an event for each few seconds in which it printed something."""

from __future__ import annotations

import asyncio
import contextlib

from autocraft.commands.live import HasJournal
from autocraft.errors import SessionError
from autocraft.protocols import Call
from autocraft.session.events import Progress

PAUSE = 2.0
"""Seconds from the first text to the event that tells it. A program that ends sooner tells all in its result."""
MOST = 4_000
"""The most characters of one event: the newest whole lines."""


class OutputReport:
    """Journals the output of the program of one call; used as ``with OutputReport(call) as output``.

    Outside a run it does nothing. What is left at the end is not journaled, since the result tells all.
    """

    def __init__(self, call: Call) -> None:
        self._call = call
        self._text = ""
        self._due: asyncio.TimerHandle | None = None

    def __enter__(self) -> OutputReport:
        return self

    def add(self, text: str) -> None:
        """Take in what the program has printed."""
        self._text += text
        if len(self._text) > MOST:  # cut between lines, since half a secret is not found
            newest = self._text[-MOST:]
            self._text = newest.partition("\n")[2] if "\n" in newest else "[a long line is left out]"
        if self._due is None and self._call.run is not None:
            self._wait()

    def __exit__(self, *failed: object) -> None:
        if self._due is not None:
            self._due.cancel()

    def _wait(self) -> None:
        self._due = asyncio.get_running_loop().call_later(PAUSE, self._tell)

    def _tell(self) -> None:
        """Tell the whole lines; a line without an end only if nothing came behind it."""
        run: HasJournal = self._call.run
        self._due = None
        lines, end, rest = self._text.rpartition("\n")
        output, self._text = (lines + end, rest) if end else (rest, "")
        if self._text:
            self._wait()
        event = Progress(agent=self._call.agent, id=self._call.id, command=self._call.name, output=output)
        with contextlib.suppress(SessionError):  # the result meets the same fault, and ends the run
            run.journal.append(event)
