"""The accounts of a run in which several bots ask a model at the same time."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from autocraft import Brain
from autocraft.agent.account import Account, MeteredBrain
from autocraft.agent.limits import Limits
from autocraft.agent.state import State
from autocraft.brains.priced import PricedBrain
from autocraft.errors import CommandError, LimitReached
from autocraft.protocols import Answer, Message
from autocraft.session.journal import Journal
from autocraft.text.prompts import Prompt
from autocraft.usage import Price, Usage


class Slow(Brain):
    """A model that answers a call of so many tokens once it may."""

    name = "slow"
    metered = asks_model = True

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.may_answer: dict[int, asyncio.Event] = defaultdict(asyncio.Event)

    async def think(self, messages: Any, *, max_tokens: int | None = None, **options: Any) -> Answer:
        assert max_tokens is not None
        self.begun.append(max_tokens)
        await self.may_answer[max_tokens].wait()
        return Answer("yes", usage=Usage(1, 1))

    async def close(self) -> None:
        return


class Bots:
    """The bots of a run with a limit of 3,100 tokens. Each asks with the number of tokens of its call."""

    def __init__(self, journal: Journal) -> None:
        self.brain, self.state, self.journal = Slow(), State(), journal
        journal.listeners.append(self.state.apply)
        self.whole = Account(Limits(max_tokens=3100, max_cost=1.0), self.state, journal)

    async def ask(self, tokens: int, own: Limits | None = None) -> asyncio.Task[Answer]:
        """Let a bot with limits of its `own` ask. Return its call after it has begun, or waits."""
        priced = PricedBrain(self.brain, {"smart": Price(100.0, 100.0)})
        model = MeteredBrain(priced, [Account(own or Limits(), State(), self.journal), self.whole])
        asked = asyncio.create_task(model.ask([Message("user", Prompt("why?"))], "smart", tokens, "asked"))
        await settled()
        return asked

    async def answer(self, tokens: int) -> None:
        self.brain.may_answer[tokens].set()
        await settled()


async def settled() -> None:
    """Let every task go on until it waits for something outside."""
    for _ in range(20):
        await asyncio.sleep(0)


def test_calls_that_wait_for_room_are_served_in_their_order(tmp_path: Path) -> None:
    """The third one would never find room if later ones, which need less, went before it."""

    async def scene() -> None:
        with closing(Journal(tmp_path)) as journal:
            bots = Bots(journal)
            calls = [await bots.ask(tokens) for tokens in (1000, 1001, 2000, 999)]
            assert bots.brain.begun == [1000, 1001]
            await bots.answer(1001)
            assert bots.brain.begun == [1000, 1001, 2000], "one has ended, though not the first"
            await bots.answer(1000)
            assert bots.brain.begun == [1000, 1001, 2000, 999]
            await bots.answer(2000)
            await bots.answer(999)
            assert [call.result().text for call in calls] == ["yes"] * 4 and not bots.whole.calls

    asyncio.run(scene())


def test_a_call_that_is_given_up_while_it_waits_makes_room(tmp_path: Path) -> None:
    async def scene() -> None:
        with closing(Journal(tmp_path)) as journal:
            bots = Bots(journal)
            _, _, given_up, last = [await bots.ask(tokens) for tokens in (1000, 1001, 2000, 999)]
            given_up.cancel()
            await settled()
            assert bots.brain.begun == [1000, 1001, 999]
            for tokens in bots.brain.begun:
                await bots.answer(tokens)
            assert last.result().text == "yes" and not bots.whole.calls

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("tokens", "own", "why"),
    [
        (4000, None, "--max-tokens 3100: 0 are used, and the next call may take 40"),
        (900, Limits(max_tokens=500), "--max-tokens 500: 0 are used, and the next call may take 9"),
    ],
)
def test_a_call_that_does_not_fit_by_itself_waits_for_no_other(
    tmp_path: Path, tokens: int, own: Limits | None, why: str
) -> None:
    async def scene() -> None:
        with closing(Journal(tmp_path)) as journal:
            bots = Bots(journal)
            await bots.ask(1000)
            refused = await bots.ask(tokens, own)
            assert refused.done()
            with pytest.raises(LimitReached, match=why):
                refused.result()
            await bots.answer(1000)

    asyncio.run(scene())


def test_a_purchase_is_told_that_calls_under_way_count(tmp_path: Path) -> None:
    async def scene() -> None:
        with closing(Journal(tmp_path)) as journal:
            bots = Bots(journal)
            with pytest.raises(CommandError, match=r"cost \$1\.5000$"):
                bots.whole.purchase(1.5)
            await bots.ask(1000)
            with pytest.raises(CommandError, match=r"\$0\.1006 is used.*; what is under way counts as used$"):
                bots.whole.purchase(0.95)
            with bots.whole.purchase(0.8), pytest.raises(CommandError, match=r"\$0\.9006 is used"):
                bots.whole.purchase(0.1)
            bots.whole.purchase(0.8)
            await bots.answer(1000)

    asyncio.run(scene())
