"""The page of a learning run: one HTML file with its figures, its curves, its map and its library.

It has the look and the parts of all pages (`autocraft/page`). Its script only draws the pictures of items.
"""

from __future__ import annotations

from autocraft.learning import published
from autocraft.learning.plots import all_plots
from autocraft.learning.record import TIERS, Record
from autocraft.learning.report import beside, conditions, figures, knowledge, milestone_row
from autocraft.page.rendering import joined_scripts, render
from autocraft.page.tables import Table, numbers_table, rows_table
from autocraft.page.tidy import line, text

_COLUMNS = ("iteration", "game ticks", "tokens", "money")


def page_text(record: Record, session: str) -> str:
    """Return the page as text."""
    rows = beside(record)
    milestones = [[name, *milestone_row(moment)] for name, moment in record.milestones().items()]
    values = {
        "title": f"Learning run {line(session)}",
        "figures": [(name, line(value)) for name, value in figures(record)],
        "conditions": rows_table(["condition", "value"], conditions(record)),
        "knowledge": knowledge(record),
        "milestones": numbers_table(["milestone", *_COLUMNS], milestones),
        "paper": numbers_table(["method", *TIERS], [[name, *row] for name, row in rows.items()], ours_first=True),
        "paper_note": f"The other rows: {published.SOURCE}; mean ± standard deviation (trials that got there).",
        "plots": all_plots(record, paper=bool(rows)),
        "attempts": _attempts(record),
        "programs": [
            {
                "title": f"Iteration {step.moment.iteration}, {step.outcome}: {line(step.task, 80)}",
                "parts": [("Critique", text(step.critique)), ("Error", text(step.error)), ("Program", text(step.code))],
            }
            for step in record.steps
        ],
        "skills": [
            {
                "title": f"{line(name, 80)}, kept at iteration {skill.iteration}",
                "parts": [("Calls", text(", ".join(skill.calls))), ("Program", text(skill.code))],
            }
            for name, skill in record.skills.items()
            if skill.iteration is not None
        ],
    }
    return render(__package__, "page.html", values, joined_scripts(__package__) + "\ndrawItems(document)\n")


def _attempts(record: Record) -> Table:
    rows = [
        [step.moment.iteration, line(step.task, 80), step.outcome, step.items, step.skills, line(step.biome, 40)]
        for step in record.steps
    ]
    return rows_table(["iteration", "task", "outcome", "kinds of items", "skills", "biome"], rows)
