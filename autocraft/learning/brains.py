"""The base class of the brains that learn without a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from autocraft.errors import BrainError
from autocraft.learning.action import ActionPrompt
from autocraft.learning.progress import Progress
from autocraft.protocols import Answer, Message, World
from autocraft.session.events import Event
from autocraft.session.journal import Journal
from autocraft.session.reading import Events
from autocraft.skills.parse import parse
from autocraft.usage import Usage


class LearningBrain:
    """A brain that reads no prompt. It looks at the progress of the run, and answers in the form of a model.

    It sees the same skills as a model: `shown` are the programs of the nearest ones, `names` those that can be called.

    A subclass sets `name` and defines `answer`.
    """

    name = ""
    reads_prompt = False
    metered = False
    asks_model = False
    progress: Progress
    world: World
    prompt: ActionPrompt
    _attached = False

    @classmethod
    def for_run(cls, options: object) -> Self:
        """Return the brain of a run."""
        return cls()

    @property
    def shown(self) -> Sequence[str]:
        """Return the programs of the skills that are near to the task, the nearest first."""
        return self.prompt.skills

    @property
    def names(self) -> frozenset[str]:
        """Return the names of all skills that a program can call. Return none after a failed try at the task.

        A brain without a model cannot mend a skill. So the next try does without, and fails for reasons of its own.
        """
        if self.progress.tries:
            return frozenset()
        return frozenset((*(parse(code).main for code in self.shown), *self.prompt.names))

    def attach(self, progress: Progress, world: World, prompt: ActionPrompt, journal: Journal) -> None:
        """Take the progress of the run, its world, its prompt and its events, once, before the first question."""
        self.progress, self.world, self.prompt = progress, world, prompt
        self._attached = True
        if type(self).apply is not LearningBrain.apply:
            for event in Events(journal.folder):
                self.apply(event)
            journal.listeners.append(self.apply)

    def apply(self, event: Event) -> None:
        """See one event of the run. It gets all of them, live and again on a resume, if a subclass defines it."""

    async def think(self, messages: Sequence[Message], *, role: str = "smart", **options: object) -> Answer:
        """Return a task or a program. Raises BrainError if there is none, or if the run does not learn."""
        if not self._attached:
            raise BrainError(f"the {self.name} plays no goals: use it with `autocraft learn`, or --brain planner")
        return Answer(await self.answer(role), usage=Usage())

    async def answer(self, role: str) -> str:
        """Return the next task for the role curriculum, else a program. Raises BrainError if there is none."""
        raise NotImplementedError

    async def close(self) -> None:
        return
