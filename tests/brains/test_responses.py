"""The Responses interface and native tools, over loopback against a stand-in of the published formats."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from autocraft.commands.registry import Registry
from autocraft.commands.schema import command_schema
from autocraft.json_fix import read
from autocraft.usage import Usage
from autocraft.worlds.crafting import CraftingWorld
from tests.brains.conftest import Told
from tests.brains.responses_stand_in import body, call, called, message, refusal, streamed, text, texts, whole
from tests.brains.stand_in import COMMAND, Reply, StandIn, fault, piece
from tests.brains.stand_in import event as chat_event
from tests.brains.stand_in import whole as chat_whole
from tests.conftest import Place, kinds

pytestmark = pytest.mark.sampled(15)

Ask = Callable[..., Told]
REGISTRY = Registry(CraftingWorld().commands())
SCHEMA = command_schema(REGISTRY)
WIRE = {"wire": "responses"}


def test_the_stand_in_sends_what_the_sdk_publishes() -> None:
    from openai.types.responses import Response, ResponseStreamEvent
    from pydantic import TypeAdapter

    events = [*texts("a"), *texts("a", kind="refusal"), *called("x", "{", "}")]
    reply = streamed(events, body(output=[message(text("a"), refusal("b")), call("x", "{}")]))
    for chunk in reply.chunks:
        data = json.loads(chunk.decode().partition("data: ")[2])
        TypeAdapter(ResponseStreamEvent).validate_python(data, strict=False)
    for row in (body(), body("incomplete", incomplete_details={"reason": "max_output_tokens"})):
        Response.model_validate(row)


def test_an_answer_is_streamed(ask: Ask, stand_in: StandIn) -> None:
    half = len(COMMAND) // 2
    thoughts = [("response.reasoning_summary_text.delta", {"item_id": "r", "output_index": 0, "summary_index": 0,
                                                           "delta": "hm"})]  # fmt: skip
    stand_in.replies = [streamed([*thoughts, *texts(COMMAND[:half], COMMAND[half:])], body())]
    told = ask(**WIRE)
    assert told.answer.text == told.shown() == COMMAND
    assert (told.answer.finish_reason, told.answer.reasoning) == ("stop", "hm")
    assert told.answer.usage == Usage(11, 7, False, 8)


def test_the_request_has_the_names_of_this_interface(ask: Ask, stand_in: StandIn) -> None:
    stand_in.replies = [streamed(texts(COMMAND), body())]
    ask(**WIRE, temperature=0.5, stop=("x",), think={"schema": SCHEMA, "max_tokens": 99}).answer  # noqa: B018
    (sent,) = stand_in.requests
    assert sent["path"].endswith("/responses")
    assert (sent["instructions"], sent["input"]) == ("s", [{"role": "user", "content": "u"}])
    assert (sent["max_output_tokens"], sent["temperature"], sent["store"], sent["stream"]) == (99, 0.5, False, True)
    assert sent["text"]["format"]["type"] == "json_schema"
    assert sent["text"]["format"]["name"] == "command"
    assert not {"messages", "stop", "stream_options", "response_format", "max_tokens"} & set(sent)


def test_an_answer_in_one_piece(ask: Ask, stand_in: StandIn) -> None:
    stand_in.replies = [whole(message(text(COMMAND)))]
    assert ask(**WIRE).answer.text == COMMAND


def test_an_answer_that_is_only_in_the_last_event(ask: Ask, stand_in: StandIn) -> None:
    stand_in.replies = [streamed([], body(output=[message({"type": "output_text", "text": None}, text(COMMAND))]))]
    assert ask(**WIRE).answer.text == COMMAND


@pytest.mark.parametrize(
    "reply",
    [
        lambda: streamed(texts("I will not.", kind="refusal"), body()),
        lambda: whole(message(refusal("I will not."))),
    ],
)
def test_a_refusal(ask: Ask, stand_in: StandIn, reply: Callable[[], Reply]) -> None:
    stand_in.replies = [reply()]
    answer = ask(**WIRE).answer
    assert (answer.text, answer.refusal) == ("", "I will not.")


@pytest.mark.parametrize(("reason", "finish"), [("max_output_tokens", "length"), ("of a new kind", "length")])
def test_an_answer_that_was_cut(ask: Ask, stand_in: StandIn, reason: str, finish: str) -> None:
    last = body("incomplete", [message(text("{"))], incomplete_details={"reason": reason})
    stand_in.replies = [streamed(texts("{"), last), Reply(chunks=[json.dumps(last).encode()])]
    told = ask(**WIRE, times=2)
    assert [answer.finish_reason for answer in told.answers] == [finish, finish]


FAILURES: list[tuple[Callable[[], Reply], str]] = [
    (lambda: streamed(texts("x"), body("incomplete", incomplete_details={"reason": "content_filter"})), "filter"),
    (lambda: fault(401, "Incorrect API key provided", code="invalid_api_key"), "key"),
    (lambda: fault(400, "Your input exceeds the context window", code="context_length_exceeded"), "too long"),
    (
        lambda: streamed([("error", {"code": "invalid_prompt", "message": "no such thing", "param": None})], None),
        "no such thing",
    ),
    (
        lambda: streamed([], body("failed", error={"code": "invalid_prompt", "message": "no such thing"})),
        "no such thing",
    ),
    (lambda: whole(status="failed", error={"code": "invalid_prompt", "message": "no such thing"}), "no such thing"),
]


@pytest.mark.parametrize(("reply", "words"), FAILURES)
def test_a_failure_is_one_line(ask: Ask, stand_in: StandIn, reply: Callable[[], Reply], words: str) -> None:
    stand_in.replies = [reply()]
    assert words in ask(**WIRE, retries=0).error


@pytest.mark.parametrize("first", [lambda: streamed(texts("{"), None), lambda: fault(429, "slow down")])
def test_what_passes_is_tried_again(ask: Ask, stand_in: StandIn, first: Callable[[], Reply]) -> None:
    stand_in.replies = [first(), streamed(texts(COMMAND), body())]
    told = ask(**WIRE)
    assert told.answer.text == told.shown() == COMMAND


def test_a_refused_parameter_is_left_out_from_then_on(ask: Ask, stand_in: StandIn) -> None:
    def refuse(sent: dict[str, Any]) -> Reply | None:
        return fault(400, "Unsupported parameter", param="temperature") if "temperature" in sent else None

    stand_in.refuse = refuse
    stand_in.replies = [streamed(texts(COMMAND), body()) for _ in range(2)]
    assert len(ask(**WIRE, temperature=0.2, times=2).answers) == 2
    assert ["temperature" in sent for sent in stand_in.requests] == [True, False, False]


NONSENSE: list[Any] = [
    [],
    {"type": 5},
    {"type": "response.output_item.added", "item": 3},
    {"type": "response.output_text.delta", "delta": {"a": 1}},
    {"type": "response.completed", "response": []},
    {"type": "response.function_call_arguments.delta", "output_index": "x", "delta": 7},
]


def test_nonsense_between_the_events_is_skipped(ask: Ask, stand_in: StandIn) -> None:
    good = streamed(texts(COMMAND), body())
    stand_in.replies = [Reply(chunks=[*map(chat_event, NONSENSE), *good.chunks], kind="text/event-stream")]
    assert ask(**WIRE).answer.text == COMMAND


# ---------------------------------------------------------------- native tools


def test_the_commands_are_the_tools_of_a_chat(ask: Ask, stand_in: StandIn) -> None:
    parts = [{"index": 0, "id": "c", "function": {"name": "craft_item", "arguments": '{"name": "st'}},
             {"index": 0, "function": {"arguments": 'ick", "count": 2}'}}]  # fmt: skip
    chunks = [*(piece(tool_calls=[part]) for part in parts), piece("tool_calls"), chat_event(b"[DONE]")]
    stand_in.replies = [Reply(chunks=chunks, kind="text/event-stream")]
    answer = ask(tools="native", think={"schema": SCHEMA}).answer
    reply = read(answer, registry=REGISTRY)
    assert (reply.name, reply.args) == ("craft_item", {"name": "stick", "count": 2})
    (sent,) = stand_in.requests
    functions = {tool["function"]["name"]: tool["function"]["parameters"] for tool in sent["tools"]}
    assert set(functions) == set(REGISTRY.names())
    assert functions["craft_item"]["required"] == ["name"]
    assert (sent["tool_choice"], sent["parallel_tool_calls"]) == ("required", False)
    assert "response_format" not in sent
    assert "Call one of the tools" in sent["messages"][0]["content"]


@pytest.mark.parametrize("form", ["stream", "stream without pieces of the arguments", "whole"])
def test_the_commands_are_the_tools_of_responses(ask: Ask, stand_in: StandIn, form: str) -> None:
    arguments = '{"name": "stick"}'
    events = [*texts("Sticks first."), *called("craft_item", arguments[:5], arguments[5:])]
    if "without" in form:
        events = [each for each in events if each[0] != "response.function_call_arguments.delta"]
    made = whole(message(text("Sticks first.")), call("craft_item", arguments))
    stand_in.replies = [made if form == "whole" else streamed(events, body())]
    answer = ask(**WIRE, tools="native", think={"schema": SCHEMA}).answer
    reply = read(answer, registry=REGISTRY)
    assert (reply.name, reply.args, reply.thoughts) == ("craft_item", {"name": "stick"}, {"text": "Sticks first."})
    (tool, *_) = stand_in.requests[0]["tools"]
    assert set(tool) == {"type", "name", "parameters", "strict"}
    assert "text" not in stand_in.requests[0]


def test_a_vague_refusal_is_never_blamed_on_a_parameter_that_was_not_sent(ask: Ask, stand_in: StandIn) -> None:
    stand_in.refuse = lambda sent: fault(400, "Bad Request") if "temperature" in sent else None
    stand_in.replies = [whole(message(text(COMMAND)))]
    assert ask(**WIRE, temperature=0.5, stop=("END",)).answer.text == COMMAND
    assert len(stand_in.requests) == 2


def test_without_tools_the_endpoint_is_asked_for_json(ask: Ask, stand_in: StandIn) -> None:
    def refuse(sent: dict[str, Any]) -> Reply | None:
        return fault(400, "Function tools with reasoning_effort are not supported") if "tools" in sent else None

    stand_in.refuse = refuse
    assert ask(tools="native", think={"schema": SCHEMA}).answer.text == COMMAND
    assert "response_format" in stand_in.requests[-1]
    assert "Call one of the tools" not in stand_in.requests[-1]["messages"][0]["content"]


def test_the_json_shape_is_the_default(ask: Ask, stand_in: StandIn) -> None:
    ask(think={"schema": SCHEMA}).answer  # noqa: B018
    assert "tools" not in stand_in.requests[0]
    assert stand_in.requests[0]["path"].endswith("/chat/completions")


def test_a_run_plays_over_responses_with_tools(place: Place, stand_in: StandIn) -> None:
    plays = [("craft_item", {"name": "oak_planks", "count": 4}), ("craft_item", {"name": "stick", "count": 4})]
    stand_in.replies = [streamed(called(name, json.dumps(args)), body()) for name, args in plays]
    url = {"OPENAI_BASE_URL": stand_in.url, "OPENAI_API_KEY": ""}
    more = ("--brain", "openai", "-m", "m", "--wire", "responses", "--tools", "native", "--continuous")
    done = place.run("run", "--goal", "get 4 stick", "--inventory", "oak_log=1", *more, **url)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [sent["path"] for sent in stand_in.requests] == ["/v1/responses"] * 2
    assert place.events()[-1]["tokens"] == 2 * (11 + 7)


def test_tools_count_as_sent(place: Place, stand_in: StandIn) -> None:
    stand_in.replies = [chat_whole(COMMAND, usage=False)]
    goal = ("--goal", "get 4 oak_planks", "--inventory", "oak_log=1", "--brain", "openai", "-m", "m", "--continuous")
    url = {"OPENAI_BASE_URL": stand_in.url, "OPENAI_API_KEY": ""}
    tokens = {}
    for tools in ("json", "native"):
        done = place.run("prompt", *goal[:-1], "--tools", tools, **url)
        tokens[tools] = int(done.stdout.rsplit("--- about ", 1)[1].split()[0])
    assert tokens["native"] > tokens["json"] + 2_000
    done = place.run("run", *goal, "--tools", "native", "--max-tokens", str(tokens["native"] + 1_000), **url)
    assert (done.returncode, stand_in.requests) == (3, []), done.stdout + done.stderr
    assert f"the next call may take {tokens['native'] + 2_000}" in done.stdout
    done = place.run("run", *goal, "--tools", "native", "--max-steps", "1", **url)
    assert kinds(place.events(), "answer")[0]["usage"][0] == tokens["native"], done.stdout + done.stderr
    done = place.run("run", *goal, "--tools", "native", "--dry-run", **url)
    assert f"the first prompt has about {tokens['native']} tokens" in done.stdout


def test_xai_takes_the_key_of_its_cache_as_a_header_of_chats_and_as_a_parameter_here(
    ask: Ask, stand_in: StandIn
) -> None:
    ask(provider="xai", xai_key="k", times=2).answer  # noqa: B018
    stand_in.replies = [streamed([], body(output=[message(text(COMMAND))]))]
    ask(provider="xai", xai_key="k", **WIRE).answer  # noqa: B018
    first, second, other = stand_in.requests
    assert first["x-grok-conv-id"] and first["x-grok-conv-id"] == second["x-grok-conv-id"]
    assert other["prompt_cache_key"] and not other["x-grok-conv-id"]
    assert not {"prompt_cache_key", "extra_headers"} & (set(first) | set(second))
