"""Calls the person's own program when a question waits or the run ends."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable

from autocraft.children import Lifetime, WaitingChild, start_waiting
from autocraft.errors import UsageError
from autocraft.session.events import End, Event, Question


class Notifier:
    """Starts a program for each question and for the end of the run, and never waits for it.

    Nothing that a model or the world wrote reaches the program: it gets a word in ``AUTOCRAFT_EVENT``, which is
    `question` or `end`, and the id of the session in ``AUTOCRAFT_SESSION``.
    """

    def __init__(self, command: str, session: str, say: Callable[[str], None]) -> None:
        """Split the command as a shell does. Raises UsageError if a quotation mark is missing."""
        try:
            self.words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"--notify {command[:80]!r} is not a command: {str(error).lower()}") from None
        self.session = session
        self.say = say
        self._failed = False
        self._child: WaitingChild | None = None

    def event(self, event: Event) -> None:
        """Start the program if this event needs the person. Say once that it failed."""
        if not isinstance(event, Question | End):
            return
        if self._child is not None and self._child.poll():
            self._fail(f"it ended with code {self._child.returncode}")
        what = "question" if isinstance(event, Question) else "end"
        try:
            self._child = start_waiting(
                self.words,
                Lifetime.DETACHED,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "AUTOCRAFT_EVENT": what, "AUTOCRAFT_SESSION": self.session},
            )
        except OSError as error:
            self._fail(error.strerror or str(error))

    def _fail(self, why: str) -> None:
        if not self._failed:
            self._failed = True
            self.say(f"The program of --notify failed: {why}.")
