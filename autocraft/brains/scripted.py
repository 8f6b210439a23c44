"""A brain that answers from a file, for tests, replays and demonstrations.

The file is in JSON Lines. A line that is a JSON string is the text of an answer. An object with `text` may add
`finish_reason`, `reasoning`, `refusal`, `tool_calls`, `delay` (seconds), `wait_for` (the answer comes once this file
exists) and `role` (answers for "fast" are counted apart). Any other line is itself the text.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autocraft.errors import ScriptEnded, UsageError
from autocraft.protocols import Answer, Delta, Message
from autocraft.usage import Usage

if TYPE_CHECKING:
    from autocraft.brains.choose import BrainChoice

LOOK_SECONDS = 0.01
"""How often a brain that waits for a file checks whether it exists."""


@dataclass(frozen=True)
class Line:
    """One line of the script: an answer, and what it waits for."""

    answer: Answer
    role: str = "smart"
    delay: float = 0.0
    wait_for: str = ""


class ScriptedBrain:
    """Answers from a file. `given` is how many answers each role gave before a resume; it is read at the first
    question."""

    reads_prompt = True
    asks_model = True
    metered = False

    def __init__(self, path: Path, counts: Mapping[str, int] | None = None) -> None:
        self.name = f"scripted ({path.name})"
        self._lines: dict[str, list[Line]] = defaultdict(list)
        self._given = {} if counts is None else counts
        self._next: dict[str, int] | None = None
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise UsageError(f"cannot read the script {path}: {why}; name another with --script") from None
        for text in lines:
            if text.strip():
                line = _read_line(text)
                self._lines[line.role].append(line)

    @classmethod
    def for_run(cls, choice: BrainChoice, world: object, state: object, answers: Mapping[str, int]) -> ScriptedBrain:
        """Return the brain of a run. Raises UsageError if its script cannot be read."""
        return cls(choice.options.script or Path(), answers)

    async def think(
        self,
        messages: Sequence[Message],
        *,
        role: str = "smart",
        on_delta: Callable[[Delta], None] | None = None,
        **options: object,
    ) -> Answer:
        """Return the next answer of the file. Raises ScriptEnded after the last one."""
        if self._next is None:
            self._next = defaultdict(int, self._given)
        at = self._next[role]
        if at >= len(self._lines[role]):
            raise ScriptEnded(f"the script has no answer left for the role {role} ({at} were given)")
        line = self._lines[role][at]
        await asyncio.sleep(line.delay)
        tell = on_delta or (lambda _: None)
        if line.wait_for:
            tell(Delta("wait", f"waiting for the file {line.wait_for}"))
            while not Path(line.wait_for).exists():  # noqa: ASYNC110 - files set no event
                await asyncio.sleep(LOOK_SECONDS)
            tell(Delta("wait"))
        self._next[role] = at + 1
        return line.answer

    async def close(self) -> None:
        return


def _read_line(line: str) -> Line:
    try:
        value = json.loads(line)
    except ValueError:
        value = line
    if isinstance(value, str):
        return Line(Answer(value, usage=Usage()))
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        texts = {name: str(value.get(name, "")) for name in ("reasoning", "refusal")}
        calls = tuple(call for call in value.get("tool_calls", ()) if isinstance(call, dict))
        answer = Answer(value["text"], value.get("finish_reason", "stop"), Usage(), tool_calls=calls, **texts)
        wait_for = str(value.get("wait_for", ""))
        return Line(answer, value.get("role", "smart"), float(value.get("delay", 0)), wait_for)
    return Line(Answer(line, usage=Usage()))
