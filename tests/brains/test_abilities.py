"""What an endpoint refuses is found by one failed call, once, and remembered."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autocraft.brains.abilities import FORMS, Abilities, AbilityStore, response_format, strict_schema
from tests.brains import responses_stand_in as responses
from tests.brains.conftest import Told
from tests.brains.stand_in import COMMAND, Reply, StandIn, fault, streamed

Ask = Callable[..., Told]
SCHEMA = {"type": "object", "properties": {"speak": {"type": "string", "maxLength": 9}}, "required": []}
THINK = {"schema": SCHEMA, "max_tokens": 50}
SETTINGS: dict[str, Any] = {"temperature": 0.5, "stop": ("END",)}
ASKED: dict[str, Any] = {
    "max_tokens": 50,
    "max_completion_tokens": None,
    "temperature": 0.5,
    "stop": ["END"],
    "stream": True,
    "stream_options": {"include_usage": True},
}
"""What an endpoint that takes everything is sent."""


def form(request: dict[str, Any]) -> str:
    """Which of FORMS a request asks for."""
    asked = request.get("response_format")
    if asked is None:
        return "plain"
    if asked["type"] == "json_schema":
        return "strict" if asked["json_schema"].get("strict") else "json_schema"
    return "json_object with schema" if "schema" in asked else "json_object"


def refusing(**words: Reply) -> Callable[[dict[str, Any]], Reply | None]:
    """Refuses the first parameter in `words` that a request has; a form is written with underscores."""

    def refuse(request: dict[str, Any]) -> Reply | None:
        present = {*(name for name, value in request.items() if value), form(request).replace(" ", "_")}
        return next((reply for name, reply in words.items() if name in present), None)

    return refuse


def unsupported(name: str, more: str = "") -> Reply:
    """As OpenAI's own reasoning models refuse."""
    text = f"Unsupported parameter: '{name}' is not supported with this model.{more}"
    return fault(400, text, param=name, code="unsupported_parameter", type="invalid_request_error")


def extra(name: str) -> Reply:
    """As servers made with FastAPI refuse."""
    detail = [{"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted"}]
    return Reply(422, [json.dumps({"detail": detail}).encode()])


LITERAL = "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text'\"}]"
SERVERS: dict[str, tuple[Callable[[dict[str, Any]], Reply | None], int, dict[str, Any]]] = {
    "takes everything": (refusing(), 0, {}),
    "a reasoning model": (
        refusing(
            max_tokens=unsupported("max_tokens", " Use 'max_completion_tokens' instead."),
            temperature=fault(400, "Unsupported value: 'temperature' does not support 0.5 with this model."),
            stop=unsupported("stop"),
        ),
        3,
        {"max_tokens": None, "max_completion_tokens": 50, "temperature": None, "stop": None},
    ),
    "schema breaks it": (refusing(json_schema=fault(500, LITERAL)), 1, {"form": "json_object with schema"}),
    "no schema at all": (
        refusing(
            json_schema=fault(400, "This response_format type is unavailable now"),
            json_object_with_schema=extra("response_format.schema"),
        ),
        2,
        {"form": "json_object"},
    ),
    "plain text only": (
        refusing(response_format=fault(400, "response_format is not supported by this model")),
        3,
        {"form": "plain"},
    ),
    "grammar it cannot read": (
        refusing(json_schema=fault(400, "Failed to initialize samplers: failed to parse grammar")),
        1,
        {"form": "json_object with schema"},
    ),
    "knows no usage": (refusing(stream_options=extra("stream_options")), 1, {"stream_options": None}),
    "cannot stream": (
        refusing(stream=fault(400, "Streaming is not supported", param="stream", code="unsupported_value")),
        1,
        {"stream": None, "stream_options": None},
    ),
    "knows neither limit": (
        refusing(max_tokens=extra("max_tokens"), max_completion_tokens=extra("max_completion_tokens")),
        2,
        {"max_tokens": None, "max_completion_tokens": None},
    ),
    "does not say what": (refusing(stream_options=fault(400, "Bad Request")), 1, {"stream_options": None}),
    "says nothing at all": (refusing(stream_options=Reply(422)), 1, {"stream_options": None}),
    "a router": (
        refusing(stream_options=fault(404, "No endpoints found that can handle the requested parameters.")),
        1,
        {"stream_options": None},
    ),
}


@pytest.mark.parametrize("name", SERVERS)
@pytest.mark.sampled(1)
def test_a_refused_ability_costs_one_failed_call_once(ask: Ask, stand_in: StandIn, tmp_path: Path, name: str) -> None:
    stand_in.refuse, refused, left = SERVERS[name]
    file = tmp_path / "state" / "abilities.json"
    told = ask(times=2, think=THINK, file=file, **SETTINGS)
    assert [answer.text for answer in told.answers] == [COMMAND, COMMAND]
    assert len(stand_in.requests) == 2 + refused
    assert told.waits() == []
    last = stand_in.requests[-1]
    assert {"form": form(last)} | {each: last.get(each) for each in ASKED} == {"form": "json_schema"} | ASKED | left
    assert file.exists() == bool(refused)
    stand_in.requests.clear()
    assert ask(think=THINK, file=file, **SETTINGS).answer.text == COMMAND
    assert len(stand_in.requests) == 1, "a later run knows it from the file"


def test_each_model_is_known_by_itself(ask: Ask, stand_in: StandIn) -> None:
    stand_in.refuse = refusing_for("big", refusing(temperature=unsupported("temperature")))
    ask(temperature=0.5)
    ask(temperature=0.5, think={"role": "fast"})
    assert [(each["model"], each.get("temperature")) for each in stand_in.requests] == [
        ("big", 0.5),
        ("big", None),
        ("small", 0.5),
    ]


def refusing_for(
    model: str, refuse: Callable[[dict[str, Any]], Reply | None]
) -> Callable[[dict[str, Any]], Reply | None]:
    return lambda request: refuse(request) if request["model"] == model else None


def test_an_ability_that_is_refused_later_is_learned_then(ask: Ask, stand_in: StandIn, tmp_path: Path) -> None:
    file = tmp_path / "abilities.json"
    ask(think=THINK, file=file)
    stand_in.refuse = refusing(json_schema=fault(400, "response_format json_schema is not supported any more"))
    stand_in.requests.clear()
    ask(times=2, think=THINK, file=file)
    assert [form(each) for each in stand_in.requests] == ["json_schema", *["json_object with schema"] * 2]


def test_a_vague_refusal_is_not_blamed_on_what_was_accepted_before(ask: Ask, stand_in: StandIn) -> None:
    asked = []

    def later(request: dict[str, Any]) -> Reply | None:
        asked.append(request)
        return fault(400, "Bad Request") if len(asked) > 1 else None

    stand_in.refuse = later
    told = ask(times=2, think=THINK)
    assert "refuses the request (Bad Request)" in told.error
    assert len(stand_in.requests) == 2


def test_a_request_that_is_refused_whatever_it_holds_teaches_nothing(
    ask: Ask, stand_in: StandIn, tmp_path: Path
) -> None:
    stand_in.refuse = lambda request: fault(400, "Bad Request")
    file = tmp_path / "abilities.json"
    assert "Bad Request" in ask(think=THINK, file=file, **SETTINGS).error
    assert not file.exists()
    most = len(FORMS) + 6
    assert len(stand_in.requests) < most


def test_a_server_that_breaks_on_a_schema_without_saying_so(ask: Ask, stand_in: StandIn) -> None:
    """A bare 500 may pass, so it is waited for first; then the next form is tried, and remembered."""
    stand_in.refuse = refusing(json_schema=fault(500, "internal error"))
    told = ask(times=2, think=THINK, retries=2)
    assert [form(each) for each in stand_in.requests] == [*["json_schema"] * 3, *["json_object with schema"] * 2]
    assert [answer.text for answer in told.answers] == [COMMAND, COMMAND]


def test_a_server_that_is_down_is_not_taken_for_one_without_schemas(
    ask: Ask, stand_in: StandIn, tmp_path: Path
) -> None:
    stand_in.refuse = lambda request: fault(503, "down")
    file = tmp_path / "abilities.json"
    assert "resume later (tried 3 times)" in ask(think=THINK, retries=2, file=file).error
    assert not file.exists()


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"[]", b'{"abilities": 5}', b'{"abilities": {"k": 1}}', b"\xff", b'{"v": 1, "abilities": {"k": {}}}'],
)
def test_a_damaged_file_counts_as_none_and_is_mended(
    ask: Ask, stand_in: StandIn, tmp_path: Path, damage: bytes
) -> None:
    file = tmp_path / "abilities.json"
    file.write_bytes(damage)
    stand_in.refuse = refusing(temperature=unsupported("temperature"))
    assert ask(file=file, temperature=0.1).answer.text == COMMAND
    assert len(stand_in.requests) == 2
    assert list(json.loads(file.read_bytes())["abilities"].values()) == [
        {"form": "json_schema", "refused": ["temperature"]}
    ]


def test_a_file_that_cannot_be_written_is_done_without(ask: Ask, stand_in: StandIn, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    stand_in.refuse = refusing(temperature=unsupported("temperature"))
    told = ask(times=2, file=tmp_path / "file" / "abilities.json", temperature=0.1)
    assert len(told.answers) == 2
    assert len(stand_in.requests) == 3


def test_two_runs_keep_what_each_other_learned(tmp_path: Path) -> None:
    file = tmp_path / "abilities.json"
    one = AbilityStore(file)
    one.learn("a", "m", Abilities("json_object"), {}, changed=True)
    two = AbilityStore(file)
    one.learn("a", "m", Abilities("plain"), {}, changed=True)
    two.learn("b", "m", Abilities("json_object"), {}, changed=True)
    third = AbilityStore(file)
    assert (third.get("a", "m").form, third.get("b", "m").form) == ("plain", "json_object")


def test_no_schema_no_form(ask: Ask, stand_in: StandIn) -> None:
    ask()
    assert "response_format" not in stand_in.requests[0]


def test_openai_itself_is_asked_for_strict_schemas_and_its_own_limit(ask: Ask, stand_in: StandIn) -> None:
    ask(provider="openai", api_key="k", think=THINK)
    sent = stand_in.requests[0]
    assert (form(sent), sent["max_completion_tokens"], "max_tokens" in sent) == ("strict", 50, False)


def test_the_forms_on_the_wire() -> None:
    sent = [response_format(each, SCHEMA) for each in FORMS]
    assert sent[0] == {
        "type": "json_schema",
        "json_schema": {"name": "command", "schema": strict_schema(SCHEMA), "strict": True},
    }
    assert sent[1:] == [
        {"type": "json_schema", "json_schema": {"name": "command", "schema": SCHEMA}},
        {"type": "json_object", "schema": SCHEMA},
        {"type": "json_object"},
        None,
    ]


def test_strict_schemas_require_everything_and_keep_names_that_look_like_keywords() -> None:
    made = strict_schema(
        {
            "type": "object",
            "properties": {"default": {"type": "string", "default": "x", "maxLength": 3}},
            "required": [],
        }
    )
    assert made == {
        "type": "object",
        "properties": {"default": {"type": "string"}},
        "required": ["default"],
        "additionalProperties": False,
    }


def test_a_text_longer_than_llama_cpp_can_repeat_is_sent_without_a_bound() -> None:
    bounded = {"type": "string", "maxLength": 2_000}
    given = {"properties": {"name": bounded, "code": {"type": "string", "maxLength": 32_000}}}
    sent = {"properties": {"name": bounded, "code": {"type": "string"}}}
    for form in ("json_schema", "json_object with schema"):
        made = response_format(form, given)
        assert made is not None and (made.get("schema") or made["json_schema"]["schema"]) == sent
    assert given["properties"]["code"]["maxLength"] == 32_000


# ---------------------------------------------------------------- accepted, and ignored


GOOD = json.dumps({"command": {"name": "craft_item", "args": {}}})
COMMANDS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "command": {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"name": {"const": "craft_item"}, "args": {"type": "object", "properties": {}}},
                    "required": ["name", "args"],
                }
            ]
        }
    },
    "required": ["command"],
}
"""A schema as that of the commands of a run."""
OTHER = '{"command": {"name": "dance", "args": {}}}'
IGNORED: dict[str, tuple[list[str], dict[str, Any], list[str], int]] = {
    "what was asked for": ([GOOD] * 3, {}, ["json_schema"] * 3, 0),
    "with its thoughts before it": ([f"<think>hm</think>\n{GOOD}"] * 3, {}, ["json_schema"] * 3, 0),
    "prose": (["I craft."] * 5, {}, ["json_schema", "json_schema", *["json_object with schema"] * 2, "json_object"], 1),
    "prose once": (["I craft.", GOOD, "I craft.", GOOD], {}, ["json_schema"] * 4, 0),
    "JSON in a fence": (
        [f"```json\n{GOOD}\n```"] * 3,
        {},
        ["json_schema", "json_schema", "json_object with schema"],
        1,
    ),
    "another command": ([OTHER] * 3, {}, ["json_schema", "json_schema", "json_object with schema"], 1),
    "no command": (['{"thoughts": {}}'] * 3, {}, ["json_schema", "json_schema", "json_object with schema"], 1),
    "a list": (["[1]"] * 3, {}, ["json_schema", "json_schema", "json_object with schema"], 1),
    "read until its command is certain": ([GOOD + "}} and so on"] * 3, {"stop_early": True}, ["json_schema"] * 3, 0),
    "ended by a text of the person": (['{"command'] * 3, {"stop": ("x",)}, ["json_schema"] * 3, 0),
}
"""The answers of an endpoint, the settings -> the forms that are asked for, how often the person is told."""


@pytest.mark.parametrize("what", IGNORED)
def test_a_form_that_is_ignored_is_noticed_after_two_answers_told_once_and_remembered(
    ask: Ask, stand_in: StandIn, tmp_path: Path, what: str
) -> None:
    texts, settings, forms, told = IGNORED[what]
    stand_in.replies += [streamed(text) for text in texts]
    file = tmp_path / "abilities.json"
    said = ask(times=len(texts), think={"schema": COMMANDS}, file=file, **settings)
    assert [form(request) for request in stand_in.requests] == forms
    assert len(said.notices) == told and all("ignores the form" in line for line in said.notices)
    assert file.exists() == bool(told)
    if told:
        ask(think={"schema": COMMANDS}, file=file, **settings)
        assert FORMS.index(form(stand_in.requests[-1])) >= FORMS.index(forms[-1]), "another run begins with it"


def test_tools_that_are_ignored_are_noticed_after_two_answers_and_told_once(ask: Ask, stand_in: StandIn) -> None:
    stand_in.replies += [streamed("I craft.") for _ in range(3)]
    said = ask(times=4, think={"schema": COMMANDS}, tools="native")
    assert ["tools" in request for request in stand_in.requests] == [True, True, False, False]
    assert form(stand_in.requests[-1]) == "json_schema"
    assert len(said.notices) == 1 and "ignores that an answer must be a call of a tool" in said.notices[0]


def test_a_form_of_responses_that_is_ignored_is_told_with_the_other_interface(ask: Ask, stand_in: StandIn) -> None:
    """As llama.cpp does."""
    stand_in.refuse = lambda request: responses.whole(responses.message(responses.text("I craft.")))
    said = ask(times=9, think={"schema": COMMANDS}, wire="responses")
    asked = [request.get("text", {}).get("format", {}).get("type", "plain") for request in stand_in.requests]
    assert asked == ["json_schema"] * 2 + ["json_object"] * 4 + ["plain"] * 3
    assert len(said.notices) == 1 and "it may keep to it without --wire responses" in said.notices[0]
