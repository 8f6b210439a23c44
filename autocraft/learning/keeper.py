"""Stores programs that worked as skills, and finds skills that help with a task."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from autocraft.agent.context import RunContext
from autocraft.agent.ending import RunEnded
from autocraft.agent.gate import Gate
from autocraft.commands.program_report import EffectRecord
from autocraft.errors import CommandError, InvalidCommand
from autocraft.learning.asking import FEW_TRIES, Adviser, NoRoom, Unusable
from autocraft.learning.progress import Progress, is_deposit
from autocraft.protocols import Json, peek
from autocraft.session.events import Note
from autocraft.skills.index import Index
from autocraft.skills.names import problem_with, words_of
from autocraft.skills.parse import parse
from autocraft.skills.skill import MOST_DESCRIPTION, Skill
from autocraft.skills.uses import read_uses, record_use
from autocraft.text.prompts import Data

MOST_NAMES = 300
"""The most names of further skills that a prompt lists."""
LEAST_USES = 4
LEAST_SHARE = 0.25
"""A skill that was used so often, and succeeded in a smaller share, is not found any more."""


@dataclass(frozen=True)
class SkillKeeper:
    """The skills of a run. `index` finds them, and the registry's own commands store them."""

    run: RunContext
    gate: Gate
    index: Index
    adviser: Adviser
    progress: Progress
    shown: int = 5
    """The most skills that a prompt shows."""

    def search(self, query: str, first: Collection[str] = ()) -> tuple[list[str], list[str]]:
        """Return the programs of the skills that are near to a query, the nearest first, and the names of others.

        The skills named `first` come first, such as those that threw.
        """
        library = self.index.library
        try:
            near = self.index.search(query, 2 * self.shown)
            entries = {entry.name: entry for entry in library.entries()[0] if not entry.hold}
        except CommandError:
            return [], []
        wanted = [entries[name] for name in first if name in entries]
        good = [match.entry for match in near if match.entry.name not in first and not self._fails(match.entry.skill)]
        shown = [*wanted, *good][: self.shown]
        others = sorted(entries.keys() - {entry.name for entry in shown})
        names = [name for name in others if not self._fails(entries[name].skill)]
        return [entry.code for entry in shown], names[:MOST_NAMES]

    def _fails(self, skill: Skill) -> bool:
        """Return whether the current version of a skill keeps failing. A new version begins anew."""
        uses, successes = read_uses(self.index.library.folder, skill.name).by_version.get(skill.current, (0, 0))
        return uses >= LEAST_USES and successes < LEAST_SHARE * uses

    async def count_uses(self, code: str, success: bool, entered: Mapping[str, bool]) -> None:
        """Count the use of each skill that a program entered, and of the skill that it is.

        A skill that was entered succeeded if it returned each time, whatever became of the task.
        """
        library = self.index.library
        try:
            main = parse(code).main
            own = {main: success} if library.has(main, code) else {}
            for name, good in {**own, **{name: good for name, good in entered.items() if name != main}}.items():
                version = library.entry(name).skill.current
                await asyncio.to_thread(record_use, library.folder, name, version, good, self.progress.text)
        except CommandError as error:
            self.run.journal.append(Note(text=f"the uses of skills were not counted: {error}"))

    async def keep(self) -> None:
        """Store the newest program as a skill, by the command save_skill and through the gate. Raises RunEnded.

        A program that is the skill of its name already stays as it is.
        """
        code, task = self.progress.code, self.progress.text
        name = parse(code).main
        if is_deposit(task) or self.index.library.has(name, code):
            return
        if problem := problem_with(name):
            self.run.journal.append(Note(text=f"the program {name[:80]} is not kept as a skill: its name {problem}"))
            return
        args = {"name": name, "code": code, "description": await self._description(name, code)}
        self.gate.heard = self.run.journal.seq  # what was typed while the program ran does not lose its skill
        await self.carry_out("save_skill", args)

    async def take_up(self, effects: Sequence[EffectRecord]) -> None:
        """Dig up the blocks that a program placed, the last first. Collect those that digging did not bring."""
        for each in reversed(effects):
            if each.name == "place_item" and each.ok:
                name, place = each.args["name"], {axis: each.args[axis] for axis in ("x", "y", "z")}
                before = (await peek(self.run.world)).inventory.get(name, 0)
                await self.carry_out("dig", place)
                if (await peek(self.run.world)).inventory.get(name, 0) <= before:
                    await self.carry_out("collect", {"name": name})

    async def carry_out(self, name: str, args: Json) -> None:
        """Carry out a command through the gate. Raises RunEnded if the person ends the run at its question."""
        try:
            call = self.run.registry.bind(name, args)
        except (InvalidCommand, CommandError) as error:
            self.run.journal.append(Note(text=f"{name} was not carried out: {error}"))
            return
        decision, _ = await self.gate.carry_out(call, self.run.executor.execute)
        if decision.kind == "stop":
            raise RunEnded("stopped", decision.why or "you stopped the run")

    async def _description(self, name: str, code: str) -> str:
        """Return a description in a few sentences: by the model, else from the name and the task."""
        plain = f"{words_of(name).capitalize()}. It was written for the task: {self.progress.text}."
        if not self.adviser.asks_model:
            return plain

        async def read(text: str) -> str:
            if why := fault_of_description(text, code):
                raise Unusable(why)
            return " ".join(text.split())[:MOST_DESCRIPTION]

        shown = {"program": Data("program", code)}
        try:
            return await self.adviser.ask("describe", "learn_describe.j2", read, shown, FEW_TRIES)
        except (Unusable, NoRoom):
            return plain


_APOLOGY = re.compile(r"\W*(?:(?:i'?m|i am) .{0,20}\bsorry|sorry|i can(?:no|['’])t|i am unable|as an? (?:ai|language))")


def fault_of_description(text: str, code: str) -> str:
    """Return why a text does not describe a program: it is an apology, or it shares no word with it. Else return ''."""
    said, program = text.lower(), parse(code)
    if _APOLOGY.match(said):
        return "it is an apology and no description"
    names = (program.main, *program.makes, *program.places, *program.free)
    words = [word for name in names for word in words_of(name).split() if len(word) > 3]
    return "" if any(word in said for word in words) or not words else "it names nothing of what the program does"
