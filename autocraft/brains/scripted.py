"""A brain that answers from a file, for tests, replays and demonstrations.

The file is in JSON Lines. A line that is a JSON string is the text of an answer. An object with `text` may add
`finish_reason`, `reasoning`, `refusal`, `tool_calls`, `delay` (seconds), `wait_for` (the answer comes once this file
exists), `role` (answers for "fast" are counted apart) and `bot` (in a run with several, 2 is for the second one; a line
without it is for the first). Any other line is itself the text.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from autocraft.errors import ScriptEnded, UsageError
from autocraft.protocols import Answer, Delta, Json, Message, SharedWorld
from autocraft.session.event import fault_of
from autocraft.session.fields import Number
from autocraft.unpacking import TooMuch, bounded_lines
from autocraft.usage import Usage

if TYPE_CHECKING:
    from autocraft.brains.choose import BrainOptions

MOST_LINE = 16_000_000
"""The most bytes of a line: those of an answer of a model."""
LOOK_SECONDS = 0.01
"""How often a brain that waits for a file checks whether it exists."""


class Line(msgspec.Struct, frozen=True):
    """One line of the script: an answer, and what it waits for."""

    text: str
    role: str = "smart"
    finish_reason: str = "stop"
    reasoning: str = ""
    refusal: str = ""
    tool_calls: tuple[Json, ...] = ()
    delay: Number = 0.0
    wait_for: str = ""
    bot: int = 1

    @property
    def answer(self) -> Answer:
        return Answer(self.text, self.finish_reason, Usage(), self.reasoning, self.refusal, self.tool_calls)


class ScriptedBrain:
    """Answers from a file. `counts` says how many answers each role gave before a resume. It is read at the first
    question. `bot` is the number of the bot that it answers for, and `bots` are all of the run."""

    reads_prompt = True
    asks_model = True
    metered = False

    def __init__(self, path: Path, counts: Mapping[str, int] | None = None, bot: int = 1, bots: int = 1) -> None:
        self.name = f"scripted ({path.name})"
        self._for = f" for bot {bot}" if bots > 1 else ""
        self._lines: dict[str, list[Line]] = defaultdict(list)
        self._given = {} if counts is None else counts
        self._next: dict[str, int] | None = None
        try:
            with path.open("rb") as file:  # JSON may hold other line ends as they are
                lines = [line.decode("utf-8") for line in bounded_lines(file, MOST_LINE)]
        except (OSError, UnicodeDecodeError, TooMuch) as error:
            why = "it is not UTF-8 text" if isinstance(error, UnicodeError) else getattr(error, "strerror", "") or error
            raise UsageError(f"cannot read the script {path}: {why}; name another with --script") from None
        for row, content in enumerate(lines, 1):
            try:
                line = _read_line(content)
            except ValueError as fault:
                raise UsageError(f"line {row} of the script {path}: {fault}; correct it") from None
            if not 1 <= line.bot <= bots:
                why = f"line {row} of the script {path} is for bot {line.bot}, and --bots is {bots}"
                raise UsageError(f"{why}: correct one of them")
            if content.strip() and line.bot == bot:
                self._lines[line.role].append(line)

    @classmethod
    def for_run(cls, options: BrainOptions) -> ScriptedBrain:
        """Return the brain of one bot of a run. Raises UsageError if its script cannot be read."""
        world = options.world
        bots = world.bots if isinstance(world, SharedWorld) else [world]
        return cls(options.choice.options.script or Path(), options.answers, bots.index(world) + 1, len(bots))

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
            raise ScriptEnded(f"the script has no answer left for the role {role}{self._for} ({at} were given)")
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
    """Return the answer in a line. Raises ValueError for an object with a field of another kind."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = line
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        return Line(value if isinstance(value, str) else line)
    try:
        return msgspec.convert(value, Line)
    except msgspec.ValidationError as fault:
        raise ValueError(fault_of(str(fault))) from None
