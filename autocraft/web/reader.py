"""The person at the terminal and at the page: whoever answers first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from autocraft.agent.context import RunContext
from autocraft.console.approver import View
from autocraft.console.choices import Choice
from autocraft.console.read import Reader
from autocraft.console.typed import WITHDRAWN
from autocraft.protocols import Delta, Proposal
from autocraft.session.events import Event
from autocraft.web.question import WANTS, FullTextScreen, Question
from autocraft.web.server import PageServer


class PageReader(Reader):
    """Asks at a terminal and on a page. Without `typing` the page alone is asked."""

    def __init__(self, terminal: Reader, server: PageServer, say: Callable[[str], None], *, typing: bool) -> None:
        super().__init__()
        self.drawn: list[str] | None = None
        """The text of the question that is being drawn."""
        self._terminal = terminal
        self._server = server
        self._say = say
        self._typing = typing
        terminal.on_line = server.on_line = lambda line: self.on_line(line)
        terminal.on_interrupt = server.on_interrupt = lambda: self.on_interrupt()

    async def ask(
        self, draw: Callable[[], None], prompt: str, default: str = "", choices: Sequence[Choice] = ()
    ) -> str | None:
        """Ask at both. Return the line of whoever answers first. Raises TypedAhead.

        The question of the other one is withdrawn. The page gets a question once it has been drawn at the terminal.
        """
        question: asyncio.Future[Question] = asyncio.get_running_loop().create_future()

        def drawn() -> None:
            self.drawn = []
            try:
                draw()
                text = "".join(self.drawn).strip("\n")
            finally:
                self.drawn = None
            if not question.done():  # a terminal draws again at Ctrl-L
                question.set_result(self._server.live.ask(WANTS[prompt], text, default, choices))

        line = asyncio.create_task(self._terminal.ask(drawn, prompt, default, choices)) if self._typing else None
        if line is None:
            drawn()
        try:
            return await self._first(question, line)
        finally:
            self._server.live.withdraw()
            if line is not None:
                by_page = question.done() and question.result().line.done()
                line.cancel(WITHDRAWN if by_page else None)
                await asyncio.gather(line, return_exceptions=True)

    async def _first(self, asked: asyncio.Future[Question], typing: asyncio.Task[str | None] | None) -> str | None:
        """Return the first answer. If both come at once, that of the terminal counts."""
        terminal: list[asyncio.Future[Any]] = [] if typing is None else [typing]
        await asyncio.wait([asked, *terminal], return_when=asyncio.FIRST_COMPLETED)
        if asked.done():
            await asyncio.wait([asked.result().line, *terminal], return_when=asyncio.FIRST_COMPLETED)
        if typing is not None and typing.done():
            self.by = "person"
            return typing.result()
        question = asked.result()
        line = question.line.result()
        self.by = "web"
        question.acceptance.set_result(True)
        if typing is not None:
            self._say("Answered on the page.")
        return line

    def write(self, text: str) -> None:
        self._terminal.write(text)

    async def drain(self) -> None:
        if self._typing:
            await self._terminal.drain()

    def set_keys(self, way: str) -> str:
        return self._terminal.set_keys(way)

    async def page(self, text: str) -> None:
        await self._terminal.page(text)

    async def open(self) -> None:
        """Serve the page, say where, and begin to read the terminal."""
        self._server.open(self._say)
        if self._typing:
            await self._terminal.open()

    async def close(self) -> None:
        await self._terminal.close()
        await self._server.close()


class SharedView:
    """Draws at the terminal, and for the page."""

    def __init__(self, terminal: View, reader: PageReader, server: PageServer, run: RunContext) -> None:
        self.terminal = terminal
        self._reader = reader
        self._live = server.live
        self._whole = FullTextScreen(self._collect, run.options.prompt.ai_name, run.state, terminal=False)

    @property
    def folded(self) -> str:
        return self.terminal.folded

    @folded.setter
    def folded(self, text: str) -> None:
        self.terminal.folded = text

    def event(self, event: Event) -> None:
        self.terminal.event(event)

    def question(self, proposal: Proposal, again: str, brief: bool = False) -> None:
        self.terminal.question(proposal, again, brief)
        self._whole.question(proposal, again)

    def asks(self, question: str, again: str, bot: str = "") -> None:
        self.terminal.asks(question, again, bot)
        self._whole.asks(question, again, bot)

    def delta(self, delta: Delta) -> None:
        self.terminal.delta(delta)
        self._live.delta(delta)

    def say(self, text: str) -> None:
        self.terminal.say(text)
        if self._reader.drawn is not None:
            self._whole.say(text)

    def _collect(self, text: str) -> None:
        if self._reader.drawn is not None:
            self._reader.drawn.append(text)
