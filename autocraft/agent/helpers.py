"""Helpers of the main agent. Each has its own turns, transcript and share of the limits, in the same journal.

Every event carries the name of its agent. A helper's commands go through a gate to the same person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from autocraft.agent.context import RunContext
from autocraft.agent.ending import RunEnded, accepted_end
from autocraft.agent.helper_states import REPLY, Helper, can_be_granted, helper_commands
from autocraft.agent.limits import first_exceeded
from autocraft.agent.loop import PATIENCE, Agent
from autocraft.agent.spec import AgentSpec, Answering
from autocraft.agent.state import State
from autocraft.errors import Advice, AutocraftError, CommandError
from autocraft.memory.none import NoMemory
from autocraft.protocols import END_OF_INPUT, Call, Check, Command, Json, Observation, Plan
from autocraft.session.events import Deleted, Message, Spawn


class Nowhere:
    """The world of a helper. It has no body, so it sees nothing but what it looks up."""

    name = "nowhere"
    facade = ""
    items: frozenset[str] = frozenset()
    deeds: Mapping[str, int] = MappingProxyType({})

    async def observe(self) -> Observation:
        return Observation("You have no body in the world. Look things up with your commands.", {})

    def commands(self) -> list[Command]:
        return []

    async def check(self, goal: object) -> Check:
        return Check("cannot tell", "a helper has no body")

    async def plan(self, goals: object, *, low_level: bool = False) -> Plan:
        return Plan("not found", why="a helper has no body")

    def snapshot(self) -> Json | None:
        return None

    def restore(self, snapshot: Json) -> None:
        return

    async def close(self) -> None:
        return


@dataclass(frozen=True)
class HelperRules:
    """Decides when a helper's turns are over, and what the main agent reads then."""

    run: RunContext
    helper: Helper

    async def check(self, state: State) -> None:
        """Raise RunEnded if the helper's turns are over."""
        run, name = self.run, self.helper.name
        end = accepted_end(state.turn.result)
        if end is not None:
            raise end
        if run.state.pending_feedback:
            raise RunEnded("feedback", 4, f"Agent {name} stopped, since the person said something.")
        steps = state.turns - self.helper.turns_at_message
        limits = replace(run.options.limits, max_steps=None, continuous_limit=None)  # turns of the main agent
        over = first_exceeded(self.helper.limits, state.spending) or first_exceeded(limits, run.state.spending)
        if steps >= run.options.agents.agent_steps or over is not None:
            why = f"{steps} turns" if over is None else over[0]
            raise RunEnded("limit", 3, f"Agent {name} has not replied within its limits ({why}).")
        if max(state.repetition, state.invalid_in_a_row) >= PATIENCE:
            raise RunEnded("stuck", 3, f"Agent {name} repeats itself or cannot be read; it was stopped.")


class HelperTeam:
    """Starts, messages and deletes the helpers of the call's run, for `commands/agents.py`."""

    def allowed(self, call: Call, grants: Sequence[str]) -> list[str]:
        """Return the commands that only look, then the grants. Raises CommandError for a grant that is not possible."""
        registry = _run_of(call).registry
        for name in grants:
            if not can_be_granted(registry, name):
                raise CommandError(f"{name[:60]!r} cannot be granted; grant commands of your own list, by name")
        return [command.name for command in helper_commands(registry, grants)]

    async def start(self, call: Call, name: str, task: str, prompt: str, grants: Sequence[str]) -> tuple[int, str]:
        """Start a helper, or find the one that this call started before a kill. Return its key and first reply."""
        run = _run_of(call)
        helper = run.helpers.of_call(call.id)
        if helper is None:
            _check_room(run, name)
            self.allowed(call, grants)
            key = run.helpers.last_key + 1
            text = f"agent {name} was started"
            spawn = Spawn(agent=name, text=text, key=key, task=task, grants=list(grants), call=call.id, **_share(run))
            run.journal.append(spawn)
            helper = run.helpers.live[name]
        return helper.key, await _talk(run, helper, call.id, f"Your task: {task}\n\n{prompt}".strip())

    async def message(self, call: Call, key: int, text: str) -> str:
        run = _run_of(call)
        return await _talk(run, _helper(run, key), call.id, text)

    def roster(self, call: Call) -> list[tuple[int, str, str]]:
        return [(helper.key, helper.name, helper.task) for helper in _run_of(call).helpers.live.values()]

    def delete(self, call: Call, key: int) -> str:
        """Delete a helper. Return its name. The same call, carried out again after a kill, deletes nothing more."""
        run = _run_of(call)
        name = run.helpers.deletions.get(call.id)
        if name is None:
            name = _helper(run, key).name
            run.journal.append(Deleted(agent=name, text=f"agent {name} was deleted", key=key, call=call.id))
        return name


def _run_of(call: Call) -> RunContext:
    run: RunContext = call.run
    return run


def _helper(run: RunContext, key: int) -> Helper:
    helper = run.helpers.of_key(key)
    if helper is None:
        advice = Advice("{} shows the keys of those that do", ("list_agents",))
        raise CommandError(f"Agent {key} does not exist", advice)
    return helper


def _check_room(run: RunContext, name: str) -> None:
    """Raise CommandError if no helper of this name can be started."""
    live, most = run.helpers.live, run.options.agents.agents
    if not run.priced.brain.asks_model:
        raise CommandError("the built-in planner leads no helpers; they need a model")
    if name in live:
        raise CommandError(f"there is an agent called {name} already; message it, or choose another name")
    if len(live) >= most:
        raise CommandError(f"there are {most} agents already; delete one first")


def _share(run: RunContext) -> Json:
    """Return a share of the run's remaining tokens and dollars. A value is None if there is no limit."""
    part, spending, limits = run.options.agents.agent_share, run.state.spending, run.options.limits
    tokens = None if limits.max_tokens is None else (limits.max_tokens - spending.tokens) // part
    cost = None if limits.max_cost is None else (limits.max_cost - spending.cost) / part
    return {"max_tokens": tokens, "max_cost": cost}


async def _talk(run: RunContext, helper: Helper, id: str, message: str) -> str:
    """Send the message once, and take the helper's turns until it replies. Return the reply."""
    if id not in helper.messages:
        text = f"to {helper.name}: {message}"
        run.journal.append(Message(agent=helper.name, text=text, message=message, call=id))
    agent = Agent(run, helper_spec(helper), HelperRules(run, helper))
    try:
        while True:
            await agent.turn()
    except RunEnded as ended:
        by_person = ended.reason == "stopped" and ended.why != END_OF_INPUT
        return f"Agent {helper.name} was stopped by the person." if by_person else ended.why
    except AutocraftError as error:
        return f"Agent {helper.name} could not go on: {error}"


def helper_spec(helper: Helper) -> AgentSpec:
    """Return the parts of a helper: no body, no memory, and the fast model."""
    return AgentSpec(
        helper.state,
        helper.limits,
        helper.registry,
        helper.transcript,
        Nowhere(),
        NoMemory(),
        Answering(role="fast"),
        free=(REPLY,),
    )
