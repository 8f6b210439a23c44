"""A question on the page: how it is drawn, and the answers that the page may give to it."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from autocraft.console.choices import UNSEEN, Choice, answer_line
from autocraft.console.grammar import words_line
from autocraft.console.read import TypedAhead
from autocraft.console.render import Screen
from autocraft.protocols import Json, Proposal

Wants = Literal["decision", "words", "arguments"]
WANTS: dict[str, Wants] = {
    "Input: ": "decision",
    "Answer: ": "words",
    "Type continuous: ": "words",
    "Arguments: ": "arguments",
}
"""Prompt of a terminal -> what the page, or the form of an MCP client, asks for."""
MOST_TURNS = 10**6


class FullTextScreen(Screen):
    """Draws a question without the keys of a terminal, and shortens nothing."""

    hint = ""

    def _fold(self, text: str, most: int) -> str:
        return text

    def _instruct(self, proposal: Proposal, *, brief: bool = False) -> None:
        """Draw nothing: a page has buttons for the choices, and a form has a list of them."""


class Refused(Exception):
    """Raised when an answer does not count. The text says why, and `status` is that of HTTP."""

    def __init__(self, why: str, status: int = 409) -> None:
        super().__init__(why)
        self.status = status


@dataclass(frozen=True)
class Question:
    """A question that waits. `text` is all that the page shows of it."""

    id: int
    wants: Wants
    text: str
    default: str = ""
    choices: tuple[Choice, ...] = ()
    line: asyncio.Future[str] = field(default_factory=asyncio.Future, compare=False)
    """The line of a terminal that the answer means."""
    acceptance: asyncio.Future[bool] = field(default_factory=asyncio.Future, compare=False)
    """Whether the answer of the page was the first."""

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    def to_json(self) -> Json:
        choices = [each._asdict() for each in self.choices]
        own = {"id": self.id, "wants": self.wants, "text": self.text, "default": self.default, "choices": choices}
        return own | {"unseen": round(UNSEEN * 1000)}

    def overtake(self) -> None:
        """Make the question be asked again, unless it is answered."""
        if not self.line.done():
            self.line.set_exception(TypedAhead())
            self.line.exception()  # the terminal may be first, and then nobody looks at it

    async def answer(self, answer: Json) -> None:
        """Give the page's answer, and wait until it is accepted. Raises Refused."""
        if not hmac.compare_digest(str(answer.get("digest")).encode(), self.digest.encode()):
            raise Refused("what you were shown is not what is asked")
        line = line_of(self.wants, answer, self.choices)
        if self.line.done():
            raise Refused("the question is answered already")
        self.line.set_result(line)
        if not await asyncio.shield(self.acceptance):
            raise Refused("the question is withdrawn, or was answered at the terminal")


def line_of(wants: Wants, answer: Json, choices: Sequence[Choice] = ()) -> str:
    """Return the line of a terminal that means this answer of the page. Raises Refused if it is not clear."""
    kind, text, turns = answer.get("kind"), answer.get("text", ""), answer.get("turns", 0)
    if isinstance(kind, str) and isinstance(text, str) and type(turns) is int and 0 <= turns <= MOST_TURNS:
        if wants == "arguments" and kind == "arguments" and not turns:
            return text
        if wants != "arguments" and kind == "words" and text.strip() and not turns:
            return words_line(text)
        line = answer_line(choices, kind, text, turns, programs=answer.get("programs") is True)
        if wants == "decision" and line:
            return line
    raise Refused("the answer is not clear", 400)
