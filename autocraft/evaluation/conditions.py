"""The conditions of an evaluation, such as split, tools and protocol, and the examples that they select."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Literal, TypeVar, get_args

from autocraft.crafting.examples import Example, load_example, load_examples
from autocraft.errors import UsageError
from autocraft.protocols import Json

T = TypeVar("T")
SPLITS = ("train", "val", "test", "val.small", "test.small", "val.small.easy", "test.small.easy")
TOOLS = {"M": "move", "S": "smelt", "T": "think", "SE": "search", "I": "impossible"}
"""The letters of the paper's table."""
Protocol = Literal["package", "paper"]
Prompt = Literal["paper", "own"]
Search = Literal["gold", "similar"]
STUCK_AFTER = 10
"""After so many turns without a change of the items, the protocol `paper` ends an episode."""
MOST_TALK = 3
"""The protocol `paper` answers at most so many thoughts and searches in a row."""


@dataclass(frozen=True)
class Conditions:
    """How every episode is played. Two evaluations with equal conditions can be compared."""

    split: str = "test"
    tools: tuple[str, ...] = tuple(TOOLS)
    high_level: bool = False
    """Whether craft_item and smelt_item are offered too."""
    protocol: Protocol = "package"
    """`package` is the loop of plancraft 0.4.9; `paper` adds the rules of its first README."""
    prompt: Prompt = "paper"
    """`paper` is a few-shot dialogue of lines; `own` is the prompt with the JSON commands of `autocraft run`."""
    search: Search = "gold"
    """`gold` returns the recipe of an exact name; `similar` only recipes near to the words."""
    feedback: bool = True
    """Whether the model gets notes about changes, illegal actions, missing items and repetitions."""
    advice: bool = False
    """Whether each observation ends with the planner's next line. Such figures are assisted by the planner."""
    images: bool = False
    max_steps: int = 30
    seeds: int = 1
    limit: int | None = None
    ids: tuple[str, ...] = ()
    """The examples to play, in place of all of the split."""

    def check(self) -> None:
        """Raise UsageError for an invalid condition, or an unknown example."""
        for id in self.ids:
            load_example(id)
        if self.split not in SPLITS:
            raise UsageError(f"there is no split {str(self.split)[:60]!r}: choose {', '.join(SPLITS)}")
        for name, kind in (("protocol", Protocol), ("prompt", Prompt), ("search", Search)):
            value = getattr(self, name)
            if value not in get_args(kind):
                raise UsageError(f"--{name} {str(value)[:60]!r} is unknown: choose {' or '.join(get_args(kind))}")
        for name in ("max_steps", "seeds", "limit"):
            value = getattr(self, name)
            if name != "limit" or value is not None:
                check_count(name, value)
        for name in ("high_level", "feedback", "advice", "images"):
            if not isinstance(getattr(self, name), bool):
                raise UsageError(f"{name} is {str(getattr(self, name))[:60]!r}: give True or False")

    @property
    def commands(self) -> list[str]:
        """Return the names of the commands that the model may use."""
        more = ["craft_item", "smelt_item"] if self.high_level else []
        return [TOOLS[letter] for letter in self.tools] + more

    def to_json(self) -> Json:
        """Return them as JSON, without `advice` and `ids` if there are none."""
        values = {**asdict(self), "tools": list(self.tools), "ids": list(self.ids)}
        return {name: value for name, value in values.items() if value or name not in ("advice", "ids")}

    def examples(self) -> list[Example]:
        """Return the examples in the data set's order, or `limit` of them, evenly spread.

        Impossible examples are included only with the tool I, as in plancraft.
        """
        of_split = [load_example(id) for id in self.ids] or _of_split(self.split)
        examples = [example for example in of_split if "I" in self.tools or not example.impossible]
        return evenly_spread(examples, self.limit)


def read_ids(file: Path | None) -> tuple[str, ...]:
    """Return the ids of a file, separated by blanks, commas or lines, or in a list of JSON. Raises UsageError.

    Return () without a file.
    """
    if file is None:
        return ()
    try:
        words = re.findall(r"\w+", file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--ids {file} cannot be read ({error}): give a text file with one id a line") from None
    ids = tuple(dict.fromkeys(load_example(word).id for word in words))
    if not ids:
        raise UsageError(f"--ids {file} names no example: write one id a line, such as TEST0018")
    return ids


def evenly_spread(items: Sequence[T], limit: int | None) -> list[T]:
    """Return `limit` of the items, evenly spread, or all of them if `limit` is None or too large."""
    if limit is None or limit >= len(items):
        return list(items)
    return [items[index * len(items) // limit] for index in range(limit)]


def check_count(name: str, value: object) -> None:
    """Raise UsageError unless `value` is a whole number above 0."""
    flag = f"--{name.replace('_', '-')}"
    if type(value) is not int:
        raise UsageError(f"{flag} must be a whole number, not {str(value)[:60]!r}")
    if value < 1:
        raise UsageError(f"{flag} must be 1 or more, not {value}")


def read_tools(tools: object) -> tuple[str, ...]:
    """Read "M,S,T,SE,I", or a sequence of letters, into letters in the paper's order. Raises UsageError."""
    parts = tools.replace(" ", ",").split(",") if isinstance(tools, str) else tools
    if not isinstance(parts, Sequence) or not all(isinstance(part, str) for part in parts):
        raise UsageError(f"--tools is {str(tools)[:60]!r}: give letters, such as M,S,T,SE,I")
    letters = [part.strip().upper() for part in parts if part.strip()]
    choices = ", ".join(f"{letter} ({name})" for letter, name in TOOLS.items())
    for letter in letters:
        if letter not in TOOLS:
            raise UsageError(f"there is no tool {letter[:20]!r}: choose among {choices}")
    if not letters:
        raise UsageError(f"--tools names no tool: choose among {choices}")
    return tuple(letter for letter in TOOLS if letter in letters)


def _of_split(split: str) -> list[Example]:
    name, _, part = split.partition(".")
    examples = list(load_examples(name).values())
    if part == "small.easy":
        numbers = json.loads(resources.files(__package__).joinpath("data/small_easy.json").read_bytes())[name]
        ids = {f"{name.upper()}{number:04}" for number in numbers}
        return [example for example in examples if example.id in ids]
    return [example for example in examples if not part or example.small]
