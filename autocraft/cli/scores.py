"""What `autocraft eval` prints: one line while it runs, and the scores beside the paper's at its end.

The text is plain, so that it reads the same in a file.
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from autocraft.evaluation.page.summary import our_row
from autocraft.evaluation.published import ASSISTED
from autocraft.evaluation.results import EpisodeResult
from autocraft.evaluation.scores import FAILURES
from autocraft.page.tables import duration, percent
from autocraft.protocols import Json
from autocraft.text.phrases import beginning, count
from autocraft.text.sanitize import clean_line

_PAPER: Mapping[str, object] = {
    "split": "test.small",
    "protocol": "paper",
    "prompt": "paper",
    "search": "gold",
    "feedback": False,
    "high_level": False,
    "images": False,
    "max_steps": 30,
    "seeds": 5,
}
"""The conditions of the paper's table."""


@dataclass(frozen=True)
class _Column:
    """A column of the table; those with the highest `rank` are left out first where the screen is narrow."""

    title: str
    key: str
    width: int
    rank: int

    def cell(self, row: Json) -> str:
        value = row.get(self.key)
        if isinstance(value, str):
            return beginning(clean_line(value), self.width).ljust(self.width)
        if self.key == "tokens" and value is not None:
            return (f"{value / 1e6:.1f}M" if value >= 50_000 or not value else f"{value / 1e3:.1f}k").rjust(self.width)
        return ("-" if value is None else format(value, ".2f")).rjust(self.width)

    @property
    def head(self) -> str:
        return self.title.ljust(self.width) if self.key in ("tools", "model") else self.title.rjust(self.width)


_COLUMNS = (
    _Column("tools", "tools", 10, 3),
    _Column("model", "model", 16, 0),
    _Column("easy", "easy", 5, 2),
    _Column("medium", "medium", 6, 2),
    _Column("hard", "hard", 5, 2),
    _Column("all", "overall", 5, 1),
    _Column("imp. F1", "impossible_f1", 7, 4),
    _Column("length", "plan_length", 6, 5),
    _Column("AE", "action_efficiency", 6, 5),
    _Column("think", "think", 6, 6),
    _Column("search", "search", 6, 6),
    _Column("imp.", "impossible", 5, 6),
    _Column("tokens", "tokens", 6, 7),
)
_MODEL_ROOM = 24
"""What the model's column may grow by where there is room."""


def progress_line(number: int, n: int, results: Sequence[EpisodeResult]) -> str:
    """Return how far an evaluation is: `number` of `n` episodes, with the scores of `results`."""
    valid = [each for each in results if not each.void]
    successes = sum(each.success for each in valid)
    parts = [f"{number}/{n}", f"{successes} of {len(valid)} solved"]
    if len(results) > len(valid):
        parts.append(f"{len(results) - len(valid)} void")
    tokens = sum(each.tokens for each in valid)
    if tokens:
        parts.append(f"{tokens:,} tokens")
    costs = [each.cost for each in valid]
    if tokens and all(cost is not None for cost in costs):
        parts.append(f"${sum(cost for cost in costs if cost is not None):.4f}")
    return "  ".join(parts)


def score_lines(summary: Json, width: int = 0) -> list[str]:
    """Return the report on a summary. No line is longer than `width` (40 at least), or than the terminal if it is 0.

    In a pipe the table has all its columns.
    """
    width = max(width or shutil.get_terminal_size((_room(_COLUMNS) + _MODEL_ROOM, 0)).columns, 40)
    lines: list[str] = []
    wrap = partial(textwrap.wrap, width=width, subsequent_indent="  ")
    for paragraph in (_headline(summary), *_figures(summary)):
        lines += wrap(paragraph)
    lines += ["", *_table(summary, width), ""]
    hidden = ", ".join(column.title for column in _COLUMNS if column not in _fitting(width))
    room = f"Not shown at {width} columns: {hidden}. A terminal of {_room(_COLUMNS)} columns or a pipe shows them."
    for paragraph in (*([room] if hidden else []), *_notes(summary)):
        lines += wrap(paragraph)
    return lines


def _headline(summary: Json) -> str:
    everything = summary["all"]
    split, every = clean_line(str(summary["split"])), percent(everything["success"])
    solvable = sum(level["n"] for level in summary["levels"].values())
    impossible = f"{count(everything['n'] - solvable, 'episode')} of impossible examples"
    parts = [f"{split}: {percent(summary['success'])} solved"]
    if everything["n"] and not solvable:
        parts = [f"{split}: {every} of {impossible} solved"]
    elif everything["n"] > solvable:
        parts.append(f"{every} with {impossible}")
    if summary["spread"] is not None:
        parts.append(f"standard deviation over {summary['seeds']} seeds {summary['spread']:.3f}")
    return f"{', '.join(parts)}; {count(summary['n'], 'episode')}, {duration(summary['seconds']) or 'time unknown'}."


def _figures(summary: Json) -> Iterator[str]:
    """Yield a sentence for each group of figures."""
    if successes := summary["solved"]:
        least, package = summary["actions_minimum"], summary["package_actions"]
        text = f"Slot actions of the {count(successes, 'success', 'successes')}: {summary['actions_total']}"
        if least is not None:
            text += f"; the fewest known {least} ({summary['certified']} of {successes} proven)"
        yield text + (f"; plancraft's planner {package}." if package is not None else ".")
    failures = [f"{often} {words}" for words, key in FAILURES.items() if (often := summary["failures"][key])]
    if failures:
        yield f"Failures: {', '.join(failures)}."
    if turns := summary["turns"]:
        illegal, unreadable = summary["illegal"], summary["unreadable"]
        yield f"Turns: {turns}, {illegal} illegal ({percent(illegal / turns)}), {unreadable} unreadable."
    if summary["impossible_f1"] is not None:
        precision, recall = summary["impossible_precision"], summary["impossible_recall"]
        yield f"Called impossible: precision {precision:.2f}, recall {recall:.2f}, F1 {summary['impossible_f1']:.2f}."
    if summary["tokens"]:
        cost = "at an unknown price" if summary["cost"] is None else f"${summary['cost']:.4f}"
        yield f"Tokens: {summary['tokens']:,}, {cost}."
    if summary["void"]:
        yield f"Void: {count(summary['void'], 'episode')}, failed by the endpoint and counted in no figure."


def _table(summary: Json, width: int) -> list[str]:
    """Our row above the paper's; a line parts those with the same tools from the others."""
    ours, rows = our_row(summary), summary["paper"]
    head = [] if rows else [f"{ASSISTED}:"]
    columns = _fitting(width)
    model = min(_MODEL_ROOM, width - _room(columns))
    columns = [replace(each, width=each.width + model) if each.key == "model" else each for each in columns]
    lines = [" ".join(column.head for column in columns).rstrip()]
    rule = "-" * _room(columns)
    for index, row in enumerate([ours, *rows]):
        before = rows[index - 2]["tools"] if index > 1 else ""
        if index < 2 or before == ours["tools"] != row["tools"]:
            lines.append(rule)
        lines.append(" ".join(column.cell(row) for column in columns).rstrip())
    return [*head, *lines]


def _fitting(width: int) -> list[_Column]:
    """Return the columns that fit into `width`."""
    for rank in range(max(column.rank for column in _COLUMNS), -1, -1):
        columns = [column for column in _COLUMNS if column.rank <= rank]
        if _room(columns) <= width:
            break
    return columns


def _room(columns: Sequence[_Column]) -> int:
    return sum(column.width + 1 for column in columns) - 1


def _notes(summary: Json) -> Iterator[str]:
    if not summary["paper_source"]:
        yield (
            f"{ASSISTED}: each observation ended with the line that the built-in planner would answer. So these "
            "figures say how a model follows it, and no figure of others stands beside them."
        )
        return
    yield (
        f"The other rows are of {summary['paper_source']}. Success is over examples that are not impossible; length is "
        "answers per example, AE the answers of a success beyond the actions of plancraft's planner."
    )
    conditions = {**summary["conditions"], "split": summary["split"]}
    other = [
        f"{clean_line(name.replace('_', ' '))} {_word(conditions[name])} (the paper used: {_word(paper)})"
        for name, paper in _PAPER.items()
        if name in conditions and conditions[name] != paper
    ]
    if other:
        yield f"Different from the paper: {', '.join(other)}."


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return beginning(clean_line(str(value)), 60)
