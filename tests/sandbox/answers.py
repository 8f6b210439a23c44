"""Answers reads and effects of the programs of these tests from a small table, as a world does."""

from __future__ import annotations

import asyncio
from typing import Any

from autocraft.errors import CommandError, InvalidCommand
from autocraft.protocols import Call, Command, Risk
from autocraft.sandbox.program import Grant, Refused

PRELUDE = """{
  const { read, act, say } = host
  delete globalThis.host
  globalThis.bot = { read, act, chat: say }
}"""
COVERED = frozenset({"wait", "count", "fail", "slow", "destroy"})


async def _nothing(owner: object, call: Call) -> str:
    return ""


class Answers:
    """Reads: ``echo``, ``bad``, ``long``. Effects: those of COVERED and ``forbidden``, which no grant names."""

    def __init__(self, prelude: str = PRELUDE) -> None:
        self.prelude = prelude
        self.acted: list[str] = []
        self.log: list[str] = []
        """Beginnings and ends, in order."""
        self.busy = asyncio.Event()
        """Set by the first read and by an effect that takes long."""
        self.enough = asyncio.Event()
        """Ends an effect that takes long."""
        self.stopped = False

    @property
    def question_seconds(self) -> float:
        return 0.0

    async def read(self, name: str, args: list[Any]) -> Any:
        self.log.append(f"read {name}")
        self.busy.set()
        match name:
            case "echo":
                return {"args": args}
            case "nothing":
                return None
            case "long":
                return "x" * args[0]
        raise CommandError(f"it was {name}\nfor a reason")

    def bind(self, name: str, args: list[Any]) -> Call:
        if name not in COVERED | {"forbidden"}:
            raise InvalidCommand(f"there is no {name[:40]!r}")
        risk = Risk.DESTROY if name == "destroy" else Risk.CHANGE
        return Call(Command(name, "", risk, _nothing), {"args": args}, risk)

    def say(self, text: str) -> None:
        self.log.append(f"say {text}")

    async def act(self, call: Call, beyond: str) -> Any:
        if beyond:
            raise Refused(beyond)
        self.acted.append(call.name)
        self.log.append(f"begin {call.name} {call.args['args']}")
        if call.name == "slow":
            self.busy.set()
        try:
            await (self.enough.wait() if call.name == "slow" else asyncio.sleep(0))
        except asyncio.CancelledError:
            self.stopped = True
            raise
        self.log.append(f"end {call.name} {call.args['args']}")
        if call.name == "fail":
            raise CommandError("it failed")
        return {"did": call.args["args"]} if call.name == "count" else f"did {call.name}"


def grant(effects: int = 200, seconds: float = 600.0) -> Grant:
    return Grant("0" * 64, COVERED, effects=effects, seconds=seconds)
