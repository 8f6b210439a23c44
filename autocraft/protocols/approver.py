"""The person who is asked: a question, and its answer."""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

from autocraft.protocols.commands import Call


class Proposal(NamedTuple):
    """A question to the person. `call` is the command to authorise, or None if the question is how to go on."""

    call: Call | None
    why: str = ""
    """Why an earlier permission does not cover it; empty for a plain question."""
    preview: str = ""
    """What the command would do, such as a diff. The approver makes it anew before each drawing."""
    heard: int = 0
    """Sequence number of an event. Only feedback that came after it refuses the command."""
    bot: str = ""
    """The bot that asks; empty for the first one of a run."""


END_OF_INPUT = "nobody can answer, because standard input is not a terminal: run it in a terminal, or add --continuous"
"""The reason of a decision to stop where nobody types."""
EARLIER_GOALS = "it was proposed for the earlier goals"
"""The reason of a refusal by ``goal``."""
TAKEN_BACK = "a change was taken back meanwhile"
"""The reason of a refusal by ``undo``."""
PERSON = ("person", "web")
"""Values of `Decision.by` that mean the person: at the terminal, or at the live page."""
JUDGE, NOBODY = "judge", "nobody"
"""Values of `Decision.by` that mean a model that was asked what an answer means, and that there was nobody to ask."""


class Decision(NamedTuple):
    """The answer to a proposal. `call` is the object that runs. It differs from the proposed one after an edit."""

    kind: Literal["run", "refuse", "stop"]
    call: Call | None = None
    turns: int = 0
    """The turns that this permission covers, with this one; 0 covers this one and leaves an earlier budget in force."""
    programs: bool = False
    """Whether these turns may be programs too."""
    always: bool = False
    """Whether this command name is allowed at this or a lower risk for the session."""
    feedback: str = ""
    """Words to the model, with which the command is refused, or approved with a remark."""
    by: str = "person"
    why: str = ""


class Approver(Protocol):
    """The person or a substitute. `attended` is False if there is no one to answer."""

    @property
    def attended(self) -> bool: ...

    async def answer(self, question: str) -> str | None:
        """Return the person's own words, or None without an answer. Lines typed before the question are no answer."""
        ...

    async def decide(self, proposal: Proposal) -> Decision: ...

    async def attend(self) -> None:
        """Carry out commands that were typed while the run was working. Called between steps."""
