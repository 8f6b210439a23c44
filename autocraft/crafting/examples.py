"""Plancraft's 2,295 examples, by id."""

from __future__ import annotations

import functools
import gzip
import json
import re
from collections.abc import Mapping
from importlib import resources
from typing import Any, Literal, NamedTuple, get_args

from autocraft.crafting.table import CraftingTable, Stack
from autocraft.errors import UsageError
from autocraft.goals import Goal

Split = Literal["train", "val", "test"]


class Example(NamedTuple):
    """One task: make one `target` from `slots` (slot number -> stack), or say that it is impossible."""

    id: str
    target: str
    slots: Mapping[int, Stack]
    level: Literal["easy", "medium", "hard", "impossible"]
    """Plancraft's complexity_split."""
    complexity: int | None
    recipe_type: str
    """shaped, shapeless, smelting, mixed or impossible, as Plancraft labels it."""
    recipes: int | None
    """Plancraft's optimal_path_length: how many times a recipe is made on its shortest path."""
    unseen_in_train: bool = False
    small: bool = False
    """Whether it is also in val.small or test.small."""

    @property
    def impossible(self) -> bool:
        return self.level == "impossible"

    @property
    def goal(self) -> Goal:
        return Goal(f"craft 1 {self.target}", ((self.target, 1),))

    def table(self) -> CraftingTable:
        """Return a new table with the example's items."""
        return CraftingTable(self.slots)


@functools.cache
def load_examples(split: Split) -> Mapping[str, Example]:
    """Return all examples of a split by id, read once. Items called air, an error of the data set, are left out."""
    if split not in get_args(Split):
        raise UsageError(f"there is no split {split!r}: use train, val or test")
    archive = resources.files(__package__).joinpath(f"data/{split}.json.gz").read_bytes()
    return {row["id"]: _example(row) for row in json.loads(gzip.decompress(archive))}


def load_example(id: str) -> Example:
    """Return the example with this id, such as TEST0018. Raises UsageError, which names valid ids."""
    name = id.strip().upper()
    match = re.fullmatch(r"(TRAIN|VAL|TEST)\d*", name)
    if match is None:
        raise UsageError(f"there is no example {id[:60]!r}: ids look like TRAIN0000, VAL0000 or TEST0018")
    split: Split = {"TRAIN": "train", "VAL": "val"}.get(match[1], "test")  # type: ignore[assignment]
    examples = load_examples(split)
    if name not in examples:
        near = [other for other in examples if other.startswith(name[:-1])][:3] or [*examples][:: len(examples) - 1]
        raise UsageError(f"there is no example {id[:60]!r}: there are {len(examples)}, such as {', '.join(near)}")
    return examples[name]


def _example(row: Mapping[str, Any]) -> Example:
    slots = {int(slot): (item, count) for slot, (item, count) in row["slots"].items() if item != "air"}
    return Example(**{name: row[name] for name in Example._fields if name in row} | {"slots": slots})
