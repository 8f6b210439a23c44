"""The progress of a learning run: the fold of its events.

Only `Progress.apply` changes it. It gets the same events live and on resume.
"""

from __future__ import annotations

from typing import Any

import msgspec

from autocraft.learning.events import Attempt, Checkpoint, Task
from autocraft.session import events
from autocraft.session.fields import Stored

DEPOSIT = "deposit useless items"
"""The first words of tasks that empty the inventory. These tasks are not progress, and no skill is stored for them."""

BY_ITSELF = ("By itself the bot ", "The bot died ")
"""How the notes begin that tell what the bot did by itself."""
MOST_REFLEXES = 20
FREE = ("person", "interrupted", "cut")
"""The outcomes of an attempt that do not count against its task."""


class Progress(Stored):
    """The state of a learning run.

    `milestones` has an entry for each kind of item ever held: its name, the iteration and the game ticks at that time.
    """

    task: Task | None = None
    """The present task; None before the first."""
    tries: int = 0
    """The attempts that count against the present task."""
    attempt: Attempt | None = None
    """The newest attempt at the present task."""
    judged: int = 0
    """The number of the newest turn with a verdict."""
    cut_off: int = 0
    """The number of programs in a row that were cut off or did not start, since the run began or was resumed."""
    unused: int = 0
    """The number of answers since the last program that was carried out, or since the run was resumed."""
    cut: int = 0
    """The number of answers in a row that were cut off, since the run began or was resumed."""
    code: str = ""
    """The newest program of the present task."""
    error: str = ""
    """Why the newest answer or program failed."""
    said: list[str] = msgspec.field(default_factory=list)
    """What the newest program said."""
    threw: list[str] = msgspec.field(default_factory=list)
    """The saved skills that threw in the newest program."""
    reflexes: list[str] = msgspec.field(default_factory=list)
    """What the bot did by itself while the newest program ran, and its deaths."""
    words: list[str] = msgspec.field(default_factory=list)
    """Why the person did not keep the newest program as a skill, until the next answer."""
    keeping: bool = False
    """Whether the newest program worked and has not been stored yet."""
    completed: list[str] = msgspec.field(default_factory=list)
    failed: list[str] = msgspec.field(default_factory=list)
    iteration: int = 0
    milestones: dict[str, list[int]] = msgspec.field(default_factory=dict)
    chests: dict[str, Any] = msgspec.field(default_factory=dict)
    """The chests of an earlier run. What the bot sees at these places comes first."""
    taken_over: bool = False
    """Whether an earlier run was taken over."""

    @property
    def text(self) -> str:
        """Return the present task in words."""
        return self.task.goals[0].text if self.task else ""

    @property
    def wording(self) -> str:
        """Return the present task for a model: its words, and what was held before it and does not count."""
        return f"{self.text} ({self.uncounted})" if self.uncounted else self.text

    @property
    def uncounted(self) -> str:
        """Return which held items do not count for the task, because they were there before it. Return '' for none."""
        held = self.task.held if self.task else {}
        amounts = ", ".join(f"{often} {item.removeprefix('#')}" for item, often in held.items())
        return f"{amounts} of before the task do not count" if amounts else ""

    @property
    def over(self) -> bool:
        """Return whether a new task is due."""
        return self.task is None or (self.attempt is not None and self.attempt.over)

    @property
    def rule_failed(self) -> bool:
        """Return whether the newest task came from a rule, such as making room, and was given up."""
        given_up = self.attempt is not None and self.attempt.over and self.attempt.outcome != "goal"
        return given_up and self.task is not None and self.task.by == "rule"

    def apply(self, event: events.Event) -> None:
        """Fold in one event. Events of other agents and types change nothing."""
        if event.agent != "main":
            return
        match event:
            case Task():
                self.task, self.attempt, self.tries = event, None, 0
                self.code, self.error, self.said, self.threw, self.keeping = "", "", [], [], False
                self.reflexes = []
            case events.Reply() | events.Intent() if event.command == "run_program":  # a person may edit the program
                self.code, self.error, self.said, self.words = str(event.args.get("code", "")), "", [], []
                self.reflexes = []
            case events.Note() if event.text.startswith(BY_ITSELF):
                self.reflexes = [*self.reflexes, event.text][-MOST_REFLEXES:]
            case events.InvalidReply():
                self.error, self.said, self.words = event.error, [], []
                self.unused += 1
            case events.Decision() if (event.by, event.kind, event.command) == ("policy", "refuse", "run_program"):
                self.unused += 1
            case events.Result() if event.command == "run_program":
                self._fold_run(event)
            case events.Result() | events.Decision(kind="refuse") if event.command == "save_skill":
                self.keeping = False
                if isinstance(event, events.Decision) and event.feedback:
                    self.words.append(f"The program was not kept as a skill: {event.feedback}")
            case Attempt():
                self._fold_attempt(event)
            case events.Permission() if event.session:
                self.cut_off = self.unused = self.cut = 0
            case Checkpoint():
                self.completed, self.failed, self.iteration = event.completed, event.failed, event.iteration
                self.chests, self.taken_over = event.chests, True
                self.milestones = {name: [at, event.item_ticks.get(name, 0)] for name, at in event.items.items()}

    def _fold_run(self, event: events.Result) -> None:
        self.iteration += event.program is not None  # one that was cut off, or did not start, is none
        self.unused = 0
        program = event.program or {"error": event.text, "said": []}
        self.error, self.said = str(program["error"]), list(map(str, program["said"]))
        self.threw = [name for name, good in program.get("skills", {}).items() if not good]
        missing = [place for place in self.chests if any(f"No chest at {place}" in line for line in self.said)]
        self.chests = {place: content for place, content in self.chests.items() if place not in missing}

    def _fold_attempt(self, event: Attempt) -> None:
        self.attempt, self.judged = event, event.turn
        self.tries += event.outcome not in FREE
        self.cut = self.cut + 1 if event.outcome == "cut" else 0
        self.cut_off = self.cut_off + 1 if event.outcome == "interrupted" else 0
        self.keeping = event.outcome == "goal" and bool(self.code) and not event.unfit
        for item in event.items:
            self.milestones.setdefault(item, [event.iteration, event.ticks or 0])
        if event.over and not is_deposit(self.text):
            (self.completed if event.outcome == "goal" else self.failed).append(self.text)
            self.completed = list(dict.fromkeys(self.completed))
            self.failed = [each for each in self.failed if each not in self.completed]


def is_deposit(task: str) -> bool:
    """Return whether a task only empties the inventory."""
    return task.lower().startswith(DEPOSIT)
