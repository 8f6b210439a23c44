"""The slash commands: what a person can look at and change between two steps.

Each is a function of the desk and the rest of the line, and returns what to show.
"""

from __future__ import annotations

import asyncio
import difflib
import shlex
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from autocraft.agent.effects import Effects
from autocraft.agent.ending import RunEnded, accepted_end
from autocraft.agent.state import State
from autocraft.agent.threads import off_loop
from autocraft.commands.registry import Registry, usage
from autocraft.console.report import history
from autocraft.errors import AutocraftError, UsageError
from autocraft.goals import Goal
from autocraft.protocols import Args, Memory, World
from autocraft.session.journal import Journal
from autocraft.session.reading import Events
from autocraft.text.phrases import count
from autocraft.text.redact import Mask
from autocraft.text.sanitize import clean, clean_line

MOST_SHOWN = 5_000
"""Events that `/history` tells of."""


@dataclass
class Desk:
    """What the slash commands may reach."""

    state: State
    journal: Journal
    registry: Registry
    effects: Effects
    world: World
    memory: Memory
    accept: Callable[[Goal], None]
    """Raises UsageError for a goal that this run's brain cannot pursue."""
    own_mask: Mask
    """Cuts the person's own secrets out of what they decide by."""
    asking: bool = False
    """Whether a command stands to be authorised."""


Slash = Callable[[Desk, str], Awaitable[str]]


async def run_slash(desk: Desk, name: str, rest: str) -> str:
    """Carry out one; returns what to show. Raises RunEnded for /quit."""
    found = COMMANDS.get(name)
    if found is None:
        close = difflib.get_close_matches(name, COMMANDS, 1)
        hint = f"did you mean /{close[0]}? " if close else ""
        return f"unknown command /{clean_line(name)[:40]}: {hint}/help lists them; // before a line makes it feedback"
    try:
        return await found[1](desk, rest)
    except AutocraftError as error:
        return clean_line(str(error))


async def _help(desk: Desk, rest: str) -> str:
    lines = [
        "y      run the command shown",
        "y -N   run it and the next N-1",
        "n      exit; the run can be resumed",
        "a      always allow this command, at this or a lower risk",
        "e      edit the arguments first",
        "?      this help",
        "anything else is feedback: the command is not run, and the text goes to the model",
    ]
    lines += [f"/{name:<12}{text}" for name, (text, _) in COMMANDS.items()]
    return "\n".join(lines)


async def _history(desk: Desk, rest: str) -> str:
    return await asyncio.to_thread(_recent, desk.journal.folder) or "nothing has happened yet"


def _recent(folder: Path) -> str:
    """The newest steps; reading stops where they begin, however long the run is."""
    with closing(Events(folder).backward()) as events:
        newest = [event for event, _ in islice(events, MOST_SHOWN + 1)]
    told = history(reversed(newest[:MOST_SHOWN]))
    more = f"(what came before: autocraft sessions show {folder.name})\n" if len(newest) > MOST_SHOWN else ""
    return more + told


async def _inventory(desk: Desk, rest: str) -> str:
    return clean((await desk.world.observe()).text)


async def _tokens(desk: Desk, rest: str) -> str:
    spent, usage_ = desk.state.spent, desk.state.usage
    mark = " (estimated)" if usage_.estimated else ""
    return (
        f"{usage_.prompt_tokens} tokens sent, {usage_.completion_tokens} received{mark}, ${spent.cost:.4f}, "
        f"{spent.seconds:.1f} s, {count(spent.steps, 'step')}, {count(spent.errors, 'error')}"
    )


async def _memory(desk: Desk, rest: str) -> str:
    stats = desk.memory.get_stats()
    query = rest or " ".join(goal.text for goal in desk.state.goals)
    rows = desk.memory.get_relevant(query, 5)
    found = [f"  {row.score:.2f}  {clean_line(row.text)[:200]}" for row in rows] or ["  nothing is near enough"]
    told = [f"  {row['score'] or 0:.2f}  {clean_line(row['text'])[:200]}" for row in desk.state.recalled]
    lines = [f"memory: {stats['backend']}, {stats['rows']} rows; nearest to {clean_line(query)!r}:", *found]
    return "\n".join([*lines, *(["told for the last answer:", *told] if told else [])])


async def _goal(desk: Desk, rest: str) -> str:
    if rest:
        added = rest.removeprefix("+").strip()
        goal = Goal.parse(added, desk.world.items)
        desk.accept(goal)
        goals = [*desk.state.goals, goal] if rest.startswith("+") else [goal]
        desk.journal.append("goal", goals=[goal.to_json() for goal in goals])
    return "goals:\n" + "\n".join(f"  {n}. {clean_line(goal.text)}" for n, goal in enumerate(desk.state.goals, 1))


async def _budget(desk: Desk, rest: str) -> str:
    if not rest.isascii() or not rest.isdigit() or len(rest) > 9:
        return (
            "type /budget N: N further commands run without a question after the one you authorise; /budget 0 ends it"
        )
    shown = 1 if desk.asking and int(rest) else 0  # the one that stands to be authorised is not one of the N
    desk.journal.append("note", text=f"{rest} further commands are authorised", budget=int(rest) + shown)
    return ""


async def _continuous(desk: Desk, rest: str) -> str:
    desk.journal.append("note", text="continuous from the next command on; /stop ends it", continuous=True)
    return ""


async def _stop(desk: Desk, rest: str) -> str:
    desk.journal.append("note", text="every command is asked about again", continuous=False, budget=0, forget=True)
    return ""


async def _do(desk: Desk, rest: str) -> str:
    """``/do craft_item name=stick count=2``, through the same registry, journaled as the person's."""
    name, args = _parse_do(rest, desk.registry)
    call = desk.registry.bind(name, args, agent="person")
    denied = await off_loop(desk.effects.denied, call)
    if denied:
        desk.journal.append("note", text=f"{call.name} was not run: {denied}", command=call.name, args=call.args)
        return ""
    result = await desk.effects.act(call)
    ended = accepted_end({"end": result.end, "text": result.text, "proof": result.proof})
    if ended is not None:
        raise ended
    return "" if result.ok else "it did not work; see above"


def _parse_do(rest: str, registry: Registry) -> tuple[str, Args]:
    try:
        name, *pairs = shlex.split(rest)
    except ValueError as error:
        if not rest.strip():
            raise UsageError("type /do COMMAND argument=value …, such as /do craft_item name=stick") from None
        raise UsageError(f"/do: {error}; put text with spaces or quotes into double quotes") from None
    args: Args = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            known = registry.named(name)
            hint = f"; {usage(known)}" if known is not None else ""
            raise UsageError(f"/do: {pair!r} is not argument=value{hint}")
        args[key] = value
    return name, args


async def _undo(desk: Desk, rest: str) -> str:
    return await _do(desk, "undo")


async def _page(desk: Desk, rest: str) -> str:
    return ""  # the approver shows it: only it knows the reader and what was shortened


async def _save(desk: Desk, rest: str) -> str:
    desk.journal.sync()
    return f"saved in {desk.journal.folder}\nresume with: autocraft run --resume {desk.journal.folder.name}"


async def _quit(desk: Desk, rest: str) -> str:
    raise RunEnded("stopped", 4, "you left with /quit")


COMMANDS: dict[str, tuple[str, Slash]] = {
    "help": ("this help", _help),
    "history": ("every step so far", _history),
    "inventory": ("what the world shows now", _inventory),
    "tokens": ("tokens, money and time used", _tokens),
    "memory": ("what memory holds near the goals, or near /memory TEXT", _memory),
    "goal": ("the goals; /goal TEXT replaces them, /goal + TEXT adds one", _goal),
    "budget": ("/budget N: N further commands without a question", _budget),
    "continuous": ("no more questions from the next command on", _continuous),
    "do": ("run a command yourself: /do craft_item name=stick", _do),
    "undo": ("take back the last change to the world or a file", _undo),
    "stop": ("ask about every command again (ends budgets, continuous and 'a')", _stop),
    "page": ("the last shortened text, whole, in your pager", _page),
    "save": ("write everything to disk and say where", _save),
    "quit": ("exit; the run can be resumed", _quit),
}
