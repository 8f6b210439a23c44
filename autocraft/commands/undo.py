"""The command `undo`, for the person alone. It takes back the last change to the world or a file."""

from __future__ import annotations

import asyncio
import shlex
import threading
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Protocol

from autocraft.commands.run_protocols import HasJournal, HasRegistry, HasWorld
from autocraft.errors import CommandError, InvalidCommand, NotAsked
from autocraft.protocols import Call, Json, Result, Risk, World, command
from autocraft.session import events
from autocraft.session.reading import Events


class _Run(HasJournal, HasWorld, HasRegistry, Protocol):
    """The journal with the changes, and the parts that can take them back."""


class UndoCommands:
    """The command `undo`."""

    family = "control"
    repeatable = True  # the journal restores the world, and an undo of files may be repeated

    def warning(self, call: Call) -> str:
        return "takes back the last change"

    def obeyed(self, call: Call) -> Json:
        return dict.fromkeys(call.args["files"], "you named it")

    @command(help="Take back the last change to the world or a file", risk=Risk.DESTROY, offered=False)
    async def undo(self, call: Call, files: list[str] = []) -> Result:  # noqa: B006
        """Take back the newest change. Each repetition goes one change further back.

        `files` are those that other programs obey, which change only if the person names them.
        """
        run: _Run = call.run
        journal = Events(run.journal.folder)
        stop = threading.Event()
        candidates = _candidates(journal, stop)
        try:
            while (candidate := await asyncio.to_thread(next, candidates, None)) is not None:
                result, intent, offset = candidate
                undone: str | None = None
                if result.world is not None:
                    world, _ = await asyncio.to_thread(journal.last_world, offset)
                    if world is None:
                        raise CommandError("The state before it is not in the journal.")
                    run.world.restore(world)
                    undone = "the world is as it was before"
                elif intent.evidence and (result.ok or await asyncio.to_thread(_took_effect, run, intent)):
                    undone = await asyncio.to_thread(_take_back, run, intent, call)
                if undone is not None:
                    text = f"Took back {intent.command} of turn {intent.turn}: {undone}"
                    return Result(text, undone=intent.seq)
        finally:
            stop.set()  # after Ctrl-C, the thread stops reading
        raise CommandError("There is nothing left to take back.")


def _take_back(run: _Run, intent: events.Intent, call: Call) -> str | None:
    """Undo one change. Return what was undone in words. Return None if there is none. Raises CommandError."""
    try:
        return run.registry.undo(intent.command, intent.evidence, call)
    except NotAsked as error:
        names = shlex.join(error.files)
        why = next(iter(error.files.values()))
        raise CommandError(f"the last change was to {names}, where {why}: /undo {names} takes it back") from None


def known_changes(world: World, calls: Sequence[str]) -> list[str]:
    """Return the changes to the world by the calls with these ids. Return [] if the world tracks no changes."""
    changes_of = getattr(world, "changes_of", None)
    return [] if changes_of is None else list(changes_of(calls))


def _took_effect(run: _Run, intent: events.Intent) -> bool:
    """Return whether a command that failed or was interrupted has changed something."""
    if known_changes(run.world, [intent.id]):
        return True
    try:
        call = replace(run.registry.bind(intent.command, intent.args, agent=intent.agent), id=intent.id)
    except InvalidCommand:
        return False
    return run.registry.settle(call, intent.evidence).outcome == "done"


def _candidates(
    journal: Events, stop: threading.Event
) -> Generator[tuple[events.Result, events.Intent, int], None, None]:
    """Yield each result that is not taken back, with its intent and its offset in the journal, the newest first.

    It ends after `stop` was set.
    """
    undone = set()
    for event, offset in journal.backward():
        if stop.is_set():
            return
        if not isinstance(event, events.Result):
            continue
        if event.undone is not None:
            undone.add(event.undone)
        elif event.command != "undo" and event.intent not in undone:
            yield event, journal.intent_of(event, offset), offset
