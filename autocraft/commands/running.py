"""One program that a model wrote, with all that goes around it: what it is seen to call, its run, what it changed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from autocraft.commands.registry import Registry
from autocraft.commands.telling import Done, effect_lines, ended_text, told
from autocraft.errors import AutocraftError, CommandError
from autocraft.protocols import PROGRAM, Args, Call, Json, Result, Risk, World
from autocraft.sandbox.program import Api, Grant, Limits, Outcome, Refused, Stopped
from autocraft.sandbox.settings import ProgramSettings
from autocraft.session.atomic import sha256
from autocraft.session.reading import Events
from autocraft.skills.graph import needed
from autocraft.skills.known import Outlook, outlook
from autocraft.skills.parse import Program, parse
from autocraft.skills.store import Library

if TYPE_CHECKING:
    from autocraft.sandbox.facade import Facade

T = TypeVar("T")


class Acting(Protocol):
    """Carries out the effects of one program."""

    @property
    def asked(self) -> float:
        """Seconds that the person was asked for."""
        ...

    async def act(self, call: Call, beyond: str) -> Result:
        """Where `beyond` is not empty the person is asked. Raises Refused, and Stopped where they end the program."""
        ...


class Supervisor(Protocol):
    """Who decides about what programs ask for."""

    def begin(self) -> AbstractContextManager[Acting]: ...


class Unattended:
    """Lets no program act, where commands are only listed."""

    def begin(self) -> AbstractContextManager[Acting]:
        raise CommandError("there is nobody to run programs here")


class Runs(Protocol):
    """What runs programs: `sandbox.programs.Programs`."""

    async def run(self, code: str, main: str, api: Api, limits: Limits, grant: Grant) -> Outcome: ...

    async def close(self) -> None: ...


@dataclass(frozen=True)
class Ready:
    """A program that was read, with the kept skills that it calls and the commands that all of them may cause."""

    code: str
    program: Program
    seen: Outlook
    skills: Mapping[str, str]
    commands: Mapping[str, Risk | None]
    """Name -> its tier; None where that depends on the arguments."""

    @property
    def main(self) -> str:
        return self.program.main

    @property
    def sha256(self) -> str:
        """Over its text and that of the skills that it calls."""
        whole = "\0".join([self.code, *(f"{name}\0{code}" for name, code in sorted(self.skills.items()))])
        return sha256(whole)


@dataclass
class Answering:
    """The sandbox's Api: what the façade sees and binds, and who carries it out."""

    facade: Facade
    acting: Acting
    prelude: str
    refused: list[Call] = field(default_factory=list)
    """What was refused, in order."""

    async def read(self, name: str, args: list[Any]) -> Any:
        return await self.facade.read(name, args)

    @property
    def asked(self) -> float:
        return self.acting.asked

    def bind(self, name: str, args: list[Any]) -> Call:
        return self.facade.bind(name, args)

    async def act(self, call: Call, beyond: str) -> str:
        try:
            result = await self.acting.act(call, beyond)
        except (Refused, Stopped):
            self.refused.append(call)
            raise
        if not result.ok:
            raise CommandError(result.text)
        return result.text


@dataclass
class Runner:
    """Runs programs in one world. `registry` is asked for when all commands are there, `folder` is the session's."""

    world: World
    registry: Callable[[], Registry]
    library: Library
    supervisor: Supervisor
    settings: ProgramSettings
    folder: Path
    open_programs: Callable[[str, Path], Runs]
    """Makes what runs programs, from the prelude and where its log goes. Raises NodeMissing."""
    _programs: Runs | None = field(default=None, repr=False)
    _running: bool = False

    def read(self, code: str, name: str = "") -> Ready:
        """Parse a program, whose main function is `name` where one is given. Raises CommandError."""
        from autocraft.sandbox.facade import commands_called

        program = parse(code, name)
        names = self.library.names()
        seen = outlook(program, names)
        called = {each.name: each.code for skill in seen.skills for each in needed(self.library, skill)}
        called.pop(program.main, None)  # its own text stands for its own name
        every = [program, *(parse(text, skill) for skill, text in called.items())]
        free = frozenset(free for each in every for free in each.free)
        paths = frozenset(path for each in every for path in each.bot)
        return Ready(code, program, seen, called, self._tiers(commands_called(free, paths)))

    def check(self) -> None:
        """Raise CommandError where programs are switched off."""
        found = self.registry().named("run_program")
        by = "this run" if found is None else self.registry().off_by(found)
        if by:
            raise CommandError(f"programs are switched off by {by}; go on without running one")

    def _tiers(self, names: frozenset[str]) -> Mapping[str, Risk | None]:
        """Only what this run has and has not switched off."""
        registry = self.registry()
        found = [each for name in sorted(names) if (each := registry.named(name)) and not registry.off_by(each)]
        return {each.name: each.risk if isinstance(each.risk, Risk) else None for each in found}

    def grant(self, ready: Ready) -> Grant:
        return self.settings.grant(ready.sha256, frozenset(ready.commands))

    async def run(self, call: Call, ready: Ready) -> Result:
        """Run it to its end and say what came of it. Interrupted, it says what was done until then."""
        from autocraft.sandbox.programs import outcome_of

        if self._running:
            raise CommandError("a program is running and asks you something; run another one after its end")
        before: Mapping[str, int] | None = await self._inventory()
        refused: list[Call] = []
        outcome: Outcome | None
        try:
            self._running = True
            outcome = await self._run(ready, refused)
            ended = ended_text(outcome, ready.code)
        except asyncio.CancelledError as error:
            ended, outcome, before = "It was interrupted.", outcome_of(error), None  # no time to look again
        except Stopped as stopped:
            ended, outcome = f"It was ended: {stopped}.", outcome_of(stopped)
        finally:
            self._running = False
        return await whole(self._result(call, ready, ended, outcome, before, refused))

    async def _result(
        self,
        call: Call,
        ready: Ready,
        ended: str,
        outcome: Outcome | None,
        before: Mapping[str, int] | None,
        refused: Sequence[Call],
    ) -> Result:
        """What is told of it: the effects as the journal has them, and the changes."""
        done = await asyncio.to_thread(carried_out, self.folder, call.id)
        done += [Done("", each.name, each.args, None, refused=True) for each in refused]
        text = told(ready.main, ended, done, await self._change(before), self._changed(done), _said(outcome))
        failed = bool(done) and not any(each.ok for each in done)
        ok = outcome is not None and outcome.kind == "returned" and not failed
        return Result(text, ok=ok, seconds=outcome.seconds if outcome else 0.0)

    async def _run(self, ready: Ready, refused: list[Call]) -> Outcome:
        from autocraft.sandbox.facade import Facade

        kind: Literal["minecraft", "crafting"] = "minecraft" if self.world.name == "minecraft" else "crafting"
        facade = Facade(self._bind, self._read(), ready.skills, kind)
        if self._programs is None:
            self._programs = await asyncio.to_thread(self.open_programs, facade.prelude, self.folder / "programs.log")
        with self.supervisor.begin() as acting:
            api = Answering(facade, acting, facade.prelude, refused)
            return await self._programs.run(ready.code, ready.main, api, self.settings.limits, self.grant(ready))

    def _bind(self, name: str, args: Args) -> Call:
        return self.registry().bind(name, args, agent=PROGRAM)

    def _read(self) -> Callable[[str, list[Any]], Awaitable[Any]]:
        read = getattr(self.world, "read", None)
        if read is None:
            raise CommandError(f"programs cannot see the world {self.world.name}; use single commands")
        found: Callable[[str, list[Any]], Awaitable[Any]] = read
        return found

    async def _inventory(self) -> Mapping[str, int]:
        return dict((await self.world.observe()).inventory)

    async def _change(self, before: Mapping[str, int] | None) -> tuple[Mapping[str, int], Mapping[str, int]] | None:
        """The inventory before and after."""
        if before is None:
            return None
        try:
            return before, await self._inventory()
        except AutocraftError:  # the world is lost, which the next step says
            return None

    def _changed(self, done: Sequence[Done]) -> Sequence[str]:
        """What of the world is known to have changed, where the world knows."""
        changed = getattr(self.world, "changed", None)
        return [] if changed is None else list(changed([each.id for each in done if each.id]))

    async def close(self) -> None:
        if self._programs is not None:
            await self._programs.close()


async def whole(change: Coroutine[Any, Any, T]) -> T:
    """What must not be cut in two: an interruption waits for its end."""
    task = asyncio.ensure_future(change)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        return await task


def _said(outcome: Outcome | None) -> Sequence[str]:
    return outcome.said if outcome else ()


def cut_off(folder: Path, call: Call) -> str:
    """What is said of a program whose run was killed."""
    done = carried_out(folder, call.id) if call.id else []
    return "\n".join(["The program was cut off and is not run again.", *effect_lines(done)])


def carried_out(folder: Path, id: str) -> list[Done]:
    """The effects of the program that the call of this id ran, as the journal in `folder` has them.

    It is read from its end, as far as the program's beginning.
    """
    results: dict[int, Json] = {}
    inner: list[Json] = []
    with closing(Events(folder).backward()) as events:
        for event, _ in events:
            if event["type"] == "result":
                results[event["intent"]] = event
            elif event["type"] == "intent" and event["id"] == id:
                end = results.get(event["seq"])
                done = [each for each in reversed(inner) if end is None or each["seq"] < end["seq"]]
                return [Done(each["id"], each["command"], each["args"], results.get(each["seq"])) for each in done]
            elif event["type"] == "intent" and event["agent"] == PROGRAM:
                inner.append(event)
    return []
