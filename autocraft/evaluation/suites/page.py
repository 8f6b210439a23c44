"""The page of a suite's evaluation: one HTML file with its groups, the published rows and every task."""

from __future__ import annotations

from collections.abc import Sequence

from autocraft.evaluation.suites.rows import SuiteResult
from autocraft.page.rendering import render
from autocraft.page.tables import dollars, duration, numbers_table, plain, rows_table, two
from autocraft.page.tidy import line
from autocraft.protocols import Json

_GROUP = ("group", "tasks", "reached", "success", "commands", "game minutes", "deaths", "damage", "tokens", "money")
_TASK = ("goal", "seed", "ended", "commands", "game minutes", "limit", "deaths", "damage", "why")


def page_text(results: Sequence[SuiteResult], summary: Json) -> str:
    """Return the page as text."""
    every, conditions = summary["all"], summary["conditions"]
    who = line(f"{conditions['brain']} {conditions['model']}".strip())
    groups = [*summary["groups"].items(), ("all", every)]
    ours = {group: row["success"] for group, row in summary["groups"].items()}
    rates = {"autocraft": ours, **summary["published"]} if summary["published"] else {}
    beside = [[name, *(two(row.get(group)) or "–" for group in ours)] for name, row in rates.items()]
    values = {
        "title": f"{who} on {summary['title']}",
        "figures": [
            ("tasks reached", f"{every['reached']} of {every['n']}"),
            ("success", two(every["success"])),
            ("deaths", plain(every["deaths"])),
            ("wall time", duration(summary["seconds"]) or "unknown"),
            *([("things given", plain(every["given"]))] if every["given"] else []),
            *([] if every["score"] is None else [("edit distance score", f"{every['score']:.3f}")]),
        ],
        "groups": rows_table(_GROUP, [[name, *_cells(row)] for name, row in groups]),
        "unplayable": rows_table(["task that cannot be played here", "why"], [*summary["unplayable"].items()]),
        "published": numbers_table(["system", *ours], beside, ours_first=True),
        "note": summary["note"],
        "conditions": rows_table(["condition", "value"], [[name, line(value)] for name, value in conditions.items()]),
        "tasks": rows_table(_TASK, [_task(result) for result in results]),
    }
    return render(__package__, "page.html", values)


def _cells(row: Json) -> list[str]:
    means = [mean or "–" for mean in (two(row["success"]), plain(row["commands"]), plain(row["game_minutes"]))]
    counts = [plain(row[name]) for name in ("deaths", "damage", "tokens")]
    return [plain(row["n"]), plain(row["reached"]), *means, *counts, dollars(row["cost"]) or "–"]


def _task(result: SuiteResult) -> list[str]:
    end = "reached" if result.success else "void" if result.void else result.reason or "killed"
    end += "" if result.score is None else f", score {result.score:.2f}"
    counts = [
        plain(each) for each in (result.commands, result.game_minutes, result.limit, result.deaths, result.damage)
    ]
    return [result.goal, str(result.seed), end, *counts, "" if result.success else line(result.why, 200)]
