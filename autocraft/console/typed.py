"""Decides which typed line is an answer, for both readers at a terminal, and reads a plain terminal.

A line answers a question only if it was begun after the question had been drawn and flushed. Whatever had arrived
until then is feedback: finished lines, an Enter that may belong to a pasted block, bytes that the terminal still
holds. A line that was begun before is not lost: it stands at the prompt under another name, can be finished, and is
feedback as a whole. So neither an Enter nor the last letters of a word that come too late can authorise anything. The
end of input counts at once, whenever it is typed: to stop is always safe.
"""

from __future__ import annotations

import asyncio
import contextlib
import select
import socket
import sys
from collections.abc import Callable, Sequence

from autocraft.agent.signals import on_signals
from autocraft.console.choices import Choice
from autocraft.console.ctrl_c import watch_ctrl_c
from autocraft.console.read import Reader, TypedAhead, ignore, read_some, write_out
from autocraft.text.sanitize import clean, clean_line

PASTE_GAP = 0.03
"""Seconds: lines that follow each other faster than this are one pasted block."""
BEGUN = "Started before this question, so it is not an answer: "
"""The prompt of a line that was begun before the question which stands now."""
WITHDRAWN = "answered elsewhere"
"""The message of a cancellation that withdraws a question. A begun line is kept, unless it is one to be edited."""


class TypedReader(Reader):
    """The common part of both readers. A reader adds how it opens, its unfinished line, and its prompt."""

    def __init__(self) -> None:
        super().__init__()
        self._question: asyncio.Future[str | None] | None = None
        self._draw: Callable[[], None] = ignore
        """Draws the question that stands."""
        self._prompt = ""
        self._choices: Sequence[Choice] = ()
        """The answers that it offers."""
        self._begun = False
        """Whether the line that is being typed was begun before the question."""
        self._early = 0
        """The number of lines that were not answers."""
        self._held: asyncio.TimerHandle | None = None
        """Waits after an Enter, which may belong to a pasted block."""
        self._ended = False

    async def ask(
        self, draw: Callable[[], None], prompt: str, default: str = "", choices: Sequence[Choice] = ()
    ) -> str | None:
        """Draw the question and read its answer. Return None at the end of input. Raises TypedAhead.

        The prompt is drawn last. A line typed after that is an answer.
        """
        early = self._early
        try:
            await self.open()
            draw()
            await self.drain()
            self._begun = self._half_typed()
            if self._early != early:
                raise TypedAhead
            if self._ended:
                return None
            self._prompt, self._draw, self._choices = prompt, draw, choices
            self._question = asyncio.get_running_loop().create_future()
            self._show_prompt("" if self._begun else default)
            return await self._question
        except asyncio.CancelledError as cancelled:
            if default or cancelled.args != (WITHDRAWN,):
                self._drop()
            raise
        finally:
            self._question, self._draw = None, ignore
            self._rest()

    async def drain(self) -> None:
        """Wait until the event loop has sent every typed line to `on_line`."""
        while not self._ended and (self._held is not None or ready()):  # noqa: ASYNC110 - the kernel sets no event
            await asyncio.sleep(0.001)

    def _take_line(self, text: str) -> None:
        """Take a finished line. It is the answer if it was begun after the question."""
        question, has_begun = self._question, self._begun
        self._begun = False
        if question is not None and not question.done() and not has_begun:
            self._echo(text)
            question.set_result(text)
            return
        if text.strip():
            self._early += 1
            self.on_line(text)
        if question is not None and not question.done():
            question.set_exception(TypedAhead())

    def _end(self) -> None:
        """End the input. An unfinished line is not an answer."""
        self._ended = True
        if self._question is not None and not self._question.done():
            self._question.set_result(None)

    def _ask_anew(self) -> None:
        """Have the question asked anew, as the process goes on after a stop. What was typed until now is no answer."""
        if self._question is not None and not self._question.done():
            self._question.set_exception(TypedAhead())

    def _half_typed(self) -> bool:
        """Tell whether there is an unfinished line."""
        raise NotImplementedError

    def _show_prompt(self, default: str) -> None:
        """Show the person that it is their turn."""
        raise NotImplementedError

    def _drop(self) -> None:
        """Drop an unfinished line, as a shell does at Ctrl-C."""
        self._wait_no_longer()

    def _wait_no_longer(self) -> None:
        """Go on at once after an Enter: something followed it, or nothing will."""
        if self._held is not None:
            self._held.cancel()
            self._held = None

    def _rest(self) -> None:
        """Go on after the question is over."""

    def _echo(self, text: str) -> None:
        """Show the answer, if the terminal does not."""


class PlainReader(TypedReader):
    """A terminal that edits the line itself, for `--plain`, ``TERM=dumb`` and --json."""

    def __init__(self, *, prompt: bool = True) -> None:
        super().__init__()
        self._shows_prompt = prompt
        self._pending = b""
        self._open = False

    async def open(self) -> None:
        if not self._open:
            self._open = True
            on_signals(SIGCONT=self._ask_anew)
            asyncio.get_running_loop().add_reader(0, self._read)

    async def close(self) -> None:
        self._ended = True
        self._wait_no_longer()
        if self._open:
            asyncio.get_running_loop().remove_reader(0)

    def _read(self) -> None:
        """Take the input: whole lines, except after Ctrl-D inside a line."""
        more = read_some()
        self._wait_no_longer()
        if not more:
            asyncio.get_running_loop().remove_reader(0)
            self._end()
            return
        self._pending += more
        if self._pending.endswith(b"\n"):
            self._held = asyncio.get_running_loop().call_later(PASTE_GAP, self._block)

    def _block(self) -> None:
        """Finish the line or the pasted block, as no input followed its line end."""
        self._held = None
        text, self._pending = self._pending.decode("utf-8", "replace").rstrip("\r\n"), b""
        self._take_line(text)

    def _half_typed(self) -> bool:
        self._pending += _unfinished() if not self._ended else b""
        if self._pending.endswith(b"\n"):  # it was finished just now
            self._block()
        return bool(self._pending)

    def _show_prompt(self, default: str) -> None:
        if self._shows_prompt:
            text = clean(self._pending.decode("utf-8", "replace"))
            self.write(f"\n{BEGUN}{text}" if self._begun else self._prompt)

    def _drop(self) -> None:
        super()._drop()
        self._pending = b""


def ready() -> bool:
    """Tell whether standard input has unread bytes."""
    if sys.platform == "win32":
        import msvcrt

        return msvcrt.kbhit()
    try:
        return bool(select.select([0], [], [], 0)[0])
    except (OSError, ValueError):
        return False


def _unfinished() -> bytes:
    """Take an unfinished line out of the terminal, which holds it back until Enter."""
    import termios

    data = b""
    with contextlib.suppress(termios.error):  # the terminal is gone
        before = termios.tcgetattr(0)
        now = [*before[:3], before[3] & ~termios.ICANON, *before[4:6], list(before[6])]
        now[6][termios.VMIN] = now[6][termios.VTIME] = 0
        termios.tcsetattr(0, termios.TCSANOW, now)
        try:
            while ready() and (more := read_some()):
                data += more
        finally:
            termios.tcsetattr(0, termios.TCSANOW, before)
    return data


def ask_line(question: str) -> str | None:
    """Ask one question outside a run. Return the line, and None at the end of input.

    Lines typed before the question are shown and ignored. Raises KeyboardInterrupt.
    """
    if sys.platform != "win32":
        with watch_ctrl_c() as signals:
            return asyncio.run(_ask_line(question, signals))
    import msvcrt

    while msvcrt.kbhit():
        msvcrt.getwch()
    try:
        return input(f"{question}: ")
    except EOFError:
        return None


async def _ask_line(question: str, signals: socket.socket) -> str | None:
    asyncio.get_running_loop().add_reader(signals, signals.recv, 1)  # it wakes the loop, which sees the signal
    reader = PlainReader()
    early = "Ignored, because it was typed before the question"
    reader.on_line = lambda line: write_out(f"\n{early}: {clean_line(line)}\n")
    try:
        while True:
            with contextlib.suppress(TypedAhead):
                return await reader.ask(lambda: write_out(question), ": ")
    finally:
        await reader.close()
