"""The answers belong to the question: the terminal, the page and the form of a client offer the same ones."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from autocraft.console.choices import Choice, answer_line, choices_of
from autocraft.console.grammar import Always, Authorise, Edit, Stop, understand
from autocraft.console.render import Screen
from autocraft.mcp.approver import REFUSE, schema_of
from autocraft.mcp.pending import Form
from autocraft.protocols import PROGRAM, Call, Command, Proposal, Risk
from autocraft.web.question import Question, Refused, line_of
from tests.conftest import STONE_PICKAXE, Place
from tests.web.browsing import followed

MEANINGS = {
    "run": Authorise(),
    "more": Authorise(3),
    "remark": Authorise(words="not oak"),
    "always": Always(),
    "edit": Edit(),
    "stop": Stop(),
}
WAY_ON = ["run", "stop"]


async def _nothing(*_: Any) -> str:
    return ""


def proposal(agent: str) -> Proposal:
    """Return the question about a command of this agent, or how to go on after a pause."""
    if not agent:
        return Proposal(None, "Paused.")
    return Proposal(Call(Command("dig", "", Risk.CHANGE, _nothing), {}, Risk.CHANGE, agent=agent))


@pytest.mark.parametrize("agent", ["", "main", "scout", PROGRAM])
def test_terminal_page_and_form_offer_the_same_choices(agent: str) -> None:
    choices = choices_of(proposal(agent))
    values = [each.value for each in choices]
    assert values == (WAY_ON if not agent else list(MEANINGS))
    drawn: list[str] = []
    Screen(drawn.append, "Crafter", terminal=False).question(proposal(agent), "")
    shown = "".join(drawn)
    assert choices[-1].label in shown
    assert all(f"{each.line}: {each.label}" in shown for each in choices) or agent
    form = schema_of(Form("", "decision", choices=(*choices[:-1], REFUSE)))["properties"]["decision"]
    assert form["enum"] == [*values[:-1], "refuse"] and len(form["enumNames"]) == len(values)

    async def page() -> None:
        question = Question(1, "decision", "", choices=choices).to_json()
        assert [Choice(**each) for each in question["choices"]] == list(choices)

    asyncio.run(page())


@pytest.mark.parametrize("agent", ["", "main"])
@pytest.mark.parametrize("value", MEANINGS)
def test_a_choice_means_the_line_that_is_typed_for_it_if_it_is_offered(agent: str, value: str) -> None:
    choices = choices_of(proposal(agent))
    details: dict[str, dict[str, Any]] = {"more": {"turns": 3}, "remark": {"words": "not oak"}}
    given = details.get(value, {})
    line = answer_line(choices, value, **given)
    if value not in [each.value for each in choices]:
        assert line == ""
        with pytest.raises(Refused):
            line_of("decision", {"kind": value, "turns": given.get("turns", 0)}, choices)
        return
    assert understand(line) == MEANINGS[value]
    assert answer_line(choices, value, "words") == (line.replace("not oak", "words") if value == "remark" else "")
    assert answer_line(choices, value.upper(), **given) == ""


def test_the_page_of_a_paused_run_shows_what_fits_a_pause(place: Place) -> None:
    async def play() -> None:
        async with followed(place, *STONE_PICKAXE) as browser:
            first = await browser.question()
            assert first is not None and [each["value"] for each in first["choices"]] == list(MEANINGS)
            assert not re.search("Enter 'y'|n: ", first["text"]), "the buttons say it"
            await browser.answer(first, "words", text="do it in another way, please")
            second = await browser.question(first["id"])
            assert second is not None
            browser.process.send_signal(2)
            paused = await browser.question(second["id"])
            assert paused is not None and "Paused." in paused["text"]
            assert [each["value"] for each in paused["choices"]] == WAY_ON
            assert (await browser.answer(paused, "edit")).status_code == 400
            assert (await browser.answer(paused, "stop")).status_code == 200
            assert await browser.process.wait() == 4

    asyncio.run(play())
