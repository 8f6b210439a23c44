"""Plans that worked, as rows of memory: what they need, and whether they fit the player's situation.

The id of a plan is a hash of its content, so an id never means another plan than the one that was shown.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from autocraft.protocols import Args, Json, MemoryRecord
from autocraft.session.atomic import sha256
from autocraft.session.events import Event, Goals, Intent, Result

LEAST_STEPS = 2
MOST_STEPS = 200
BY_NAME = frozenset({"craft_item", "smelt_item"})
"""Commands that work wherever the items lie. The others need the very state in which they worked."""


class StoredPlan(NamedTuple):
    """Commands that led to a goal. `needs` are the items that they used up.

    `start` is the digest of the state in which they began. It is empty if any state will do.
    """

    goal: str
    place: str
    steps: tuple[tuple[str, Args], ...]
    needs: Mapping[str, int]
    start: str = ""

    @property
    def id(self) -> str:
        content = [self.goal, self.place, [list(step) for step in self.steps], sorted(self.needs.items()), self.start]
        return f"plan-{_hash(content)}"

    def row(self, session: str, now: int) -> MemoryRecord:
        items = ", ".join(f"{count} {item}" for item, count in sorted(self.needs.items()))
        text = f"Plan for: {self.goal} ({len(self.steps)} commands, from {items or 'nothing'})"
        metadata = {"kind": "plan", "session": session, "time": now, "goal": self.goal, "place": self.place}
        steps = [list(step) for step in self.steps]
        return MemoryRecord(self.id, text, {**metadata, "steps": steps, "needs": dict(self.needs), "start": self.start})

    def fits(self, inventory: Mapping[str, int], start: str) -> bool:
        """Return whether the plan can begin with this inventory, in the state whose digest is `start`."""
        enough = all(inventory.get(item, 0) >= count for item, count in self.needs.items())
        return enough and self.start in ("", start)


def plan_of(row: MemoryRecord) -> StoredPlan | None:
    """Return the plan in a row. Return None if the row has none, or if its id is not the hash of the plan."""
    data: Mapping[str, Any] = row.metadata
    steps, needs = data.get("steps"), data.get("needs")
    if data.get("kind") != "plan" or not isinstance(steps, list) or not isinstance(needs, dict):
        return None
    if not 0 < len(steps) <= MOST_STEPS or not all(_is_step(step) for step in steps):
        return None
    texts = [data.get(name) for name in ("goal", "place", "start")]
    if not all(isinstance(count, int) for count in needs.values()) or not all(isinstance(text, str) for text in texts):
        return None
    plan = StoredPlan(str(texts[0]), str(texts[1]), tuple((name, args) for name, args in steps), needs, str(texts[2]))
    return plan if plan.id == row.id else None


def digest(snapshot: Json | None) -> str:
    """Return a short hash of a world's state. Return "" if the world has no snapshots."""
    return "" if snapshot is None else _hash(snapshot)


def _hash(value: object) -> str:
    return sha256(json.dumps(value, sort_keys=True))[:16]


def needs_of(inventories: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return the items that a plan needs, by the inventories at the start and after each step."""
    begin = inventories[0]
    least = {item: min(inventory.get(item, 0) for inventory in inventories) for item in begin}
    return {item: count - least[item] for item, count in begin.items() if count > least[item]}


class PlanOutcome(NamedTuple):
    """The steps of a run after its goals were last set, and the world's states from the first to the last."""

    steps: tuple[tuple[str, Args], ...]
    states: tuple[Json, ...]


def plan_outcome_of(events: Iterable[Event], commands: Collection[str]) -> PlanOutcome | None:
    """Return the course of a run by the events of its journal, the newest first, without the undone steps.

    Return None if the world has no snapshots, if something other than `commands` changed it, or if there are more than
    MOST_STEPS steps.
    """
    undone: set[int] = set()
    changes: dict[int, Json] = {}
    intents: dict[int, Intent] = {}
    complete, state = False, None
    for event in events:
        complete = complete or isinstance(event, Goals)
        if complete and state is None and isinstance(event, Goals | Result):
            state = event.world
        match event:
            case Result() if not complete:
                if event.undone is not None:
                    undone.add(event.undone)
                elif event.intent in undone:
                    undone.remove(event.intent)
                elif event.world is not None:
                    changes[event.intent] = event.world
            case Intent() if event.seq in changes:
                intents[event.seq] = event
        if len(changes) > MOST_STEPS or (complete and state and len(intents) == len(changes)):
            break
    if undone or state is None or len(intents) < len(changes):  # what is left was undone after the goals were set
        return None
    steps: list[tuple[str, Args]] = []
    for intent in reversed(changes):
        more = _steps_of(intents[intent], commands)
        if more is None:
            return None
        steps += more
    return PlanOutcome(tuple(steps), (state, *reversed(changes.values())))


def _steps_of(intent: Intent, commands: Collection[str]) -> list[tuple[str, Args]] | None:
    """Return the steps of one command. Return None if they cannot be repeated."""
    if intent.command in commands:
        return [(intent.command, intent.args)]
    steps = intent.evidence.get("steps", [])
    if intent.command != "replay_plan" or not isinstance(steps, list) or not all(map(_is_step, steps)):
        return None
    return [(name, args) for name, args in steps]


def _is_step(step: object) -> bool:
    return isinstance(step, list) and len(step) == 2 and isinstance(step[0], str) and isinstance(step[1], dict)
