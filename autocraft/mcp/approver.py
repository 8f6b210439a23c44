"""Who approves the calls of a client: the person at the client's own form, or at an attached terminal.

A form is read as a line at a terminal is: `HumanApprover` of the console asks, edits, and journals both alike.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from autocraft.agent.context import RunContext
from autocraft.console.approver import HumanApprover
from autocraft.console.choices import Choice, answer_line
from autocraft.console.grammar import words_line
from autocraft.console.read import Reader, TypedAhead
from autocraft.mcp.pending import Form, Pending, Unanswered, digest_of
from autocraft.protocols import Decision, Proposal, World, peek
from autocraft.text.redact import Mask
from autocraft.web.question import MOST_TURNS, WANTS, FullTextScreen

T = TypeVar("T")
MOST_SHOWN = 24_000
"""Characters of a question that a form shows. A longer one needs a terminal."""
NOBODY = (
    "nobody can be asked: there is no form of the client, and no terminal. The person can allow the command by a rule "
    "(--policy), allow looking (--auto-look), or attach a terminal: autocraft mcp --attach {session}"
)
REFUSE = Choice("refuse", "TEXT", "no; words say what to do instead")
"""In place of `stop`: the run goes on with the next call of its client."""


class TooLong(Unanswered):
    """Raised when a question is too long for a form, so that only a terminal can show it."""


class FormScreen(FullTextScreen):
    """Draws a question for a form."""

    hint = "Answer in words."


class FormReader(Reader):
    """Asks by the forms of a client. `pending` is the call under way."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.pending: Pending | None = None
        self._world = world
        self._drawn: list[str] = []

    def write(self, text: str) -> None:
        self._drawn.append(text)

    async def page(self, text: str) -> None:
        return

    async def ask(
        self, draw: Callable[[], None], prompt: str, default: str = "", choices: Sequence[Choice] = ()
    ) -> str:
        """Return the line that a form means. Raises TypedAhead if the world has changed, and Unanswered."""
        self._drawn.clear()
        draw()
        message = "".join(self._drawn).strip("\n")
        if len(message) > MOST_SHOWN:
            raise TooLong("nobody", "it is too long for a form; the person can attach a terminal to see it")
        if self.pending is None:
            raise Unanswered("nobody", "no client is there to be asked")
        offered = (*(each for each in choices if each.value != "stop"), REFUSE)
        form = Form(message, WANTS[prompt], await digest(self._world), default, offered)
        line = _line(form, await self.pending.ask(form))
        if form.wants == "decision" and not line.startswith("//") and await digest(self._world) != form.world:
            raise TypedAhead
        return line


def _line(form: Form, result: Mapping[str, Any]) -> str:
    """Return the terminal line with the meaning of this answer. Raises Unanswered for none, and for an unclear one."""
    action, content = result.get("action"), result.get("content")
    if action in ("cancel", "decline"):
        raise Unanswered("person", f"the person {'closed the question' if action == 'cancel' else 'declined'}")
    if action != "accept" or not isinstance(content, dict):
        raise Unanswered("nobody", "the client sent no answer of the person")
    if form.wants == "arguments":
        return str(content.get("arguments", ""))
    words = str(content.get("words") or "").strip()
    if form.wants == "words":
        if not words:
            raise Unanswered("person", "the person gave no answer")
        return words_line(words)
    choice, turns = str(content.get("decision")), content.get("turns") or 0
    if choice == REFUSE.value and words:
        return words_line(words)
    if choice == REFUSE.value:
        raise Unanswered("person", "the person refused it")
    line = answer_line(form.choices, choice, words, turns) if type(turns) is int and turns <= MOST_TURNS else ""
    if line:
        return line
    raise Unanswered("nobody", "the answer was not clear: give words with remark or refuse alone, and turns with more")


class ClientApprover:
    """Implements `protocols.Approver`: asks the client of the current call, else the terminal, else nobody."""

    def __init__(self, run: RunContext, own_mask: Mask, terminal: HumanApprover | None, *, forms: bool) -> None:
        """Take `forms`, which says whether the person lets the client show questions."""
        self.run = run
        self.terminal = terminal
        self.reader = FormReader(run.world)
        """Asks at the client of its `pending` call."""
        screen = FormScreen(self.reader.write, run.options.prompt.ai_name, run.state, terminal=False)
        self._client = HumanApprover(self.reader, screen, run, own_mask, attended=True)
        self._forms = forms

    @property
    def attended(self) -> bool:
        return bool(self._people())

    def _people(self) -> list[HumanApprover]:
        """Return the person at the client and the one at the terminal, as far as they can be asked."""
        pending = self.reader.pending
        people = [self._client] if self._forms and pending is not None and pending.asks else []
        return people + ([self.terminal] if self.terminal is not None and self.terminal.attended else [])

    async def _asked(self, ask: Callable[[HumanApprover], Awaitable[T]]) -> T:
        """Return the answer of the client, or of the terminal where no form shows the question. Raises Unanswered."""
        unanswered = Unanswered("nobody", NOBODY.format(session=self.run.session))
        for person in self._people():
            try:
                return await ask(person)
            except TooLong as error:
                unanswered = error
        raise unanswered

    async def answer(self, question: str) -> str | None:
        """Return the person's own words. Return None if they gave none."""
        try:
            return await self._asked(lambda person: person.answer(question))
        except Unanswered:
            return None

    async def decide(self, proposal: Proposal) -> Decision:
        """Ask the person. Without an answer the command is refused."""
        pending = self.reader.pending

        async def ask(person: HumanApprover) -> Decision:
            decision = await person.decide(proposal)
            if person is self._client and decision.kind == "run" and pending is not None:
                return decision._replace(why=f"in a form of {pending.client or 'a client'}")
            return decision

        try:
            return await self._asked(ask)
        except Unanswered as unanswered:
            return Decision("refuse", proposal.call, by=unanswered.by, why=str(unanswered))

    async def attend(self) -> None:
        if self.terminal is not None:
            await self.terminal.attend()


async def digest(world: World) -> str:
    """Hash the world as far as an approval depends on it: its snapshot, or what is held in a live world."""
    snapshot = world.snapshot()
    return digest_of(sorted((await peek(world)).inventory.items()) if snapshot is None else snapshot)


def schema_of(form: Form) -> dict[str, Any]:
    """Return the schema of the answer to a form, in the plain types that clients can show."""
    about = "With refuse: what to do instead, or 'goal: …'. With remark: the command runs, with your words beside it."
    words = {"type": "string", "title": "Words to the agent", "description": about}
    match form.wants:
        case "decision":
            values, labels = [each.value for each in form.choices], [each.label for each in form.choices]
            choice = {"type": "string", "title": "Decision", "enum": values, "enumNames": labels}
            turns = {"type": "integer", "title": "Turns, with more", "minimum": 1, "maximum": MOST_TURNS}
            properties, required = {"decision": choice, "words": words, "turns": turns}, ["decision"]
        case "words":
            properties, required = {"words": {"type": "string", "title": "Your answer"}}, ["words"]
        case "arguments":
            text = {"type": "string", "title": "Arguments as JSON", "default": form.default}
            properties, required = {"arguments": text}, ["arguments"]
    return {"type": "object", "properties": properties, "required": required}
