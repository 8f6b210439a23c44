"""The view for machines: every event as one line of JSON on standard output, and nothing else."""

from __future__ import annotations

import msgspec

from autocraft.console.read import ignore, write_out
from autocraft.protocols import Json
from autocraft.session.event import VERSION
from autocraft.session.events import Event
from autocraft.text.sanitize import clean_json


class JsonScreen:
    """Prints one event in each line. A repeated question comes again, and `again` says why."""

    folded = ""
    question = asks = delta = ignore  # the events say all that a program needs

    def event(self, event: Event) -> None:
        self._line(event)

    def say(self, text: str) -> None:
        """Print the output of a slash command. It is not in the journal, so it has no number."""
        self._line({"v": VERSION, "seq": None, "type": "note", "text": text})

    def _line(self, event: Event | Json) -> None:
        write_out(clean_json(f"{msgspec.json.encode(event).decode()}\n"))
