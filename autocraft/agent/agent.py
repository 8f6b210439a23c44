"""An agent: the main agent of a run, one of its helpers, or the player of an episode."""

from __future__ import annotations

from autocraft.agent.context import RunContext
from autocraft.agent.ending import Ending
from autocraft.agent.gate import Gate
from autocraft.agent.loop import Loop
from autocraft.agent.spec import AgentSpec, Rules
from autocraft.agent.thinker import Thinker
from autocraft.session.events import End


class Agent:
    """Thinks and acts within a run until its rules end it. The default rules are those of a run."""

    def __init__(self, run: RunContext, spec: AgentSpec, rules: Rules | None = None) -> None:
        self.context = run
        self.spec = spec
        self.thinker = Thinker(run, spec)
        self.gate = Gate(run, spec.state, spec.registry, spec.free)
        self.loop = Loop(run, spec, self.thinker, self.gate, Ending(run), rules)

    async def run(self) -> End:
        """Take turns until the end. Return the end event."""
        return await self.loop.run()
