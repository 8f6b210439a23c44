"""The retrieval brain: runs the skills of a given library that are found for a task, the nearest first."""

from __future__ import annotations

from autocraft.errors import BrainError
from autocraft.learning.oracle import OracleBrain
from autocraft.learning.writing import answer_of
from autocraft.skills.parse import parse


class RetrievalBrain(OracleBrain):
    """Proposes tasks as the oracle does, and runs one of the skills that a model is shown. It writes nothing."""

    name = "retrieval"

    async def _program(self) -> str:
        """Return the nearest skill at the first try, and then another one than at the last try.

        Raises BrainError if there is none for the task.
        """
        progress = self.progress
        if not self.shown:
            raise BrainError(f"no skill is near to {progress.text!r}; give a library with --skills-dir")
        others = [code for code in self.shown if code != progress.code] or self.shown
        code = others[max(0, progress.tries - 1) % len(others)]
        return answer_of([f"run the skill {parse(code).main}"], code)
