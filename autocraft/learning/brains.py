"""The brains that learn without a model."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from autocraft.learning.progress import Progress
from autocraft.protocols import World
from autocraft.skills.index import Index


@runtime_checkable
class LearningBrain(Protocol):
    """A brain that reads no prompt, but looks at where the run stands."""

    def attach(self, progress: Progress, world: World, index: Index) -> None:
        """Take the progress of the run, its world and its skills, once, before the first question."""
        ...
