"""The reader for a terminal, with history, editing and completion.

One input line stays open for the whole run. `typed.py` decides which of its lines are answers. Above it are the
incoming answer and the status line (`live.py`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from autocraft.agent.context import RunContext
from autocraft.agent.signals import on_signals
from autocraft.console.choices import DIGITS, UNSEEN, key_line
from autocraft.console.complete import complete
from autocraft.console.live import Live
from autocraft.console.read import ignore, write_nowhere, write_out
from autocraft.console.render import Screen
from autocraft.console.settings import WAYS, ConsoleSettings
from autocraft.console.stray import StrayOutput
from autocraft.console.typed import BEGUN, PASTE_GAP, TypedReader, ready
from autocraft.console.wrap import cells, wrap_row
from autocraft.protocols import Delta
from autocraft.text.characters import well_formed
from autocraft.text.phrases import count
from autocraft.text.redact import Mask
from autocraft.text.sanitize import clean, clean_line

T = TypeVar("T")
EDITOR_CHARS = 200
"""A longer text is edited in $VISUAL or $EDITOR, if one is set."""
RESIZE_PAUSE = 0.2
"""Seconds in which a narrower window has kept its width before the question is drawn again."""
KEY_GAP = 0.1
"""Seconds in which nothing follows a single key that answers. A paste and a key that is held down go on sooner."""
MOST_PASTED = 3
"""Lines of a paste that stand in the input line as they are. A longer one is folded to one row."""
FOLDS = 0xE000
"""The first of the characters that stand for folded pastes: private ones, which no keyboard writes."""
KEY_PROMPT = "Key, or a blank and words: "
REDRAW_GAP = 0.08
"""Seconds between two redraws of the live part, however fast an answer comes in."""


class TerminalReader(TypedReader):
    """Reads a terminal. `complete` returns the whole lines that a line could become."""

    def __init__(
        self,
        complete: Callable[[str], list[str]],
        live: Live,
        mask: Mask,
        history: Path,
        *,
        bell: bool = True,
        keys: str = "line",
    ) -> None:
        super().__init__()
        self._stray = StrayOutput(self._show_stray, self._show_step)
        self._pastes: dict[str, str] = {}
        """Character in the input line -> the paste that it stands for."""
        self._single = keys == "single"
        self._key: asyncio.TimerHandle | None = None
        """Waits until keys count, then after a key."""
        self._takes_keys = False
        """Whether the question that stands was on the screen for long enough to be answered by a single key."""
        self._live = live
        self._bell = bell
        self._due: asyncio.TimerHandle | None = None
        self._editor: asyncio.Task[None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._columns = 0
        """The width for which the live part was drawn."""
        self._narrow: asyncio.TimerHandle | None = None
        self._session = self._make_session(complete, _history(history, mask))
        self._buffer.accept_handler = self._accepted
        self._buffer.on_text_changed += self._on_change
        self._session.app.renderer.erase = self._erase
        self._session.app.key_processor.before_key_press += self._on_key

    # ------------------------------------------------------------ the promise of a reader

    async def open(self) -> None:
        """Begin to read, so that feedback can be typed before the first question."""
        if self._task is None:
            on_signals(SIGCONT=self._ask_anew)
            self._stray.open()
            self._task = asyncio.create_task(self._serve())
        while not (self._session.app.is_running or self._task.done()):  # noqa: ASYNC110 - neither sets an event
            await asyncio.sleep(0)

    def write(self, text: str) -> None:
        app = self._session.app
        if not app.is_running:
            write_out(text)
            return
        app.renderer.erase()
        app.output.write_raw(text)
        app.output.flush()
        app.invalidate()

    def _show_stray(self, text: str) -> None:
        """Show a line that another part of this process, or a child, has written."""
        columns = self._session.app.output.get_size().columns
        self.write("\n".join([*wrap_row(clean(text), columns), ""]))

    def _show_step(self, text: str) -> None:
        """Show such a line that the next replaces, as the progress of a download, in the status line."""
        self.delta(Delta("wait", clean_line(text.strip())))

    def delta(self, delta: Delta) -> None:
        """Show a piece of an answer in the live part soon. A key press is drawn at once and does not wait for this."""
        self._live.delta(delta)
        if self._due is None and self._session.app.is_running:
            self._due = asyncio.get_running_loop().call_later(REDRAW_GAP, self._redraw)

    def _redraw(self) -> None:
        self._due = None
        self._session.app.invalidate()

    async def page(self, text: str) -> None:
        """Show a long text in the person's pager, and come back. Ctrl-C, which pagers ignore, counts after that."""
        import pydoc

        interrupted = asyncio.Event()
        await self._lend(partial(pydoc.pager, text), interrupted.set)
        if interrupted.is_set():
            self.on_interrupt()
            await asyncio.sleep(0)  # the run stops here

    async def close(self) -> None:
        self._ended = True
        await self._stray.close()
        if self._due is not None:
            self._due.cancel()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await self._task
            self._session.app.renderer.erase()
            self._title("")

    # ------------------------------------------------------------ a window that becomes narrower

    def _erase(self, leave_alternate_screen: bool = True) -> None:
        """Erase the live part, also where the terminal has broken its rows since it became narrower."""
        from prompt_toolkit.renderer import Renderer

        app = self._session.app
        app.output.cursor_up(self._broken_rows())
        Renderer.erase(app.renderer, leave_alternate_screen)

    def _broken_rows(self) -> int:
        """Return how many rows more than were drawn lie above the cursor. A terminal that cuts rows off has none."""
        app = self._session.app
        screen, columns = app.renderer.last_rendered_screen, app.output.get_size().columns
        if screen is None or columns >= self._columns:
            return 0
        cursor = screen.get_cursor_position(app.layout.current_window)
        rows = cursor.x // columns
        for y in range(cursor.y):
            drawn = (x for x, char in screen.data_buffer[y].items() if char.char != " " or "reverse" in char.style)
            rows += max(drawn, default=0) // columns
        return int(rows)

    def _follow_width(self, columns: int) -> None:
        """Draw the question again once a narrower window has broken or cut off its rows."""
        if columns < self._columns and self._question is not None:
            if self._narrow is not None:
                self._narrow.cancel()
            self._narrow = asyncio.get_running_loop().call_later(RESIZE_PAUSE, self._draw_again)
        self._columns = columns

    def _draw_again(self) -> None:
        if self._question is not None and not self._question.done() and not self._ended:
            self._draw()

    # ------------------------------------------------------------ lines

    @property
    def _buffer(self) -> Any:
        return self._session.default_buffer

    async def _serve(self) -> None:
        """Read until the end of input, or until the terminal is closed."""
        with contextlib.suppress(EOFError, OSError):
            try:
                await self._session.prompt_async(handle_sigint=False, set_exception_handler=False)
            finally:
                self._end()

    def _accept(self) -> None:
        """Finish the line, as no input followed the Enter."""
        self._held = None
        if self._session.app.is_running:
            self._buffer.text = self._unfolded(self._buffer.text)
            self._buffer.validate_and_handle()

    def _accepted(self, buffer: Any) -> bool:
        """Take the line. Return False to empty the input line."""
        self._take_line(well_formed(buffer.text))
        return False

    def _on_change(self, buffer: Any) -> None:
        """Count an emptied line as begun anew."""
        if not buffer.text:
            self._begun = False
            self._pastes.clear()

    def _half_typed(self) -> bool:
        """Tell whether there is text in the input line, an unfinished paste or search, or an open editor."""
        app = self._session.app
        pasting = getattr(getattr(app.input, "vt100_parser", None), "_in_bracketed_paste", False)
        return bool(self._buffer.text or pasting or app.layout.is_searching or self._editing)

    @property
    def _editing(self) -> bool:
        return self._editor is not None and not self._editor.done()

    def _ask_anew(self) -> None:
        if not self._editing:  # the person goes on in the editor
            super()._ask_anew()

    def _drop(self) -> None:
        super()._drop()
        self._buffer.reset()

    def _echo(self, text: str) -> None:
        lines = clean(text).split("\n")  # it may have been pasted
        more = len(lines) - MOST_PASTED
        shown = [*lines[:MOST_PASTED], f"[{count(more, 'more line')}]"] if more > 1 else lines
        self.write("\n".join([self._prompt + shown[0], *shown[1:], ""]))

    # ------------------------------------------------------------ long pastes

    def _paste(self, text: str) -> None:
        """Insert a pasted text, a long one as one character that is drawn as a row."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if text.count("\n") >= MOST_PASTED:
            mark = chr(FOLDS + len(self._pastes))
            self._pastes[mark] = text
            text = mark
        self._buffer.insert_text(text)

    def _unfolded(self, line: str) -> str:
        """Return a line with its folded pastes."""
        return "".join(self._pastes.get(char, char) for char in line)

    def _fold_of(self, char: str) -> str:
        """Return how a character of the input line is drawn."""
        paste = self._pastes.get(char)
        return char if paste is None else f"[{paste.count(chr(10)) + 1} lines pasted]"

    # ------------------------------------------------------------ single keys

    def set_keys(self, way: str) -> str:
        if way.strip():
            if way.strip() not in WAYS:
                return "type /keys single or /keys line"
            self._single = way.strip() == "single"
        if self._single:
            return (
                "one key answers a question (y, n, a, e, a digit for N turns); a line that begins with a blank is words"
            )
        return "a line and Enter answer a question; /keys single lets one key answer"

    def _await_keys(self) -> None:
        """Let single keys count once the question has been on the screen for a while. Until then a line can answer."""
        self._forget_keys()
        if self._single and self._choices and not self._begun:
            self._key = asyncio.get_running_loop().call_later(UNSEEN, self._take_keys)

    def _take_keys(self) -> None:
        self._key, self._takes_keys = None, True
        self._session.app.invalidate()

    def _forget_keys(self) -> None:
        self._takes_keys = False
        if self._key is not None:
            self._key.cancel()
            self._key = None

    def _on_key(self, _: Any) -> None:
        """Take the key before as the beginning of a line, as another one follows it."""
        if self._takes_keys and self._key is not None:
            self._key.cancel()
            self._key = None

    def _press(self, key: str) -> None:
        """Take a key at the empty input as the answer, unless something follows it."""
        if line := key_line(self._choices, key):
            self._key = asyncio.get_running_loop().call_later(KEY_GAP, self._answer_by_key, key, line)

    def _answer_by_key(self, key: str, line: str) -> None:
        self._key = None
        question = self._question
        if (
            question is not None
            and not question.done()
            and self._buffer.text == key
            and not self._begun
            and not ready()
        ):
            self._buffer.text = line
            self._buffer.validate_and_handle()

    # ------------------------------------------------------------ the input line

    def _make_session(self, complete: Callable[[str], list[str]], history: Any) -> Any:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.layout import FormattedTextControl, HSplit, Window
        from prompt_toolkit.output import ColorDepth

        session: Any = PromptSession(
            self._message,
            history=history,
            completer=_completer(complete),
            complete_while_typing=False,
            erase_when_done=True,
            refresh_interval=1.0,
            key_bindings=self._keys(),
            prompt_continuation="  ",
            input_processors=[_folding(self._fold_of)],
            color_depth=ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else None,
            output=_output(self._on_close),
        )
        # in a window of its own: as part of the prompt it would be taken apart into characters at every redraw
        above = Window(FormattedTextControl(self._above), dont_extend_height=True)
        session.layout.container = HSplit([above, session.layout.container])
        return session

    def _above(self) -> Any:
        """Return the incoming answer and the status line."""
        columns = self._session.app.output.get_size().columns
        self._follow_width(columns)
        parts = [("fg:ansigray italic", f"{row}\n") for row in self._live.rows(columns)]
        status = self._live.status(columns)
        return [*parts, ("reverse", status + " " * (columns - 1 - cells(status)))]

    def _message(self) -> Any:
        if self._question is None:
            return [("", "… ")]
        prompt = KEY_PROMPT if self._takes_keys and not self._buffer.text else self._prompt
        return [("bold", BEGUN if self._begun else prompt)]

    def _keys(self) -> Any:
        from prompt_toolkit.application import run_in_terminal
        from prompt_toolkit.filters import Condition, is_searching
        from prompt_toolkit.key_binding import KeyBindings
        from prompt_toolkit.keys import Keys
        from prompt_toolkit.search import stop_search

        keys = KeyBindings()
        holding = Condition(lambda: self._held is not None)

        @keys.add("enter", filter=~holding & ~is_searching)
        def _enter(event: Any) -> None:
            self._held = asyncio.get_running_loop().call_later(PASTE_GAP, self._accept)

        @keys.add("enter", filter=holding, eager=True)
        @keys.add("<any>", filter=holding, eager=True)
        @keys.add("tab", filter=holding, eager=True)
        def _paste(event: Any) -> None:
            """Insert a line end of a pasted block as text."""
            self._wait_no_longer()
            event.current_buffer.insert_text("\n")
            event.key_processor.feed(event.key_sequence[0], first=True)

        single = Condition(lambda: self._takes_keys and not self._buffer.text and not self._begun)

        def _single(event: Any) -> None:
            event.current_buffer.insert_text(event.data)
            self._press(event.data)

        for key in ("y", "Y", "n", "N", "a", "A", "e", "E", *DIGITS):
            keys.add(key, filter=single & ~holding & ~is_searching)(_single)

        @keys.add("escape", "enter")
        def _new_line(event: Any) -> None:
            event.current_buffer.insert_text("\n")

        @keys.add("c-l")
        def _clear(event: Any) -> None:
            event.app.renderer.clear()
            self._draw()

        @keys.add("c-z")
        def _suspend(event: Any) -> None:
            self._begun = True
            self._title("")
            event.app.suspend_to_background()
            run_in_terminal(self._ask_anew)  # then; where no shell can stop the process, it goes on at once

        @keys.add("c-u")
        def _empty(event: Any) -> None:
            """Empty the whole input, of all its lines. Ctrl-Y brings it back."""
            event.app.clipboard.set_text(self._unfolded(event.current_buffer.text))
            event.current_buffer.text = ""

        @keys.add(Keys.BracketedPaste)
        def _bracketed(event: Any) -> None:
            self._paste(event.data)

        for way in (("c-x", "c-e"), ("c-g",)):
            keys.add(*way, filter=~is_searching)(lambda event: self._open_editor())

        @keys.add("c-c")
        def _interrupt(event: Any) -> None:
            stop_search()
            self._drop()
            self.on_interrupt()

        return keys

    # ------------------------------------------------------------ attention

    def _show_prompt(self, default: str) -> None:
        """Put `default` into the line, ring once and say in the title of the window that the run waits."""
        self._buffer.insert_text(default)
        self._await_keys()
        self._title("waiting for you")
        if self._bell:
            self._session.app.output.bell()
        self._session.app.invalidate()
        if len(default) > EDITOR_CHARS and (os.environ.get("VISUAL") or os.environ.get("EDITOR")):
            self._open_editor()

    def _open_editor(self) -> None:
        self._editor = self._session.app.create_background_task(self._edit())

    async def _edit(self) -> None:
        """Edit the line in the person's editor, then finish it. If the editor fails, the line stays as it was."""
        text = None
        with contextlib.suppress(OSError), tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "line.txt"
            file.write_text(well_formed(self._unfolded(self._buffer.text)), encoding="utf-8")
            open_editor = partial(self._buffer._open_file_in_editor, str(file))
            if await self._lend(open_editor, ignore):  # Ctrl-C is a key of many editors
                text = file.read_text(encoding="utf-8", errors="replace")
        if text is None:
            self.write("The editor failed, so the line stays as it was.\n")
            return
        self._buffer.text = text.removesuffix("\n")
        self._buffer.validate_and_handle()

    async def _lend(self, work: Callable[[], T], on_ctrl_c: Callable[[], None]) -> T:
        """Lend the terminal to a program of the person. Return what `work` returns."""
        from prompt_toolkit.application import run_in_terminal

        on_signals(SIGINT=on_ctrl_c)
        try:
            with self._stray.lent():
                return await run_in_terminal(work, in_executor=True)
        finally:
            on_signals(SIGINT=self.on_interrupt)

    def _rest(self) -> None:
        self._forget_keys()
        self._title("working")

    def _title(self, doing: str) -> None:
        output = self._session.app.output
        output.set_title(doing and f"autocraft: {doing}")
        output.flush()

    def _on_close(self) -> None:
        """Stop output and input, because the terminal was closed."""
        write_nowhere()
        self._end()


def open_terminal(run: RunContext, settings: ConsoleSettings, history: Path) -> tuple[TerminalReader, Screen]:
    """Return reader and screen that share one terminal, whose live part follows the events."""
    mask, name = run.journal.mask, run.options.prompt.ai_name
    live = Live(run.state, run.options.limits, lambda: run.priced.brain.name, mask, raw=settings.debug)
    completer = partial(complete, registry=run.registry, world=run.world)
    reader = TerminalReader(completer, live, mask, history, bell=settings.bell, keys=settings.keys)
    run.journal.viewers.append(live.event)
    return reader, Screen(reader.write, name, run.state, settings, terminal=True, on_delta=reader.delta)


def _history(file: Path, mask: Mask) -> Any:
    """Return the history of typed lines, in a file without secrets. A full disk loses no line of the run."""
    from prompt_toolkit.history import FileHistory

    class Kept(FileHistory):
        def store_string(self, string: str) -> None:
            with contextlib.suppress(OSError):
                super().store_string(mask.text(well_formed(string)))

    file.touch(mode=0o600)
    return Kept(str(file))


def _completer(complete: Callable[[str], list[str]]) -> Any:
    from prompt_toolkit.completion import Completer, Completion

    class Lines(Completer):
        """Completes whole lines, shown by their last word."""

        def get_completions(self, document: Any, event: Any) -> Iterable[Any]:
            text = document.text_before_cursor
            for line in complete(text):
                yield Completion(line, start_position=-len(text), display=line.rpartition(" ")[2])

    return Lines()


def _folding(draw: Callable[[str], str]) -> Any:
    """Return what draws each character of the input line by `draw`, which may return several."""
    from prompt_toolkit.layout.processors import Processor, Transformation

    class Folding(Processor):
        def apply_transformation(self, given: Any) -> Any:
            drawn, starts = list[Any](), [0]
            for style, text, *_ in given.fragments:
                for char in text:
                    drawn.append((style, draw(char)))
                    starts.append(starts[-1] + len(drawn[-1][1]))
            if starts[-1] == len(drawn):  # no paste is folded
                return Transformation(given.fragments)
            last = len(drawn)
            return Transformation(drawn, lambda at: starts[min(at, last)], lambda at: bisect_right(starts, at) - 1)

    return Folding()


def _output(closed: Callable[[], None]) -> Any:
    """Return an output without cursor position requests, which not every terminal answers.

    All output passes `flush`. If the terminal is gone, it calls `closed` and raises nothing.
    """
    if os.name == "nt":
        return None
    from prompt_toolkit.output.vt100 import Vt100_Output

    class Output(Vt100_Output):
        def flush(self) -> None:
            try:
                super().flush()
            except OSError:
                closed()

    output = Output.from_pty(sys.stdout, term=os.environ.get("TERM"))
    output.enable_cpr = False
    return output
