"""The settings of a learning run."""

from __future__ import annotations

import math
from pathlib import Path

from autocraft.errors import UsageError
from autocraft.frozen import frozen
from autocraft.settings.fields import setting

CURRICULA = ("auto", "manual", "random")
CRITICS = ("auto", "both", "manual", "none")


@frozen
class LearnSettings:
    """How tasks are proposed, tried and judged."""

    iterations: int = setting(160, "--iterations", doc="how many programs to run")
    tries: int = setting(4, "--tries", doc="how many tries one task gets")
    curriculum: str = setting(
        "auto",
        "--curriculum",
        power=True,
        doc="who proposes tasks: auto, manual (you), or random (any item; only for comparison)",
    )
    critic: str = setting(
        "auto",
        "--critic",
        power=True,
        doc="who judges: auto (the world if it can, else the model), both, manual (you), or none (only for comparison)",
    )
    task: str = setting(
        "", "--task", power=True, doc="solve this one task by sub-goals, with the skills of the library; store none"
    )
    sub_goal: tuple[str, ...] = setting((), "--sub-goal", power=True, doc="a sub-goal of the task; repeat for several")
    from_ckpt: Path | None = setting(
        None,
        "--from-ckpt DIR",
        power=True,
        runs=True,
        doc="begin with the tasks, answers and skills of a ckpt folder of Voyager",
    )
    first_task: str = setting(
        "Mine 1 wood log", power=True, doc="the first task, if the world allows it; empty for none"
    )
    chance_seed: int = setting(1, "--chance-seed", doc="seed of the curriculum's random choices")
    library: bool = setting(True, "--library/--no-library", doc="keep skills and show them to the model")
    chat_log: bool = setting(True, "--chat-log/--no-chat-log", doc="show the model what its program said")
    show_errors: bool = setting(True, "--show-errors/--no-show-errors", doc="show the model how its program failed")
    give_back: bool = setting(False, "--give-back", doc="after a failed try, dig up the blocks that it placed")
    difficulty_rule: bool = setting(
        False, "--difficulty-rule", doc="peaceful until 16 tasks are reached, then easy, as Voyager set it by a cheat"
    )

    @property
    def inference(self) -> bool:
        """Tell whether the run solves one task and does not learn."""
        return bool(self.task or self.sub_goal)

    def check(self) -> None:
        """Raise UsageError for invalid values."""
        for name in ("iterations", "tries"):
            value = getattr(self, name)
            if not 0 < value < math.inf:
                raise UsageError(f"--{name} must be 1 or more, not {value}")
        for name, choices in (("curriculum", CURRICULA), ("critic", CRITICS)):
            value = getattr(self, name)
            if value not in choices:
                raise UsageError(f"--{name} {value[:40]!r}: choose {', '.join(choices)}")
