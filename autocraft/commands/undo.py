"""Taking back the last change, to the world or to a file: for the person alone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from typing import Protocol

from autocraft.commands.live import HasJournal, HasRegistry, HasWorld
from autocraft.errors import CommandError
from autocraft.protocols import Call, Json, Result, Risk, Settled, command
from autocraft.session.reading import Events


class _Run(HasJournal, HasWorld, HasRegistry, Protocol):
    """The journal that tells what was done, and what can take it back."""


class UndoCommands:
    """The command that takes back."""

    family = "control"

    @command(help="Take back the last change to the world or a file", risk=Risk.DESTROY, offered=False)
    async def undo(self, call: Call) -> Result:
        """Newest change first; each repetition goes one change further back."""
        run: _Run = call.run
        events = Events(run.journal.folder)
        left = threading.Event()
        candidates = _candidates(events, left)
        try:
            while (found := await asyncio.to_thread(next, candidates, None)) is not None:
                result, intent, offset = found
                said: str | None = None
                if "world" in result:
                    world, _ = await asyncio.to_thread(events.last_world, offset)
                    if world is None:
                        raise CommandError("The state before it is not in the journal.")
                    run.world.restore(world)
                    said = "the world is as it was before"
                elif intent["evidence"]:
                    said = await asyncio.to_thread(run.registry.undo, intent["command"], intent["evidence"], call)
                if said is not None:
                    text = f"Took back {intent['command']} of turn {intent['turn']}: {said}"
                    return Result(text, undone=intent["seq"])
        finally:
            left.set()  # Ctrl-C: the thread reads no further
        raise CommandError("There is nothing left to take back.")

    def settle(self, call: Call, evidence: Json) -> Settled:
        """The world is restored from the journal and files' undo may be repeated: it is carried out again."""
        return Settled("not done")


def _candidates(events: Events, left: threading.Event) -> Generator[tuple[Json, Json, int], None, None]:
    """Each result that has not been taken back, with its intent and its place in the journal, the newest first.

    It ends when `left` is set.
    """
    undone = set()
    for event, offset in events.backward():
        if left.is_set():
            return
        if event["type"] != "result":
            continue
        if "undone" in event:
            undone.add(event["undone"])
        elif event["ok"] and event["command"] != "undo" and event["intent"] not in undone:
            yield event, events.intent_of(event, offset), offset
