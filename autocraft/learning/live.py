"""What the live page shows of a learning run: its task, its attempts as they happen, its curve and its items."""

from __future__ import annotations

from autocraft.learning.plots import items, over_prompts
from autocraft.learning.record import Record, Step
from autocraft.learning.report import beside, figures
from autocraft.page.drawing import Plot
from autocraft.page.tidy import line
from autocraft.protocols import Json
from autocraft.session.events import Event

ATTEMPTS = 12
"""Attempts on the page, the newest first."""
FIGURES = ("Iterations", "Kinds of items", "Tasks reached", "Skills kept", "Deaths", "Tokens, money")


class LearningParts:
    """The parts of the page, folded from the events (`web/live.py:OwnParts`)."""

    def __init__(self) -> None:
        self._record = Record()

    def apply(self, event: Event) -> None:
        """Fold in one event."""
        self._record.apply(event)

    @property
    def goals(self) -> list[str]:
        """Return the task."""
        return [text] if (text := self._record.progress.text) else []

    def figures(self) -> list[tuple[str, str]]:
        return [row for row in figures(self._record) if row[0] in FIGURES]

    def plots(self) -> list[Plot]:
        return [over_prompts(self._record, paper=bool(beside(self._record))), items(self._record)]

    def to_json(self) -> Json:
        """Return what is tried now, and the last attempts."""
        progress = self._record.progress
        now = f"try {progress.tries + 1} of {self._record.options.get('tries') or '?'}"
        return {
            "task": line(f"Now, {now}: {progress.text}", 400) if not progress.over else "",
            "attempts": [self._attempt(step) for step in reversed(self._record.steps[-ATTEMPTS:])],
        }

    def _attempt(self, step: Step) -> Json:
        reached = step.outcome == "goal"
        new = [item for item, moment in self._record.first_held.items() if moment is step.moment]
        return {
            "iteration": step.moment.iteration,
            "task": line(step.task, 200),
            "reached": reached,
            "outcome": "reached" if reached else line(step.outcome, 40),
            "why": "" if reached else line(step.error or step.critique, 400),
            "items": [line(item, 60) for item in new],
        }
