"""Answers of every shape: streamed, whole, refused, called as tools, cut, empty, endless, garbage."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from autocraft import http_client
from autocraft.brains import call
from autocraft.brains.endpoint import open_client
from autocraft.brains.openai import OpenAIBrain, OpenAISettings
from autocraft.brains.stream import MOST_CHARACTERS
from autocraft.errors import UnreadableReply
from autocraft.json_fix import read
from autocraft.protocols import Delta, Message
from autocraft.usage import Usage
from tests.brains import responses_stand_in as responses
from tests.brains.conftest import MESSAGES, Told
from tests.brains.stand_in import COMMAND, Reply, StandIn, endless, event, fault, piece, streamed, whole

Ask = Callable[..., Told]


def test_a_stream_comes_piece_by_piece_with_its_usage(ask: Ask, stand_in: StandIn) -> None:
    stand_in.replies.append(streamed("one ", "two ", "three"))
    told = ask(api_key="sk-test-123456")
    assert told.deltas == [Delta("text", "one "), Delta("text", "two "), Delta("text", "three")]
    assert (told.answer.text, told.answer.finish_reason, told.answer.usage) == ("one two three", "stop", Usage(11, 7))
    sent = stand_in.requests[0]
    assert (sent["model"], sent["stream"], sent["stream_options"]) == ("big", True, {"include_usage": True})
    assert sent["key"] == "Bearer sk-test-123456"
    assert sent["accept-encoding"] == "identity", "a small packed body must not unpack into a huge one"
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]


def test_the_fast_role_has_its_own_model(ask: Ask, stand_in: StandIn) -> None:
    ask(think={"role": "fast"})
    assert stand_in.requests[0]["model"] == "small"


def test_a_server_that_does_not_stream_is_read_at_once(ask: Ask, stand_in: StandIn) -> None:
    stand_in.replies.append(whole("all of it", usage=False))
    told = ask()
    assert (told.answer.text, told.answer.usage) == ("all of it", None)
    assert told.shown() == "all of it"


def test_reasoning_comes_apart_from_the_text(ask: Ask, stand_in: StandIn) -> None:
    before = [piece(reasoning_content="let me "), piece(reasoning="think")]
    stand_in.replies.append(streamed("done", before=before))
    told = ask()
    assert (told.answer.text, told.answer.reasoning) == ("done", "let me think")
    assert [delta.kind for delta in told.deltas] == ["reasoning", "reasoning", "text"]


def test_a_refusal_is_no_text(ask: Ask, stand_in: StandIn) -> None:
    stand_in.replies.append(streamed(before=[piece(refusal="I will "), piece(refusal="not.")]))
    answer = ask().answer
    assert (answer.text, answer.refusal) == ("", "I will not.")


def test_reading_stops_where_the_command_is_certain(ask: Ask, stand_in: StandIn) -> None:
    whole_command = '{"thoughts": {"text": "t"}, "command": {"name": "dig", "args": {"a": "}"}}}'
    endless_words = itertools.chain([piece(content=whole_command)], endless(" and so on"))
    stand_in.replies.append(Reply(chunks=endless_words, kind="text/event-stream"))
    answer = ask(stop_early=True).answer
    assert (answer.text, answer.finish_reason) == (whole_command, "stop")
    assert read(answer).args == {"a": "}"}


@pytest.mark.parametrize("end", ["cut", "reset", "open"])
@pytest.mark.sampled(1)
def test_an_answer_with_its_end_is_whole_whatever_comes_after(ask: Ask, stand_in: StandIn, end: str) -> None:
    chunks = [piece(content="all"), piece("stop")]
    stand_in.replies.append(Reply(chunks=chunks, kind="text/event-stream", end=end))
    told = ask()
    assert (told.answer.text, told.answer.usage, len(stand_in.requests)) == ("all", None, 1)


def test_a_fault_of_the_one_who_is_told_is_not_the_endpoints(stand_in: StandIn) -> None:
    told = []

    def once(delta: Delta) -> None:
        told.append(delta)
        if len(told) == 1:
            raise ZeroDivisionError

    async def go() -> None:
        brain = OpenAIBrain(OpenAISettings(base_url=stand_in.url))
        with pytest.raises(ZeroDivisionError):
            await brain.think(MESSAGES, on_delta=once)
        await brain.close()

    asyncio.run(go())
    assert len(stand_in.requests) == 1


@pytest.mark.parametrize("tokens", [1, 20])
def test_length_stays_length(ask: Ask, stand_in: StandIn, tokens: int) -> None:
    stand_in.replies.append(streamed(COMMAND[:40], finish="length"))
    told = ask(think={"max_tokens": tokens})
    assert (told.answer.text, told.answer.finish_reason) == (COMMAND[:40], "length")
    assert stand_in.requests[0]["max_tokens"] == tokens


def test_an_empty_answer_is_told_as_it_is(ask: Ask, stand_in: StandIn) -> None:
    stand_in.replies.append(streamed())
    assert ask().answer.text == ""
    assert len(stand_in.requests) == 1


def test_tool_calls_in_pieces_read_as_the_command(ask: Ask, stand_in: StandIn) -> None:
    calls = [
        {"index": 0, "id": "c1", "type": "function", "function": {"name": "craft_item", "arguments": ""}},
        {"index": 0, "function": {"arguments": '{"name": "sti'}},
        {"index": 0, "function": {"arguments": 'ck", "count": 4}'}},
    ]
    before = [piece(tool_calls=[call]) for call in calls]
    stand_in.replies.append(streamed(finish="tool_calls", before=before))
    answer = ask().answer
    assert json.loads(answer.text) == {"command": {"name": "craft_item", "args": {"name": "stick", "count": 4}}}
    arguments = '{"name": "stick", "count": 4}'
    function = {"name": "craft_item", "arguments": arguments}
    assert answer.tool_calls == ({"id": "c1", "type": "function", "function": function},)
    reply = read(answer)
    assert (reply.name, reply.args) == ("craft_item", {"name": "stick", "count": 4})


@pytest.mark.parametrize("ids", [("a", "b"), ("", "")], ids=["ids", "no ids"])
def test_two_calls_without_an_index_stay_apart(ask: Ask, stand_in: StandIn, ids: tuple[str, str]) -> None:
    calls = [
        {"id": id, "function": function}
        for id, name in zip(ids, ("dig", "wait"), strict=True)
        for function in ({"name": name, "arguments": '{"a"'}, {"name": name, "arguments": ": "}, {"arguments": "1}"})
    ]
    stand_in.replies.append(streamed(finish="tool_calls", before=[piece(tool_calls=[call]) for call in calls]))
    answer = ask().answer
    functions = [call["function"] for call in answer.tool_calls]
    assert functions == [{"name": name, "arguments": '{"a": 1}'} for name in ("dig", "wait")]
    with pytest.raises(UnreadableReply) as caught:
        read(answer)
    assert caught.value.flags == ("two commands",)


@pytest.mark.parametrize("same", [{}, {"index": "0"}, {"index": 0}], ids=["no index", "text", "one index"])
@pytest.mark.parametrize("ids", [("a", "b"), ("", "")], ids=["ids", "no ids"])
@pytest.mark.parametrize("blocks", [("sand", "dirt"), ("sand", "sand")], ids=["other", "equal"])
def test_two_calls_of_one_name_stay_apart(
    ask: Ask, stand_in: StandIn, same: dict[str, object], ids: tuple[str, str], blocks: tuple[str, str]
) -> None:
    calls = [
        {**same, "id": id, "function": {"name": "dig", "arguments": json.dumps({"block": block})}}
        for id, block in zip(ids, blocks, strict=True)
    ]
    stand_in.replies.append(streamed(finish="tool_calls", before=[piece(tool_calls=[call]) for call in calls]))
    answer = ask().answer
    assert [call["function"] for call in answer.tool_calls] == [call["function"] for call in calls]
    if blocks[0] == blocks[1]:
        assert read(answer).args == {"block": "sand"}
        return
    with pytest.raises(UnreadableReply) as caught:
        read(answer)
    assert caught.value.flags == ("two commands",)


def test_a_tool_call_beside_text_leaves_the_text_alone(ask: Ask, stand_in: StandIn) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "wait", "arguments": {"seconds": 1}}}
    stand_in.replies.append(whole("I wait.", "tool_calls", tool_calls=[call]))
    answer = ask().answer
    assert answer.text == "I wait."
    assert answer.tool_calls[0]["function"]["arguments"] == '{"seconds": 1}'


@pytest.mark.parametrize("arguments", ['{"seconds": 1', ""])
def test_a_cut_tool_call_is_not_closed_for_it(ask: Ask, stand_in: StandIn, arguments: str) -> None:
    call = {"index": 0, "id": "c", "function": {"name": "wait", "arguments": arguments}}
    stand_in.replies.append(streamed(finish="length", before=[piece(tool_calls=[call])]))
    answer = ask().answer
    assert answer.text == '{"command": {"name": "wait", "args": ' + arguments
    with pytest.raises(UnreadableReply) as caught:
        read(answer)
    assert caught.value.flags == ("truncated", "length")


def test_the_old_function_call_reads_too(ask: Ask, stand_in: StandIn) -> None:
    stand_in.replies.append(whole(None, "function_call", function_call={"name": "wait", "arguments": '{"seconds": 2}'}))
    assert read(ask().answer).args == {"seconds": 2}


@pytest.mark.parametrize("thoughts", ["hm", [{"type": "text", "text": "h"}, {"type": "text", "text": "m"}]])
@pytest.mark.parametrize("stream", [True, False])
def test_content_in_parts_is_joined(ask: Ask, stand_in: StandIn, thoughts: Any, stream: bool) -> None:
    parts = [{"type": "thinking", "thinking": thoughts}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    pieces = [piece(content=[part]) for part in parts]
    stand_in.replies.append(streamed(before=pieces) if stream else whole(None, content=parts))
    told = ask()
    assert (told.answer.text, told.answer.reasoning) == ("ab", "hm")
    assert told.deltas[0] == Delta("reasoning", "hm")


def test_nonsense_inside_a_stream_is_passed_over(ask: Ask, stand_in: StandIn) -> None:
    odd = [
        b": a comment\n\n", event([1, 2]), event({"choices": "no"}), event({"choices": [None]}),
        event({"choices": [{"index": 0, "delta": 5}]}), event({"choices": [{"delta": {"content": 7}}], "usage": "?"}),
        event({"choices": [], "usage": {"prompt_tokens": None, "completion_tokens": True}}),
        piece(tool_calls=[None]), piece(tool_calls=7),
    ]  # fmt: skip
    stand_in.replies.append(streamed("fine", before=odd, usage=False))
    answer = ask().answer
    assert (answer.text, answer.usage, answer.tool_calls) == ("fine", None, ())


def test_an_answer_without_end_is_read_up_to_a_cap(ask: Ask, stand_in: StandIn) -> None:
    """What was read of it ends as an answer that ran out of room."""
    stand_in.replies.append(Reply(chunks=endless("x" * 50_000), kind="text/event-stream"))
    answer = ask().answer
    assert (len(answer.text), answer.finish_reason) == (MOST_CHARACTERS, "length")
    assert stand_in.left.wait(60)
    assert len(stand_in.requests) == 1


def test_five_megabytes_at_once_are_cut_too(ask: Ask, stand_in: StandIn) -> None:
    stand_in.replies.append(whole("y" * 5_000_000))
    answer = ask().answer
    assert (len(answer.text), answer.finish_reason) == (MOST_CHARACTERS, "length")


@pytest.mark.parametrize("kind", ["text/event-stream", "application/json"])
@pytest.mark.parametrize("status", [200, 400])
def test_bytes_without_an_answer_in_them_are_not_read_for_ever(
    ask: Ask, stand_in: StandIn, kind: str, status: int
) -> None:
    megabyte = b"x" * 1_000_000
    sent: list[int] = []

    def flood() -> Iterator[bytes]:
        while True:
            sent.append(1)
            yield megabyte

    stand_in.replies.append(Reply(status, flood(), kind))
    assert "bytes without an answer in them" in ask().error
    assert stand_in.left.wait(60)
    assert len(sent) < 3 * http_client.MOST_BYTES / len(megabyte)
    assert len(stand_in.requests) == 1


def test_a_long_stream_is_not_taken_for_a_flood(ask: Ask, stand_in: StandIn) -> None:
    """More bytes than the cap in all, but each piece of it is an answer."""
    wide = event({"choices": [{"index": 0, "delta": {"content": "x"}}], "padding": "p" * 1_000_000})
    stand_in.replies.append(streamed(before=[wide] * 20))
    assert ask().answer.text == "x" * 20
    assert 20 * len(wide) > http_client.MOST_BYTES


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(chunks=[b"<html>hello</html>"], kind="text/html"), "sent text/html instead of an answer"),
        (Reply(chunks=[b"hello"], kind="text/plain; charset=utf-8"), "should OPENAI_BASE_URL"),
        (Reply(chunks=[b"not json"]), "is not an answer"),
        (Reply(chunks=[b'{"hello": 1}']), "is not an answer"),
        (Reply(chunks=[b"[" * 100_000]), "is not an answer"),
        (Reply(chunks=[b"\xff\xfe"]), "is not an answer"),
        (Reply(chunks=[event(b"{not json")], kind="text/event-stream"), "is not an answer"),
        (Reply(chunks=[b"data: \xff\xfe\n\n"], kind="text/event-stream"), "is not an answer"),
        (Reply(chunks=[b"xx"], headers={"content-encoding": "gzip"}), "sent its answer compressed"),
    ],
)
def test_garbage_is_one_line_and_one_call(ask: Ask, stand_in: StandIn, reply: Reply, said: str) -> None:
    stand_in.replies.append(reply)
    told = ask(retries=0)
    assert said in told.error
    assert len(stand_in.requests) == 1


@pytest.mark.parametrize(
    ("reply", "begun"),
    [
        (Reply(chunks=endless("more "), kind="text/event-stream"), "a piece of it came"),
        (Reply(end="open", kind="text/event-stream"), "it was asked"),
        (fault(429, "slow", headers={"retry-after": "60"}), "the countdown runs"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_cancelled_answer_closes_its_connection(stand_in: StandIn, reply: Reply, begun: str) -> None:
    stand_in.replies.append(reply)

    async def go() -> None:
        brain, told = OpenAIBrain(OpenAISettings(base_url=stand_in.url)), asyncio.Event()
        thinking = asyncio.create_task(brain.think(MESSAGES, on_delta=lambda _: told.set()))
        await (asyncio.to_thread(stand_in.asked.wait, 60) if begun == "it was asked" else told.wait())
        thinking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await thinking
        assert reply.status == 429 or await asyncio.to_thread(stand_in.left.wait, 60)
        assert len(stand_in.requests) == 1
        assert (await brain.think(MESSAGES)).text == COMMAND
        await brain.close()

    asyncio.run(go())


def test_two_answers_at_once_share_one_client(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []

    def open_counted(settings: OpenAISettings, **options: Any) -> Any:
        opened.append(open_client(settings, **options))
        return opened[-1]

    async def go() -> None:
        brain = OpenAIBrain(OpenAISettings(base_url=stand_in.url))
        answers = await asyncio.gather(brain.think(MESSAGES), brain.think(MESSAGES))
        assert [answer.text for answer in answers] == [COMMAND, COMMAND]
        await brain.close()

    monkeypatch.setattr(call, "open_client", open_counted)
    asyncio.run(go())
    assert [client.is_closed() for client in opened] == [True]


@pytest.mark.parametrize("wire", ["chat", "responses"])
def test_the_sdk_does_not_look_at_each_message(stand_in: StandIn, wire: str) -> None:
    """It would compare each one with all of its types: about 700 calls of functions a message."""

    async def count_calls(messages: int) -> int:
        stand_in.replies = [
            responses.streamed(responses.texts(COMMAND), responses.body()) if wire == "responses" else streamed(COMMAND)
        ]
        calls = 0

        def count(frame: object, happens: str, argument: object) -> None:
            nonlocal calls
            calls += happens == "call"

        sys.setprofile(count)
        try:
            await brain.think([*MESSAGES, *[Message("user", "u")] * messages])
        finally:
            sys.setprofile(None)
        return calls

    async def go() -> int:
        await count_calls(0)  # it imports the SDK
        few = await count_calls(0)
        more = await count_calls(200) - few
        await brain.close()
        return more

    brain = OpenAIBrain(OpenAISettings(base_url=stand_in.url, smart_model="big", wire=wire))
    assert asyncio.run(go()) < 200 * 50


def test_every_exchange_can_be_observed_without_the_key(ask: Ask, stand_in: StandIn) -> None:
    stand_in.replies.append(fault(500, "sk-secret-1 is odd"))
    stand_in.replies.append(streamed("I saw sk-secret-1"))
    told = ask(api_key="sk-secret-1")
    first, second = told.exchanges
    assert (first["said"], second["answer"]["text"]) == ("[key removed] is odd", "I saw [key removed]")
    assert second["answer"]["usage"] == [11, 7]
    assert second["request"]["messages"][1] == {"role": "user", "content": "u"}
    assert "sk-secret-1" not in json.dumps(told.exchanges)
    assert 0 < second["seconds"] < 600
