"""The turns of an agent as they are sent: dropped in large blocks, so that providers can cache what comes before.

What is sent of them is a pure function of the turns and of the room, so a resumed run sends the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import msgspec

from autocraft.agent.deeds import Deeds, DoneCommand
from autocraft.protocols import Json
from autocraft.text.phrases import count
from autocraft.text.prompts import Prompt, part
from autocraft.usage import estimate_tokens

_FOLDED = Prompt("[What was done in the {} before this was then repeated {} with the same results. Do something else.]")


class Chunk(msgspec.Struct):
    """One turn. It is sent as a whole or not at all. `start` counts the tokens of all turns before it."""

    turn: int
    start: int = 0
    messages: list[tuple[str, str]] = []
    tokens: int = 0
    folds: int = 0
    """How often a cycle that ends with this turn was repeated. Its last message says so."""
    deeds: Deeds = msgspec.field(default_factory=Deeds)

    def add(self, role: str, text: str) -> None:
        """Add a prompt, or the model's own words in the role ``assistant``, which stay as they are."""
        self.messages.append((role, str(text if role == "assistant" else part(text))))
        self.tokens += estimate_tokens(text) + 4

    @property
    def end(self) -> int:
        return self.start + self.tokens


class History:
    """The newest turns, of which `most` tokens are stored."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.chunks: deque[Chunk] = deque()
        self.dropped = Deeds()
        """What was done in the turns that are not stored any more."""
        self._pending = 0
        """The turns that ended since a cycle was folded."""

    @property
    def tokens(self) -> int:
        """Return the tokens of the stored turns."""
        return self.chunks[-1].end - self.chunks[0].start if self.chunks else 0

    @property
    def last_turn(self) -> int:
        return self.chunks[-1].turn if self.chunks else 0

    def add(self, turn: int, role: str, text: str) -> None:
        """Add a message to a turn, which is the last one or a new one."""
        if not self.chunks or turn > self.last_turn:
            self.chunks.append(Chunk(turn, self.chunks[-1].end if self.chunks else 0))
        self.chunks[-1].add(role, text)
        while self.tokens > self.most and len(self.chunks) > 1:
            self.dropped.merge(self.chunks.popleft().deeds)

    def note(self, deed: DoneCommand, *, ok: bool) -> None:
        """Note what the newest turn did, for the time when it is not sent any more."""
        if self.chunks:
            self.chunks[-1].deeds.add(deed, ok=ok)

    def deeds_before(self, turn: int) -> Deeds:
        """Return what was done in the turns before this one."""
        deeds = Deeds()
        for each in (self.dropped, *(chunk.deeds for chunk in self.chunks if chunk.turn < turn)):
            deeds.merge(each)
        return deeds

    def end_turn(self, cycle: int) -> None:
        """Count a turn that ended. If a cycle of so many turns was just repeated, one line takes the repetition's
        place."""
        self._pending += 1
        if not cycle or self._pending < cycle or len(self.chunks) <= cycle:
            return
        self._pending = 0
        repeated = [self.chunks.pop() for _ in range(cycle)]
        last = self.chunks[-1]
        for chunk in repeated[::-1]:
            last.deeds.merge(chunk.deeds)
        if last.folds:
            _, text = last.messages.pop()
            last.tokens -= estimate_tokens(text) + 4
        last.folds += 1
        turns = Prompt("turn" if cycle == 1 else f"{cycle} turns")
        last.add("user", _FOLDED.format(turns, Prompt(count(last.folds, "time"))))

    def recent(self, room: int, block: int) -> Sequence[Chunk]:
        """Return the newest turns within `room` tokens. The first of them changes only once in `block` tokens."""
        first = self.chunks[-1].end - room if self.chunks else 0
        start = -(-first // block) * block if first > 0 else 0
        whole = [chunk for chunk in self.chunks if chunk.start >= start]
        return whole or [chunk for chunk in self.chunks if chunk.start >= first]

    def to_json(self) -> Json:
        parts = {"chunks": list(self.chunks), "dropped": self.dropped}
        return {**msgspec.to_builtins(parts), "unfolded": self._pending}

    def restore(self, data: Json) -> None:
        """Take over what `to_json` returned. Raises ValueError, TypeError or LookupError for anything else."""
        self.chunks = deque(msgspec.convert(data["chunks"], list[Chunk]))
        self.dropped = msgspec.convert(data["dropped"], Deeds)
        self._pending = data["unfolded"]
