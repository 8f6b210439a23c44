"""The commands that run JavaScript programs: the model's own, or a stored skill.

A program counts as `destroy`. The approval covers exactly this text, the commands in it that look or change, and a
number of effects and seconds. The person is asked about anything else.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Protocol

from autocraft.commands.previews import or_refusal
from autocraft.commands.program_report import (
    MOST_VALUE,
    PreparedProgram,
    changed_program,
    covered_lines,
    outlook_lines,
    whole_program,
)
from autocraft.commands.run_protocols import HasState
from autocraft.commands.running import LiveRun, Runner, effects_of, interruption_text
from autocraft.commands.skills import usable
from autocraft.errors import CommandError
from autocraft.goals import Goal
from autocraft.protocols import Call, Json, Reach, Result, Risk, Settled, command
from autocraft.skills.skill import Version
from autocraft.skills.uses import record_use
from autocraft.text.phrases import RUNS_PROGRAM
from autocraft.text.prompts import Prompt, render

_HELP = (
    "Run a JavaScript program `async function name(bot)`. It may use saved skills, and everything that Voyager's "
    "programs use"
)


class _Run(LiveRun, HasState, Protocol):
    """The parts of a run that programs need, and its goals."""


class ProgramCommands:
    """The commands that run programs with the skills of one library."""

    family = "programs"

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.library = runner.library
        self._last: dict[str, str] = {}
        """Main function -> the last program of that name that ran, with which the person can compare the next."""

    @command(help=_HELP, risk=Risk.DESTROY, cancellable=True, nested=True)
    async def run_program(self, call: Call, code: str, description: str = "") -> Result:
        ready = await asyncio.to_thread(self._same_program, call)
        self._last[ready.main] = ready.code
        return await self.runner.run(call, ready)

    @run_program.manual
    def _manual(self, run: LiveRun) -> Prompt:
        """Return what a model has to know of programs in the world of a run, in ten lines."""
        limits = self.runner.settings
        every = render(
            "programs.j2", "every", seconds=Prompt(f"{limits.seconds:g}"),
            steps=Prompt(f"{limits.steps:,}"), calls=Prompt(f"{limits.calls:,}"), effects=limits.effects,
            minutes=Prompt(f"{limits.minutes:g}"), value=Prompt(f"{MOST_VALUE:,}"),
        )  # fmt: skip
        own = [render("programs.j2", run.world.facade)] if run.world.facade in ("minecraft", "crafting") else []
        return Prompt("\n").join([*own, every])

    @command(help="Run a saved skill", risk=Risk.DESTROY, cancellable=True, nested=True)
    async def run_skill(self, call: Call, name: str) -> Result:
        run: _Run = call.run
        ready = await asyncio.to_thread(self._same_program, call)
        version = self.library.entry(name).skill.version()
        unmet = await self._unmet(run, version.before)
        if unmet:
            raise CommandError(f"{name} was not run, since its conditions do not hold: {'; '.join(unmet)}")
        result = await self.runner.run(call, ready)
        unmet = await self._unmet(run, version.after) if result.ok else []
        if unmet:
            text = f"It did not reach its purpose: {'; '.join(unmet)}.\n{result.text}"
            result = replace(result, ok=False, text=text)
        try:
            task = run.state.goal_text
            await asyncio.to_thread(record_use, self.library.folder, name, version.number, result.ok, task)
        except CommandError as error:  # the result must still tell the model what was carried out
            result = replace(result, text=f"{result.text}\nThis use could not be counted: {error}")
        return result

    async def _unmet(self, run: LiveRun, conditions: tuple[str, ...]) -> list[str]:
        """Return the conditions that do not hold. One that the world cannot check is skipped."""
        items = run.world.items
        readings = [(Goal.parse(text, items), Goal.parse(f"get {text}", items)) for text in conditions]
        goals = [goal if goal.items else plain for goal, plain in readings if goal.items or plain.items]
        checks = [(goal, await run.world.check(goal)) for goal in goals]
        return [check.why for _, check in checks if check.verdict == "not met"]

    # ------------------------------------------------------------ the program

    def _ready(self, call: Call) -> PreparedProgram:
        """Return the program of a call. Raises CommandError."""
        run: LiveRun = call.run
        if "code" in call.args:
            return self.runner.read(run.registry, call.args["code"])
        name = call.args["name"]
        return self.runner.read(run.registry, usable(self.library.entry(name)).code, name)

    def _same_program(self, call: Call) -> PreparedProgram:
        """Return the program of a call. Raises CommandError if it has changed since the approval."""
        ready = self._ready(call)
        if call.fingerprint and call.fingerprint != ready.sha256:
            raise CommandError(
                "the program, or a skill that it calls, has changed since it was shown; propose it again"
            )
        return ready

    # ------------------------------------------------------------ the kill -9 protocol

    def reach(self, call: Call) -> Reach:
        """Return the stored skills that the program calls, each as the command that runs it. Raises CommandError."""
        run: LiveRun = call.run
        names, bind = self._ready(call).skills, run.registry.bind
        return Reach(call.args, calls=tuple(bind("run_skill", {"name": name}, agent=call.agent) for name in names))

    def fingerprint(self, call: Call) -> str:
        """Hash the program with the skills that it calls. Raises CommandError if it cannot be parsed."""
        return self._ready(call).sha256

    def evidence(self, call: Call) -> Json:
        """Return what the approval covers."""
        ready = self._ready(call)
        grant = self.runner.grant(ready)
        return {
            "do": call.name,
            "sha256": grant.program,
            "commands": sorted(grant.names),
            "effects": grant.effects,
            "seconds": grant.seconds,
        }

    def settle(self, call: Call, evidence: Json) -> Settled:
        """Tell whether the program may run again. Its effects are settled before it.

        One without an effect may, and so may one in a world that can be restored from before it. In a live world it
        is unknown what is still to be done.
        """
        run: LiveRun = call.run
        if call.id and not effects_of(run.journal.folder, call.id):
            return Settled("not done")
        if call.id and run.world.snapshot() is not None:
            return Settled("again")
        return Settled("unknown", interruption_text(call))

    # ------------------------------------------------------------ what the person sees

    @or_refusal
    def warning(self, call: Call) -> str:
        return RUNS_PROGRAM

    def preview(self, call: Call) -> str:
        """Return what the program may do, and the program."""
        ready = self._ready(call)
        grant = covered_lines(ready, self.runner.grant(ready))
        return "\n".join([*outlook_lines(ready), *grant, *self._text(ready)])

    def _text(self, ready: PreparedProgram) -> list[str]:
        """Return the program, after its differences from the last try, or else from the last approved version."""
        before = self._last.get(ready.main)
        if before is not None and before != ready.code:
            return [f"changes since the last try of {ready.main}:", *changed_program(before, ready.code)]
        last = self._approved_version(ready.main)
        if last is None:
            return whole_program(ready.code)
        old = self.library.code(ready.main, last.number)
        if old == ready.code:
            return [f"it is version {last.number} of {ready.main}, which you approved", *whole_program(ready.code)]
        title = f"changes since version {last.number} of {ready.main}, which you approved last:"
        return [title, *changed_program(old, ready.code)]

    def _approved_version(self, name: str) -> Version | None:
        """Return the version of this skill that the person approved last. Return None if there is none."""
        try:
            return self.library.entry(name).skill.approved_last if name in self.library.names() else None
        except CommandError:
            return None
