"""The summary as tables: the key figures, the levels, the conditions, and this run beside the paper's rows.

A figure that the summary lacks is left out. `scores.py` makes the summary, `parts.html` writes the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from autocraft.evaluation.published import ASSISTED
from autocraft.page.tables import Table, dollars, duration, percent, plain, rows_table, two
from autocraft.page.tidy import line, number
from autocraft.protocols import Json

FIGURES: Mapping[str, tuple[str, Callable[[object], str]]] = {
    "success": ("Success", percent),
    "n": ("Episodes", plain),
    "void": ("Void episodes", plain),
    "seeds": ("Seeds", plain),
    "impossible_f1": ("Impossible: F1", two),
    "impossible_precision": ("Impossible: precision", two),
    "impossible_recall": ("Impossible: recall", two),
    "plan_length": ("Plan length, in answers", two),
    "action_efficiency": ("Answers beyond the minimum", two),
    "package_efficiency": ("Answers beyond plancraft's planner", two),
    "actions_total": ("Actions of the successes", plain),
    "actions_minimum": ("Fewest known for them", plain),
    "certified": ("Proven to be the fewest", plain),
    "package_actions": ("Actions of plancraft's planner", plain),
    "turns": ("Turns", plain),
    "illegal": ("Illegal turns", plain),
    "unreadable": ("Unreadable turns", plain),
    "tokens": ("Tokens", plain),
    "cost": ("Cost", dollars),
    "seconds": ("Time", duration),
}
_PAPER = {
    "model": "model",
    "tools": "tools",
    "easy": "easy",
    "medium": "medium",
    "hard": "hard",
    "overall": "all",
    "impossible_f1": "imp. F1",
    "plan_length": "length",
    "action_efficiency": "AE",
    "think": "think",
    "search": "search",
    "impossible": "imp.",
    "tokens": "tokens",
}
_LEGEND = (
    "Shares are of the examples that are not impossible. Length: answers per example. AE: answers of a success beyond "
    "the actions of plancraft's planner. Think, search, imp.: how often per example."
)
_SHARES = ("easy", "medium", "hard", "overall")


def summary_tables(summary: Json) -> Json:
    """Return all that the summary has as tables. A page shows no table without rows."""
    source = f"The other rows: {line(summary['paper_source'])}." if summary.get("paper_source") else ""
    return {
        "figures": figures(summary),
        "levels": levels(summary),
        "conditions": conditions(summary),
        "paper": paper(summary),
        "paper_note": f"{_LEGEND} {source}".strip(),
    }


def figures(summary: Json) -> list[tuple[str, str]]:
    """Return name and value of each key figure that the summary has."""
    rows = [(name, word(summary[key])) for key, (name, word) in FIGURES.items() if number(summary.get(key)) is not None]
    if "cost" in summary and number(summary["cost"]) is None:
        rows.append(("Cost", "unknown"))
    return rows


def levels(summary: Json) -> Table:
    """Return the success of each level and recipe type."""
    body = []
    for group in ("levels", "recipe_types"):
        for name, row in _mapping(summary.get(group)).items():
            if isinstance(row, Mapping):
                shares = percent(row.get("success")), percent(row.get("spread"))
                body.append([line(name, 40), plain(row.get("n")), *shares])
    return rows_table(["level or kind", "episodes", "success", "spread"], body)


def conditions(summary: Json) -> Table:
    """Return the conditions of the run."""
    body = [
        [line(name, 60).replace("_", " "), _condition_text(value)]
        for name, value in _mapping(summary.get("conditions")).items()
    ]
    return rows_table(["condition", "value"], body)


def paper(summary: Json) -> Table | None:
    """Return this run's row above those of the paper, alone if the planner assisted. Return None if there are none."""
    rows = paper_rows(summary)
    if not rows and not assisted(summary):
        return None
    own = our_row(summary) | {"model": "this run" if rows else f"this run ({ASSISTED.lower()})"}
    body = [[_paper_cell(key, row.get(key)) for key in _PAPER] for row in (own, *rows)]
    return rows_table(list(_PAPER.values()), body, ours_first=True)


def assisted(summary: Json) -> bool:
    """Return whether the planner's advice was given."""
    return _mapping(summary.get("conditions")).get("advice") is True


def our_row(summary: Json) -> dict[str, Any]:
    """Return our figures under the names of the paper's columns; AE against the package's planner, as there."""
    conditions, tools = _mapping(summary.get("conditions")), _mapping(summary.get("conditions")).get("tools")
    levels = {name: _mapping(level) for name, level in _mapping(summary.get("levels")).items()}
    return {
        **_mapping(summary.get("per_example")),
        **{name: summary.get(name) for name in ("impossible_f1", "plan_length", "tokens")},
        **{name: level.get("success") if level.get("n") else None for name, level in levels.items()},
        "tools": " ".join(map(line, tools)) if isinstance(tools, list | tuple) else "",
        "model": conditions.get("model") or conditions.get("brain") or "this run",
        "overall": summary.get("success") if any(level.get("n") for level in levels.values()) else None,
        "action_efficiency": summary.get("package_efficiency"),
    }


def _paper_cell(key: str, value: object) -> str:
    if key in ("model", "tools"):
        return line(value, 60)
    if key == "tokens":
        return "" if (amount := number(value)) is None else f"{amount / 1e6:.1f}M" if amount else "0"
    return percent(value, 0) if key in _SHARES else two(value)


def paper_rows(summary: Json) -> list[Mapping[str, object]]:
    rows = summary.get("paper")
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list | tuple) else []


def _condition_text(value: object) -> str:
    """Return a condition in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value in (None, ""):
        return "none"
    return ", ".join(map(line, value)) if isinstance(value, list | tuple) else plain(value)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
