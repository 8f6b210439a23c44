"""What is said about one program: its limits, what its approval grants, what the program may ask, how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from autocraft.errors import AutocraftError, CommandError
from autocraft.protocols import Call, Json, Risk
from autocraft.text.phrases import count


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one program may take."""

    seconds: float = 10.0
    """Of its own running; waiting for the world and for people is not counted."""
    steps: int = 50_000_000
    """Program steps, as the interpreter counts them: the same program ends at the same step every time."""
    memory_mb: int = 64
    stack_kb: int = 256
    calls: int = 20_000
    """Reads and effects together."""
    output: int = 65_536
    """Characters that it may say, log and return, all together."""
    queue_mb: float = 8
    """Of the effects that it asks for, as they come in, and of what came of them: both are kept until its end."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What the approval of one program covers; everything beyond is asked for, or fails inside the program."""

    program: str
    """SHA-256 of the text that was approved."""
    names: frozenset[str]
    """Commands that it was seen to call."""
    risk: Risk = Risk.CHANGE
    """The highest tier that is covered."""
    effects: int = 500
    """Each chat line, each wait and each leg of an exploration is one."""
    seconds: float = 1800.0
    """Of wall clock, from its start; it stands still while the person is asked."""

    def beyond(self, call: Call, effects: int, seconds: float) -> str:
        """Why this call, after so many effects and seconds, is not covered; empty where it is."""
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

    ``returned`` has `value`, ``threw`` has `message` and `line` (of the program's own text, from 1; 0 where unknown),
    ``limit`` says `which` of Limits (or ``nothing left to wait for``, ``process`` where its process ended), ``refused``
    means that an effect was refused and the program did not go on without it.
    """

    kind: Literal["returned", "threw", "limit", "refused", "cancelled"]
    value: Any = None
    message: str = ""
    line: int = 0
    which: str = ""
    effects: tuple[Effect, ...] = ()
    said: tuple[str, ...] = ()
    """What it said by bot.chat and console.log, in order."""
    seconds: float = 0.0
    """Of its own running."""
    calls: int = 0


class Refused(CommandError):
    """An effect that neither the approval of its program nor the person allows."""


class Stopped(AutocraftError):
    """The person ended the program at a question about one of its effects."""


class Api(Protocol):
    """Who answers a program. All that crosses is JSON; names are those of the façade."""

    prelude: str
    """JavaScript that is run before the program; it makes what the program sees out of `host`."""

    async def read(self, name: str, args: list[Any]) -> Any:
        """A synchronous read, without any effect. Raises CommandError, which the program sees as an Error."""
        ...

    def bind(self, name: str, args: list[Any]) -> Call:
        """The command that an effect means. Raises InvalidCommand or CommandError, which the program sees."""
        ...

    async def act(self, call: Call, beyond: str) -> Any:
        """Carry one effect out; where `beyond` is not empty the person is asked first.

        Raises CommandError where it failed, and Refused; the program sees both as an Error. Whatever else it raises
        ends the program and is raised by `run`.
        """
        ...
