"""Accounts: what an agent may use and has used, and a brain whose calls they count."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from autocraft.agent.limits import Limits, Spending, check_affordable
from autocraft.agent.state import State
from autocraft.brains.priced import PricedBrain, usage_of
from autocraft.errors import BrainError, CommandError, LimitReached
from autocraft.frozen import frozen
from autocraft.protocols import Answer, Delta, Json, Message
from autocraft.session.events import Expense, Note
from autocraft.session.journal import Journal
from autocraft.text.prompts import part
from autocraft.usage import Usage

MORE_ROOM = 4
"""The factor by which an answer gets more room after one was cut off."""


def way_to_more_room(role: str) -> str:
    """Return the sentence that says which settings of a role leave room for its answer."""
    return f"A larger models.{role}.reply_tokens or a lower models.{role}.effort leaves room for it."


def no_room(role: str) -> str:
    """Return the words about an answer of this role whose tokens all went into reasoning."""
    return f"The answer has no text, since all its tokens went into reasoning. {way_to_more_room(role)}"


@dataclass(eq=False)
class ModelCall:
    """A call of a model that runs or waits, with the most that it may take. No event says yet what it took.

    A purchase that is being made is one without a role and tokens.
    """

    role: str
    tokens: int
    cost: float | None
    """US dollars. None is an unknown price."""
    ended: asyncio.Future[None] = field(default_factory=asyncio.Future)


@frozen
class Account:
    """The limits of an agent and the state that says what it has used."""

    limits: Limits
    state: State
    journal: Journal
    calls: list[ModelCall] = field(default_factory=list)
    """The calls that run or wait, first come first served, and the purchases being made.

    Several bots of one run ask at once, and share this list.
    """

    def spending(self, role: str = "", calls: Sequence[ModelCall] = ()) -> Spending:
        """Return what was used, of the run or of a role, with the most that those `calls` may take."""
        used = self.state.totals.roles.get(role, Spending()) if role else self.state.spending
        counted = [call for call in calls if role in ("", call.role)]
        tokens, cost = sum(call.tokens for call in counted), sum(call.cost or 0.0 for call in counted)
        return used._replace(tokens=used.tokens + tokens, cost=used.cost + cost)

    @contextmanager
    def under_way(self, call: ModelCall) -> Iterator[None]:
        """Let a call or a purchase count for all bots until its usage is journaled."""
        self.calls.append(call)
        try:
            yield
        finally:
            self.calls.remove(call)
            call.ended.set_result(None)

    def purchase(self, cost: float | None) -> AbstractContextManager[None]:
        """Return what holds back the cost of a purchase while it is made.

        Raises CommandError if --max-cost leaves too little for it, or cannot count it.
        """
        if cost is None and self.limits.max_cost is not None:
            raise CommandError("--max-cost cannot count a picture of unknown price: set IMAGE_PRICE to what one costs")
        try:
            check_affordable(self.limits, self.spending(calls=self.calls), 0, cost)
        except LimitReached as error:
            counted = "; what is under way counts as used" if self.calls else ""
            raise CommandError(f"{error}{counted}") from None
        return self.under_way(ModelCall("", 0, cost))

    def record_purchase(self, cost: float | None) -> None:
        """Journal a purchase as an expense without tokens. A `cost` of None means that the price is unknown."""
        if cost == 0:
            return
        text = "a picture was paid for" + (", at a price that is not known" if cost is None else "")
        self.journal.append(Expense(agent=self.state.agent, text=text, usage=Usage(), cost=cost))


@frozen
class MeteredBrain:
    """The brain as one agent asks it: within the limits of its accounts, and without secrets.

    The first account is the agent's own, the last one that of the whole run. A helper spends from both. The budget of
    a role is one of the whole run.
    """

    priced: PricedBrain
    accounts: Sequence[Account]

    async def think(
        self,
        messages: Sequence[Message],
        role: str,
        room: int,
        *,
        schema: Json | None = None,
        temperature: float | None = None,
        on_delta: Callable[[Delta], None] | None = None,
    ) -> tuple[Answer, Usage]:
        """Return an answer of at most `room` tokens, and its usage. The caller has masked `messages`.

        Raises LimitReached, and what the brain raises.
        """
        sent = self.priced.sent_tokens(messages, schema)
        async with self._within_budgets(role, sent, room):
            try:
                answer = await self.priced.brain.think(
                    messages, role=role, schema=schema, max_tokens=room, temperature=temperature, on_delta=on_delta
                )
            except (BrainError, asyncio.CancelledError) as error:
                usage = getattr(error, "usage", None)
                if usage is not None and usage.total:
                    what = "answers that were cut off" if isinstance(error, BrainError) else "an interrupted call"
                    self.note(what, role, usage)
                raise
        notices: list[str] = getattr(self.priced.brain, "notices", [])
        while notices:
            own = self.accounts[0]
            own.journal.append(Note(agent=own.state.agent, text=notices.pop(0)))
        return answer, usage_of(answer, sent)

    async def ask(self, messages: Sequence[Message], role: str, room: int, why: str) -> Answer:
        """Ask as `ask_once` does, and with more room if all tokens of the answer went into reasoning.

        Raises BrainError if the second answer has no text either.
        """
        for times in (1, MORE_ROOM):
            answer = await self.ask_once(messages, role, room, why, times)
            if not answer.without_room:
                return answer
        raise BrainError(no_room(role))

    async def ask_once(self, messages: Sequence[Message], role: str, room: int, why: str, times: int = 1) -> Answer:
        """Ask outside the turns, and journal `why` with the usage of a model. Raises what `think` raises.

        The answer may have so many `times` the tokens of `room`, or of the role's own `reply_tokens`.
        """
        room = times * (self.priced.of(role).reply_tokens or room)
        answer, usage = await self.think(self.mask_all(messages), role, room)
        if self.priced.brain.asks_model:
            self.note(why, role, usage)
        return answer

    def note(self, text: str, role: str, usage: Usage) -> None:
        """Journal a call that is not a turn, with its usage."""
        own = self.accounts[0]
        cost = self.priced.cost(role, usage)
        own.journal.append(Expense(agent=own.state.agent, text=text, usage=usage, cost=cost, role=role))

    def mask_all(self, messages: Sequence[Message]) -> list[Message]:
        """Cut every secret out of the messages. Rows of memory from older runs may hold some too.

        Raises TypeError for a message that is not made of prompts, and for a system message that holds data.
        """
        for message in messages:
            if not getattr(part(message.content), "own", True) and message.role == "system":
                raise TypeError("a system message cannot hold data: send it as user")
        mask = self.accounts[0].journal.mask
        return [message._replace(content=mask.text(message.content)) for message in messages]

    @asynccontextmanager
    async def _within_budgets(self, role: str, sent: int, room: int) -> AsyncIterator[None]:
        """Make a call of at most so many tokens count for all bots until it ends, when the caller journals its usage.

        If only the calls before it leave too little, wait until enough of them have ended, since most take less than
        they may. It never waits for a later call. Raises LimitReached if it would break a limit by itself.
        """
        if not self.priced.brain.metered:
            yield
            return
        whole = self.accounts[-1]
        call = ModelCall(role, sent + room, self.priced.cost(role, Usage(sent, room)))
        with whole.under_way(call):
            while not self._fits(call, before := whole.calls[: whole.calls.index(call)]):
                await asyncio.wait([each.ended for each in before], return_when=asyncio.FIRST_COMPLETED)
            yield

    def _fits(self, call: ModelCall, before: Sequence[ModelCall]) -> bool:
        """Tell whether a call fits beside those `before` it. Raises LimitReached if it does not fit by itself."""
        try:
            self._check(call, before)
        except LimitReached:
            self._check(call, ())
            return False
        return True

    def _check(self, call: ModelCall, before: Sequence[ModelCall]) -> None:
        *own, whole = self.accounts
        for account in own:
            check_affordable(account.limits, account.spending(), call.tokens, call.cost)
        check_affordable(whole.limits, whole.spending(calls=before), call.tokens, call.cost)
        spending = whole.spending(call.role, before)
        check_affordable(self.priced.of(call.role), spending, call.tokens, call.cost, call.role)
