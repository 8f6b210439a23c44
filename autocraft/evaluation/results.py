"""One episode's result as a value, and the file that has one result a line."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeVar

import msgspec

from autocraft.errors import SessionError, UsageError
from autocraft.protocols import Json
from autocraft.session.atomic import append_whole

VERSION = 1
Kind = Literal["move", "smelt", "think", "search", "impossible", "craft_item", "smelt_item", "unreadable"]
Ended = Literal["success", "impossible", "max_steps", "stuck", "infrastructure"]


@dataclass(frozen=True, slots=True)
class StepResult:
    """One turn of the model: its action and the reply."""

    kind: Kind
    action: str
    """The command as one line, such as ``move: from [I2] to [A1] with quantity 1``; empty if unreadable."""
    ok: bool
    """False for an unreadable answer and for an illegal action, which changes nothing."""
    text: str
    """The reply to the model."""
    answer: str
    """The model's raw answer."""
    slots: Json
    """The filled slots after it, as {"I1": ["oak_log", 4]}; "0" is the output."""
    moves: int = 0
    """Slot actions that it took: 1 for a legal move or smelt, more for craft_item and smelt_item."""


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """The result of one example, played once. `seed` distinguishes repetitions."""

    example_id: str
    seed: int
    target: str
    complexity: str
    """easy, medium, hard or impossible."""
    recipe_type: str
    impossible: bool
    success: bool
    ended: Ended
    number_of_steps: int
    """The model's turns, thoughts and searches included."""
    actions: int
    """Legal moves and smelts."""
    minimum: int | None
    """The actions of the shortest plan known; None for an impossible example."""
    minimum_proven: bool
    package_actions: int | None
    """The actions that plancraft's own planner takes."""
    start: Json
    """The filled slots before the first step."""
    steps: Sequence[StepResult] = ()
    dialogue: Sequence[Json] = ()
    """The model's input and output: {"role", "content"}."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    """In US dollars; None if the price is unknown."""
    seconds: float = 0.0
    final_inventory: dict[str, int] = field(default_factory=dict)
    error: str = ""
    """Why the endpoint failed. Such an episode is void: it counts neither as a success nor as a failure."""

    @property
    def void(self) -> bool:
        return self.ended == "infrastructure"

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    @property
    def key(self) -> tuple[str, int]:
        return self.example_id, self.seed

    def to_json(self) -> Json:
        """Return one row, with the names that Plancraft's evaluator gives its fields."""
        row = asdict(self)
        steps, dialogue = row.pop("steps"), row.pop("dialogue")
        history = [step.pop("slots") for step in steps]
        trace = {"dialogue_history": dialogue, "inventory_history": history, "tokens_used": self.tokens}
        return {"v": VERSION, **row, "steps": steps, "model_trace": trace}

    @classmethod
    def from_json(cls, row: Json) -> EpisodeResult:
        """Return the result of a row of `to_json`. Raises KeyError, TypeError or ValueError for any other value."""
        if row["v"] != VERSION:
            raise ValueError("another format")
        trace = row["model_trace"]
        history = trace["inventory_history"]
        steps = [{**step, "slots": slots} for step, slots in zip(row["steps"], history, strict=True)]
        return msgspec.convert({**row, "steps": steps, "dialogue": trace["dialogue_history"]}, cls)


class Result(Protocol):
    """The result of one task, as an evaluation stores it."""

    @property
    def key(self) -> tuple[str, int]:
        """Return the id of the task, and the seed."""
        ...

    @property
    def void(self) -> bool:
        """Return whether the task counts for nothing and may be played again."""
        ...

    @property
    def tokens(self) -> int: ...

    @property
    def cost(self) -> float | None: ...

    @property
    def error(self) -> str:
        """Return why a void result is void."""
        ...

    def to_json(self) -> Json:
        """Return one row."""
        ...


Row = TypeVar("Row")


def append_result(path: Path, result: Result) -> None:
    """Append one row, completely or not at all, and sync it to disk. Raises SessionError if the disk fails."""
    line = (
        json.dumps(result.to_json(), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"
    )
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            append_whole(file, line)
            os.fsync(file)
        finally:
            os.close(file)
    except OSError as error:
        raise SessionError(f"cannot write {path}: {error}; free some space, then go on with --resume") from None


def read_results(path: Path, read: Callable[[Json], Row]) -> tuple[list[Row], int]:
    """Return all complete rows, and the bytes of a torn last line. Raises UsageError that names an invalid line.

    `read` raises KeyError, TypeError or ValueError for an invalid row.
    """
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    results = []
    for number, line in enumerate(data[:end].splitlines(), 1):
        try:
            results.append(read(json.loads(line)))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise UsageError(
                f"line {number} of {path} is not a result of autocraft; remove that line, or give another --out"
            ) from None
    return results, len(data) - end
