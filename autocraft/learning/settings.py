"""The settings of a learning run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from autocraft.errors import UsageError
from autocraft.frozen import frozen
from autocraft.settings.fields import SEED, setting
from autocraft.text.phrases import near_ending

WARM_UP = {
    "context": 15, "biome": 10, "time": 15, "nearby_blocks": 0, "other_blocks": 10, "nearby_entities": 5, "health": 15,
    "hunger": 15, "position": 0, "equipment": 0, "inventory": 0, "optional_inventory_items": 7, "chests": 0,
    "completed_tasks": 0, "failed_tasks": 0,
}  # fmt: skip
"""Field -> the number of reached tasks from which a proposal may see it, as in Voyager.

``context`` are the questions that the curriculum asks itself, ``optional_inventory_items`` the items that are not core.
"""
ALWAYS = ("nearby_blocks", "inventory", "completed_tasks", "failed_tasks")
"""The fields that a proposal always sees."""
CORE_ITEMS = r".*_log|.*_planks|stick|crafting_table|furnace|cobblestone|dirt|coal|.*_pickaxe|.*_sword|.*_axe"


@frozen
class LearnSettings:
    """How tasks are proposed, tried and judged."""

    iterations: int = setting(160, "--iterations", doc="how many programs to run")
    tries: int = setting(4, "--tries", doc="how many tries one task gets")
    curriculum: str = setting(
        "auto",
        "--curriculum",
        words=("auto", "manual", "random"),
        power=True,
        doc="who proposes tasks: auto, manual (you), or random (any item; only for comparison)",
    )
    critic: str = setting(
        "auto",
        "--critic",
        words=("auto", "both", "manual", "none"),
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
    chance_seed: int = setting(
        1, "--chance-seed", doc="seed of the curriculum's random choices", least=-SEED, most=SEED
    )
    library: bool = setting(True, "--library/--no-library", doc="keep skills and show them to the model")
    chat_log: bool = setting(True, "--chat-log/--no-chat-log", doc="show the model what its program said")
    show_errors: bool = setting(True, "--show-errors/--no-show-errors", doc="show the model how its program failed")
    warm_up: tuple[str, ...] = setting(
        (),
        "--warm-up FIELD=N",
        doc="from how many reached tasks on a proposal sees a field, such as biome=10; repeat for several",
    )
    core_items: str = setting(
        CORE_ITEMS, "--core-items PATTERN", power=True, doc="the items that a proposal sees before the whole inventory"
    )
    shown: int = setting(5, "--shown", doc="how many of the nearest skills a prompt shows")
    context: str = setting(
        "", "--context", power=True, doc="how the sub-goals may be done, in place of what the model says about it"
    )
    give_up: bool = setting(False, "--give-up", doc="end the run when a sub-goal was tried as often as --tries says")
    ckpt_dir: Path | None = setting(
        None,
        "--ckpt-dir DIR",
        power=True,
        doc="a folder like Voyager's ckpt, which names the session and is written again after each task",
    )
    take_back: bool = setting(
        True, "--take-back/--no-take-back", doc="after each program, dig up the crafting tables and furnaces it placed"
    )
    give_back: bool = setting(False, "--give-back", doc="after a failed try, dig up the blocks that it placed")
    difficulty_rule: bool = setting(
        False, "--difficulty-rule", doc="peaceful until 16 tasks are reached, then easy, as Voyager set it by a cheat"
    )

    @property
    def inference(self) -> bool:
        """Tell whether the run solves one task and does not learn."""
        return bool(self.task or self.sub_goal)

    @cached_property
    def fields(self) -> Mapping[str, int]:
        """Return from how many reached tasks on a proposal sees each field. Raises UsageError."""
        fields = dict(WARM_UP)
        for each in self.warm_up:
            name, _, least = each.partition("=")
            if name not in WARM_UP or not least.isdecimal():
                near = near_ending(name, WARM_UP)
                raise UsageError(f"--warm-up {each[:60]!r}: give a field and a number, such as biome=10; {near}")
            fields[name] = 0 if name in ALWAYS else int(least)
        return fields

    @cached_property
    def core(self) -> re.Pattern[str]:
        """Return the pattern of the core items. Raises UsageError."""
        try:
            return re.compile(self.core_items)
        except re.error as error:
            raise UsageError(f"--core-items {self.core_items[:60]!r} is no regular expression: {error}") from None

    def check(self) -> None:
        """Raise UsageError for invalid values."""
        _ = self.fields, self.core
