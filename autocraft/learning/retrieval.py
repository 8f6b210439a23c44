"""The retrieval brain: runs the skills of a given library that are found for a task, the nearest first."""

from __future__ import annotations

import asyncio

from autocraft.errors import BrainError
from autocraft.learning.oracle import OracleBrain
from autocraft.learning.progress import Progress
from autocraft.learning.writing import answer_of
from autocraft.skills.index import TOP


class RetrievalBrain(OracleBrain):
    """Proposes tasks as the oracle does, and runs one of the five nearest skills at each try. It writes nothing."""

    name = "retrieval"

    async def _program(self, progress: Progress) -> str:
        """Return the next of the five nearest skills. Raises BrainError if there is none for the task."""
        nearest = await asyncio.to_thread(self.skills.search, progress.text, TOP)
        if not nearest:
            folder = self.skills.library.folder
            raise BrainError(f"no skill in {folder} is near to {progress.text!r}; give a library with --skills-dir")
        entry = nearest[progress.tries % len(nearest)].entry
        return answer_of(
            [f"run the skill {entry.name}, number {progress.tries % len(nearest) + 1} by nearness"], entry.code
        )
