"""A program before its run and its effects, in words: what it may do, for the person, and its outcome, for the model.

Text of the program, the world or another player is cut to one line behind a mark. So it can neither forge a line nor
hide the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from autocraft.commands import previews
from autocraft.protocols import Json, Risk
from autocraft.sandbox.program import Grant, Outcome, ProgramLimits
from autocraft.session.atomic import sha256
from autocraft.session.events import Result
from autocraft.skills.known import Outlook
from autocraft.skills.parse import Program
from autocraft.text.phrases import beginning, count, some_of
from autocraft.text.sanitize import clean_line

PROGRAM_ROW = "program:"
"""The row of a preview before the program."""

MOST_EFFECTS = 30
MOST_OUTPUT = 30
"""Most lines of output in a result."""
MOST_LISTED = 8
"""The most effects that are listed one by one. Of more, equal ones are told together, the failed ones first."""
MOST_GROUPS = 12
MOST_VALUE = 4_000
"""Most characters of what a program returned."""
_LONG = 160
_WHOLE = 400
_MOST_LIKE = 5
_LIMITS = {
    "seconds": ("seconds", "{:g} s of its own time"),
    "steps": ("steps", "{:,} steps"),
    "memory": ("memory_mb", "{:,} MB of memory"),
    "calls": ("calls", "{:,} reads and effects"),
    "output": ("output", "{:,} characters of output"),
    "queue": ("queue_mb", "{:g} MB of effects and their results"),
}
"""Limit -> its setting in the section `programs`, and what it allows in words."""


class PreparedProgram(NamedTuple):
    """A parsed program, with the skills that it calls and the commands that all of them may call."""

    code: str
    program: Program
    outlook: Outlook
    skills: Mapping[str, str]
    commands: Mapping[str, Risk | None]
    """Name -> tier, or None if it depends on the arguments."""

    @property
    def main(self) -> str:
        return self.program.main

    @property
    def sha256(self) -> str:
        """Return one hash over its text and the skills that it calls."""
        return sha256("\0".join([self.code, *(f"{name}\0{code}" for name, code in sorted(self.skills.items()))]))


class EffectRecord(NamedTuple):
    """One effect of a program: its call and its result event. The result is None if it was refused or cut off."""

    id: str
    name: str
    args: Json
    result: Result | None
    refused: bool = False

    @property
    def ok(self) -> bool:
        return self.result is not None and self.result.ok


# ---------------------------------------------------------------- before it runs


def outlook_lines(ready: PreparedProgram) -> list[str]:
    """Return what a program calls and makes, and what to look at, for the person who approves it."""
    names = ready.outlook
    calls = ", ".join((*names.primitives, *names.bot)) or "nothing"
    lines = [f"program {ready.main}, {program_lines(ready.code)}; calls {calls}"]
    if ready.skills:
        lines.append(f"also runs the saved skills {', '.join(ready.skills)}")
    if names.unknown:
        lines.append(f"unknown names: {', '.join(names.unknown)}")
    if ready.program.makes:
        lines.append(f"makes, breaks or fights: {', '.join(ready.program.makes)}")
    if ready.program.places:
        lines.append(f"places: {', '.join(ready.program.places)}")
    if ready.program.computed:
        places = some_of([*map(str, ready.program.computed)], 10)
        lines.append(f"makes or places things that it computes in line {places}")
    return [*lines, *warnings(ready.program)]


def program_lines(code: str) -> str:
    """Return ``12 lines``."""
    return count(len(previews.rows(code, previews.JAVASCRIPT)), "line")


def whole_program(code: str) -> list[str]:
    """Return the program in the lines of JavaScript, under the row that announces it."""
    return [PROGRAM_ROW, *previews.rows(code, previews.JAVASCRIPT)]


def changed_program(old: str, code: str) -> list[str]:
    """Return the changes of a program, and then all of it. A difference of one byte shows in a row."""
    changes = previews.changed_rows(old, code, previews.JAVASCRIPT)
    if changes is None:
        changes = ["too much has changed to be compared"]
    return [*changes, *whole_program(code)]


def covered_lines(ready: PreparedProgram, grant: Grant) -> list[str]:
    """Return what the approval of a program covers."""
    tiers = [f"{name} ({'depends' if risk is None else risk.value})" for name, risk in ready.commands.items()]
    most = f"at most {count(grant.effects, 'command')} in {grant.seconds / 60:g} minutes"
    return [
        f"may carry out: {', '.join(tiers) or 'nothing'}",
        f"your approval holds for {most}; you are asked about any other command, and about one that can destroy",
    ]


def warnings(program: Program) -> list[str]:
    """Return one line with what a person should look at. Return [] if there is nothing."""
    places = (
        ("loops without await", program.blind_loops),
        ("bot is passed to other code", program.handed_on),
        ("names of members of bot are computed", program.unnamed),
        ("invisible characters", program.hidden),
    )
    remarks = [f"{what} in line {some_of([*map(str, lines)], 10)}" for what, lines in places if lines]
    return [f"look at: {'; '.join(remarks)}"] if remarks else []


# ---------------------------------------------------------------- after it has run


def end_text(
    outcome: Outcome,
    code: str,
    limits: ProgramLimits,
    main: str = "",
    skills: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return how a program ended, in one or two lines.

    `limits` are those that it had, and `skills` the programs of the skills that it calls.
    """
    match outcome.kind:
        case "returned":
            value = (
                "" if outcome.value is None else f" {_short(json.dumps(outcome.value, ensure_ascii=False), MOST_VALUE)}"
            )
            note = f" But: {_short(outcome.message)}" if outcome.message else ""
            return f"It returned{value}.{note}"
        case "threw" | "refused":
            return f"It threw{_places(outcome, code, main, skills)}: {_short(outcome.message, 400)}"
        case "limit" if outcome.which in _LIMITS:
            setting, words = _LIMITS[outcome.which]
            most = f"{words.format(getattr(limits, setting))} (programs.{setting})"
            done = f", after {outcome.calls:,} reads and effects" if outcome.which != "calls" else ""
            last = f"; its last call was{place}" if (place := _place(outcome.line, code)) else ""
            return f"It was ended by its limit of {most}{done}{last}."
        case "limit":
            why = f": {_short(outcome.message)}" if outcome.message else ""
            return f"It was ended: {outcome.which}{_place(outcome.line, code)}{why}."
    return "It was interrupted."


def _places(outcome: Outcome, code: str, main: str, skills: Mapping[str, str]) -> str:
    """Return where a program threw: the saved skill, the helper or the line, and how it was called."""
    if not outcome.places:
        helper = f" in its function {outcome.inside}" if outcome.inside not in ("", main) else ""
        return f"{helper}{_place(outcome.line, code)}"
    (name, line), *callers = outcome.places
    text = f" in the skill {_short(name)}{_place(line, skills.get(name, ''))}"
    for caller, at in callers:
        text += f", called in the skill {_short(caller)}{_place(at, skills.get(caller, ''))}"
    return f"{text}, called{_place(outcome.line, code)}" if outcome.line else text


def _place(line: int, code: str) -> str:
    """Return `` at line 3 (`its text`)``. Return "" for a line that the program does not have."""
    rows = code.split("\n")
    return f" at line {line} (`{_short(rows[line - 1].strip())}`)" if 0 < line <= len(rows) else ""


def result_text(
    main: str,
    end: str,
    effects: Sequence[EffectRecord],
    inventories: tuple[Mapping[str, int], Mapping[str, int]] | None,
    world: Sequence[str],
    output: Sequence[str],
) -> str:
    """Return the whole result. `inventories` are those before and after, or None if they are unknown."""
    lines = [f"The program {main} was run. {end}", *effect_lines(effects)]
    if inventories is not None:
        before, after = inventories
        counts = {name: after.get(name, 0) - before.get(name, 0) for name in sorted({*before, *after})}
        changes = ", ".join(f"{count:+} {clean_line(name)}" for name, count in counts.items() if count)
        lines.append(f"Inventory: {changes or 'unchanged'}.")
    if world:
        lines.append(f"World: {'; '.join(map(_short, world[:MOST_EFFECTS]))}.")
    output = _unsaid(output, effects)
    if output:
        lines.append("The program said:")
        rows = [f"  - {_short(line, 300)}" for line in output]
        if len(output) > MOST_OUTPUT:  # the last lines mostly say why it ended
            rows[MOST_OUTPUT // 3 : -2 * MOST_OUTPUT // 3] = [f"  [{len(output) - MOST_OUTPUT:,} lines are left out.]"]
        lines += rows
    return "\n".join(lines)


def _unsaid(output: Sequence[str], effects: Sequence[EffectRecord]) -> list[str]:
    """Return the output without the lines that only repeat the result of an effect."""
    told = {line.strip() for effect in effects if effect.result for line in effect.result.text.splitlines()}
    return [line for line in output if line.strip() not in told]


def effect_lines(effects: Sequence[EffectRecord]) -> list[str]:
    """Return the effects, each with its outcome. Of many, equal ones are told together."""
    if not effects:
        return ["Effects: none."]
    done = [effect for effect in effects if effect.ok]
    head = f"Effects: {len(effects):,}, of which {len(done):,} did what they should:"
    if len(effects) <= MOST_LISTED:
        return [head, *(f"  {number}. {_effect_text(effect)}" for number, effect in enumerate(effects, 1))]
    failures = _groups([effect for effect in effects if not effect.ok], _fault)
    successes = _groups(done, _kind)
    return [
        head,
        *_rows([_failure_row(group) for group in failures]),
        *_rows([_success_row(each) for each in successes]),
    ]


def _groups(effects: Sequence[EffectRecord], key: Callable[[EffectRecord], str]) -> list[list[EffectRecord]]:
    """Return the effects with the same key together, in the order of the first of each."""
    groups: dict[str, list[EffectRecord]] = {}
    for effect in effects:
        groups.setdefault(key(effect), []).append(effect)
    return list(groups.values())


def _rows(rows: Sequence[str]) -> list[str]:
    more = [f"  [{count(len(rows) - MOST_GROUPS, 'more kind')} not shown.]"] if len(rows) > MOST_GROUPS else []
    return [*(f"  {row}" for row in rows[:MOST_GROUPS]), *more]


def _kind(effect: EffectRecord) -> str:
    """Return the command and what it is about: its first argument that is a text."""
    about = next((value for value in effect.args.values() if isinstance(value, str)), "")
    return f"{effect.name} {_short(about, 60)}".strip()


def _fault(effect: EffectRecord) -> str:
    """Return the command with its error. Errors that differ only in numbers are the same."""
    text = effect.result.text if effect.result else str(effect.refused)
    return f"{effect.name} {re.sub('[0-9]+', '#', text[:_WHOLE])}"


def _failure_row(group: Sequence[EffectRecord]) -> str:
    """Return the first failure whole, with how many are like it and the arguments of some of them."""
    first, others = group[0], [_arguments(each) for each in group[1:]]
    often = f"{len(group)} x " if others else ""
    like = f"; also {some_of(others, _MOST_LIKE)}" if others else ""
    return f"{often}{_effect_text(first, _WHOLE)}{like}"


def _success_row(group: Sequence[EffectRecord]) -> str:
    return f"{len(group)} x {_kind(group[0])}" if len(group) > 1 else _effect_text(group[0])


def _arguments(effect: EffectRecord) -> str:
    return " ".join(f"{name}={_short(str(value), 20)}" for name, value in effect.args.items() if value is not None)


def _effect_text(effect: EffectRecord, most: int = _LONG) -> str:
    """Return one effect with its outcome. An error has at most `most` characters."""
    args = " ".join(f"{name}={_short(str(value), 60)}" for name, value in effect.args.items() if value is not None)
    call = f"{effect.name} {args}".strip()
    if effect.result is None:
        return f"{call}: {'refused' if effect.refused else 'interrupted'}"
    text = effect.result.text
    return f"{call}: {_short(text, _LONG // 2)}" if effect.ok else f"{call}: failed: {_short(text, most)}"


def _short(text: str, most: int = _LONG) -> str:
    """Return a cleaned text on one line, of at most `most` characters."""
    line = clean_line(" ".join(text[: 2 * most].split()))
    return beginning(line, most) if len(text) <= 2 * most else f"{line[: most - 1]}…"
