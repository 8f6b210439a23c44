"""The commands for helpers: sub-agents with their own transcript and share of the limits, under Auto-GPT's names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from autocraft.errors import CommandError
from autocraft.protocols import PROGRAM, Call, Json, Risk, Settled, command

RESERVED = ("main", "person", "nobody", PROGRAM)
"""Names that no helper may have, since events use them for others."""


class HelperAgents(Protocol):
    """Starts and messages the helpers in the run of a call.

    The id of the call identifies the helper, so a call that is repeated after a kill goes on with the same one.
    """

    def allowed(self, call: Call, grants: Sequence[str]) -> list[str]:
        """Return the commands of a helper. Raises CommandError for a grant that is not possible."""
        ...

    async def start(self, call: Call, name: str, task: str, prompt: str, grants: Sequence[str]) -> tuple[int, str]:
        """Return the key and the first reply of a new helper."""
        ...

    async def message(self, call: Call, key: int, text: str) -> str: ...

    def roster(self, call: Call) -> list[tuple[int, str, str]]:
        """Return (key, name, task) of each helper."""
        ...

    def delete(self, call: Call, key: int) -> str:
        """Delete a helper. Return its name."""
        ...


class AgentCommands:
    """The family of helpers.

    A helper may use commands that look, and those that were granted to it by name.
    """

    family = "agents"

    def __init__(self, helpers: HelperAgents) -> None:
        self.helpers = helpers

    @command(
        help="Start a helper that thinks about a task; it can only look, unless commands are granted",
        risk=Risk.CHANGE,
        cancellable=True,
        nested=True,
    )
    async def start_agent(self, call: Call, name: str, task: str, prompt: str, grants: list[str] | None = None) -> str:
        helper = _name(name)
        if not task.strip():
            raise CommandError("there is no task; give it in the argument task")
        key, reply = await self.helpers.start(call, helper, task, prompt, grants or [])
        return f"Agent {helper} created with key {key}. First response: {reply}"

    @command(help="Send a message to a helper and return its answer", risk=Risk.CHANGE, cancellable=True, nested=True)
    async def message_agent(self, call: Call, key: int, message: str) -> str:
        if not message.strip():
            raise CommandError("there is no message; give it in the argument message")
        return await self.helpers.message(call, key, message)

    @command(help="List the helpers", risk=Risk.LOOK)
    async def list_agents(self, call: Call) -> str:
        rows = [f"{key}: {name}, {task}" for key, name, task in self.helpers.roster(call)]
        return "\n".join(rows) or "There are no agents."

    @command(help="Delete a helper", risk=Risk.CHANGE)
    async def delete_agent(self, call: Call, key: int) -> str:
        self.helpers.delete(call, key)
        return f"Agent {key} deleted."

    @start_agent.preview
    def _uses(self, call: Call) -> str:
        """Return the commands of the new helper. The person is asked about each use."""
        _name(call.args["name"])
        looks, allowed = self.helpers.allowed(call, []), self.helpers.allowed(call, call.args["grants"] or [])
        grants = [name for name in allowed if name not in looks]
        more = f"; granted: {', '.join(grants)}" if grants else ""
        return f"it may use, each under your authority: {', '.join(looks)}{more}"

    def settle(self, call: Call, evidence: Json) -> Settled:
        """Answer ``not done``: a repeated call goes on with the helper's own events, so nothing is done twice."""
        return Settled("not done")


def _name(text: str) -> str:
    """Return the name in lower case. Raises CommandError unless it is safe in a question and in the journal."""
    name = text.strip().lower().replace(" ", "_")
    if not re.fullmatch(r"[a-z][a-z0-9_-]{0,19}", name) or name in RESERVED:
        raise CommandError(f"{text[:40]!r} cannot be a helper's name: use 1 to 20 letters and digits, such as scout")
    return name
