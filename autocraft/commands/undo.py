"""Taking back the last change, to the world or to a file: for the person alone.

Neighbours: the journal says what was done, each family's `undo` knows how to bring its own effect back,
`console/slash.py` and `autocraft sessions undo` call it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from autocraft.errors import CommandError
from autocraft.journal import Journal, read_events
from autocraft.protocols import Call, Json, Result, Risk, Settled, World, command


class UndoCommands:
    """`undone` holds the intents already taken back; `take_back(name, evidence)` is the registry's, and answers
    None for a command that leaves nothing to take back."""

    family = "control"

    def __init__(
        self,
        world: World,
        journal: Journal,
        undone: Callable[[], set[int]],
        take_back: Callable[[str, Json], str | None],
    ) -> None:
        self.world = world
        self.journal = journal
        self.undone = undone
        self.take_back = take_back

    @command(help="Take back the last change to the world or a file", risk=Risk.DESTROY, offered=False)
    async def undo(self, call: Call) -> Result:
        """Newest change first; each repetition goes one change further back."""
        events, _ = await asyncio.to_thread(read_events, self.journal.folder)
        intents = {event["seq"]: event for event in events if event["type"] == "intent"}
        for at in range(len(events) - 1, -1, -1):
            result = events[at]
            if result["type"] != "result" or not result["ok"] or result["intent"] in self.undone():
                continue
            intent = intents[result["intent"]]
            if intent["command"] == "undo":
                continue
            said: str | None = None
            if "world" in result:
                self.world.restore(_last_world(events[:at]))
                said = "the world is as it was before"
            elif intent["evidence"]:
                said = await asyncio.to_thread(self.take_back, intent["command"], intent["evidence"])
            if said is not None:
                return Result(f"Took back {intent['command']} of turn {intent['turn']}: {said}", undone=intent["seq"])
        raise CommandError("There is nothing left to take back.")

    def settle(self, call: Call, evidence: Json) -> Settled:
        """The world is restored from the journal and files' undo may be repeated: it is carried out again."""
        return Settled("not done")


def _last_world(events: Sequence[Json]) -> Json:
    for event in reversed(events):
        if event.get("world"):
            found: Json = event["world"]
            return found
    raise CommandError("The state before it is not in the journal.")
