"""The live part of a terminal: incoming thoughts, and the status line above the input.

`terminal.py` draws it with every redraw. It never enters the scrollback.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from autocraft.agent.limits import Limits
from autocraft.agent.state import State
from autocraft.console.stream import ThoughtStream
from autocraft.console.wrap import cells, clip, wrap_row
from autocraft.protocols import Delta
from autocraft.session.events import (
    Answer,
    Decision,
    End,
    Event,
    Goals,
    Intent,
    InvalidReply,
    Progress,
    Question,
    Reply,
    Result,
)
from autocraft.text.redact import Mask
from autocraft.text.sanitize import clean, clean_line

ROWS = 6
"""The most rows of an incoming answer on the screen: the newest."""


class Live:
    """The present activity of the run."""

    def __init__(
        self, state: State, limits: Limits, brain: Callable[[], str], mask: Mask, *, raw: bool = False
    ) -> None:
        """Take what returns the name of the brain, as its model may change."""
        self._state = state
        self._limits = limits
        self._brain = brain
        self._mask = mask
        self._raw = raw
        self._stream = ThoughtStream()
        self._text = ""
        self._tokens = 0
        self._doing = "thinking"
        self._wait = ""
        self._where = ""
        """Where the running command is."""
        self._since = time.monotonic()

    def event(self, event: Event) -> None:
        """Follow the run by its events."""
        match event:
            case Progress() if event.place:  # a mere sign of life says no more than the seconds here
                self._where = clean_line(event.line)
            case Question():
                self._now("waiting for you")
            case Decision() if event.kind == "run" and event.command:
                self._now(f"running {event.command}")
            case Answer() | Intent() | Result() | Goals() | Reply() | InvalidReply() | Decision():
                commands = [intent.command for intent in self._state.open_intents.values()]  # the innermost is last
                self._now(f"running {commands[-1]}" if commands else "thinking")
            case End():
                self._now("done")
        if isinstance(event, Answer | Reply | InvalidReply | End):
            self._void()

    def delta(self, delta: Delta) -> None:
        """Take a piece of an answer, or what the brain waits for."""
        self._wait = delta.text if delta.kind == "wait" else ""
        if delta.kind == "reset":
            self._void()
        elif delta.kind == "text":
            self._tokens += 1
            self._text += delta.text if self._raw else ""
            self._stream.feed(delta.text)
        elif delta.kind == "reasoning":
            self._tokens += 1
            self._text += delta.text

    def rows(self, columns: int) -> list[str]:
        """Return the newest rows of the incoming answer, at most `ROWS`, which fit into `columns`."""
        text = self.incoming(columns * ROWS * 2)
        rows = [row for line in text.split("\n") for row in wrap_row(line, columns - 2)]
        return [f"  {row}" for row in rows[-ROWS:] if row.strip()]

    def incoming(self, most: int) -> str:
        """Return the newest characters of the incoming answer."""
        text = self._text if self._raw or not self._stream.text else self._stream.text
        return clean(self._mask.text(text[-2 * most :])[-most:])

    def status(self, columns: int) -> str:
        """Return one line: the activity, then as many counts as fit."""
        state, totals = self._state, self._state.totals
        seconds = int(time.monotonic() - self._since)
        doing = self._wait or (f"{self._doing} {seconds} s" if seconds >= 2 else self._doing)
        doing += f": {self._where}" if self._where and not self._wait else ""
        parts = [doing, f"step {state.turns + (self._doing == 'thinking')}{self._of(self._limits.max_steps)}"]
        if state.continuous:
            parts.append("continuous")
        elif state.budget:
            parts.append(f"{state.budget} authorised")
        total = totals.usage.total + self._tokens
        if total:
            about = "~" if totals.usage.estimated or self._tokens else ""
            parts.append(f"{about}{total}{self._of(self._limits.max_tokens)} tokens")
            parts.append(f"${totals.cost:.4f}{self._of(self._limits.max_cost)}" if totals.cost_known else "$?")
        worked = totals.seconds + (0 if self._doing == "waiting for you" else seconds)
        name = self._brain()
        model = name.partition(" ")[2].strip("()") or name
        parts += [f"{worked:.0f}{self._of(self._limits.max_seconds)} s in all", clean_line(model)]
        parts += [clean_line(goal.text) for goal in state.goals[:1]]
        line = ""
        for part in parts:
            longer = f"{line} · {part}" if line else part
            if cells(longer) > columns - 1:
                break
            line = longer
        return line or clip(doing, columns - 1)

    @staticmethod
    def _of(limit: float | None) -> str:
        return "" if limit is None else f"/{limit:g}"

    def _now(self, doing: str) -> None:
        self._doing = doing
        self._wait = self._where = ""
        self._since = time.monotonic()

    def _void(self) -> None:
        self._stream = ThoughtStream()
        self._text = ""
        self._tokens = 0
