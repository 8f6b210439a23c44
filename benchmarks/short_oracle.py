"""The short oracle: the oracle with its budget cut. It writes only the first few steps of its plan in one program.

So it needs several programs for a task, as a weak model does, unless skills of its library do a part of the plan. It
proposes what an item is made of before the item, so that its skills build on one another.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from autocraft.goals import Goal
from autocraft.learning.oracle import OracleBrain, calls_of, program_of
from autocraft.learning.writing import function, function_name, maker_of
from autocraft.protocols import Observation, Step

MOST_STEPS = 2
"""The most steps of a plan that one program carries out itself. A skill that it calls may do more."""


class ShortOracle(OracleBrain):
    """Writes short programs."""

    name = "short-oracle"

    async def before(self, item: str, old: Collection[str]) -> str:
        """Return the first item of the plan for an item that was never held."""
        plan = await self.world.plan([Goal.parse(f"Obtain 1 {item}", self.world.items)])
        return next((step.item for step in plan.steps if step.item and step.item not in old), item)

    def write(self, item: str, steps: Sequence[Step], seen: Observation) -> str:
        """Return the first steps of a plan as a program, or the call of the skill that makes the item."""
        if maker := maker_of(item, self.names):
            lines = [f"// Get one more {item}.", f"const enough = have('{item}') + 1", calls_of(item, "enough", maker)]
            return function(function_name("obtain", item), lines)
        return program_of(item, shortened(steps, self.names), seen, self.names)


def shortened(steps: Sequence[Step], skills: Collection[str], most: int = MOST_STEPS) -> list[Step]:
    """Return the first steps of a plan, up to `most` that gain an item, without those for which there are skills."""
    needed, chosen, own = {steps[-1].item}, list[Step](), True
    for step in reversed(steps):
        if step.item:  # the steps before it that gain nothing lead to it
            own = step.item in needed and not maker_of(step.item, skills)
        if own:
            needed |= {*step.takes, *step.tools, step.station}
            chosen.insert(0, step)
    gaining = [at for at, step in enumerate(chosen) if step.item]
    return chosen[: gaining[most - 1] + 1] if len(gaining) > most else chosen
