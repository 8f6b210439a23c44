"""Histories in their normal form: any sequence of messages becomes one that the strictest chat template takes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from autocraft.brains.normal import in_turn
from tests.brains.conftest import Told
from tests.brains.stand_in import Reply, StandIn, fault, streamed
from tests.conftest import STONE_PICKAXE, Place

PICTURE = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]


def check(rows: list[dict[str, Any]]) -> str:
    """Return why the templates of Mistral and Gemma, Bedrock or Anthropic would refuse these messages."""
    turns = rows[1:] if rows and rows[0]["role"] in ("system", "developer") else rows
    if not turns or any(row["role"] != ("user", "assistant")[at % 2] for at, row in enumerate(turns)):
        return "roles must alternate user/assistant/user/assistant"
    if turns[-1]["role"] != "user":
        return "the last message must be the user's"
    empty = [row for row in rows if not (row["content"].strip() if isinstance(row["content"], str) else row["content"])]
    return "a message is empty" if empty else ""


def made_up(chance: random.Random) -> list[dict[str, Any]]:
    """Return any messages: of any role, empty ones and pictures among them."""
    contents = ["", " \n", "a", "b", *PICTURE]
    rows = []
    for _ in range(chance.randrange(9)):
        content: Any = chance.choice(contents)
        rows.append({"role": chance.choice(["system", "user", "assistant"]), "content": content})
    return [row | ({"content": PICTURE} if isinstance(row["content"], dict) else {}) for row in rows]


@pytest.mark.parametrize("system", ["system", "developer", ""])
def test_any_messages_are_taken_and_none_is_lost(system: str) -> None:
    chance = random.Random(7)
    for _ in range(2_000):
        rows = made_up(chance)
        before = [dict(row) for row in rows]
        normal = in_turn(rows, system)
        assert check(normal) == "", (rows, normal)
        assert rows == before, "what was given stays as it is"
        assert in_turn(normal, "system")[-1] == normal[-1]
        said = str(normal)
        for word in ("'a'", "'b'"):
            assert str(rows).count(word) <= said.count(word[1]), (rows, normal)
        assert not [row for row in normal if row["role"] == "system"] or system == "system"


def strict(request: dict[str, Any]) -> Reply | None:
    """Refuse a request as a strict chat template does."""
    return fault(400, f"Conversation {why}") if (why := check(request["messages"])) else None


@pytest.mark.full
def test_a_run_goes_on_at_a_server_with_a_strict_template(place: Place, stand_in: StandIn) -> None:
    stand_in.refuse = strict
    place.run("run", *STONE_PICKAXE, "-c", "--max-steps", "4", OPENAI_BASE_URL=stand_in.url, SMART_LLM_MODEL="m")
    assert len(stand_in.requests) == 4, "no request was refused"


REFUSALS = [
    ("system", "Unsupported value: 'messages[0].role' does not support 'system' with this model.", "developer"),
    ("system", "Developer instruction is not enabled for models/gemma-3-27b-it", "developer"),
    ("both", "System role not supported", "user"),
]


@pytest.mark.parametrize(("refused", "text", "becomes"), REFUSALS)
def test_a_model_that_takes_no_system_role_gets_its_text_otherwise(
    ask: Callable[..., Told], stand_in: StandIn, refused: str, text: str, becomes: str
) -> None:
    roles = {"system"} if refused == "system" else {"system", "developer"}

    def refuse(request: dict[str, Any]) -> Reply | None:
        return fault(400, text) if request["messages"][0]["role"] in roles else None

    stand_in.refuse = refuse
    told = ask(times=2)
    assert len(told.answers) == 2
    first = [request["messages"][0] for request in stand_in.requests]
    assert first[-1]["role"] == becomes
    assert first[0]["content"] in first[-1]["content"], "nothing of the system text is lost"
    assert len(stand_in.requests) == 2 + len(roles), "it is learned once"


def test_an_answer_that_ignores_its_form_twice_lowers_it_once_and_says_so(place: Place, stand_in: StandIn) -> None:
    stand_in.replies += [streamed("I would craft planks.") for _ in range(3)]
    place.run(
        *("run", *STONE_PICKAXE, "-c", "--max-steps", "3"),
        OPENAI_BASE_URL=stand_in.url,
        SMART_LLM_MODEL="m",
        AUTOCRAFT_LIMITS_REPAIRS="0",
    )
    smart = [request for request in stand_in.requests if "response_format" in request]
    forms = [request["response_format"]["type"] for request in smart]
    assert forms[:3] == ["json_schema", "json_schema", "json_object"]
    notes = [event["text"] for event in place.events() if event["type"] == "note"]
    assert [text for text in notes if "ignores the form that an answer must have" in text]
