"""Runs one program of a model: finds the commands in it, runs it, and reports its changes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from autocraft.commands.live import HasExits, HasJournal, HasRegistry, HasWorld
from autocraft.commands.output import OutputReport
from autocraft.commands.program_report import effect_lines, ended_text, result_text
from autocraft.commands.program_values import EffectRecord, PreparedProgram
from autocraft.commands.registry import Registry
from autocraft.commands.undo import known_changes
from autocraft.errors import AutocraftError, CommandError
from autocraft.protocols import PROGRAM, Call, Json, Result, Risk, World
from autocraft.sandbox.program import Api, Grant, Outcome, ProgramLimits, Refused, Stopped
from autocraft.sandbox.settings import ProgramSettings
from autocraft.session import events
from autocraft.session.reading import Events
from autocraft.skills.graph import needed
from autocraft.skills.known import outlook
from autocraft.skills.parse import parse
from autocraft.skills.store import Library

if TYPE_CHECKING:
    from autocraft.sandbox.facade import Facade

T = TypeVar("T")
MOST_KEPT = 100
"""The last lines that a program said, as its result keeps them."""


class LiveRun(HasWorld, HasRegistry, HasJournal, HasExits, Protocol):
    """The parts of a run that programs need."""


class Acting(Protocol):
    """Decides about the effects of one program and carries them out."""

    @property
    def asked(self) -> float:
        """Return the seconds that questions to the person took."""
        ...

    async def act(self, call: Call, beyond: str) -> Result:
        """Carry out an effect; ask the person if `beyond` is not empty. Raises Refused, or Stopped at their wish."""
        ...


class Runs(Protocol):
    """Runs programs: `sandbox.programs.Programs`."""

    async def run(self, code: str, main: str, api: Api, limits: ProgramLimits, grant: Grant) -> Outcome: ...

    async def close(self) -> None: ...


@dataclass
class Answering:
    """The Api for the sandbox: the façade reads and binds, and `acting` carries out."""

    facade: Facade
    acting: Acting
    prelude: str
    output: OutputReport
    refused: list[Call] = field(default_factory=list)
    """The refused calls, in order."""

    async def read(self, name: str, args: list[Any]) -> Any:
        return await self.facade.read(name, args)

    @property
    def asked(self) -> float:
        return self.acting.asked

    def bind(self, name: str, args: list[Any]) -> Call:
        return self.facade.bind(name, args)

    def say(self, text: str) -> None:
        self.output.add(f"{text}\n")

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
    """Runs programs with the skills of one library, in the run of a call."""

    library: Library
    settings: ProgramSettings
    begin: Callable[[Any], AbstractContextManager[Acting]]
    """Begins a program in a run. Returns the object that decides about its effects and carries them out."""
    open_programs: Callable[[str, Path], Runs]
    """Takes the prelude and the file of the log. Returns the object that runs programs. Raises NodeMissing."""
    _programs: Runs | None = field(init=False, default=None, repr=False)
    _running: bool = field(init=False, default=False)

    def read(self, registry: Registry, code: str, name: str = "") -> PreparedProgram:
        """Parse a program. Its main function is `name`, if given. Raises CommandError."""
        from autocraft.sandbox.facade import commands_called

        program = parse(code, name)
        names = self.library.names()
        seen = outlook(program, names)
        called = {each.name: each.code for skill in seen.skills for each in needed(self.library, skill)}
        called.pop(program.main, None)  # its own name means its own text
        every = [program, *(parse(text, skill) for skill, text in called.items())]
        free = frozenset(free for each in every for free in each.free)
        paths = frozenset(path for each in every for path in each.bot)
        return PreparedProgram(code, program, seen, called, _tiers(registry, commands_called(free, paths)))

    def grant(self, ready: PreparedProgram) -> Grant:
        return self.settings.grant(ready.sha256, frozenset(ready.commands))

    async def run(self, call: Call, ready: PreparedProgram) -> Result:
        """Run a program to its end. Return its outcome. If interrupted, return what was done until then."""
        from autocraft.sandbox.programs import outcome_of

        if self._running:
            raise CommandError("a program is running and asks you something; run another one after its end")
        run: LiveRun = call.run
        before: Mapping[str, int] | None = await _inventory(run.world)
        refused: list[Call] = []
        outcome: Outcome | None
        try:
            self._running = True
            with OutputReport(call) as output:
                outcome = await self._run(run, ready, refused, output)
            ended = ended_text(outcome, ready.code)
        except asyncio.CancelledError as error:
            ended, outcome, before = "It was interrupted.", outcome_of(error), None  # there is no time to look again
        except Stopped as stopped:
            ended, outcome = f"It was ended: {stopped}.", outcome_of(stopped)
        finally:
            self._running = False
        return await whole(_result(call, (ready.main, ended), outcome, before, refused))

    async def _run(self, run: LiveRun, ready: PreparedProgram, refused: list[Call], output: OutputReport) -> Outcome:
        from autocraft.sandbox.facade import Facade

        facade = Facade(partial(run.registry.bind, agent=PROGRAM), _read_of(run.world), ready.skills, run.world.facade)
        if self._programs is None:
            log = run.journal.folder / "programs.log"
            self._programs = await asyncio.to_thread(self.open_programs, facade.prelude, log)
            run.exits.push_async_callback(self._programs.close)
        with self.begin(run) as acting:
            api = Answering(facade, acting, facade.prelude, output, refused)
            return await self._programs.run(ready.code, ready.main, api, self.settings.limits, self.grant(ready))


def check_programs(registry: Registry) -> None:
    """Raise CommandError if programs are switched off."""
    found = registry.named("run_program")
    by = "this run" if found is None else registry.off_by(found)
    if by:
        raise CommandError(f"programs are switched off by {by}; go on without running one")


def _tiers(registry: Registry, names: frozenset[str]) -> Mapping[str, Risk | None]:
    """Return the tiers of the commands that are on in this run."""
    found = [each for name in sorted(names) if (each := registry.named(name)) and not registry.off_by(each)]
    return {each.name: each.tier for each in found}


def _read_of(world: World) -> Callable[[str, list[Any]], Awaitable[Any]]:
    """Return the function by which programs read the world. Raises CommandError if they cannot see it."""
    read = getattr(world, "read", None)
    if read is None or not world.facade:
        raise CommandError(f"programs cannot see the world {world.name}; use single commands")
    found: Callable[[str, list[Any]], Awaitable[Any]] = read
    return found


async def _result(
    call: Call, end: tuple[str, str], outcome: Outcome | None, before: Mapping[str, int] | None, refused: Sequence[Call]
) -> Result:
    """Return the outcome of a program with its name and `end`: its effects by the journal, and the changes."""
    run: LiveRun = call.run
    done = await asyncio.to_thread(carried_out, run.journal.folder, call.id)
    done += [EffectRecord("", each.name, each.args, None, refused=True) for each in refused]
    said = outcome.said if outcome else ()
    changes = known_changes(run.world, [each.id for each in done if each.id])
    change = await _change(run.world, before)
    text = result_text(*end, done, change, changes, said)
    failed = bool(done) and not any(each.ok for each in done)
    returned = outcome is not None and outcome.kind == "returned"
    cut = outcome is None or outcome.kind == "cancelled"
    program = None if cut else _record("" if returned else end[1], said, change)
    seconds = outcome.seconds if outcome else 0.0
    return Result(text, ok=returned and not failed, seconds=seconds, program=program)


def _record(error: str, said: Sequence[str], change: tuple[Mapping[str, int], Mapping[str, int]] | None) -> Json:
    """Return what the journal keeps of a program: its error, what it said, and the inventory before and after."""
    before, after = change or ({}, {})
    return {"error": error, "said": list(said[-MOST_KEPT:]), "before": dict(before), "after": dict(after)}


async def _inventory(world: World) -> Mapping[str, int]:
    return dict((await world.observe()).inventory)


async def _change(world: World, before: Mapping[str, int] | None) -> tuple[Mapping[str, int], Mapping[str, int]] | None:
    """Return the inventory before and after. Return None if it is unknown."""
    if before is None:
        return None
    try:
        return before, await _inventory(world)
    except AutocraftError:  # the world is lost, and the next step says so
        return None


async def whole(change: Coroutine[Any, Any, T]) -> T:
    """Run a change to its end, even if it is interrupted."""
    task = asyncio.ensure_future(change)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        return await task


def cut_off(call: Call) -> str:
    """Return the text for a program whose run was killed."""
    run: HasJournal = call.run
    done = carried_out(run.journal.folder, call.id) if call.id else []
    return "\n".join(["The program was cut off and is not run again.", *effect_lines(done)])


def carried_out(folder: Path, id: str) -> list[EffectRecord]:
    """Return the effects of the program of this call, by the journal in `folder`.

    The journal is read from its end back to the start of the program.
    """
    results: dict[int, events.Result] = {}
    inner: list[events.Intent] = []
    with closing(Events(folder).backward()) as read:
        for event, _ in read:
            match event:
                case events.Result():
                    results[event.intent] = event
                case events.Intent() if event.id == id:
                    end = results.get(event.seq)
                    done = [each for each in reversed(inner) if end is None or each.seq < end.seq]
                    return [EffectRecord(each.id, each.command, each.args, results.get(each.seq)) for each in done]
                case events.Intent() if event.agent == PROGRAM:
                    inner.append(event)
    return []
