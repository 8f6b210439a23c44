"""The reader for a terminal: history, editing and completion, open all the time.

While the run works, what is typed is feedback; a question turns the same line into its answer. Above the input stand
the arriving answer and the status line (`live.py`). Neighbours: `read.py` has the promise, `render.py` writes through
this so that the line being edited stays below the output.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from autocraft.clean import clean
from autocraft.console.complete import complete
from autocraft.console.live import Live
from autocraft.console.read import ignore, write_out
from autocraft.console.render import ConsoleSettings, Screen
from autocraft.console.slash import Desk
from autocraft.limits import Limits
from autocraft.masking import Mask
from autocraft.protocols import Delta, Json

EDITOR_CHARS = 200
"""A text to edit that is longer than this is opened in $VISUAL or $EDITOR, where one is set."""
PASTE_GAP = 0.03
"""Seconds: keys that follow a line end faster than this belong to a pasted block."""
REDRAW_GAP = 0.08
"""Seconds between two redraws of the living part, however fast an answer streams in."""


class TerminalReader:
    """A terminal; `complete` gives the whole lines that a line could become."""

    def __init__(
        self,
        complete: Callable[[str], list[str]],
        live: Live,
        mask: Mask,
        history: Path | None = None,
        *,
        bell: bool = True,
    ) -> None:
        self.on_line: Callable[[str], None] = ignore
        self.on_interrupt: Callable[[], None] = ignore
        self._live = live
        self._mask = mask
        self._bell = bell
        self._question: asyncio.Future[str | None] | None = None
        self._prompt = ""
        self._held: asyncio.TimerHandle | None = None
        self._due: asyncio.TimerHandle | None = None
        self._ended = False
        self._task: asyncio.Task[None] | None = None
        self._session = self._make_session(complete, history)

    # ------------------------------------------------------------ the promise of a reader

    async def open(self) -> None:
        """Begin to read, so that feedback can be typed before the first question."""
        if self._task is None:
            self._task = asyncio.create_task(self._serve())
        await asyncio.sleep(0)

    async def ask(self, draw: Callable[[], None], prompt: str, default: str = "") -> str | None:
        await self.open()
        draw()
        if self._ended:
            return None
        self._question = asyncio.get_running_loop().create_future()
        self._prompt = prompt
        if default:
            self._buffer.text = default
            self._buffer.cursor_position = len(default)
        self._call_attention()
        self._session.app.invalidate()
        if len(default) > EDITOR_CHARS and (os.environ.get("VISUAL") or os.environ.get("EDITOR")):
            self._buffer.open_in_editor(validate_and_handle=True)
        try:
            return await self._question
        except asyncio.CancelledError:
            if default:  # what was to be edited is no answer to the next question
                self._buffer.reset()
            raise
        finally:
            self._question = None
            self._title("working")

    async def drain(self) -> None:
        import select

        for _ in range(200):
            waiting = os.name != "nt" and select.select([sys.stdin], [], [], 0)[0]
            if not waiting and self._held is None:
                return
            await asyncio.sleep(0.005)

    def write(self, text: str) -> None:
        app = self._session.app
        if not app.is_running:
            write_out(text)
            return
        try:
            app.renderer.erase()
            app.output.write_raw(text)
            app.output.flush()
        except OSError:  # the terminal was closed
            self._ended = True
            return
        app.invalidate()

    def refresh(self) -> None:
        """Draw the living part again, soon; a key press is drawn at once and does not wait for this."""
        if self._due is None and self._session.app.is_running:
            self._due = asyncio.get_running_loop().call_later(REDRAW_GAP, self._redraw)

    def _redraw(self) -> None:
        self._due = None
        self._session.app.invalidate()

    async def page(self, text: str) -> None:
        """Show a long text in the person's pager, and come back."""
        import pydoc

        from prompt_toolkit.application import run_in_terminal

        await run_in_terminal(lambda: pydoc.pager(text), in_executor=True)

    async def close(self) -> None:
        self._ended = True
        if self._due is not None:
            self._due.cancel()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await self._task
            self._session.app.renderer.erase()
            self._title("")

    # ------------------------------------------------------------ lines

    @property
    def _buffer(self) -> Any:
        return self._session.default_buffer

    async def _serve(self) -> None:
        while not self._ended:
            try:
                text = await self._session.prompt_async(handle_sigint=False, set_exception_handler=False)
            except (EOFError, OSError):
                self._ended = True
                text = None
            if self._question is not None and not self._question.done():
                write_out(f"{self._prompt}{clean(text or '')}\n")  # it may have been pasted
                self._question.set_result(text)
                self._question = None
            elif text is not None:
                self.on_line(text)

    def _accept(self) -> None:
        self._held = None
        if self._session.app.is_running:
            self._buffer.validate_and_handle()

    # ------------------------------------------------------------ the input line

    def _make_session(self, complete: Callable[[str], list[str]], history: Path | None) -> Any:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.layout import FormattedTextControl, HSplit, Window
        from prompt_toolkit.output import ColorDepth

        if history is not None:
            history.touch(mode=0o600)
        session: Any = PromptSession(
            self._message,
            history=_history(history, self._mask),
            completer=_completer(complete),
            complete_while_typing=False,
            enable_open_in_editor=True,
            erase_when_done=True,
            refresh_interval=1.0,
            key_bindings=self._keys(),
            prompt_continuation="  ",
            color_depth=ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else None,
            output=_output(),
        )
        # in a window of its own: as part of the prompt it would be taken apart into characters at every redraw
        above = Window(FormattedTextControl(self._above), dont_extend_height=True)
        session.layout.container = HSplit([above, session.layout.container])
        return session

    def _above(self) -> Any:
        """The arriving answer and the status line."""
        columns = self._session.app.output.get_size().columns
        parts = [("fg:ansigray italic", f"{row}\n") for row in self._live.rows(columns)]
        return [*parts, ("reverse", self._live.status(columns).ljust(columns - 1))]

    def _message(self) -> Any:
        return [("bold", self._prompt) if self._question is not None else ("", "… ")]

    def _keys(self) -> Any:
        from prompt_toolkit.filters import Condition
        from prompt_toolkit.key_binding import KeyBindings

        keys = KeyBindings()
        held = Condition(lambda: self._held is not None)

        @keys.add("enter", filter=~held)
        def _enter(event: Any) -> None:
            self._held = asyncio.get_running_loop().call_later(PASTE_GAP, self._accept)

        @keys.add("enter", filter=held, eager=True)
        @keys.add("<any>", filter=held, eager=True)
        @keys.add("tab", filter=held, eager=True)
        def _pasted(event: Any) -> None:
            """The line end was inside a pasted block: it is text."""
            if self._held is not None:
                self._held.cancel()
                self._held = None
            event.current_buffer.insert_text("\n")
            event.key_processor.feed(event.key_sequence[0], first=True)

        @keys.add("escape", "enter")
        def _new_line(event: Any) -> None:
            event.current_buffer.insert_text("\n")

        @keys.add("c-c")
        def _interrupt(event: Any) -> None:
            self.on_interrupt()

        return keys

    # ------------------------------------------------------------ attention

    def _call_attention(self) -> None:
        """Ring once and say in the window's title that the run waits."""
        self._title("waiting for you")
        if self._bell:
            self._session.app.output.bell()

    def _title(self, doing: str) -> None:
        output = self._session.app.output
        if doing:
            output.set_title(f"autocraft: {doing}")
        else:
            output.clear_title()
        output.flush()


class TerminalScreen(Screen):
    """The person's view with its living part."""

    def __init__(self, reader: TerminalReader, live: Live, ai_name: str, desk: Desk, settings: ConsoleSettings) -> None:
        super().__init__(reader.write, ai_name, desk.state, settings, terminal=True)
        self._reader = reader
        self._live = live

    def event(self, event: Json) -> None:
        self._live.event(event)
        super().event(event)

    def delta(self, delta: Delta) -> None:
        self._live.delta(delta)
        self._reader.refresh()


def open_terminal(
    ai_name: str, brain: str, settings: ConsoleSettings, desk: Desk, limits: Limits, history: Path
) -> tuple[TerminalReader, TerminalScreen]:
    """Reader and screen that share one terminal."""
    live = Live(desk.state, limits, brain, desk.journal.mask, raw=settings.debug)
    reader = TerminalReader(
        lambda line: complete(line, desk.registry, desk.world.items),
        live,
        desk.journal.mask,
        history,
        bell=settings.bell,
    )
    return reader, TerminalScreen(reader, live, ai_name, desk, settings)


def _history(file: Path | None, mask: Mask) -> Any:
    """What was typed, kept in a file without the secrets among it."""
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    class Kept(FileHistory):
        def store_string(self, string: str) -> None:
            super().store_string(mask.text(string))

    return Kept(str(file)) if file else InMemoryHistory()


def _completer(complete: Callable[[str], list[str]]) -> Any:
    from prompt_toolkit.completion import Completer, Completion

    class Lines(Completer):
        """Offers whole lines, shown by their last word."""

        def get_completions(self, document: Any, event: Any) -> Iterable[Any]:
            text = document.text_before_cursor
            for line in complete(text):
                yield Completion(line, start_position=-len(text), display=line.rpartition(" ")[2])

    return Lines()


def _output() -> Any:
    """Output without cursor position requests: not every terminal answers them, and we need no answer."""
    if os.name == "nt":
        return None
    from prompt_toolkit.output.vt100 import Vt100_Output

    output = Vt100_Output.from_pty(sys.stdout, term=os.environ.get("TERM"))
    output.enable_cpr = False
    return output
