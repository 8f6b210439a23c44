"""A run for a program: it gives the goals, settings and parts, takes the events, and answers the questions."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Literal, TypeAlias

from autocraft.app import Own, Request, Run, open_request
from autocraft.console.choices import Choice
from autocraft.console.grammar import authorising_line, words_line
from autocraft.console.read import Reader, ignore
from autocraft.errors import UsageError
from autocraft.features import MODES
from autocraft.protocols import Brain, Memory, World
from autocraft.session.events import End, Event, Note, Question
from autocraft.settings.config import Config

Reply: TypeAlias = bool | int | str | tuple[bool | int, str] | None
Ask: TypeAlias = Callable[[Question], Reply | Awaitable[Reply]]
"""Answers a question of a run. Its `args`, `risk`, `preview` and `why` are what a person would see.

True carries the command out. A number N carries out this one and those of the next turns, N in all. A pair such as
``(True, "but keep the torches")`` does so with a remark to the model. Words refuse it and say what to do instead;
``goal: TEXT`` replaces the goals. False ends the run, as ``n`` at a terminal. A question whose `wants` is ``"words"``
is answered with words, or with None for no answer.
"""


class LiveRun:
    """A run under way. ``async for event in run`` yields its events, from the first one to the `End`."""

    def __init__(self, run: Run, events: asyncio.Queue[Event | None]) -> None:
        self._run = run
        self._events = events
        self._task = asyncio.create_task(run.go(signals=False))
        self._task.add_done_callback(lambda _: events.put_nowait(None))
        self.session = run.context.session
        """The id by which it is kept, and can be resumed."""
        self.end: End | None = None
        """The last event. None while the run goes on."""

    async def __aiter__(self) -> AsyncIterator[Event]:
        """Yield each event once. Raises what ended the run without an end event, such as a full disk."""
        while (event := await self._events.get()) is not None:
            if isinstance(event, End):
                self.end = event
            yield event
        self.end = await self._task

    async def close(self) -> None:
        """End the run if it still goes on. It can be resumed."""
        if not self._task.done():
            self._run.agent.leave()
        self.end = await self._task


@asynccontextmanager
async def open_run(
    goals: str | Sequence[str] = (),
    *,
    config: Config | None = None,
    brain: Brain | None = None,
    world: World | None = None,
    memory: Memory | None = None,
    ask: Ask | None = None,
    resume: str = "",
    mode: Literal["run", "learn"] = "run",
) -> AsyncIterator[LiveRun]:
    """Open a run, let it play, and end it when the block is left.

    `brain`, `world` and `memory` are parts of your own, in place of those that the `config` names. `ask` answers what a
    person would be asked. Without it nobody is asked, and the run must be continuous. `resume` is the id of a session,
    or ``"last"``. Raises UsageError, InUse or SessionError.
    """
    config = config or Config()
    if ask is None and not (config.gate.continuous or resume):
        raise UsageError("a run asks before each command: give ask=…, or Config(continuous=True)")
    view = _Events()
    texts = [goals] if isinstance(goals, str) else list(goals)
    request = Request(
        texts, config.given, resume, config.profile, mode=MODES[mode], own=Own(brain, world, memory),
        console=(_Questions(ask, view), view),
    )  # fmt: skip
    opened = await open_request(request)
    opened.person.attended = ask is not None
    run = LiveRun(opened, view.events)
    try:
        yield run
    finally:
        await run.close()


class _Events:
    """A view that only passes the events on. Implements `console.approver.View`."""

    folded = ""
    asks = delta = ignore

    def __init__(self) -> None:
        self.events: asyncio.Queue[Event | None] = asyncio.Queue()
        self.asked = Question()

    def event(self, event: Event) -> None:
        if isinstance(event, Question):
            self.asked = event
        self.events.put_nowait(event)

    def question(self, proposal: object, again: str, brief: bool = False) -> None:
        """Draw nothing: the event of the question came before."""

    def say(self, text: str) -> None:
        """Pass on a line for the person. It is not in the journal, so its number is 0."""
        self.events.put_nowait(Note(text=text))


class _Questions(Reader):
    """Asks a function. Its reply becomes the line that a person would type."""

    def __init__(self, ask: Ask | None, view: _Events) -> None:
        super().__init__()
        self._ask = ask
        self._view = view

    async def ask(
        self, draw: Callable[[], None], prompt: str, default: str = "", choices: Sequence[Choice] = ()
    ) -> str | None:
        """Return the line. Raises UsageError if the function fails, or replies what has no meaning."""
        draw()
        if self._ask is None:
            return None
        question = self._view.asked
        try:
            reply = self._ask(question)
            if inspect.isawaitable(reply):
                reply = await reply
        except Exception as error:
            raise UsageError(f"ask raised {type(error).__name__}: {error}; correct it, and resume the run") from error
        return _line(reply, question.wants == "words")


def _line(reply: object, words: bool) -> str | None:
    """Return the line that means a reply. Raises UsageError."""
    if isinstance(reply, str) and reply.strip():
        return words_line(reply)
    if words and reply is None:
        return None
    if reply is False and not words:
        return "n"
    turns, remark = reply if isinstance(reply, tuple) and len(reply) == 2 else (reply, "")
    if not words and isinstance(turns, int) and turns >= 1 and isinstance(remark, str):
        return authorising_line(0 if turns is True else turns, words=remark)
    takes = "words or None" if words else "True, False, a number of turns, words, or a pair such as (True, words)"
    raise UsageError(f"ask returned {str(reply)[:60]!r}: return {takes}, and resume the run")
