"""Helpers of the main agent: sub-agents that it starts, messages and deletes by commands under Auto-GPT's names.

Each has its own turns, transcript and share of the limits, in the same journal. Every event carries the name of its
agent. A helper's commands go through a gate to the same person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from autocraft.agent.context import RunContext
from autocraft.agent.ending import RunEnded, accepted_end
from autocraft.agent.helper_states import REPLY, Helper, grantable, helper_commands
from autocraft.agent.limits import first_exceeded
from autocraft.agent.loop import PATIENCE, Agent
from autocraft.agent.spec import AgentSpec
from autocraft.agent.state import State
from autocraft.errors import Advice, AutocraftError, CommandError
from autocraft.frozen import frozen
from autocraft.memory.none import NoMemory
from autocraft.protocols import END_OF_INPUT, PROGRAM, Call, Json, Observation, Risk, Settled, command
from autocraft.session.events import Deleted, Message, Spawn

RESERVED = ("main", "person", "nobody", PROGRAM)
"""Names that no helper may have, since events use them for others."""
_DELETED = "Agent {} deleted."
NOWHERE = Observation("You have no body in the world. Look things up with your commands.", {})
"""A helper sees nothing but what it looks up."""


@frozen
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
            raise RunEnded("interrupted", f"Agent {name} stopped, since the person said something.")
        steps = state.turns - self.helper.turns_at_message
        limits = replace(run.options.limits, max_steps=None, continuous_limit=None)  # turns of the main agent
        over = first_exceeded(self.helper.limits, state.spending) or first_exceeded(limits, run.state.spending)
        if steps >= run.options.agents.agent_steps or over is not None:
            why = f"{steps} turns" if over is None else over[0]
            raise RunEnded("limit", f"Agent {name} has not replied within its limits ({why}).")
        if max(state.repetition, state.invalid_in_a_row) >= PATIENCE:
            raise RunEnded("repetition", f"Agent {name} repeats itself or cannot be read; it was stopped.")


class AgentCommands:
    """The family of helpers. A helper may use commands that look, and those that were granted to it by name.

    The id of the call identifies the helper, so a call that is repeated after a kill goes on with the same one.
    """

    family = "agents"
    repeatable = True  # a repeated call goes on with the helper's own events

    @command(
        help="Start a helper that thinks about a task; it can only look, unless commands are granted",
        risk=Risk.CHANGE,
        cancellable=True,
        nested=True,
    )
    async def start_agent(self, call: Call, name: str, task: str, prompt: str, grants: list[str] | None = None) -> str:
        name = _name(name)
        run: RunContext = call.run
        if not task.strip():
            raise CommandError("there is no task; give it in the argument task")
        helper = next((each for each in run.helpers.live.values() if each.spawn.call == call.id), None)
        if helper is None:
            _check_room(run, name)
            _allowed(run, grants or [])
            key = run.helpers.last_key + 1
            text = f"agent {name} was started"
            share, spending, limits = run.options.agents.agent_share, run.state.spending, run.options.limits
            tokens = None if limits.max_tokens is None else (limits.max_tokens - spending.tokens) // share
            cost = None if limits.max_cost is None else (limits.max_cost - spending.cost) / share
            most: Json = {"max_tokens": tokens, "max_cost": cost}
            spawn = Spawn(agent=name, text=text, key=key, task=task, grants=grants or [], call=call.id, **most)
            run.journal.append(spawn)
            helper = run.helpers.live[name]
        reply = await _talk(run, helper, call.id, f"Your task: {task}\n\n{prompt}".strip())
        return f"Agent {name} created with key {helper.spawn.key}. First response: {reply}"

    @command(help="Send a message to a helper and return its answer", risk=Risk.CHANGE, cancellable=True, nested=True)
    async def message_agent(self, call: Call, key: int, message: str) -> str:
        if not message.strip():
            raise CommandError("there is no message; give it in the argument message")
        return await _talk(call.run, _helper(call.run, key), call.id, message)

    @command(help="List the helpers", risk=Risk.LOOK)
    async def list_agents(self, call: Call) -> str:
        run: RunContext = call.run
        rows = [f"{each.spawn.key}: {each.name}, {each.spawn.task}" for each in run.helpers.live.values()]
        return "\n".join(rows) or "There are no agents."

    @command(help="Delete a helper", risk=Risk.CHANGE)
    async def delete_agent(self, call: Call, key: int) -> str:
        run: RunContext = call.run
        name = _helper(run, key).name
        run.journal.append(Deleted(agent=name, text=f"agent {name} was deleted", key=key, call=call.id))
        return _DELETED.format(key)

    @delete_agent.settle
    def _settle_deletion(self, call: Call, evidence: Json) -> Settled:
        """Answer ``done`` if the helper is gone, so that a repetition after a kill deletes nothing more."""
        helpers, key = call.run.helpers, call.args["key"]
        is_gone = 0 < key <= helpers.last_key and all(each.spawn.key != key for each in helpers.live.values())
        return Settled("done", _DELETED.format(key)) if is_gone else Settled("not done")

    @start_agent.preview
    def _uses(self, call: Call) -> str:
        """Return the commands of the new helper. The person is asked about each use."""
        _name(call.args["name"])
        looks, allowed = (_allowed(call.run, grants) for grants in ([], call.args["grants"] or []))
        grants = [name for name in allowed if name not in looks]
        more = f"; granted: {', '.join(grants)}" if grants else ""
        return f"it may use, each under your authority: {', '.join(looks)}{more}"


def _name(text: str) -> str:
    """Return the name in lower case. Raises CommandError unless it is safe in a question and in the journal."""
    name = text.strip().lower().replace(" ", "_")
    if not re.fullmatch(r"[a-z][a-z0-9_-]{0,19}", name) or name in RESERVED:
        raise CommandError(f"{text[:40]!r} cannot be a helper's name: use 1 to 20 letters and digits, such as scout")
    return name


def _allowed(run: RunContext, grants: Sequence[str]) -> list[str]:
    """Return the commands that only look, then the grants. Raises CommandError for a grant that is not possible."""
    for name in grants:
        if run.registry.find(name) not in grantable(run.registry):
            raise CommandError(f"{name[:60]!r} cannot be granted; grant commands of your own list, by name")
    return [command.name for command in helper_commands(run.registry, grants)]


def _helper(run: RunContext, key: int) -> Helper:
    helper = next((each for each in run.helpers.live.values() if each.spawn.key == key), None)
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


async def _talk(run: RunContext, helper: Helper, id: str, message: str) -> str:
    """Send the message once, and take the helper's turns until it replies. Return the reply."""
    if id not in helper.messages:
        text = f"to {helper.name}: {message}"
        run.journal.append(Message(agent=helper.name, text=text, message=message, call=id))
    spec = AgentSpec(
        helper.state,
        helper.limits,
        helper.registry,
        helper.transcript,
        NoMemory(),
        role="fast",
        free=(REPLY,),
        observation=NOWHERE,
    )
    agent = Agent(run, spec, HelperRules(run, helper))
    try:
        while True:
            await agent.turn()
    except RunEnded as ended:
        by_person = ended.reason == "stopped" and ended.why != END_OF_INPUT
        return f"Agent {helper.name} was stopped by the person." if by_person else ended.why
    except AutocraftError as error:
        return f"Agent {helper.name} could not go on: {error}"
