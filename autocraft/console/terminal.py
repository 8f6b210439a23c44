"""The reader for a terminal: history, editing and completion, open all the time.

While the run works, what is typed is feedback; a question turns the same line into its answer. Neighbours:
`read.py` has the promise, `render.py` writes through this so that the line being edited stays below the output.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from autocraft.console.read import ignore, write_out

EDITOR_CHARS = 200
"""A text to edit that is longer than this is opened in $VISUAL or $EDITOR, where one is set."""
PASTE_GAP = 0.03
"""Seconds: keys that follow a line end faster than this belong to a pasted block."""


class TerminalReader:
    """A terminal: history, editing, completion; open all the time, so that feedback can be typed while it works."""

    def __init__(self, words: Sequence[str], history: str | None = None) -> None:
        self.on_line: Callable[[str], None] = ignore
        self.on_interrupt: Callable[[], None] = ignore
        self._question: asyncio.Future[str | None] | None = None
        self._prompt = ""
        self._held: asyncio.TimerHandle | None = None
        self._ended = False
        self._task: asyncio.Task[None] | None = None
        self._session = self._make_session(words, history)

    def _make_session(self, words: Sequence[str], history: str | None) -> Any:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import WordCompleter
        from prompt_toolkit.history import FileHistory, InMemoryHistory

        return PromptSession(
            self._message,
            history=FileHistory(history) if history else InMemoryHistory(),
            completer=WordCompleter(list(words), sentence=True),
            complete_while_typing=False,
            enable_open_in_editor=True,
            key_bindings=self._keys(),
            output=_output(),
        )

    def _message(self) -> str:
        return self._prompt if self._question is not None else "… "

    def _keys(self) -> Any:
        from prompt_toolkit.filters import Condition
        from prompt_toolkit.key_binding import KeyBindings

        keys = KeyBindings()
        held = Condition(lambda: self._held is not None)

        @keys.add("enter", filter=~held)
        def _enter(event: Any) -> None:
            loop = asyncio.get_running_loop()
            self._held = loop.call_later(PASTE_GAP, self._accept)

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

        @keys.add("c-c")
        def _interrupt(event: Any) -> None:
            self.on_interrupt()

        return keys

    def _accept(self) -> None:
        self._held = None
        if self._session.app.is_running:
            self._session.default_buffer.validate_and_handle()

    async def ask(self, draw: Callable[[], None], prompt: str, default: str = "") -> str | None:
        self._start()
        draw()
        if self._ended:
            return None
        self._question = asyncio.get_running_loop().create_future()
        self._prompt = prompt
        if default:
            self._session.default_buffer.text = default
            self._session.default_buffer.cursor_position = len(default)
        self._session.app.invalidate()
        if len(default) > EDITOR_CHARS and (os.environ.get("VISUAL") or os.environ.get("EDITOR")):
            self._session.default_buffer.open_in_editor(validate_and_handle=True)
        try:
            return await self._question
        except asyncio.CancelledError:
            if default:  # what was to be edited is no answer to the next question
                self._session.default_buffer.reset()
            raise
        finally:
            self._question = None

    def _start(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._serve())

    async def open(self) -> None:
        """Begin to read, so that feedback can be typed before the first question."""
        self._start()
        await asyncio.sleep(0)

    async def _serve(self) -> None:
        while not self._ended:
            try:
                text = await self._session.prompt_async(handle_sigint=False, set_exception_handler=False)
            except (EOFError, OSError):
                self._ended = True
                text = None
            if self._question is not None and not self._question.done():
                self._question.set_result(text)
                self._question = None
            elif text is not None:
                self.on_line(text)

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
        app.renderer.erase()
        app.output.write_raw(text)
        app.output.flush()
        app.invalidate()

    async def close(self) -> None:
        self._ended = True
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await self._task
            self._session.app.renderer.erase()


def _output() -> Any:
    """Output without cursor position requests: not every terminal answers them, and we need no answer."""
    if os.name == "nt":
        return None
    from prompt_toolkit.output.vt100 import Vt100_Output

    output = Vt100_Output.from_pty(sys.stdout, term=os.environ.get("TERM"))
    output.enable_cpr = False
    return output
