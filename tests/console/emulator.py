"""Shows the real program in a terminal emulator, row by row as a person sees it."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from fcntl import ioctl
from typing import Any

import pyte

from tests import warm
from tests.conftest import PROGRAM, Place
from tests.waiting import PATIENCE


class Emulator:
    """Runs `autocraft ARGUMENTS` in a pseudo-terminal of this size. `raw` has every byte of the program.

    `ahead` is the content of the terminal before the program begins.
    """

    def __init__(
        self,
        place: Place,
        arguments: Sequence[str],
        columns: int = 80,
        rows: int = 40,
        *,
        ahead: str = "",
        program: Sequence[str] = PROGRAM,
        **env: str,
    ) -> None:
        self.screen = pyte.HistoryScreen(columns, rows, history=5000, ratio=0.5)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.reflows = False
        """Whether a row that becomes too long goes on in the next one, as in tmux; otherwise it is cut, as in xterm."""
        ours, theirs = pty.openpty()
        self.file = ours
        self.tty = os.ttyname(theirs)
        self.resize(columns, rows)
        self.send(ahead)
        env = place.environment | env
        self.child: warm.Program | subprocess.Popen[bytes]
        if program[0] == sys.executable and warm.can_fork(env):
            self.child = warm.start(
                [*program[1:], *arguments], place.folder, env, (theirs, theirs, theirs), terminal=True
            )
        else:
            self.child = subprocess.Popen(
                [*program, *arguments], cwd=place.folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs,
                start_new_session=True, close_fds=True,
            )  # fmt: skip
        os.close(theirs)

    def resize(self, columns: int, rows: int) -> None:
        ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if self.reflows:
            self._reflow(columns)
        self.screen.resize(rows, columns)
        if hasattr(self, "child"):
            self.child.send_signal(signal.SIGWINCH)

    def _reflow(self, columns: int) -> None:
        """Break the rows that are too long for this number of columns. The cursor stays at its character."""
        screen, rows, at = self.screen, list[Any](), self.screen.cursor.y
        for y in range(screen.lines):
            old = screen.buffer[y]
            used = max((x + 1 for x, char in old.items() if char != screen.default_char), default=0)
            parts = [type(old)(screen.default_char) for _ in range(0, max(1, used), columns)]
            for x in range(used):
                parts[x // columns][x % columns] = old[x]
            if y == at:
                down, screen.cursor.x = divmod(screen.cursor.x, columns)
                parts += [type(old)(screen.default_char)] * (down + 1 - len(parts))
                screen.cursor.y = len(rows) + down
            rows += parts
        while len(rows) > screen.lines and not rows[-1]:
            del rows[-1]
        gone = len(rows) - screen.lines
        screen.history.top.extend(rows[:gone])
        screen.cursor.y -= gone
        screen.buffer.clear()
        screen.buffer.update(enumerate(rows[gone:]))

    def send(self, keys: str) -> None:
        os.write(self.file, keys.encode(errors="surrogateescape"))

    def read(self, seconds: float = 0.05) -> bool:
        """Read the new output. Return False if the program has ended."""
        if select.select([self.file], [], [], seconds)[0]:
            try:
                data = os.read(self.file, 65536)
            except OSError:
                return False
            self.raw += data
            self._stream.feed(data)
            return bool(data)
        return True

    def until(self, words: str, seconds: float = PATIENCE) -> str:
        """Wait until these words are on the screen. Return the screen."""
        deadline = time.monotonic() + seconds
        while words not in self.text:
            if not self.read() or time.monotonic() > deadline:
                raise AssertionError(f"{words!r} did not come; the screen is:\n{self.text}")
        return self.text

    def question(self, nth: int) -> None:
        """Wait until the nth question and its input line are drawn. An older question may still be visible."""
        deadline = time.monotonic() + PATIENCE
        while self.raw.count(b"Enter 'y'") < nth or not self.text.rstrip().split("\n")[-1].startswith("Input:"):
            if not self.read() or time.monotonic() > deadline:
                raise AssertionError(f"question {nth} did not come; the screen is:\n{self.text}")

    def leave(self) -> int:
        """Read until the program ends. Return its exit code."""
        deadline = time.monotonic() + PATIENCE
        while self.read() and time.monotonic() < deadline:
            pass
        return self.child.wait(PATIENCE)

    @property
    def text(self) -> str:
        """Return the visible rows, with each wide character once."""
        return "\n".join(row.rstrip() for row in self.screen.display)

    @property
    def whole(self) -> str:
        """Return all text, also the rows that scrolled away. Wrapped rows are joined."""
        return re.sub(r"\s+", " ", " ".join(self.rows))

    @property
    def rows(self) -> list[str]:
        """Return all rows, also those that scrolled away."""
        gone = ["".join(row[x].data for x in range(self.screen.columns)) for row in self.screen.history.top]
        return [*gone, *self.screen.display]

    def close(self) -> None:
        self.child.end() if isinstance(self.child, warm.Program) else self.child.kill()
        self.child.wait()
        os.close(self.file)


def last_row(emulator: Emulator) -> str:
    """Return the lowest row that is not empty."""
    return next((row for row in reversed(emulator.text.split("\n")) if row.strip()), "")


__all__: list[Any] = ["Emulator", "last_row"]
