"""One program that a model wrote, with all that goes around it: what it is seen to call, its run, what it changed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from autocraft.commands.live import HasExits, HasJournal, HasRegistry, HasWorld
from autocraft.commands.program_report import effect_lines, ended_text, result_text
from autocraft.commands.program_values import EffectRecord, PreparedProgram
from autocraft.commands.registry import Registry
from autocraft.errors import AutocraftError, CommandError
from autocraft.protocols import PROGRAM, Call, Json, Result, Risk, World
from autocraft.sandbox.program import Api, Grant, Outcome, ProgramLimits, Refused, Stopped
from autocraft.sandbox.settings import ProgramSettings
from autocraft.session.reading import Events
from autocraft.skills.graph import needed
from autocraft.skills.known import outlook
from autocraft.skills.parse import parse
from autocraft.skills.store import Library

if TYPE_CHECKING:
    from autocraft.sandbox.facade import Facade

T = TypeVar("T")


class LiveRun(HasWorld, HasRegistry, HasJournal, HasExits, Protocol):
    """What programs need of the run in which they act."""


class Acting(Protocol):
    """Carries out the effects of one program."""

    @property
    def asked(self) -> float:
        """Seconds that the person was asked for."""
        ...

    async def act(self, call: Call, beyond: str) -> Result:
        """Where `beyond` is not empty the person is asked. Raises Refused, and Stopped where they end the program."""
        ...


class Runs(Protocol):
    """What runs programs: `sandbox.programs.Programs`."""

    async def run(self, code: str, main: str, api: Api, limits: ProgramLimits, grant: Grant) -> Outcome: ...

    async def close(self) -> None: ...


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
    """Runs programs on the skills of one library, in the run that a call belongs to."""

    library: Library
    settings: ProgramSettings
    begin: Callable[[Any], AbstractContextManager[Acting]]
    """Begins a program in a run: returns who decides about its effects and carries them out."""
    open_programs: Callable[[str, Path], Runs]
    """Makes what runs programs, from the prelude and where its log goes. Raises NodeMissing."""
    _programs: Runs | None = field(init=False, default=None, repr=False)
    _running: bool = field(init=False, default=False)

    def read(self, registry: Registry, code: str, name: str = "") -> PreparedProgram:
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
        return PreparedProgram(code, program, seen, called, _tiers(registry, commands_called(free, paths)))

    def grant(self, ready: PreparedProgram) -> Grant:
        return self.settings.grant(ready.sha256, frozenset(ready.commands))

    async def run(self, call: Call, ready: PreparedProgram) -> Result:
        """Run it to its end and say what came of it. Interrupted, it says what was done until then."""
        from autocraft.sandbox.programs import outcome_of

        if self._running:
            raise CommandError("a program is running and asks you something; run another one after its end")
        run: LiveRun = call.run
        before: Mapping[str, int] | None = await _inventory(run.world)
        refused: list[Call] = []
        outcome: Outcome | None
        try:
            self._running = True
            outcome = await self._run(run, ready, refused)
            ended = ended_text(outcome, ready.code)
        except asyncio.CancelledError as error:
            ended, outcome, before = "It was interrupted.", outcome_of(error), None  # no time to look again
        except Stopped as stopped:
            ended, outcome = f"It was ended: {stopped}.", outcome_of(stopped)
        finally:
            self._running = False
        return await whole(_result(call, (ready.main, ended), outcome, before, refused))

    async def _run(self, run: LiveRun, ready: PreparedProgram, refused: list[Call]) -> Outcome:
        from autocraft.sandbox.facade import Facade

        facade = Facade(partial(run.registry.bind, agent=PROGRAM), _read_of(run.world), ready.skills, run.world.facade)
        if self._programs is None:
            log = run.journal.folder / "programs.log"
            self._programs = await asyncio.to_thread(self.open_programs, facade.prelude, log)
            run.exits.push_async_callback(self._programs.close)
        with self.begin(run) as acting:
            api = Answering(facade, acting, facade.prelude, refused)
            return await self._programs.run(ready.code, ready.main, api, self.settings.limits, self.grant(ready))


def check_programs(registry: Registry) -> None:
    """Raise CommandError where programs are switched off."""
    found = registry.named("run_program")
    by = "this run" if found is None else registry.off_by(found)
    if by:
        raise CommandError(f"programs are switched off by {by}; go on without running one")


def _tiers(registry: Registry, names: frozenset[str]) -> Mapping[str, Risk | None]:
    """Return the tiers of what this run has and has not switched off."""
    found = [each for name in sorted(names) if (each := registry.named(name)) and not registry.off_by(each)]
    return {each.name: each.tier for each in found}


def _read_of(world: World) -> Callable[[str, list[Any]], Awaitable[Any]]:
    """Return what programs read the world with. Raises CommandError where they cannot see it."""
    read = getattr(world, "read", None)
    if read is None or not world.facade:
        raise CommandError(f"programs cannot see the world {world.name}; use single commands")
    found: Callable[[str, list[Any]], Awaitable[Any]] = read
    return found


async def _result(
    call: Call, end: tuple[str, str], outcome: Outcome | None, before: Mapping[str, int] | None, refused: Sequence[Call]
) -> Result:
    """Say what came of a program, whose name and `end` are given: its effects as the journal has them, the changes."""
    run: LiveRun = call.run
    done = await asyncio.to_thread(carried_out, run.journal.folder, call.id)
    done += [EffectRecord("", each.name, each.args, None, refused=True) for each in refused]
    said = outcome.said if outcome else ()
    text = result_text(*end, done, await _change(run.world, before), _changed(run.world, done), said)
    failed = bool(done) and not any(each.ok for each in done)
    ok = outcome is not None and outcome.kind == "returned" and not failed
    return Result(text, ok=ok, seconds=outcome.seconds if outcome else 0.0)


async def _inventory(world: World) -> Mapping[str, int]:
    return dict((await world.observe()).inventory)


async def _change(world: World, before: Mapping[str, int] | None) -> tuple[Mapping[str, int], Mapping[str, int]] | None:
    """The inventory before and after; None where it is not known."""
    if before is None:
        return None
    try:
        return before, await _inventory(world)
    except AutocraftError:  # the world is lost, which the next step says
        return None


def _changed(world: World, done: Sequence[EffectRecord]) -> Sequence[str]:
    """What of the world is known to have changed, where the world knows."""
    changed = getattr(world, "changed", None)
    return [] if changed is None else list(changed([each.id for each in done if each.id]))


async def whole(change: Coroutine[Any, Any, T]) -> T:
    """What must not be cut in two: an interruption waits for its end."""
    task = asyncio.ensure_future(change)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        return await task


def cut_off(call: Call) -> str:
    """What is said of a program whose run was killed."""
    run: HasJournal = call.run
    done = carried_out(run.journal.folder, call.id) if call.id else []
    return "\n".join(["The program was cut off and is not run again.", *effect_lines(done)])


def carried_out(folder: Path, id: str) -> list[EffectRecord]:
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
                return [
                    EffectRecord(each["id"], each["command"], each["args"], results.get(each["seq"])) for each in done
                ]
            elif event["type"] == "intent" and event["agent"] == PROGRAM:
                inner.append(event)
    return []
