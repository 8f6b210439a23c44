"""The events of a learning run. They join those of every run by `features.EVENTS`."""

from __future__ import annotations

from typing import Literal

from autocraft.protocols import Json
from autocraft.session.event import written
from autocraft.session.events import Aim, Line
from autocraft.session.fields import Count

By = Literal["curriculum", "rule", "person", "sub-goal"]
Outcome = Literal["goal", "program", "critic", "person", "interrupted", "cut"]


class Task(Aim, tag="task"):
    """A task to learn from: the goal of the attempts that follow, alone in the list. `by` proposed it."""

    context: str = ""
    remaining: list[str] = written(list)
    """The sub-goals after this one."""
    held: dict[str, Count] = written(dict)
    """How many of each item of the goal were held when the task began. The goal asks for that many more."""
    by: By


class Checkpoint(Line, tag="checkpoint"):
    """What a learning run took over from an earlier one, of Voyager's or of its own."""

    completed: list[str]
    failed: list[str]
    items: dict[str, Count]
    """Kind of item -> the iteration after which it was first held."""
    item_ticks: dict[str, Count]
    """Kind of item -> the game ticks at that time."""
    chests: Json
    """Place of a chest -> its items, or Unknown."""
    iteration: Count
    """How many programs were carried out before."""


class Attempt(Line, tag="attempt"):
    """The verdict on one attempt at a task: whether it was reached, and what the attempt found."""

    outcome: Outcome
    """``goal``: reached. ``program``: unreadable, or it failed. ``critic``: it ran, but the task is not reached.
    ``person``: refused. ``interrupted``: the program was cut off. ``cut``: the answer was cut off by the limit of the
    model. These three do not count against the task."""
    over: bool
    """Whether the task is over: it was reached, or there are no tries left."""
    iteration: Count
    """How many programs were carried out until now."""
    world: str
    """The verdict of the world: met, not met, or cannot tell."""
    model: bool | None
    """The verdict of the critic; None if it was not asked."""
    critique: str
    unfit: str = ""
    """Why the program is no skill although the task is reached; '' if it is one."""
    items: list[str]
    """Kinds of items that were held for the first time."""
    facts: Json
    """What was seen afterwards: position, biome, health, and chests."""
