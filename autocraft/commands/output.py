"""The output of a running program, as one event for each few seconds in which it prints something."""

from __future__ import annotations

import asyncio
import contextlib

from autocraft.commands.run_protocols import HasJournal
from autocraft.errors import SessionError
from autocraft.protocols import Call
from autocraft.session.events import Progress

PAUSE = 2.0
"""Seconds from the first text to its event. A program that ends sooner has all of its output in its result."""
MOST = 4_000
"""Most characters of one event: the newest whole lines."""


class OutputReport:
    """Journals the output of one call's program; used as ``with OutputReport(call) as output``.

    Outside a run it does nothing. The last text is not journaled, since the result has all of the output.
    """

    def __init__(self, call: Call) -> None:
        self._call = call
        self._text = ""
        self._due: asyncio.TimerHandle | None = None

    def __enter__(self) -> OutputReport:
        return self

    def add(self, text: str) -> None:
        """Add text that the program has printed."""
        self._text += text
        if len(self._text) > MOST:  # cut between lines, since the search for secrets would miss half of one
            newest = self._text[-MOST:]
            self._text = newest.partition("\n")[2] or "[a long line is left out]" + "\n" * newest.endswith("\n")
        if self._due is None and self._call.run is not None:
            self._due = asyncio.get_running_loop().call_later(PAUSE, self._write)

    def __exit__(self, *failed: object) -> None:
        if self._due is not None:
            self._due.cancel()

    def _write(self) -> None:
        """Journal the whole lines, or a line without an end if it is all there is."""
        run: HasJournal = self._call.run
        self._due = None
        lines, end, rest = self._text.rpartition("\n")
        output, self._text = lines + end or rest, ""
        if end and rest:
            self.add(rest)
        event = Progress(agent=self._call.agent, id=self._call.id, command=self._call.name, output=output)
        with contextlib.suppress(SessionError):  # the event of the result meets the same fault
            run.journal.append(event)
