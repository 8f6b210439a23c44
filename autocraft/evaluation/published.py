"""Published figures: the table of the Plancraft paper, and how many actions its own planner takes.

The table is Table 2 of arXiv 2412.21033 (version 1), for test.small, the mean of 5 runs. `scores.py` counts in the same
way as its columns. `scripts/make_package_actions.py` writes the counts of the planner.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import resources

from autocraft.protocols import Json

SOURCE = "arXiv 2412.21033v1, Table 2 (test.small, mean of 5 runs)"


@dataclass(frozen=True, slots=True)
class PaperRow:
    """One model with one set of tools. None means a dash in the paper."""

    tools: str
    """M move, S smelt, T think, SE search (the gold recipes), I impossible."""
    model: str
    easy: float
    medium: float
    hard: float
    overall: float
    """Success over the examples that are not impossible, like the three before it."""
    think: float | None
    """Thoughts, searches and impossibles are per example that is not impossible."""
    search: float | None
    impossible: float | None
    impossible_f1: float | None
    plan_length: float
    """Answers of the model per example that is not impossible, failures included."""
    action_efficiency: float
    """Answers beyond the actions of the package's planner, the mean of the successes."""
    tokens: int
    """As printed, rounded to 0.1 million. The paper does not say what it adds up."""


_MS, _MST, _MSTSE, _ALL = "M S", "M S T", "M S T SE", "M S T SE I"
PAPER = (
    PaperRow(_MS, "Llama 8B", 0.10, 0.00, 0.00, 0.04, None, None, None, None, 13.21, 0.86, 6_200_000),
    PaperRow(_MS, "Llama 70B", 0.37, 0.04, 0.00, 0.16, None, None, None, None, 15.94, 1.09, 8_900_000),
    PaperRow(_MS, "gpt-4o-mini", 0.26, 0.00, 0.00, 0.11, None, None, None, None, 14.98, 0.29, 8_200_000),
    PaperRow(_MS, "Llama 8B FT", 0.67, 0.45, 0.12, 0.41, None, None, None, None, 10.14, 0.03, 4_100_000),
    PaperRow(_MST, "Llama 8B", 0.15, 0.00, 0.00, 0.06, 9.50, None, None, None, 21.80, 3.87, 11_100_000),
    PaperRow(_MST, "Llama 70B", 0.44, 0.15, 0.03, 0.22, 10.57, None, None, None, 21.16, 2.50, 11_800_000),
    PaperRow(_MST, "gpt-4o-mini", 0.29, 0.00, 0.00, 0.12, 13.98, None, None, None, 23.53, 2.37, 11_600_000),
    PaperRow(_MST, "Llama 8B FT", 0.57, 0.42, 0.12, 0.37, 0.06, None, None, None, 10.41, 0.07, 4_500_000),
    PaperRow(_MSTSE, "Llama 8B", 0.57, 0.31, 0.01, 0.30, 4.75, 3.18, None, None, 18.41, 3.38, 9_300_000),
    PaperRow(_MSTSE, "Llama 70B", 0.79, 0.60, 0.23, 0.53, 6.69, 2.28, None, None, 18.71, 4.27, 9_800_000),
    PaperRow(_MSTSE, "gpt-4o-mini", 0.56, 0.21, 0.00, 0.27, 11.16, 2.15, None, None, 21.98, 4.91, 10_900_000),
    PaperRow(_MSTSE, "Llama 8B FT", 0.61, 0.39, 0.12, 0.38, 0.00, 0.01, None, None, 10.36, 0.11, 4_800_000),
    PaperRow(_ALL, "Llama 8B", 0.40, 0.09, 0.01, 0.18, 2.31, 2.36, 0.72, 0.32, 9.77, 2.53, 4_900_000),
    PaperRow(_ALL, "Llama 70B", 0.80, 0.65, 0.23, 0.55, 5.20, 2.20, 0.16, 0.64, 16.76, 4.05, 9_600_000),
    PaperRow(_ALL, "gpt-4o-mini", 0.56, 0.23, 0.00, 0.28, 6.45, 1.15, 0.48, 0.42, 14.89, 4.94, 4_700_000),
    PaperRow(_ALL, "Llama 8B FT", 0.58, 0.40, 0.11, 0.36, 0.00, 0.02, 0.00, 0.00, 10.38, 0.09, 5_700_000),
)


def paper_rows(tools: Sequence[str] = ()) -> list[Json]:
    """Return all rows as JSON, those with the same tools (letters, as in `Conditions`) first."""
    same = " ".join(tools)
    return [asdict(row) for row in sorted(PAPER, key=lambda row: row.tools != same)]


@functools.cache
def package_actions() -> Mapping[str, int]:
    """Return example id -> actions of the plan of plancraft 0.4.9's planner, for all solvable examples. Read once."""
    text = resources.files(__package__).joinpath("data/package_actions.json").read_text("utf-8")
    actions: dict[str, int] = json.loads(text)["actions"]
    return actions
