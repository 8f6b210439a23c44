"""Which typed line is an answer: the rule of both readers at a terminal, and the reader for a plain one.

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
from collections.abc import Callable

from autocraft.console.ctrl_c import hear_ctrl_c
from autocraft.console.read import TypedAhead, ignore, read_some, write_out
from autocraft.text.sanitize import clean, clean_line

PASTE_GAP = 0.03
"""Seconds: lines that follow each other faster than this are one pasted block."""
BEGUN = "Begun before this question, so it is no answer to it: "
"""The prompt of a line that was begun before the question which stands now."""


class TypedReader:
    """What both readers have in common; a reader says how it opens, what is half typed and how a prompt stands."""

    def __init__(self) -> None:
        self.on_line: Callable[[str], None] = ignore
        self.on_interrupt: Callable[[], None] = ignore
        self._question: asyncio.Future[str | None] | None = None
        self._draw: Callable[[], None] = ignore
        """Draws the question that stands."""
        self._prompt = ""
        self._begun = False
        """Whether the line that is being typed was begun before the question."""
        self._early = 0
        """How many lines were no answers."""
        self._held: asyncio.TimerHandle | None = None
        """Waits after an Enter, which may belong to a pasted block."""
        self._ended = False

    async def ask(self, draw: Callable[[], None], prompt: str, default: str = "") -> str | None:
        """Draw the question and read its answer. Return None at the end of input. Raises TypedAhead.

        The prompt is drawn last: what is typed once it can be seen is an answer.
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
            self._prompt, self._draw = prompt, draw
            self._question = asyncio.get_running_loop().create_future()
            self._show_prompt("" if self._begun else default)
            return await self._question
        except asyncio.CancelledError:
            self._drop()
            raise
        finally:
            self._question, self._draw = None, ignore
            self._rest()

    async def drain(self) -> None:
        """Let every line that is already typed reach `on_line`. The event loop reads; this waits for it."""
        while not self._ended and (self._held is not None or ready()):  # noqa: ASYNC110 - the kernel sets no event
            await asyncio.sleep(0.001)

    def _finished(self, text: str) -> None:
        """Take a line that was just finished: as the answer, if it was begun after the question."""
        question, begun = self._question, self._begun
        self._begun = False
        if question is not None and not question.done() and not begun:
            self._echo(text)
            question.set_result(text)
            return
        if text.strip():
            self._early += 1
            self.on_line(text)
        if question is not None and not question.done():
            question.set_exception(TypedAhead())

    def _end(self) -> None:
        """No more input comes: nothing that is left half typed is an answer."""
        self._ended = True
        if self._question is not None and not self._question.done():
            self._question.set_result(None)

    # ------------------------------------------------------------ what a reader says

    async def open(self) -> None:
        raise NotImplementedError

    def _half_typed(self) -> bool:
        """Whether a line has been begun and not finished."""
        raise NotImplementedError

    def _show_prompt(self, default: str) -> None:
        """Let the person see that it is their turn."""
        raise NotImplementedError

    def _drop(self) -> None:
        """Forget what is half typed, as a shell does at Ctrl-C."""
        if self._held is not None:
            self._held.cancel()
            self._held = None

    def _rest(self) -> None:
        """The question is over."""

    def _echo(self, text: str) -> None:
        """Keep the answer in sight, where the terminal does not."""


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
            asyncio.get_running_loop().add_reader(0, self._read)

    def write(self, text: str) -> None:
        write_out(text)

    async def page(self, text: str) -> None:
        write_out(text + "\n")

    async def close(self) -> None:
        self._ended = True
        if self._held is not None:
            self._held.cancel()
        if self._open:
            asyncio.get_running_loop().remove_reader(0)

    def _read(self) -> None:
        """Take in what has come: whole lines, but for Ctrl-D inside a line."""
        more = read_some()
        if self._held is not None:
            self._held.cancel()
            self._held = None
        if not more:
            asyncio.get_running_loop().remove_reader(0)
            self._end()
            return
        self._pending += more
        if self._pending.endswith(b"\n"):
            self._held = asyncio.get_running_loop().call_later(PASTE_GAP, self._block)

    def _block(self) -> None:
        """Nothing followed the line end: the line, or the pasted block, is finished."""
        self._held = None
        text, self._pending = self._pending.decode("utf-8", "replace").rstrip("\r\n"), b""
        self._finished(text)

    def _half_typed(self) -> bool:
        self._pending += _unfinished() if not self._ended else b""
        if self._pending.endswith(b"\n"):  # it was finished in this moment
            self._block()
        return bool(self._pending)

    def _show_prompt(self, default: str) -> None:
        if self._shows_prompt:
            begun = clean(self._pending.decode("utf-8", "replace"))
            self.write(f"\n{BEGUN}{begun}" if self._begun else self._prompt)

    def _drop(self) -> None:
        super()._drop()
        self._pending = b""


def ready() -> bool:
    """Whether standard input holds something that nobody has read."""
    if sys.platform == "win32":
        import msvcrt

        return msvcrt.kbhit()
    try:
        return bool(select.select([0], [], [], 0)[0])
    except (OSError, ValueError):
        return False


def _unfinished() -> bytes:
    """Take the line without its end out of the terminal, which gives it to nobody before Enter."""
    import termios

    try:
        before = termios.tcgetattr(0)
    except termios.error:  # the terminal is gone
        return b""
    now = [*before[:3], before[3] & ~termios.ICANON, *before[4:6], list(before[6])]
    now[6][termios.VMIN] = now[6][termios.VTIME] = 0
    termios.tcsetattr(0, termios.TCSANOW, now)
    try:
        taken = b""
        while ready() and (more := read_some()):
            taken += more
        return taken
    finally:
        termios.tcsetattr(0, termios.TCSANOW, before)


def ask_line(question: str) -> str | None:
    """Ask one question outside a run. Return the line, and None at the end of input.

    What was typed before the question is named and left out. Raises KeyboardInterrupt.
    """
    if sys.platform != "win32":
        with hear_ctrl_c() as heard:
            return asyncio.run(_ask_line(question, heard))
    import msvcrt

    while msvcrt.kbhit():
        msvcrt.getwch()
    try:
        return input(f"{question}: ")
    except EOFError:
        return None


async def _ask_line(question: str, heard: socket.socket) -> str | None:
    asyncio.get_running_loop().add_reader(heard, heard.recv, 1)  # its byte wakes the loop, which then sees the signal
    reader = PlainReader()
    reader.on_line = lambda line: write_out(f"Left out, since it was typed before the question: {clean_line(line)}\n")
    try:
        while True:
            with contextlib.suppress(TypedAhead):
                return await reader.ask(lambda: write_out(question), ": ")
    finally:
        await reader.close()
