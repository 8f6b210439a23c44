"""Runs programs in the sandbox on a world as the commands do, for the tests of what programs see."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from autocraft.commands.registry import Registry
from autocraft.errors import CommandError
from autocraft.node import find_node, packages
from autocraft.protocols import Args, Call, Risk
from autocraft.sandbox.facade import Facade, commands_called
from autocraft.sandbox.packages import PACKAGES
from autocraft.sandbox.program import Grant, Outcome, ProgramLimits, Refused
from autocraft.sandbox.programs import Programs
from autocraft.skills.parse import parse

PROGRAMS = Path(__file__).parent / "voyager"
ROOMY = ProgramLimits(seconds=60, calls=200_000)
"""Enough for a machine that does other things too; what limits do is tested elsewhere."""


class Acting(Facade):
    """The façade. The registry carries out its effects, unless they are beyond the grant."""

    question_seconds = 0.0

    def __init__(self, world: Any, registry: Registry, skills: Mapping[str, str]) -> None:
        self.calls = 0
        self.registry = registry

        def bind(name: str, args: Args) -> Call:
            return registry.bind(name, args, agent="program")

        super().__init__(bind, world.read, skills, world.name)

    def say(self, text: str) -> None:
        """Do nothing: the outcome has all messages."""

    async def act(self, call: Call, beyond: str) -> Any:
        if beyond:
            raise Refused(f"Not allowed: {beyond}")
        self.calls += 1
        done = await self.registry.call(replace(call, id=f"program:{self.calls}"))
        if not done.ok:
            raise CommandError(done.text + done.trace)
        return done.text


def code_of(name: str) -> str:
    return (PROGRAMS / f"{name}.js").read_text(encoding="utf-8")


def granted(code: str, skills: Mapping[str, str], risk: Risk = Risk.CHANGE) -> Grant:
    """Return the grant of an approved program: the effects that it and the skills that it calls use."""
    names: set[str] = set()
    for each in (code, *skills.values()):
        program = parse(each)
        names |= commands_called(program.free, program.bot)
    return Grant(hashlib.sha256(code.encode()).hexdigest(), frozenset(names), risk)


async def run_program(code: str, main: str, api: Acting, limits: ProgramLimits, grant: Grant) -> Outcome:
    """Run one program in a new child."""
    programs = Programs(find_node(), await asyncio.to_thread(packages, PACKAGES), Path(os.devnull))
    try:
        return await programs.run(code, main, api, limits, grant)
    finally:
        await programs.close()


async def run(world: Any, code: str, skills: Mapping[str, str] | None = None, *, risk: Risk = Risk.CHANGE) -> Outcome:
    """Run one program in this world, within its own grant."""
    main = parse(code).main
    api = Acting(world, Registry(world.commands()), skills or {})
    return await run_program(code, main, api, ROOMY, granted(code, skills or {}, risk))


async def value_of(world: Any, body: str, **more: Any) -> Any:
    """Return the value of a main function with this body. Fails the test if it ends in another way."""
    ended = await run(world, f"async function probe(bot) {{\n{body}\n}}", **more)
    assert ended.kind == "returned", f"{ended.kind} {ended.which} {ended.message} (line {ended.line}) {ended.said}"
    return ended.value


def text_of(outcome: Outcome) -> str:
    return re.sub(r"\s+", " ", f"{outcome.kind} {outcome.which} {outcome.message} line {outcome.line} {outcome.said}")


def within(scene: Any, seconds: float = 180) -> None:
    asyncio.run(asyncio.wait_for(scene, seconds))
