"""Chooses the rows of memory for the prompt: near ones, each once, in few tokens, and a plan if it fits."""

from __future__ import annotations

import itertools
import json
from collections.abc import Collection, Mapping
from typing import NamedTuple

from autocraft.memory.plans import plan_of
from autocraft.protocols import Memory, MemoryRecord
from autocraft.session.events import MemoryRow
from autocraft.usage import estimate_tokens

MOST_ROWS = 5
MOST_TOKENS = 400
LONGEST = 500
"""Most characters of one row in the prompt."""
_CANDIDATES = 20


class Situation(NamedTuple):
    """The player's situation. `start` is the digest of the world's state. Plans with an id in `tried` are left out.

    `session` is the run whose prompt has the remarks of the person already, so memory does not repeat them.
    """

    goal: str
    place: str
    inventory: Mapping[str, int]
    start: str = ""
    tried: Collection[str] = ()
    session: str = ""


class MemoryHit(NamedTuple):
    """One row for the prompt, with its text there. `steps` is the number of a plan's commands, 0 for other rows."""

    row: MemoryRecord
    text: str
    steps: int = 0

    def event(self) -> MemoryRow:
        """Return the record of this row for the journal."""
        kind = str(self.row.metadata.get("kind", ""))
        return MemoryRow(id=self.row.id, score=self.row.score, kind=kind, text=self.row.text[:200], steps=self.steps)


def recall(memory: Memory, query: str, situation: Situation) -> list[MemoryHit]:
    """Return a plan that fits, then the rows near to `query`, at most MOST_ROWS and MOST_TOKENS.

    What the person said comes last, the oldest first, so that a later remark is seen to replace an earlier one.
    """
    result = _plans(memory, situation)
    rows = memory.get_relevant(query, _CANDIDATES)
    texts = {situation.goal} if result else set()
    for row in rows:
        kind = row.metadata.get("kind")
        same = str(row.metadata.get("goal")) if kind == "outcome" else " ".join(row.text.casefold().split())
        told = kind == "feedback" and row.metadata.get("session") == situation.session
        if kind in ("plan", "question") or told or same in texts:
            continue
        texts.add(same)
        result.append(MemoryHit(row, _summary(row.text)))
    sizes = itertools.accumulate(estimate_tokens(hit.text) + 4 for hit in result)
    chosen = [hit for hit, tokens in zip(result[:MOST_ROWS], sizes, strict=False) if tokens <= MOST_TOKENS]
    return sorted(chosen, key=_said_at)


def _said_at(hit: MemoryHit) -> float:
    """Return when the person said it, 0 for a row of another kind."""
    when = hit.row.metadata.get("time", 0) if hit.row.metadata.get("kind") == "feedback" else 0
    return when if isinstance(when, int | float) else 0


def _plans(memory: Memory, situation: Situation) -> list[MemoryHit]:
    """Return the shortest plan for these goals that can begin here, in a list. Return [] if there is none."""
    where = {"kind": "plan", "goal": situation.goal, "place": situation.place}
    rows = memory.get_relevant(f"Plan for: {situation.goal}", _CANDIDATES, where=where)
    plans = [(row, plan) for row in rows if row.id not in situation.tried and (plan := plan_of(row))]
    fitting = [(row, plan) for row, plan in plans if plan.fits(situation.inventory, situation.start)]
    if not fitting:
        return []
    row, plan = min(fitting, key=lambda pair: len(pair[1].steps))
    steps = "; ".join(f"{name} {json.dumps(args, ensure_ascii=False)}" for name, args in plan.steps)
    text = f"A plan for this goal worked before: replay_plan id={row.id} carries out its {len(plan.steps)} commands"
    return [MemoryHit(row, _summary(f"{text}: {steps}"), len(plan.steps))]


def _summary(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} [{len(text) - LONGEST:,} more characters]"
