"""The commands that keep a note and look for one. Neighbour: the `memory/` package, which holds the rows."""

from __future__ import annotations

import asyncio

from autocraft.errors import CommandError
from autocraft.protocols import Call, Json, Memory, Risk, Settled, command

_ADDED = "Committed to memory."
_LONGEST = 20_000
_SHOWN = 2_000


class MemoryCommands:
    """Notes of one `session`. The row of a note has the id of its call, so that a repeat adds nothing."""

    family = "memory"

    def __init__(self, memory: Memory, session: str) -> None:
        self.memory = memory
        self.session = session

    @command(help="Keep a note in long-term memory", risk=Risk.CHANGE)
    async def memory_add(self, call: Call, string: str) -> str:
        if self.memory.name == "none":
            raise CommandError("memory is switched off, so nothing was kept; write it to a file instead")
        if not string.strip():
            raise CommandError("there is nothing to remember; give the text in the argument string")
        if len(string) > _LONGEST:
            raise CommandError(f"a note may have {_LONGEST:,} characters and this has {len(string):,}; write a file")
        note: Json = {"session": self.session, "kind": "note"}
        await asyncio.to_thread(self.memory.add, string, id=call.id or None, metadata=note)
        return _ADDED

    @command(help="Look in long-term memory for what is near to a text", risk=Risk.LOOK)
    async def memory_search(self, call: Call, query: str) -> str:
        found = await asyncio.to_thread(self.memory.get_relevant, query)
        lines = [f"{n}. {each.text[:_SHOWN]}{_left(each.text)}" for n, each in enumerate(found, 1)]
        return "\n".join(lines) or "[Nothing in memory is near to this.]"

    def evidence(self, call: Call) -> Json:
        return {"row": call.id} if call.name == "memory_add" and call.id else {}

    def settle(self, call: Call, evidence: Json) -> Settled:
        if call.name == "memory_add" and self.memory.has(call.id):
            return Settled("done", _ADDED)
        return Settled("not done")

    def undo(self, evidence: Json) -> str:
        """Forget the note; repeatable."""
        if not evidence.get("row"):
            raise CommandError("nothing was recorded of this note, so it stays; clear the namespace if it must go")
        return "the note was forgotten." if self.memory.delete(evidence["row"]) else "the note was already forgotten."


def _left(text: str) -> str:
    return f" [{len(text) - _SHOWN:,} more characters are left out.]" if len(text) > _SHOWN else ""
