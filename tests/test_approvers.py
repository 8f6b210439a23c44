"""Who approves a command: the terminal, the page, a form of a client, and a function of a program keep one contract.

Each asks with a question in the journal, carries out what was approved and nothing else, and passes words on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from autocraft import Config, open_run
from autocraft.brains.scripted import ScriptedBrain
from tests.conftest import Place, kinds
from tests.mcp.clients import over_stdio, says
from tests.web.browsing import followed

CRAFT = ("craft_item", {"name": "oak_planks", "count": 4})
GOAL = ("craft 4 oak_planks", "--inventory", "oak_log=8", "--memory", "none")
WORDS = "use birch instead"
REMARK = "but keep the torches"
OTHER_GOAL = "goal: craft 2 stick"


def at_a_terminal(place: Place, meaning: str) -> None:
    lines = {"yes": "y", "words": WORDS, "no": "n", "nothing": "", "remark": f"y, {REMARK}", "goal": OTHER_GOAL}
    line = lines[meaning]
    given = ("--brain", "scripted", "--script", place.script(CRAFT, CRAFT))
    place.run("run", *GOAL, *given, stdin=f"{line}\n" if line else "")


def at_the_page(place: Place, meaning: str) -> None:
    kinds_of: dict[str, dict[str, Any]] = {
        "yes": {"kind": "run"},
        "words": {"kind": "words", "text": WORDS},
        "remark": {"kind": "remark", "text": REMARK},
        "goal": {"kind": "words", "text": OTHER_GOAL},
    }

    async def answer() -> None:
        async with followed(place, *GOAL, "--brain", "scripted", "--script", place.script(CRAFT, CRAFT)) as browser:
            question = await browser.question()
            assert question is not None
            if meaning in kinds_of:
                await browser.answer(question, **kinds_of[meaning])
                await browser.question(question["id"])
            elif meaning == "no":
                await browser.answer(question, "stop")
                await browser.question(question["id"])

    asyncio.run(answer())


def by_a_form(place: Place, meaning: str) -> None:
    forms: dict[str, Any] = {
        "yes": {"decision": "run"},
        "words": {"decision": "refuse", "words": WORDS},
        "no": {"decision": "refuse"},
        "nothing": "cancel",
        "remark": {"decision": "remark", "words": REMARK},
        "goal": {"decision": "refuse", "words": OTHER_GOAL},
    }
    person = says(forms[meaning])

    async def call() -> None:
        async with over_stdio(place, *GOAL, person=person) as client:
            await client.call_tool(*CRAFT)

    asyncio.run(call())


def by_a_function(place: Place, meaning: str) -> None:
    replies_of = {"yes": True, "words": WORDS, "no": False, "nothing": None, "goal": OTHER_GOAL}
    reply: Any = {**replies_of, "remark": (True, REMARK)}[meaning]
    script = place.script(CRAFT, CRAFT)
    settings: dict[str, Any] = {"inventory": "oak_log=8", "memory": "none", "state_dir": place.state}
    replies = iter([reply, False])

    async def play() -> None:
        config = Config(**settings, workspace=place.folder / "workspace", brain="scripted", script=script)
        async with open_run(GOAL[0], config=config, ask=lambda question: next(replies)) as run:
            async for _ in run:
                pass

    asyncio.run(play())


APPROVERS: dict[str, Callable[[Place, str], None]] = {
    "a terminal": at_a_terminal,
    "the page": at_the_page,
    "a form": by_a_form,
    "a function": by_a_function,
}


@pytest.mark.parametrize("meaning", ["yes", "words", "no", "nothing", "remark", "goal"])
@pytest.mark.parametrize("approver", APPROVERS)
@pytest.mark.sampled(1)
def test_an_approver_carries_out_what_was_approved_and_nothing_else(place: Place, approver: str, meaning: str) -> None:
    assert ScriptedBrain.asks_model, "the script stands for a model, which can read words"
    APPROVERS[approver](place, meaning)
    events = place.events()
    [question, *_] = kinds(events, "question")
    assert (question["command"], question["args"]) == CRAFT
    decisions = kinds(events, "decision")
    first = decisions[0] if decisions else {"kind": "none", "by": "nobody"}
    carried_out = [event["command"] for event in kinds(events, "intent")]
    if meaning in ("yes", "remark"):
        assert (first["kind"], first["by"] in ("person", "web")) == ("run", True)
        assert (carried_out[0], first["feedback"]) == (CRAFT[0], REMARK if meaning == "remark" else "")
        return
    if meaning == "goal":
        assert (first["kind"], first["by"]) == ("refuse", "goal")
        [goal] = kinds(events, "goal")[-1]["goals"]
        assert (goal["text"], goal["turn"]) == ("craft 2 stick", 1)
    assert not carried_out
    assert first["kind"] != "run"
    if meaning == "words":
        assert (first["kind"], first["feedback"], first["by"] in ("person", "web")) == ("refuse", WORDS, True)
