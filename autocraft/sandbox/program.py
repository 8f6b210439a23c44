"""The values of one JavaScript program: limits, grant and outcome. Also the protocol of its Api."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol

from autocraft.errors import AutocraftError, CommandError
from autocraft.protocols import Call, Risk
from autocraft.text.phrases import count


class ProgramLimits(NamedTuple):
    """The limits of one program."""

    seconds: float = 10.0
    """The program's own running time. Waiting for the world and for people does not count."""
    steps: int = 50_000_000
    """Steps of the interpreter. The same program always ends at the same step."""
    memory_mb: int = 64
    stack_kb: int = 256
    calls: int = 20_000
    """Reads and effects together."""
    output: int = 65_536
    """Characters that it may say, log and return, together."""
    queue_mb: float = 8
    """Size of its effects and their results, which are stored until its end."""


class Grant(NamedTuple):
    """The effects that the approval of one program covers. The person is asked about others, or they fail."""

    program: str
    """SHA-256 of the approved text."""
    names: frozenset[str]
    """Commands that the program calls, by its text."""
    risk: Risk = Risk.CHANGE
    """The highest risk that is covered."""
    effects: int = 500
    """Most effects. Each chat line, each wait and each leg of an exploration is one."""
    seconds: float = 1800.0
    """Wall-clock time since its start, without the time of questions to the person."""

    def beyond(self, call: Call, effects: int, seconds: float) -> str:
        """Return why the grant does not cover this call after so many effects and seconds. Return '' if it does."""
        if call.name not in self.names:
            return f"the program was not seen to call {call.name} when you approved it"
        if call.risk > self.risk:
            return f"{call.name} can {call.risk.value} something, which the approval of a program does not cover"
        if effects >= self.effects:
            return f"the program has had {count(effects, 'effect')}, as many as its approval covers"
        if seconds >= self.seconds:
            return f"the program has run for {seconds:.0f} s, as long as its approval covers"
        return ""


class Outcome(NamedTuple):
    """How a program ended.

    ``returned`` has `value`. ``threw`` has `message` and `line` of the program's text, from 1, or 0 if it is unknown.
    ``limit`` has in `which` the limit, ``nothing left to wait for``, or ``process`` if the process ended. Its `line` is
    that of the last call, since a loop has no line of its own. ``refused`` ended because an effect was refused.
    """

    kind: Literal["returned", "threw", "limit", "refused", "cancelled"]
    value: Any = None
    message: str = ""
    line: int = 0
    which: str = ""
    said: tuple[str, ...] = ()
    """Its output by bot.chat and console.log, in order."""
    seconds: float = 0.0
    """Its own running time."""
    calls: int = 0
    inside: str = ""
    """The function of the program that threw. '' if that is not known."""
    places: tuple[tuple[str, int], ...] = ()
    """The saved skills that the error left, the innermost first, each with its line; 0 for an unknown one."""
    skills: Mapping[str, bool] = MappingProxyType({})
    """The saved skills that were entered, and whether each returned each time."""


class Refused(CommandError):
    """Raised for an effect that neither the grant nor the person allows."""


class Stopped(AutocraftError):
    """Raised when the person ends the program at a question about one of its effects."""


class Api(Protocol):
    """Answers a program. All data is JSON, and the names are those of the façade."""

    prelude: str
    """JavaScript that runs before the program, and builds the façade from `host`."""

    @property
    def question_seconds(self) -> float:
        """Return the seconds that questions to the person took."""
        ...

    def read(self, name: str, args: list[Any], /) -> Awaitable[Any]:
        """Return the value of a read, which has no effect. Raises CommandError, which the program sees as an Error."""
        ...

    def bind(self, name: str, args: list[Any]) -> Call:
        """Return the call for an effect. Raises InvalidCommand or CommandError, which the program sees as an Error."""
        ...

    async def act(self, call: Call, beyond: str) -> Any:
        """Carry out one effect, and return its value. If `beyond` is not empty, ask the person first.

        Raises CommandError if it fails, or Refused. The program sees both as an Error. Any other exception ends the
        program, and `Programs.run` raises it.
        """
        ...

    def say(self, text: str) -> None:
        """Receive a line of the program's output by bot.chat or console.log."""
        ...
