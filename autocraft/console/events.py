"""The machine's view: every event as one line of JSON on standard output, and nothing else there."""

from __future__ import annotations

from autocraft.console.read import write_out
from autocraft.protocols import Delta, Json, Proposal
from autocraft.session.events import Event
from autocraft.session.formats import VERSION
from autocraft.session.journal import encode
from autocraft.text.sanitize import clean_json


class JsonScreen:
    """One event a line. A question that must be asked again comes again, with `again` saying why."""

    folded = ""

    def event(self, event: Event) -> None:
        self._line(event.to_json())

    def question(self, proposal: Proposal, again: str) -> None:
        """The question event has said it all."""

    def asks(self, question: str, again: str) -> None:
        """The question event has said it all, and that it `wants` words."""

    def delta(self, delta: Delta) -> None:
        """Pieces of answers are not events; the whole answer is one."""

    def say(self, text: str) -> None:
        """What a slash command answers; it is not part of the journal, so it has no number."""
        self._line({"v": VERSION, "seq": None, "type": "note", "text": text})

    def _line(self, event: Json) -> None:
        write_out(clean_json(encode(event).decode("utf-8", "replace")))
