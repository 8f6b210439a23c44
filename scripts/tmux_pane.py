"""Runs a program in a real terminal: one window of a private tmux server, which ends with the window."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

HISTORY = 5000
"""Rows that scrolled away and are kept."""


class NoTerminal(Exception):
    """Raised if there is no tmux, or if it does not show the expected text. The message says what to do."""


def tmux() -> str:
    """Return the path of tmux. Raises NoTerminal if it is not installed."""
    found = shutil.which("tmux")
    if found is None:
        raise NoTerminal("tmux is not installed: install it (apt-get install tmux, brew install tmux) and run again")
    return found


class Pane:
    """A shell in a terminal of this size. Use it in a `with` statement."""

    def __init__(self, folder: Path, environment: Mapping[str, str], columns: int, rows: int) -> None:
        self.folder = folder
        self._command = [tmux(), "-u", "-L", f"autocraft-{os.getpid()}-{columns}x{rows}", "-f", "/dev/null"]
        self._environment = {"PATH": os.environ.get("PATH", os.defpath), **environment}
        self._do("start-server", ";", "set", "-g", "history-limit", str(HISTORY), ";", "set", "-g", "default-terminal",
                 "screen-256color", ";", "set", "-g", "status", "off", ";", "new-session", "-d", "-x", str(columns),
                 "-y", str(rows), "-c", str(folder), "env", "PS1=$ ", "sh")  # fmt: skip

    def __enter__(self) -> Pane:
        return self

    def __exit__(self, *problem: object) -> None:
        subprocess.run([*self._command, "kill-server"], env=self._environment, capture_output=True, check=False)

    def type(self, text: str, *, enter: bool = True) -> None:
        """Type a text as a person does, then the Enter key."""
        self._do("send-keys", "-l", "--", text)
        if enter:
            self._do("send-keys", "Enter")

    def rows(self, *, above: int = 0) -> tuple[str, ...]:
        """Return the rows with their colours, without empty rows at the end, and so many that scrolled away above."""
        shown, before = "", None
        while shown != before:  # a redraw may be incomplete
            before = shown
            time.sleep(0.08)
            shown = self._do("capture-pane", "-p", "-e", "-N", "-S", str(-above))
        rows = shown.split("\n")
        while rows and not rows[-1].strip():
            rows.pop()
        return tuple(rows)

    def until(self, what: str, seen: Callable[[str], bool], seconds: float = 30) -> None:
        """Wait until `seen` accepts the plain text of all rows. Raises NoTerminal, with `what` is missing."""
        deadline = time.monotonic() + seconds
        while not seen(text := self._do("capture-pane", "-p", "-S", "-").rstrip()):
            if time.monotonic() > deadline:
                raise NoTerminal(f"{what} did not come in {seconds:g} s; the terminal shows:\n{text}")
            time.sleep(0.03)

    def _do(self, *arguments: str) -> str:
        done = subprocess.run([*self._command, *arguments], env=self._environment, capture_output=True, check=False)
        if done.returncode:
            raise NoTerminal(f"tmux says: {done.stderr.decode(errors='replace').strip()}; run again")
        return done.stdout.decode()
