"""The slash commands: the person looks at and changes the run between two steps.

Each is a function of the run and the rest of the line. It returns the text to show.
"""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Awaitable, Callable
from typing import Literal

from autocraft.agent.context import RunContext
from autocraft.agent.ending import RunEnded, accepted_end
from autocraft.agent.threads import run_in_thread
from autocraft.commands.control import set_goal
from autocraft.commands.registry import Registry, usage
from autocraft.console.read import Reader
from autocraft.console.report import recent
from autocraft.errors import AutocraftError, UsageError
from autocraft.protocols import Args, Call, Json, Memory, MemoryRecord, peek
from autocraft.session.events import Note, Permission
from autocraft.settings.roles import EFFORTS
from autocraft.text.phrases import count, did_you_mean
from autocraft.text.sanitize import clean, clean_line

DID_NOT_WORK = "it did not work; see above"
MODES = {
    "ask": "every command is asked about",
    "looks": "commands that only look run without a question",
    "continuous": "no command is asked about",
}
"""What may run without a question, by the words of /mode."""
MOST_SHOWN = 5_000
"""The most events for `/history`."""


Slash = Callable[[RunContext, str], Awaitable[str]]


async def run_slash(run: RunContext, reader: Reader, name: str, rest: str, proposed: Call | None = None) -> str:
    """Carry out one slash command that `reader` read while `proposed` waits. Return the text to show.

    Raises RunEnded for /quit.
    """
    command = COMMANDS.get(name)
    if command is None:
        hint = did_you_mean(name, COMMANDS, "did you mean /{}? ")
        return f"unknown command /{clean_line(name)[:40]}: {hint}/help lists them; // before a line makes it feedback"
    try:
        if name == "budget" and proposed is not None and proposed.agent == "main":  # a helper has its own budget
            return await _budget(run, rest, 1)
        act = command[1]
        return reader.set_keys(rest) if act is None else await act(run, rest)
    except AutocraftError as error:
        return clean_line(str(error))


async def _help(run: RunContext, rest: str) -> str:
    lines = [
        "y      run the command shown",
        "y -N   run it and the next N-1; y -N programs: also if they are programs",
        "y, TEXT run it, and your text goes to the model",
        "n      exit; the run can be resumed",
        "a      always allow this command, at this or a lower risk",
        "e      edit the arguments first",
        "?      this help",
        "anything else is feedback: the command is not run, and your text goes to the model, if one plays",
        "stop … feedback that also ends the command that is running",
        "goal: TEXT replaces the goals",
        "//TEXT feedback, whatever the text is",
        "Ctrl-C pause and ask; a second Ctrl-C leaves",
        "Ctrl-L clear the screen and show the question again",
        "Ctrl-U empty the input line; Ctrl-Y brings it back",
        "Ctrl-G open it in your editor",
        "Ctrl-Z suspend the run; fg in your shell goes on",
    ]
    lines += [f"/{name:<12}{text}" for name, (text, _) in COMMANDS.items()]
    return "\n".join(lines)


async def _history(run: RunContext, rest: str) -> str:
    return await asyncio.to_thread(recent, run.journal.folder, MOST_SHOWN) or "nothing has happened yet"


async def _inventory(run: RunContext, rest: str) -> str:
    return clean((await peek(run.world)).text)


async def _tokens(run: RunContext, rest: str) -> str:
    spending, usage_ = run.state.spending, run.state.totals.usage
    mark = " (estimated)" if usage_.estimated else ""
    hits = f" ({usage_.cached_tokens} cached)" if usage_.cached_tokens else ""
    return (
        f"{usage_.prompt_tokens} tokens sent{hits}, {usage_.completion_tokens} received{mark}, ${spending.cost:.4f}, "
        f"{spending.seconds:.1f} s, {count(spending.steps, 'step')}, {count(spending.errors, 'error')}"
    )


async def _memory(run: RunContext, rest: str) -> str:
    query = rest or " ".join(goal.text for goal in run.state.goals)
    stats, rows = await asyncio.to_thread(_near, run.memory, query)
    hits = [f"  {row.score:.2f}  {clean_line(row.text)[:200]}" for row in rows] or ["  nothing is similar enough"]
    last = [f"  {row.score or 0:.2f}  {clean_line(row.text)[:200]}" for row in run.state.recalled]
    lines = [f"memory: {stats['backend']}, {stats['rows']} rows; most similar to {clean_line(query)!r}:", *hits]
    return "\n".join([*lines, *(["shown to the model for the last answer:", *last] if last else [])])


def _near(memory: Memory, query: str) -> tuple[Json, list[MemoryRecord]]:
    return memory.get_stats(), memory.get_relevant(query, 5)


async def _goal(run: RunContext, rest: str) -> str:
    if text := rest.removeprefix("+").strip():
        set_goal(run, text, add=rest.startswith("+"), asks_model=run.priced.brain.asks_model)
    return "goals:\n" + "\n".join(f"  {n}. {clean_line(goal.shown)}" for n, goal in enumerate(run.state.goals, 1))


async def _budget(run: RunContext, rest: str, waiting: int = 0) -> str:
    """Set the budget. `waiting` is 1 if a command waits to be authorised, which is not one of the N."""
    number, _, more = rest.partition(" ")
    if not number.isascii() or not number.isdigit() or len(number) > 9 or more.strip() not in ("", "programs"):
        return (
            "type /budget N: N further commands run without a question after the one you authorise; /budget N programs "
            "covers programs too; /budget 0 ends it"
        )
    budget = int(number) + waiting if int(number) else 0
    programs = bool(budget and more)
    text = f"{number} further commands are authorised{', programs too' if programs else ''}"
    run.journal.append(Permission(text=text, budget=budget, programs=programs))
    return ""


async def _continuous(run: RunContext, rest: str) -> str:
    run.journal.append(Permission(text="no more questions from the next command on; /stop ends this", continuous=True))
    return ""


async def _mode(run: RunContext, rest: str) -> str:
    """Show the mode, or switch it. The approver has the word `continuous` confirmed first."""
    if rest and rest not in MODES:
        return f"/mode {clean_line(rest)[:40]}: type /mode {', /mode '.join(MODES)}"
    if rest:
        event = Permission(text=f"mode {rest}: {MODES[rest]}", continuous=rest == "continuous", looks=rest == "looks")
        run.journal.append(event)
        return ""
    now = "continuous" if run.state.continuous else "looks" if run.looks_freely else "ask"
    return "\n".join(f"{'*' if name == now else ' '} {name:<11} {text}" for name, text in MODES.items())


async def _model(run: RunContext, rest: str) -> str:
    return _changed(run, "model", rest)


async def _effort(run: RunContext, rest: str) -> str:
    return _changed(run, "effort", rest)


def _changed(run: RunContext, name: Literal["model", "effort"], value: str) -> str:
    """Show the model or the effort of the smart role, or change it for the rest of this start. Raises UsageError."""
    if value:
        run.priced.change(name, value, capped=run.options.limits.max_cost is not None)
        text = f"the {name} is {value} from the next answer on; a resume begins with that of the start again"
        run.journal.append(Note(text=text))
        return ""
    now = getattr(run.priced.of("smart"), name)
    return f"{name}: {clean_line(now) or 'not set'}; /{name} NAME changes it"


async def _stop(run: RunContext, rest: str) -> str:
    text = "y -N, a and /mode allow nothing any more; your rules and --auto-look still hold"
    looks = False if run.state.looks and not run.options.gate.auto_look else None
    run.journal.append(Permission(text=text, continuous=False, looks=looks, budget=0, forget=True))
    return ""


async def _do(run: RunContext, rest: str) -> str:
    """Carry out ``/do craft_item name=stick count=2`` by the same registry, journaled as the person's command."""
    name, args = _parse_do(rest, run.registry)
    return await _carry_out(run, name, args)


async def _undo(run: RunContext, rest: str) -> str:
    """Take back the last change. What other programs obey changes only if the person names it: ``/undo .envrc``."""
    try:
        files = shlex.split(rest)
    except ValueError as error:
        raise UsageError(f"/undo: {error}; put a name with spaces or quotes into double quotes") from None
    return await _carry_out(run, "undo", {"files": files})


async def _carry_out(run: RunContext, name: str, args: Args) -> str:
    call = await run_in_thread(run.registry.bind, name, args, agent="person")
    why = await run_in_thread(run.policy.denial, call)
    if why:
        run.journal.append(Note(text=f"{call.name} was not run: {why}", command=call.name, args=call.args))
        return DID_NOT_WORK
    result = await run.executor.execute(call)
    end = accepted_end(result)
    if end is not None:
        raise end
    return "" if result.ok else DID_NOT_WORK


def _parse_do(rest: str, registry: Registry) -> tuple[str, Args]:
    try:
        name, *pairs = shlex.split(rest)
    except ValueError as error:
        if not rest.strip():
            raise UsageError("type /do COMMAND argument=value …, such as /do craft_item name=stick") from None
        raise UsageError(f"/do: {error}; put text with spaces or quotes into double quotes") from None
    command = registry.find(name)
    if command is None:
        near = did_you_mean(name, registry.names(), "did you mean {}? ")
        raise UsageError(f"/do: there is no command {name[:80]!r}: {near}`autocraft commands` lists them")
    args: Args = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"/do: {pair!r} is not argument=value; {usage(command)}")
        args[key] = value
    return name, args


async def _page(run: RunContext, rest: str) -> str:
    return "no text was shortened, so /page has nothing to show"  # else the approver shows the whole text


async def _save(run: RunContext, rest: str) -> str:
    run.journal.sync()
    return f"saved in {run.journal.folder}\nresume with: {run.options.resume(run.session)}"


async def _quit(run: RunContext, rest: str) -> str:
    raise RunEnded("stopped", "you left with /quit")


COMMANDS: dict[str, tuple[str, Slash | None]] = {
    "help": ("this help", _help),
    "history": ("every step so far", _history),
    "inventory": ("what the world shows now", _inventory),
    "tokens": ("tokens, money and time used", _tokens),
    "memory": ("what memory has about the goals; /memory TEXT: about a text", _memory),
    "goal": ("the goals; /goal TEXT replaces them, /goal + TEXT adds one", _goal),
    "budget": ("/budget N: N further commands without a question; /budget N programs", _budget),
    "continuous": ("no more questions from the next command on", _continuous),
    "mode": ("what runs without a question; /mode ask, /mode looks or /mode continuous switches it", _mode),
    "model": ("the model; /model NAME asks another one from the next answer on", _model),
    "effort": (f"how much the model reasons; /effort {EFFORTS[2]}, or another of {', '.join(EFFORTS)}", _effort),
    "do": ("run a command yourself: /do craft_item name=stick", _do),
    "undo": ("take back the last change to the world or a file", _undo),
    "stop": ("end what y -N, a and continuous mode allow", _stop),
    "page": ("the whole of the last text that was shortened, in your pager", _page),
    "keys": ("/keys single: one key answers; /keys line: a line and Enter", None),
    "save": ("write everything to disk and say where", _save),
    "quit": ("exit; the run can be resumed", _quit),
}
"""Name -> help and function. What reads the person's lines carries out a command without a function."""
