"""The values of one JavaScript program: its limits, what its approval grants, its effects, how it ended; and its
Api."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from autocraft.errors import AutocraftError, CommandError
from autocraft.protocols import Call, Json, Risk
from autocraft.text.phrases import count


@dataclass(frozen=True, slots=True)
class ProgramLimits:
    """How much one program may take."""

    seconds: float = 10.0
    """The program's own running time. Waiting for the world and for people does not count."""
    steps: int = 50_000_000
    """Program steps as the interpreter counts them: the same program ends at the same step every time."""
    memory_mb: int = 64
    stack_kb: int = 256
    calls: int = 20_000
    """Reads and effects together."""
    output: int = 65_536
    """Characters that it may say, log and return, all together."""
    queue_mb: float = 8
    """Size of the effects that it asks for and of their results, which are stored until its end."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What the approval of one program covers. Anything beyond is asked about, or fails inside the program."""

    program: str
    """SHA-256 of the text that was approved."""
    names: frozenset[str]
    """Commands that the program was seen to call."""
    risk: Risk = Risk.CHANGE
    """The highest risk that is covered."""
    effects: int = 500
    """Most effects. Each chat line, each wait and each leg of an exploration is one."""
    seconds: float = 1800.0
    """Wall-clock time from its start, without the time in which the person was asked."""

    def beyond(self, call: Call, effects: int, seconds: float) -> str:
        """Return why this call is not covered after so many effects and seconds. Return '' if it is."""
        if call.name not in self.names:
            return f"the program was not seen to call {call.name} when you approved it"
        if call.risk > self.risk:
            return f"{call.name} can {call.risk.label} something, which the approval of a program does not cover"
        if effects >= self.effects:
            had = count(effects, "effect")
            return f"the program has had {had}, as many as its approval covers"
        if seconds >= self.seconds:
            return f"the program has run for {seconds:.0f} s, as long as its approval covers"
        return ""


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect that a program asked for, in the order of its calls."""

    name: str
    args: Json
    ok: bool
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a program ended.

    ``returned`` has `value`. ``threw`` has `message` and `line` (of the program's own text, from 1; 0 if unknown).
    ``limit`` names in `which` the limit (or ``nothing left to wait for``, or ``process`` if its process ended).
    ``refused`` means that an effect was refused and the program did not go on without it.
    """

    kind: Literal["returned", "threw", "limit", "refused", "cancelled"]
    value: Any = None
    message: str = ""
    line: int = 0
    which: str = ""
    effects: tuple[Effect, ...] = ()
    said: tuple[str, ...] = ()
    """Its output by bot.chat and console.log, in order."""
    seconds: float = 0.0
    """Its own running time."""
    calls: int = 0


class Refused(CommandError):
    """Raised for an effect that neither the program's approval nor the person allows."""


class Stopped(AutocraftError):
    """Raised when the person ended the program at a question about one of its effects."""


class Api(Protocol):
    """Answers a program. All data is JSON; names are those of the façade."""

    prelude: str
    """JavaScript that runs before the program. It builds what the program sees from `host`."""

    async def read(self, name: str, args: list[Any]) -> Any:
        """Return a synchronous read without any effect. Raises CommandError, which the program sees as an Error."""
        ...

    def bind(self, name: str, args: list[Any]) -> Call:
        """Return the command of an effect. Raises InvalidCommand or CommandError, which the program sees."""
        ...

    async def act(self, call: Call, beyond: str) -> Any:
        """Execute one effect. If `beyond` is not empty the person is asked first.

        Raises CommandError if it failed, and Refused; the program sees both as an Error. Any other exception ends the
        program and is raised by `Programs.run`.
        """
        ...

    def say(self, text: str) -> None:
        """Take a line that the program has just said by bot.chat or console.log."""
        ...
