"""What of memory is worth telling now: near enough, each thing once, in few tokens, and plans only where they fit."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from autocraft.memory.plans import Plan, plan_of
from autocraft.protocols import Json, Memory, Recollection
from autocraft.usage import estimate_tokens

MOST_ROWS = 5
MOST_TOKENS = 400
LONGEST = 500
"""Characters of one row that are told."""
_LOOKED_AT = 20


@dataclass(frozen=True)
class Situation:
    """Where the player stands: `start` is the digest of the world's state, `tried` are plans not to be told again."""

    goals: Sequence[str]
    place: str
    inventory: Mapping[str, int]
    start: str = ""
    tried: Collection[str] = ()

    @property
    def goal(self) -> str:
        return "; ".join(self.goals)


@dataclass(frozen=True)
class Told:
    """One row as the model is told it, and as the journal names it."""

    row: Recollection
    text: str
    steps: int = 0

    def event(self) -> Json:
        """For the journal: enough to know later what was told and how near it was."""
        told: Json = {"id": self.row.id, "score": self.row.score, "kind": str(self.row.metadata.get("kind", ""))}
        return {**told, "text": self.row.text[:200]} | ({"steps": self.steps} if self.steps else {})


def recall(memory: Memory, query: str, situation: Situation) -> list[Told]:
    """A plan that fits, then what is near to `query`, as far as the tokens reach."""
    found = _plans(memory, situation)
    rows = memory.get_relevant(query, _LOOKED_AT)
    seen = {situation.goal} if found else set()
    for row in rows:
        kind = row.metadata.get("kind")
        same = str(row.metadata.get("goal")) if kind == "outcome" else " ".join(row.text.casefold().split())
        if kind == "plan" or same in seen:
            continue
        seen.add(same)
        found.append(Told(row, _shortened(row.text)))
    return _within(found)


def _plans(memory: Memory, situation: Situation) -> list[Told]:
    """The shortest plan for these goals that can be begun here, if there is one."""
    where = {"kind": "plan", "goal": situation.goal, "place": situation.place}
    fitting: list[tuple[Recollection, Plan]] = []
    for row in memory.get_relevant(f"Plan for: {situation.goal}", _LOOKED_AT, where=where):
        plan = plan_of(row)
        if plan is not None and row.id not in situation.tried and plan.fits(situation.inventory, situation.start):
            fitting.append((row, plan))
    if not fitting:
        return []
    row, plan = min(fitting, key=lambda pair: len(pair[1].steps))
    steps = "; ".join(f"{name} {json.dumps(args, ensure_ascii=False)}" for name, args in plan.steps)
    text = f"A plan for this goal worked before: replay_plan id={row.id} carries out its {len(plan.steps)} commands"
    return [Told(row, _shortened(f"{text}: {steps}"), len(plan.steps))]


def _within(found: Sequence[Told]) -> list[Told]:
    room = MOST_TOKENS
    told = []
    for each in found[:MOST_ROWS]:
        room -= estimate_tokens(each.text) + 4
        if room < 0:
            break
        told.append(each)
    return told


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} [{len(text) - LONGEST:,} more characters]"
