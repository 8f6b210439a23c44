"""The machine's view: every event as one line of JSON on standard output, and nothing else there.

Neighbours: `journal.py` hands the events over as they are written; `render.py` is the person's view.
"""

from __future__ import annotations

from autocraft.console.clean import clean_json
from autocraft.console.read import write_out
from autocraft.journal import encode
from autocraft.protocols import Delta, Json, Proposal


class JsonScreen:
    """One event a line. A question that must be asked again is repeated with `again` saying why."""

    def __init__(self) -> None:
        self._question: Json | None = None
        self.folded = ""

    def event(self, event: Json) -> None:
        if event["type"] == "question":
            self._question = event
        self._line(event)

    def question(self, proposal: Proposal, again: str) -> None:
        if again and self._question is not None:
            call = proposal.call
            self._line({**self._question, "args": call.args if call else None, "again": again})

    def delta(self, delta: Delta) -> None:
        """Pieces of answers are not events; the whole answer is one."""

    def say(self, text: str) -> None:
        """What a slash command answers; it is not part of the journal, so it has no number."""
        self._line({"v": 1, "seq": None, "type": "note", "text": text})

    def _line(self, event: Json) -> None:
        write_out(clean_json(encode(event).decode("utf-8", "replace")))
