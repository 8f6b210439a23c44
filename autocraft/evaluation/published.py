"""Published figures: the table of the Plancraft paper, and how many actions its own planner takes.

The table is Table 2 of arXiv 2412.21033 (version 1), for test.small, the mean of 5 runs. `scores.py` counts in the same
way as its columns. `scripts/make_package_actions.py` writes the counts of the planner.
"""

from __future__ import annotations

import csv
import functools
import json
from collections.abc import Mapping, Sequence
from importlib import resources

from autocraft.protocols import Json

ASSISTED = "Assisted by the planner"
"""Heads the figures of an evaluation with advice. They stand in a table of their own, without rows of the paper."""
SOURCE = "arXiv 2412.21033v1, Table 2 (test.small, mean of 5 runs)"


@functools.cache
def paper() -> Sequence[Json]:
    """Return the rows of ``data/paper.tsv``, one for each model with one set of tools. None means a dash in the paper.

    `tools` are M (move), S (smelt), T (think), SE (search, for the gold recipes) and I (impossible). `overall` and the
    three before it are the success over the examples that are not impossible. `think`, `search` and `impossible` are
    per such example, and so is `plan_length`: the answers of the model, failures included. `action_efficiency` has the
    answers beyond the actions of the package's planner, the mean of the successes. `tokens` are as printed, rounded to
    0.1 million; the paper does not say what it adds up.
    """
    text = resources.files(__package__).joinpath("data/paper.tsv").read_text("utf-8")
    rows = csv.DictReader(text.splitlines(), delimiter="\t")
    words = ("tools", "model")
    return [{key: cell if key in words else json.loads(cell or "null") for key, cell in row.items()} for row in rows]


def paper_rows(tools: Sequence[str] = ()) -> list[Json]:
    """Return all rows as JSON, those with the same tools (letters, as in `Conditions`) first."""
    same = " ".join(tools)
    return sorted(paper(), key=lambda row: row["tools"] != same)


@functools.cache
def package_actions() -> Mapping[str, int]:
    """Return example id -> actions of the plan of plancraft 0.4.9's planner, for all solvable examples. Read once."""
    text = resources.files(__package__).joinpath("data/package_actions.json").read_text("utf-8")
    actions: dict[str, int] = json.loads(text)["actions"]
    return actions
