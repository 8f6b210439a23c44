"""The commands that store, find, show and delete skills. A new skill is tried first if the model asks for it.

A new skill is a change. A new version of a stored skill counts as `destroy`, although the old version stays: its name
then means another program, also for every skill that calls it, so no budget for other steps should cover it. A trial
runs the program, which counts as `destroy` too.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Protocol

from autocraft.commands.live import HasSession, HasState
from autocraft.commands.program_report import changed_program, covered_lines, program_lines, warnings, whole_program
from autocraft.commands.running import LiveRun, Runner, check_programs, cut_off, whole
from autocraft.commands.showing import or_refusal
from autocraft.errors import CommandError
from autocraft.protocols import Call, Json, Reach, Result, Risk, Settled, command
from autocraft.session.atomic import sha256
from autocraft.skills.graph import callers, graph_of
from autocraft.skills.index import Index
from autocraft.skills.known import Outlook, outlook
from autocraft.skills.parse import parse
from autocraft.skills.skill import Draft, Skill
from autocraft.skills.store import Entry, Library, check
from autocraft.skills.uses import read_uses
from autocraft.text.phrases import beginning, count

_MOST_LISTED = 200
_SHORT = 160


def _risk_of_save(family: SkillCommands, name: str, code: str, description: str, trial: bool = False) -> Risk:
    return Risk.DESTROY if trial or family.exists(name) else Risk.CHANGE


class _Run(HasSession, HasState, Protocol):
    """The parts of a run that say where, why and by whose decision a skill was stored."""


class SkillCommands:
    """The commands for one library. Without a `runner` no skill is tried."""

    family = "skills"

    def __init__(self, library: Library, index: Index, runner: Runner | None = None) -> None:
        self.library = library
        self.index = index
        self._runner = runner

    # ------------------------------------------------------------ commands

    @command(
        help="Keep a JavaScript program `async function name(bot)` as a skill; with trial only if a run of it succeeds",
        risk=_risk_of_save,
        cancellable=True,
        nested=True,
    )
    async def save_skill(self, call: Call, name: str, code: str, description: str, trial: bool = False) -> Result:
        run: _Run = call.run
        started, decision = time.monotonic(), run.state.turn.decision
        draft = Draft(
            code,
            description=description,
            author=call.agent,
            approved_by="person" if call.agent == "person" else decision.by if decision else "",
            task=run.state.goal_text[:_SHORT],
            session=run.session,
            call=call.id,
        )
        new = True if call.risk < Risk.DESTROY or (trial and not self.exists(name)) else None
        tried = await self._tried(call, name, draft) if trial else Result("")
        if not tried.ok:
            return replace(tried, text=f"The skill {name} was not kept, since its trial failed. {tried.text}")
        skill, saved = await whole(asyncio.to_thread(self.library.save, name, draft, new=new))
        text = f"The skill {name} is already exactly so, as version {skill.current}."
        if saved:
            text = await asyncio.to_thread(self._saved, skill)
        if trial:
            return replace(tried, text=f"{text} Its trial: {tried.text}")
        return Result(text, seconds=time.monotonic() - started)

    async def _tried(self, call: Call, name: str, draft: Draft) -> Result:
        """Return the result of a trial. Raises CommandError for a program that could not be stored anyway."""
        runner, run = self._trial_runner(call)
        await asyncio.to_thread(self._check, name, draft)
        return await runner.run(call, await asyncio.to_thread(runner.read, run.registry, draft.code, name))

    def _trial_runner(self, call: Call) -> tuple[Runner, LiveRun]:
        """Return the runner and the run of a trial. Raises CommandError if there is none."""
        if self._runner is None:
            raise CommandError("programs are not run here; save the skill without trial")
        run: LiveRun = call.run
        check_programs(run.registry)
        return self._runner, run

    @command(help="Find kept skills by what they are for", risk=Risk.LOOK)
    async def search_skills(self, call: Call, query: str) -> str:
        everything = call.agent == "person"
        found = await asyncio.to_thread(self.index.search, query, everything=everything)
        lines = [f"{n}. {self._line(each.entry)} (nearness {each.score:.2f})" for n, each in enumerate(found, 1)]
        return "\n".join(lines) or "[No skill is near to this.]"

    @command(help="List all kept skills", risk=Risk.LOOK)
    async def list_skills(self, call: Call) -> str:
        return await asyncio.to_thread(self._list, call.agent == "person")

    @command(help="Show a kept skill: its program, what it calls, how it did", risk=Risk.LOOK)
    async def show_skill(self, call: Call, name: str) -> str:
        return await asyncio.to_thread(self._show, name, call.agent)

    @command(help="Delete a kept skill with all its versions", risk=Risk.DESTROY)
    async def delete_skill(self, call: Call, name: str) -> str:
        await asyncio.to_thread(self._visible, name, call.agent)
        await asyncio.to_thread(self.library.delete, name, _tag(call))
        return f"The skill {name} was deleted; the person can restore it."

    def exists(self, name: str) -> bool:
        """Tell whether there is such a skill. An unreadable one counts."""
        try:
            return name in self.library.names()
        except CommandError:
            return True

    # ------------------------------------------------------------ what the policy and the approval are about

    @save_skill.reach
    def _reach_of_save(self, call: Call) -> Reach:
        """Return the program that a trial would run, as the command that runs one. Raises CommandError."""
        if not call.args["trial"]:
            return Reach(call.args)
        _, run = self._trial_runner(call)
        trial = run.registry.bind("run_program", {"code": call.args["code"]}, agent=call.agent)
        return Reach(call.args, calls=(trial,))

    @delete_skill.fingerprint
    @save_skill.fingerprint
    def _fingerprint(self, call: Call) -> str:
        """Hash the stored versions of the name, and the program of a trial with the skills that it calls."""
        name, kept, trial = call.args["name"], [], ""
        if self.exists(name):
            skill = self.library.entry(name).skill
            kept = [f"{each.number} {each.approved_by} {each.sha256}" for each in skill.versions] + [str(skill.current)]
        if call.args.get("trial"):
            runner, run = self._trial_runner(call)
            trial = runner.read(run.registry, call.args["code"], name).sha256
        preview = call.command.hooks["preview"](self, call)
        return sha256("\n".join([preview, *kept, trial]))

    # ------------------------------------------------------------ the kill -9 protocol

    @save_skill.evidence
    def _evidence_of_save(self, call: Call) -> Json:
        """Return the present version. The new version has the id of its call."""
        name = call.args["name"]
        before = self.library.entry(name).skill.current if self.exists(name) else None
        return {"do": call.name, "name": name, "call": call.id, "before": before}

    @delete_skill.evidence
    def _evidence_of_delete(self, call: Call) -> Json:
        """Return the tag of the deleted skill in the trash."""
        return {"do": call.name, "name": call.args["name"], "tag": _tag(call)}

    @save_skill.settle
    def _settle_save(self, call: Call, evidence: Json) -> Settled:
        """Settle by the library: a skill changes as a whole or not at all."""
        if call.id and self.exists(call.args["name"]):
            skill = self.library.entry(call.args["name"]).skill
            if any(each.call == call.id for each in skill.versions):
                return Settled("done", self._saved(skill))
        if call.args["trial"] and self._runner is not None:
            return Settled("unknown", f"It was not kept. {cut_off(call)}")
        return Settled("not done")

    @delete_skill.settle
    def _settle_delete(self, call: Call, evidence: Json) -> Settled:
        """Settle by the trash, which holds a deleted skill."""
        if self._in_trash(_tag(call)):
            return Settled("done", f"The skill {call.args['name']} was deleted; the person can restore it.")
        return Settled("not done")

    @delete_skill.undo
    def _undo_delete(self, call: Call, evidence: Json) -> str:
        """Take a skill out of the trash. Raises CommandError if it is gone."""
        name = evidence.get("name", "")
        if not evidence.get("tag"):
            raise CommandError("this command changed no skill; there is nothing to take back")
        kept = self._in_trash(evidence["tag"])
        if kept is None:
            raise CommandError(f"the skill {name} is not in the trash any more; there is nothing to bring back")
        self.library.restore(kept)
        return f"the skill {name} is there again with all its versions."

    @save_skill.undo
    def _undo_save(self, call: Call, evidence: Json) -> str:
        """Go back to the version before. Raises CommandError if there is a later change."""
        name, id, before = evidence.get("name", ""), evidence.get("call"), evidence.get("before")
        if not id:
            raise CommandError("this command changed no skill; there is nothing to take back")
        if not self.exists(name):
            return f"the skill {name} is already gone."
        skill = self.library.entry(name).skill
        made = next((each.number for each in skill.versions if each.call == id), None)
        if made is None or skill.current == before:
            return f"the skill {name} is already as it was before."
        if skill.current != made:
            raise CommandError(
                f"the skill {name} has changed since, so it is left alone; use `autocraft skills restore`"
            )
        if before is None:
            self.library.delete(name)
            return f"the skill {name} was deleted; it did not exist before."
        self.library.set_current(name, before)
        return f"version {before} of {name} counts again; version {made} stays in its history."

    def _in_trash(self, tag: str) -> str | None:
        return next((each for each in self.library.trashed() if tag and each.endswith(f".{tag}")), None)

    # ------------------------------------------------------------ what the person sees

    @save_skill.preview
    @or_refusal
    def _preview_save(self, call: Call) -> str:
        """Return the program, or its changes."""
        return self._new_or_changed(call, **call.args)

    def _check(self, name: str, draft: Draft) -> None:
        """Raise CommandError for a skill that would not be stored."""
        check(name, draft)
        if self.exists(name) and self.library.entry(name).skill.version().quarantine:
            raise CommandError(f"the skill {name} is in quarantine until you approve it")

    def _new_or_changed(self, call: Call, name: str, code: str, description: str, trial: bool = False) -> str:
        self._check(name, Draft(code, description=description))
        program = parse(code, name)
        head = [_calls(outlook(program, self.library.names())), *warnings(program)]
        if trial:
            runner, run = self._trial_runner(call)
            ready = runner.read(run.registry, code, name)
            head += [f"it is tried first: {row}" for row in covered_lines(ready, runner.grant(ready))]
        if not self.exists(name):
            title = f"new skill, {program_lines(code)}; {head[0]}"
            return "\n".join([title, *head[1:], *whole_program(code)])
        skill = self.library.entry(name).skill
        against = skill.approved_last or skill.version()
        who = "which you approved last" if skill.approved_last else "which nobody has approved"
        next_ = skill.versions[-1].number + 1
        title = f"version {next_} of {name} in place of {skill.current}; changes since {against.number}, {who}:"
        old = self.library.code(name, against.number)
        rows = ["the program is the same", *whole_program(code)] if old == code else changed_program(old, code)
        return "\n".join([title, *head, *rows])

    @delete_skill.preview
    @or_refusal
    def _preview_delete(self, call: Call) -> str:
        """Return what goes to the trash, and the skills that need it."""
        name = call.args["name"]
        entry = self.library.entry(name)
        by = callers(graph_of(self.library.entries()[0]), name)
        lines = [f"{count(len(entry.skill.versions), 'version')} of {name} will go to the trash; undo brings them back"]
        if by:
            lines.append(f"{count(len(by), 'skill')} that call it will fail without it: {', '.join(by)}")
        return "\n".join(lines)

    # ------------------------------------------------------------ what is said

    def _saved(self, skill: Skill) -> str:
        entry = self.library.entry(skill.name)
        text = f"The skill {skill.name} is kept as version {skill.versions[-1].number}."
        seen = outlook(entry.program, self.library.names()) if entry.program else None
        if seen and seen.unknown:
            text += f" It calls what nobody offers: {', '.join(seen.unknown[:20])}."
        return text

    def _visible(self, name: str, agent: str) -> Entry:
        """Return a skill that this agent may see. Raises CommandError for one that only the person may see."""
        entry = self.library.entry(name)
        if entry.held and agent != "person":
            way = f"`autocraft skills approve {name}`"
            raise CommandError(f"the skill {name} is {entry.held}; only the person can release it, with {way}")
        return entry

    def _line(self, entry: Entry) -> str:
        said = beginning(" ".join(entry.skill.description.split()), _SHORT)
        held = f" [{entry.held}]" if entry.held else ""
        return f"{entry.name}: {said}{held} ({read_uses(self.library.folder, entry.name)})"

    def _list(self, everything: bool) -> str:
        entries, bad = self.library.entries()
        shown = [each for each in entries if everything or not each.held]
        lines = [self._line(each) for each in shown[:_MOST_LISTED]]
        if len(shown) > _MOST_LISTED:
            lines.append(f"[{len(shown) - _MOST_LISTED:,} more are not shown; search_skills finds them.]")
        if len(entries) > len(shown):
            lines.append(f"[{count(len(entries) - len(shown), 'skill')} not shown until the person approves.]")
        if bad:
            lines.append(f"[{count(len(bad), 'skill')} cannot be read: {', '.join(bad)[:_SHORT]}.]")
        return "\n".join(lines) or "[There are no skills yet.]"

    def _show(self, name: str, agent: str) -> str:
        entry = self._visible(name, agent)
        version = entry.skill.version()
        lines = [self._line(entry), f"version {version.number} of {len(entry.skill.versions)}"]
        if entry.program:
            lines.append(_calls(outlook(entry.program, self.library.names())))
        for title, conditions in (("before", version.before), ("after", version.after)):
            if conditions:
                lines.append(f"{title}: {'; '.join(conditions)}")
        return "\n".join([*lines, "", entry.code])


def _calls(seen: Outlook) -> str:
    """Return what a program would call, on one line."""
    known = ", ".join((*seen.skills, *seen.primitives, *seen.bot)) or "nothing"
    unknown = f"; nobody offers: {', '.join(seen.unknown)}" if seen.unknown else ""
    return f"calls {known}{unknown}"


def _tag(call: Call) -> str:
    """Return the end of a deleted skill's name in the trash; empty for a call without an id."""
    return sha256(call.id)[:12] if call.id else ""
