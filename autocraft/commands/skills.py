"""The commands that store, find, show and delete skills. A skill can be tried before it is stored.

A new skill is a change. A new version of a stored skill counts as `destroy`, although the old version stays. Its name
then means another program, also for every skill that calls it, so a budget must not cover it. A trial counts as
`destroy` too, since it runs the program.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Protocol

from autocraft.agent.threads import shield
from autocraft.commands.previews import or_refusal
from autocraft.commands.program_report import changed_program, covered_lines, program_lines, warnings, whole_program
from autocraft.commands.run_protocols import HasSession, HasState
from autocraft.commands.running import LiveRun, Runner, check_programs, interruption_text
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
from autocraft.text.phrases import RUNS_PROGRAM, beginning, count

_MOST_LISTED = 200
_SHORT = 160


class _Run(HasSession, HasState, Protocol):
    """The parts of a run that say where, why and by whose decision a skill was stored."""


class SkillCommands:
    """The commands for one library. Without a `runner`, no skill can be tried."""

    family = "skills"

    def __init__(self, library: Library, index: Index, runner: Runner | None = None) -> None:
        self.library = library
        self.index = index
        self._runner = runner

    @command(
        help="Save a JavaScript program `async function name(bot)` as a skill; with trial only if a run of it succeeds",
        risk=Risk.DESTROY,
        cancellable=True,
        nested=True,
    )
    async def save_skill(self, call: Call, name: str, code: str, description: str, trial: bool = False) -> Result:
        run: _Run = call.run
        start, decision = time.monotonic(), run.state_of(call.agent).turn.decision
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
        trial_result = await self._try(call, name, draft) if trial else Result("")
        if not trial_result.ok:
            why = f"The skill {name} was not kept, since its trial failed."
            return replace(trial_result, text=f"{why} {trial_result.text}")
        skill, is_new = await shield(asyncio.to_thread(self.library.save, name, draft, new=new))
        text = f"The skill {name} is unchanged, as version {skill.current}."
        if is_new:
            text = await asyncio.to_thread(self._save_text, skill)
        if trial:
            return replace(trial_result, text=f"{text} Its trial: {trial_result.text}")
        return Result(text, seconds=time.monotonic() - start)

    @save_skill.risk
    def _risk_of_save(self, call: Call) -> Risk:
        return Risk.DESTROY if call.args["trial"] or self.exists(call.args["name"]) else Risk.CHANGE

    @save_skill.warning
    def _warning_of_save(self, call: Call) -> str:
        return RUNS_PROGRAM if call.args["trial"] else f"replaces the skill {beginning(call.args['name'], 80)}"

    async def _try(self, call: Call, name: str, draft: Draft) -> Result:
        """Run a program and return its result. Raises CommandError first if it could not be stored."""
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

    @command(help="Find saved skills by what they are for", risk=Risk.LOOK)
    async def search_skills(self, call: Call, query: str) -> str:
        everything = call.agent == "person"
        matches = await asyncio.to_thread(self.index.search, query, everything=everything)
        lines = [f"{n}. {self._line(match.entry)} (nearness {match.score:.2f})" for n, match in enumerate(matches, 1)]
        return "\n".join(lines) or "[No skill is near to this.]"

    @command(help="List all saved skills", risk=Risk.LOOK)
    async def list_skills(self, call: Call) -> str:
        return await asyncio.to_thread(self._list, call.agent == "person")

    @command(help="Show a saved skill: its program, what it calls, and its results", risk=Risk.LOOK)
    async def show_skill(self, call: Call, name: str) -> str:
        return await asyncio.to_thread(self._show, name, call.agent)

    @command(help="Delete a saved skill with all its versions", risk=Risk.DESTROY)
    async def delete_skill(self, call: Call, name: str) -> str:
        await asyncio.to_thread(self._visible, name, call.agent)
        await asyncio.to_thread(self.library.delete, name, _tag(call))
        return f"The skill {name} was deleted; the person can restore it."

    @delete_skill.warning
    def _warning_of_delete(self, call: Call) -> str:
        return f"deletes the skill {beginning(call.args['name'], 80)} with all its versions"

    def exists(self, name: str) -> bool:
        """Return whether there is such a skill. An unreadable library counts."""
        try:
            return name in self.library.names()
        except CommandError:
            return True

    # ------------------------------------------------------------ the policy and the approval

    @save_skill.reach
    def _reach_of_save(self, call: Call) -> Reach:
        """Return the trial as a call of run_program. Raises CommandError."""
        if not call.args["trial"]:
            return Reach(call.args)
        _, run = self._trial_runner(call)
        trial = run.registry.bind("run_program", {"code": call.args["code"]}, agent=call.agent)
        return Reach(call.args, calls=(trial,))

    @delete_skill.fingerprint
    @save_skill.fingerprint
    def _fingerprint(self, call: Call) -> str:
        """Hash the stored versions of the name, and the program of a trial with the skills that it calls."""
        name, versions, trial = call.args["name"], [], ""
        if self.exists(name):
            skill = self.library.entry(name).skill
            versions = [f"{version.number} {version.approved_by} {version.sha256}" for version in skill.versions]
            versions.append(str(skill.current))
        if call.args.get("trial"):
            runner, run = self._trial_runner(call)
            trial = runner.read(run.registry, call.args["code"], name).sha256
        preview = call.command.hooks["preview"](self, call)
        return sha256("\n".join([preview, *versions, trial]))

    # ------------------------------------------------------------ the kill -9 protocol

    @save_skill.evidence
    def _evidence_of_save(self, call: Call) -> Json:
        """Return the number of the present version. The new version will have the id of the call."""
        name = call.args["name"]
        before = self.library.entry(name).skill.current if self.exists(name) else None
        return {"do": call.name, "name": name, "call": call.id, "before": before}

    @delete_skill.evidence
    def _evidence_of_delete(self, call: Call) -> Json:
        """Return the tag that the deleted skill will have in the trash."""
        return {"do": call.name, "name": call.args["name"], "tag": _tag(call)}

    @save_skill.settle
    def _settle_save(self, call: Call, evidence: Json) -> Settled:
        """Settle by the library: a skill changes completely or not at all."""
        if call.id and self.exists(call.args["name"]):
            skill = self.library.entry(call.args["name"]).skill
            if any(version.call == call.id for version in skill.versions):
                return Settled("done", self._save_text(skill))
        if call.args["trial"] and self._runner is not None:
            return Settled("unknown", f"It was not kept. {interruption_text(call)}")
        return Settled("not done")

    @delete_skill.settle
    def _settle_delete(self, call: Call, evidence: Json) -> Settled:
        """Settle by the trash, where a deleted skill is."""
        if self._in_trash(_tag(call)):
            return Settled("done", f"The skill {call.args['name']} was deleted; the person can restore it.")
        return Settled("not done")

    @delete_skill.undo
    def _undo_delete(self, call: Call, evidence: Json) -> str:
        """Take a skill out of the trash. Raises CommandError if it is not there."""
        name = evidence.get("name", "")
        if not evidence.get("tag"):
            raise CommandError("this command changed no skill; there is nothing to take back")
        trash_name = self._in_trash(evidence["tag"])
        if trash_name is None:
            raise CommandError(f"the skill {name} is not in the trash any more; there is nothing to bring back")
        self.library.restore(trash_name)
        return f"the skill {name} is there again with all its versions."

    @save_skill.undo
    def _undo_save(self, call: Call, evidence: Json) -> str:
        """Make the version before the current one again. Raises CommandError if there is a later change."""
        name, id, before = evidence.get("name", ""), evidence.get("call"), evidence.get("before")
        if not id:
            raise CommandError("this command changed no skill; there is nothing to take back")
        if not self.exists(name):
            return f"the skill {name} is already gone."
        skill = self.library.entry(name).skill
        number = next((version.number for version in skill.versions if version.call == id), None)
        if number is None or skill.current == before:
            return f"the skill {name} is already as it was before."
        if skill.current != number:
            way = "use `autocraft skills restore`"
            raise CommandError(f"the skill {name} has changed since, so it is left as it is; {way}")
        if before is None:
            self.library.delete(name)
            return f"the skill {name} was deleted; it did not exist before."
        self.library.set_current(name, before)
        return f"version {before} of {name} is current again; version {number} stays in its history."

    def _in_trash(self, tag: str) -> str | None:
        """Return the name in the trash that ends with this tag. Return None if there is none."""
        return next((name for name in self.library.list_trash() if tag and name.endswith(f".{tag}")), None)

    # ------------------------------------------------------------ what the person sees

    def _check(self, name: str, draft: Draft) -> None:
        """Raise CommandError if the library would not store this skill."""
        check(name, draft)
        if self.exists(name) and self.library.entry(name).skill.version().quarantine:
            raise CommandError(f"the skill {name} is in quarantine until you approve it")

    @save_skill.preview
    @or_refusal
    def _preview_save(self, call: Call) -> str:
        """Return a new program, or the changes of a stored one."""
        name, code = call.args["name"], call.args["code"]
        self._check(name, Draft(code, description=call.args["description"]))
        program = parse(code, name)
        head = [_calls(outlook(program, self.library.names())), *warnings(program)]
        if call.args["trial"]:
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
        """Return the number of versions that go to the trash, and the skills that call this one."""
        name = call.args["name"]
        entry = self.library.entry(name)
        users = callers(graph_of(self.library.entries()[0]), name)
        lines = [f"{count(len(entry.skill.versions), 'version')} of {name} will go to the trash; undo brings them back"]
        if users:
            lines.append(f"{count(len(users), 'skill')} that call it will fail without it: {', '.join(users)}")
        return "\n".join(lines)

    # ------------------------------------------------------------ texts of the results

    def _save_text(self, skill: Skill) -> str:
        entry = self.library.entry(skill.name)
        text = f"The skill {skill.name} is kept as version {skill.versions[-1].number}."
        prospect = outlook(entry.program, self.library.names()) if entry.program else None
        if prospect and prospect.unknown:
            text += f" It calls functions that do not exist: {', '.join(prospect.unknown[:20])}."
        return text

    def _visible(self, name: str, agent: str) -> Entry:
        """Return the skill. Raises CommandError if only the person may see it, and the agent is another."""
        entry = self.library.entry(name)
        return entry if agent == "person" else usable(entry)

    def _line(self, entry: Entry) -> str:
        description = beginning(" ".join(entry.skill.description.split()), _SHORT)
        mark = f" [{entry.hold}]" if entry.hold else ""
        return f"{entry.name}: {description}{mark} ({read_uses(self.library.folder, entry.name)})"

    def _list(self, everything: bool) -> str:
        entries, bad = self.library.entries()
        visible = [entry for entry in entries if everything or not entry.hold]
        lines = [self._line(entry) for entry in visible[:_MOST_LISTED]]
        if len(visible) > _MOST_LISTED:
            lines.append(f"[{len(visible) - _MOST_LISTED:,} more are not shown; search_skills finds them.]")
        if len(entries) > len(visible):
            lines.append(f"[{count(len(entries) - len(visible), 'skill')} not shown until the person approves.]")
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


def usable(entry: Entry) -> Entry:
    """Return a skill that may be used. Raises CommandError if only the person can release it."""
    if entry.hold:
        way = f"`autocraft skills approve {entry.name}`"
        raise CommandError(f"the skill {entry.name} is {entry.hold}; only the person can release it, with {way}")
    return entry


def _calls(names: Outlook) -> str:
    """Return what a program would call, on one line."""
    commands = ", ".join((*names.skills, *names.primitives, *names.bot)) or "nothing"
    unknown = f"; unknown names: {', '.join(names.unknown)}" if names.unknown else ""
    return f"calls {commands}{unknown}"


def _tag(call: Call) -> str:
    """Return the end of a deleted skill's name in the trash. Return "" for a call without an id."""
    return sha256(call.id)[:12] if call.id else ""
