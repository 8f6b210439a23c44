"""Runs one program of a model: finds the commands in it, runs it in the sandbox, and reports its changes."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from autocraft.agent.threads import run_in_thread, shield
from autocraft.commands.output import OutputReport
from autocraft.commands.program_report import EffectRecord, PreparedProgram, effect_lines, end_text, result_text
from autocraft.commands.registry import Registry
from autocraft.commands.run_protocols import HasExits, HasJournal, HasRegistry, HasWorld
from autocraft.commands.undo import known_changes
from autocraft.errors import AutocraftError, CommandError
from autocraft.protocols import PROGRAM, Call, Json, Result, World, peek
from autocraft.sandbox.facade import Facade, commands_called
from autocraft.sandbox.program import Grant, Outcome, Refused, Stopped
from autocraft.sandbox.settings import ProgramSettings
from autocraft.session import events
from autocraft.session.reading import Events
from autocraft.skills.graph import dependencies
from autocraft.skills.known import outlook
from autocraft.skills.parse import parse
from autocraft.skills.store import Library

if TYPE_CHECKING:
    from autocraft.sandbox.programs import Programs

MOST_OUTPUT = 100
"""Most lines of output in the event of a result: the last ones."""


class LiveRun(HasWorld, HasRegistry, HasJournal, HasExits, Protocol):
    """The parts of a run that programs need."""


class EffectGate(Protocol):
    """Decides about the effects of one program and carries them out."""

    @property
    def question_seconds(self) -> float:
        """Return the seconds that questions to the person took."""
        ...

    async def act(self, call: Call, beyond: str) -> Result:
        """Carry out an effect. Ask the person first if it is `beyond` the grant. Raises Refused or Stopped."""
        ...


class ProgramApi(Facade):
    """The Api of one program: the façade reads and binds, and the gate carries out."""

    def __init__(
        self, run: LiveRun, skills: Mapping[str, str], gate: EffectGate, output: OutputReport, refusals: list[Call]
    ) -> None:
        """Take the list of the refused calls, in order. Raises CommandError if programs cannot see the world."""
        bind = partial(run.registry.bind, agent=PROGRAM)
        super().__init__(bind, _read_of(run.world), skills, run.world.facade)
        self.gate, self.output, self.refusals = gate, output, refusals

    @property
    def question_seconds(self) -> float:
        return self.gate.question_seconds

    def say(self, text: str) -> None:
        self.output.add(f"{text}\n")

    async def act(self, call: Call, beyond: str) -> str:
        try:
            result = await self.gate.act(call, beyond)
        except (Refused, Stopped):
            self.refusals.append(call)
            raise
        if not result.ok:
            raise CommandError(result.text)
        return result.text


@dataclass
class Runner:
    """Runs programs with the skills of one library, in the run of a call."""

    library: Library
    settings: ProgramSettings
    begin: Callable[[Any], AbstractContextManager[EffectGate]]
    """Begins a program in a run."""
    environment: Mapping[str, str] = field(repr=False)
    """Says where Node and its packages are."""
    _sandbox: Programs | None = field(init=False, default=None, repr=False)
    _running: bool = field(init=False, default=False)

    def read(self, registry: Registry, code: str, name: str = "") -> PreparedProgram:
        """Parse a program. Its main function is `name`, if given. Raises CommandError."""
        program = parse(code, name)
        names = self.library.names()
        prospect = outlook(program, names)
        skills = {entry.name: entry.code for skill in prospect.skills for entry in dependencies(self.library, skill)}
        skills.pop(program.main, None)  # in a program, its own name means its own text
        texts = [program, *(parse(text, skill) for skill, text in skills.items())]
        free = frozenset(name for text in texts for name in text.free)
        paths = frozenset(path for text in texts for path in text.bot)
        commands = filter(None, map(registry.find, sorted(commands_called(free, paths))))
        tiers = {command.name: command.tier for command in commands if not registry.off_by(command)}
        return PreparedProgram(code, program, prospect, skills, tiers)

    def grant(self, ready: PreparedProgram) -> Grant:
        return self.settings.grant(ready.sha256, frozenset(ready.commands))

    async def run(self, call: Call, ready: PreparedProgram) -> Result:
        """Run a program to its end. Return its outcome. After an interruption, return what was done until then."""
        from autocraft.sandbox.programs import outcome_of

        if self._running:
            raise CommandError("a program is running and asks you something; run another one after its end")
        run: LiveRun = call.run
        before: Mapping[str, int] | None = await _inventory(run.world)
        deeds = Counter(run.world.deeds)
        refusals: list[Call] = []
        outcome: Outcome | None
        try:
            self._running = True
            with OutputReport(call) as output:
                outcome = await self._run(run, ready, refusals, output)
            end = end_text(outcome, ready.code, self.settings.limits, ready.main, ready.skills)
        except asyncio.CancelledError as error:
            end, outcome, before = "It was interrupted.", outcome_of(error), None  # there is no time to look again
        except Stopped as stopped:
            end, outcome = f"It was ended: {stopped}.", outcome_of(stopped)
        finally:
            self._running = False
        did = dict(Counter(run.world.deeds) - deeds)
        return await shield(_result(call, (ready.main, end), outcome, before, refusals, did))

    async def _run(self, run: LiveRun, ready: PreparedProgram, refusals: list[Call], output: OutputReport) -> Outcome:
        with self.begin(run) as gate:
            api = ProgramApi(run, ready.skills, gate, output, refusals)
            if self._sandbox is None:
                log = run.journal.folder / "programs.log"
                self._sandbox = await run_in_thread(_open_sandbox, self.environment, log)
                run.exits.push_async_callback(self._sandbox.close)
            return await self._sandbox.run(ready.code, ready.main, api, self.settings.limits, self.grant(ready))


def _open_sandbox(environment: Mapping[str, str], log: Path) -> Programs:
    """Return the sandbox of JavaScript programs, which is imported only now. Raises NodeMissing."""
    from autocraft.node import find_node, packages, show_progress
    from autocraft.sandbox.packages import PACKAGES
    from autocraft.sandbox.programs import Programs

    modules = packages(PACKAGES, environment, show_progress)
    return Programs(find_node(environment), modules, log)


def check_programs(registry: Registry) -> None:
    """Raise CommandError if programs are switched off."""
    command = registry.find("run_program")
    by = "this run" if command is None else registry.off_by(command)
    if by:
        raise CommandError(f"programs are switched off by {by}; go on without running one")


def _read_of(world: World) -> Callable[[str, list[Any]], Awaitable[Any]]:
    """Return the function by which programs read the world. Raises CommandError if they cannot see it."""
    read: Callable[[str, list[Any]], Awaitable[Any]] | None = getattr(world, "read", None)
    if read is None or not world.facade:
        raise CommandError(f"programs cannot see the world {world.name}; use single commands")
    return read


async def _result(
    call: Call,
    end: tuple[str, str],
    outcome: Outcome | None,
    before: Mapping[str, int] | None,
    refusals: Sequence[Call],
    did: Mapping[str, int],
) -> Result:
    """Return the result of a program. `end` is its name, and how it ended in words. `did` are its deeds."""
    run: LiveRun = call.run
    effects = await asyncio.to_thread(effects_of, run.journal.folder, call.id)
    effects += [EffectRecord("", effect.name, effect.args, None, refused=True) for effect in refusals]
    output = outcome.said if outcome else ()
    changes = known_changes(run.world, [effect.id for effect in effects if effect.id])
    inventories = await _inventories(run.world, before)
    text = result_text(*end, effects, inventories, changes, output)
    failed = bool(effects) and not any(effect.ok for effect in effects)
    returned = outcome is not None and outcome.kind == "returned"
    interrupted = outcome is None or outcome.kind == "cancelled"
    skills = {} if outcome is None else outcome.skills
    program = None if interrupted else _record("" if returned else end[1], output, inventories, did, skills)
    seconds = outcome.seconds if outcome else 0.0
    return Result(text, ok=returned and not failed, seconds=seconds, program=program)


def _record(
    error: str,
    output: Sequence[str],
    inventories: tuple[Mapping[str, int], Mapping[str, int]] | None,
    did: Mapping[str, int],
    skills: Mapping[str, bool],
) -> Json:
    """Return the record of a program for the journal.

    It has its error, its output, the inventory before and after, how often it did each deed, and the saved skills
    that it entered, with whether each returned each time.
    """
    before, after = inventories or ({}, {})
    said, changes = list(output[-MOST_OUTPUT:]), {"before": dict(before), "after": dict(after), "did": dict(did)}
    return {"error": error, "said": said, **changes, "skills": dict(skills)}


async def _inventory(world: World) -> Mapping[str, int]:
    return dict((await peek(world)).inventory)


async def _inventories(
    world: World, before: Mapping[str, int] | None
) -> tuple[Mapping[str, int], Mapping[str, int]] | None:
    """Return the inventory before and after. Return None if it is unknown."""
    if before is None:
        return None
    try:
        return before, await _inventory(world)
    except AutocraftError:  # the world is lost, and the next step says so
        return None


def interruption_text(call: Call) -> str:
    """Return the text for a program that was running when the run was killed."""
    run: HasJournal = call.run
    effects = effects_of(run.journal.folder, call.id) if call.id else []
    text = "The program was cut off and is not run again. It was not at fault: the run was stopped."
    return "\n".join([text, *effect_lines(effects)])


def effects_of(folder: Path, id: str) -> list[EffectRecord]:
    """Return the effects of the program of this call, by the journal in `folder`.

    The journal is read from its end back to the start of the program, or to where its effects were taken back.
    """
    rewound = False
    results: dict[int, events.Result] = {}
    intents: list[events.Intent] = []
    with closing(Events(folder).backward()) as backward:
        for event, _ in backward:
            match event:
                case events.Result():
                    results[event.intent] = event
                case events.Intent() if event.id == id:
                    end = results.get(event.seq)
                    own = [intent for intent in reversed(intents) if end is None or intent.seq < end.seq]
                    return [EffectRecord(one.id, one.command, one.args, results.get(one.seq)) for one in own]
                case events.Rewind() if event.id == id:
                    rewound = True
                case events.Intent() if event.agent == PROGRAM and not rewound:
                    intents.append(event)
    return []
