"""A tool call that is under way, and the signed tickets by which a client comes back to it with an answer."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from autocraft.console.choices import Choice
from autocraft.protocols import Args, Json
from autocraft.web.question import Wants


@dataclass(frozen=True)
class Outcome:
    """The outcome of a call. `text` is data. `words` are those of the person."""

    kind: Literal["done", "failed", "refused", "invalid", "over", "cancelled"]
    text: str
    words: str = ""


@dataclass(frozen=True)
class Form:
    """A question to the person at a client. `world` is the digest of the world when it was asked."""

    message: str
    wants: Wants
    world: str = ""
    default: str = ""
    choices: tuple[Choice, ...] = ()


class Unanswered(Exception):
    """Raised if a question has no answer. `by` is ``person`` if the person declined it, ``nobody`` if nobody saw it."""

    def __init__(self, by: str, why: str) -> None:
        super().__init__(why)
        self.by = by


Step = Form | Outcome | str
"""A question, the end, or a line of progress."""


class Pending:
    """One call of a client. The server takes its steps in order, and gives the answers to its questions."""

    def __init__(self, name: str, args: Args, client: str, *, asks: bool, patience: float) -> None:
        """Make a call of a client. `asks`: the client can show forms. `patience`: seconds that a question waits."""
        self.name = name
        self.args = args
        self.client = client
        self.asks = asks
        self.steps: asyncio.Queue[Step] = asyncio.Queue()
        self.form: Form | None = None
        self.questions = 0
        self.task: asyncio.Task[Outcome] | None = None
        self._patience = patience
        self._answer: asyncio.Future[Mapping[str, Any]] | None = None
        self.over = False

    async def ask(self, form: Form) -> Mapping[str, Any]:
        """Return the result of an elicitation: its `action` and `content`. Raises Unanswered."""
        self.questions += 1
        self.form, self._answer = form, asyncio.get_running_loop().create_future()
        self.steps.put_nowait(form)
        try:
            async with asyncio.timeout(self._patience):
                return await self._answer
        except TimeoutError:
            raise Unanswered("nobody", f"nobody answered within {self._patience:g} s") from None
        finally:
            self.form = self._answer = None

    def answer(self, result: Mapping[str, Any], form: Form | None = None) -> None:
        """Answer the question that waits, if there is one. If `form` is given, answer this question only."""
        if self._answer is not None and not self._answer.done() and (form is None or form is self.form):
            self._answer.set_result(result)

    def finish(self, outcome: Outcome) -> None:
        """End the call. Only the first outcome counts."""
        if not self.over:
            self.over = True
            self.steps.put_nowait(outcome)

    def cancel(self) -> None:
        """Withdraw the call: it is not begun, or it is interrupted and its result is journaled."""
        self.finish(Outcome("cancelled", "The client cancelled the call."))
        if self.task is not None:
            self.task.cancel()


def digest_of(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


class InvalidTicket(Exception):
    """Raised for a ticket that was not signed here, or that is used, too old or for another call."""


class Tickets:
    """Signs tickets, each for one question of one call in one state of the world. A ticket is good once."""

    def __init__(self, session: str, patience: float) -> None:
        self._key = secrets.token_bytes(32)
        self._session = session
        self._patience = patience
        self._open: dict[str, Pending] = {}

    def issue(self, pending: Pending) -> str:
        """Return the ticket for the question that `pending` asks now."""
        assert pending.form is not None
        nonce = secrets.token_urlsafe(16)
        self._open = {name: each for name, each in self._open.items() if not each.over}
        self._open[nonce] = pending
        body = {"nonce": nonce, "until": time.time() + self._patience, "session": self._session}
        body |= {"call": digest_of([pending.name, pending.args]), "question": pending.questions}
        body |= {"world": pending.form.world}
        data = json.dumps(body).encode()
        return base64.urlsafe_b64encode(hmac.digest(self._key, data, "sha256") + data).decode()

    def redeem(self, ticket: str, name: str, args: Args) -> Pending:
        """Return the call that waits for this answer, and spend the ticket. Raises InvalidTicket."""
        body = self._read(ticket)
        pending = self._open.get(str(body.get("nonce")))
        if pending is None or pending.form is None or body["question"] != pending.questions:
            raise InvalidTicket("its question is answered or closed")
        if body["session"] != self._session or body["call"] != digest_of([name, args]):
            raise InvalidTicket("it is for another call")
        if body["until"] < time.time():
            raise InvalidTicket("it is too old")
        if body["world"] != pending.form.world:
            raise InvalidTicket("it is for another state of the world")
        del self._open[body["nonce"]]
        return pending

    def _read(self, ticket: str) -> Json:
        try:
            data = base64.b64decode(ticket, altchars=b"-_", validate=True)
        except ValueError:
            raise InvalidTicket("it is not a ticket") from None
        signature, body = data[:32], data[32:]
        if not hmac.compare_digest(signature, hmac.digest(self._key, body, "sha256")):
            raise InvalidTicket("its signature is wrong")
        values: Json = json.loads(body)
        return values
