"""A brain that answers from a file: for tests, replays and demonstrations.

JSON Lines. A line that is a JSON string is the text of an answer; an object with `text` may add `finish_reason`,
`delay` (seconds) and `role` (answers for "fast" are kept apart); any other line is itself the text.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from autocraft.errors import ScriptEnded, UsageError
from autocraft.protocols import Answer, Delta, Json, Message
from autocraft.usage import Usage


class ScriptedBrain:
    """`given` says how many answers of each role were already given before a resume."""

    reads_prompt = True
    metered = False

    def __init__(self, path: Path, given: Mapping[str, int] | None = None) -> None:
        self.name = f"scripted ({path.name})"
        self._answers: dict[str, list[tuple[Answer, float]]] = defaultdict(list)
        self._next: dict[str, int] = defaultdict(int, given or {})
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is no UTF-8 text"
            raise UsageError(f"cannot read the script {path}: {why}; name another with --script") from None
        for line in lines:
            if line.strip():
                role, answer, delay = _read_line(line)
                self._answers[role].append((answer, delay))

    async def think(
        self,
        messages: Sequence[Message],
        *,
        role: str = "smart",
        schema: Json | None = None,
        max_tokens: int | None = None,
        on_delta: Callable[[Delta], None] | None = None,
    ) -> Answer:
        """The next answer of the file. Raises ScriptEnded after the last."""
        at = self._next[role]
        if at >= len(self._answers[role]):
            raise ScriptEnded(f"the script has no answer left for the role {role} ({at} were given)")
        answer, delay = self._answers[role][at]
        if delay:
            await asyncio.sleep(delay)
        self._next[role] = at + 1
        return answer

    async def close(self) -> None:
        return


def _read_line(line: str) -> tuple[str, Answer, float]:
    try:
        value = json.loads(line)
    except ValueError:
        value = line
    if isinstance(value, str):
        return "smart", Answer(value, usage=Usage()), 0.0
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        answer = Answer(value["text"], value.get("finish_reason", "stop"), Usage())
        return value.get("role", "smart"), answer, float(value.get("delay", 0))
    return "smart", Answer(line, usage=Usage()), 0.0
