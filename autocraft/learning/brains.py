"""The base class of the brains that learn without a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from autocraft.errors import BrainError
from autocraft.learning.progress import Progress
from autocraft.protocols import Answer, Message, World
from autocraft.skills.index import Index
from autocraft.usage import Usage


class LocalBrain:
    """A brain that reads no prompt. It looks at the progress of the run, and answers in the form of a model.

    A subclass sets `name` and defines `answer`.
    """

    name = ""
    reads_prompt = False
    metered = False
    asks_model = False
    _attached = False

    @classmethod
    def for_run(cls, options: object) -> Self:
        """Return the brain of a run."""
        return cls()

    def attach(self, progress: Progress, world: World, index: Index) -> None:
        """Take the progress of the run, its world and its skills, once, before the first question."""
        self._progress, self._world, self._index = progress, world, index
        self._attached = True

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
