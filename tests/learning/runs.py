"""Writes journals of learning runs, event by event, for tests of their readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from autocraft.session.events import Event
from tests.journals import event

OPTIONS = {"mode": "learn", "brain": "openai", "world": "minecraft", "iterations": 160, "critic": "auto", "seed": 7}
LOG = "async function mineLog(bot) {\n  await mineBlock(bot, 'oak_log', 1)\n}"
PICKAXE = "async function craftPickaxe(bot) {\n  await mineLog(bot)\n  await craftItem(bot, 'wooden_pickaxe', 1)\n}"


class Journal:
    """Events in the order in which a run writes them."""

    def __init__(self, **options: Any) -> None:
        self.events: list[Event] = []
        self.iteration = 0
        self.add("goal", goals=[], options=OPTIONS | options, world=None, continuous=True, session="s")

    def add(self, type: str, **fields: Any) -> int:
        """Append an event. Return its number."""
        made = event(type, **fields)
        self.events.append(replace(made, seq=len(self.events) + 1, time=made.time or 1_700_000_000.0))
        return len(self.events)

    def task(self, text: str, by: str = "curriculum") -> None:
        self.add("task", text=f"Task: {text}", goals=[{"text": text, "items": []}], by=by)

    def attempt(
        self, code: str, *, outcome: str = "goal", items: Sequence[str] = (), at: tuple[float, float] = (0, 0),
        ticks: int = 0, tokens: int = 0, cost: float | None = 0.0, error: str = "",
        skills: Mapping[str, bool] = MappingProxyType({}), **facts: Any,
    ) -> None:  # fmt: skip
        """Append an answer with a program, its run, and the verdict."""
        self.iteration += 1
        turn = self.iteration
        self.add("answer", turn=turn, usage=[tokens, 0, False], cost=cost)
        self.add("reply", turn=turn, ok=True, stage="plain", thoughts={}, command="run_program", args={"code": code})
        intent = self.add("intent", turn=turn, command="run_program", args={"code": code})
        program = {"error": error, "said": [], "skills": dict(skills)}
        self.add("result", turn=turn, intent=intent, command="run_program", text="ran", program=program)
        self.add(
            "attempt", turn=turn, text="judged", outcome=outcome, over=outcome == "goal", iteration=self.iteration,
            world="met" if outcome == "goal" else "not met", model=None, critique="", items=list(items), ticks=ticks,
            facts={"position": {"x": at[0], "y": 64, "z": at[1]}, "dimension": "overworld", **facts},
        )  # fmt: skip

    def keep(self, name: str, code: str) -> None:
        """Append the events that store a skill."""
        intent = self.add("intent", turn=self.iteration, command="save_skill", args={"name": name, "code": code})
        self.add("result", turn=self.iteration, intent=intent, command="save_skill", text="kept")


def pickaxe_run(**options: Any) -> Journal:
    """Return a run that mines a log, fails once, and makes a pickaxe with the skill that it kept."""
    run = Journal(**options)
    run.task("Mine 1 wood log")
    run.attempt(LOG, items=["oak_log"], at=(0, 0), ticks=100, tokens=1_000, cost=0.25, biome="plains")
    run.keep("mineLog", LOG)
    run.task("Craft 1 wooden_pickaxe")
    run.attempt(
        PICKAXE, outcome="program", error="no table", at=(30, 40), ticks=900, tokens=500, cost=0.25, deaths=1,
        skills={"mineLog": False},
    )  # fmt: skip
    items = ["oak_planks", "stick", "wooden_pickaxe"]
    run.attempt(PICKAXE, items=items, at=(60, 0), ticks=1_500, tokens=500, cost=0.5, biome="forest", deaths=1,
        skills={"mineLog": True})  # fmt: skip
    run.keep("craftPickaxe", PICKAXE)
    return run
