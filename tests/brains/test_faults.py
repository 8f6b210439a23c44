"""Every fault: its own line, the right number of calls, the waits that the person sees."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from email.utils import formatdate
from time import sleep, time
from typing import Any

import pytest

from autocraft.brains.faults import judge, report_of
from autocraft.brains.openai import OpenAISettings, list_models
from autocraft.brains.overflow import is_overflow, limit_in
from autocraft.brains.priced import sent_tokens
from autocraft.errors import BrainError, ContextOverflow, UsageError
from autocraft.protocols import Delta
from autocraft.usage import Usage
from tests.brains.conftest import MESSAGES, Told
from tests.brains.stand_in import COMMAND, Reply, StandIn, event, fault, piece, streamed
from tests.conftest import STONE_PICKAXE, Place, kinds
from tests.console.emulator import Emulator
from tests.waiting import PATIENCE, jumping

pytestmark = pytest.mark.sampled(30)

Ask = Callable[..., Told]

# ---------------------------------------------------------------- faults that end it at once


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (fault(401, "Incorrect API key provided", code="invalid_api_key"), "refuses the key: check OPENAI_API_KEY"),
        (fault(400, "Incorrect API key provided: x. You can obtain one from"), "refuses the key"),  # xAI
        (Reply(400, [b'[{"error": {"code": 400, "message": "API key not valid."}}]']), "refuses the key"),  # Gemini
        (fault(400, "No connected db.", type="no_db_connection", code="400"), "refuses the key"),  # LiteLLM
        (fault(403, "Country not supported"), "does not allow this key to do that (Country not supported)"),
        (fault(429, "You exceeded your current quota", code="insufficient_quota"), "quota of your key"),
        (fault(402, "Insufficient credits"), "add credit, then resume"),
        (fault(404, "404 page not found"), "should OPENAI_BASE_URL end in /v1?"),
        (Reply(404, [b'{"detail": "Not Found"}']), "should OPENAI_BASE_URL end in /v1?"),
        (Reply(404, [b"<html>no</html>"], "text/html"), "should OPENAI_BASE_URL end in /v1?"),
        (Reply(405, [b"<html>no</html>"], "text/html"), "should OPENAI_BASE_URL end in /v1?"),
        (fault(400, "The response was filtered", code="content_filter"), "the content filter of"),
        (fault(403, "Your input was flagged by moderation"), "the content filter of"),
        (streamed("I could", finish="content_filter"), "the content filter of"),
        (fault(400, "messages: roles must alternate"), "refuses the request (messages: roles must alternate)"),
        (fault(429, "slow", headers={"retry-after": "3600"}), "(it asks to wait 3600 s)"),
        (fault(429, "slow", headers={"retry-after": "Fri, 01 Jan 2100 00:00:00 GMT"}), "(it asks to wait 2"),
        (Reply(chunks=[b'{"error": {"code": 402, "message": "no money"}}']), "add credit"),
    ],
)
def test_what_cannot_be_mended_by_waiting_costs_one_call(ask: Ask, stand_in: StandIn, reply: Reply, said: str) -> None:
    stand_in.replies += [reply, streamed("never asked for")]
    told = ask()
    assert said in told.error
    assert told.waits() == []
    assert len(stand_in.requests) == 1


def test_an_unknown_model_is_told_with_the_names_near_it(ask: Ask, stand_in: StandIn) -> None:
    stand_in.offer("gpt-5-mini", "gpt-5-nano", "whisper-1")
    stand_in.replies.append(fault(404, "The model `gtp-5-mini` does not exist", code="model_not_found"))
    told = ask(smart_model="gtp-5-mini")
    assert "does not know the model 'gtp-5-mini': did you mean gpt-5-mini" in told.error
    assert "SMART_LLM_MODEL" in told.error
    assert "whisper" not in told.error


def test_an_unknown_model_with_nothing_near_it_lists_what_there_is(ask: Ask, stand_in: StandIn) -> None:
    stand_in.offer("llama3.2", "qwen3:4b")
    stand_in.replies.append(fault(404, 'model "small" not found, try pulling it first'))
    told = ask(provider="ollama", think={"role": "fast"})
    assert "it has llama3.2, qwen3:4b; set FAST_LLM_MODEL, or get it with: ollama pull small" in told.error


def test_an_unknown_model_where_nothing_can_be_listed(ask: Ask, stand_in: StandIn) -> None:
    stand_in.models = Reply(500, [b"oops"])
    stand_in.replies.append(fault(400, "big is not a valid model ID"))
    assert ask().error.endswith("does not know the model 'big': set SMART_LLM_MODEL")


GEMINI = json.dumps(
    [
        {
            "error": {
                "code": 429,
                "message": "You exceeded your current quota, please check your plan and billing details.",
                "status": "RESOURCE_EXHAUSTED",
                "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.02s"}],
            }
        }
    ]
).encode()
"""The answer of Gemini's free tier after some calls in a minute."""

# ---------------------------------------------------------------- faults that may pass


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (fault(500, "oh"), "server error"),
        (Reply(502, [b"<html>bad gateway</html>"], "text/html"), "server error"),
        (fault(503, "Loading model", headers={"retry-after": "0.02"}), "the model is being loaded"),
        (fault(529, "overloaded"), "server error"),
        (fault(408, "slow"), "server error"),
        (fault(429, "slow down", code="rate_limit_exceeded"), "rate limit"),
        (fault(429, "slow", headers={"retry-after-ms": "20"}), "rate limit"),
        (fault(429, "slow", headers={"retry-after": formatdate(time() - 5, usegmt=True)}), "rate limit"),
        (Reply(429, [GEMINI]), "rate limit"),
        (fault(429, "Rate limit reached. Please try again in 0.02s.", code="rate_limit_exceeded"), "rate limit"),
        (fault(429, "slow", retry_after=0.02), "rate limit"),
        (Reply(end="reset"), "connection lost"),
        (Reply(end="cut", kind="text/event-stream"), "connection lost"),
        (streamed("half of", finish=None), "the answer was cut off"),
        (Reply(chunks=[piece(content="half")], kind="text/event-stream", end="cut"), "the answer was cut off"),
        (Reply(chunks=[piece(content="half")], kind="text/event-stream", end="reset"), "the answer was cut off"),
        (Reply(chunks=[b"no events"], kind="text/event-stream"), "the answer was cut off"),
        (Reply(chunks=[piece(content="h"), event(b"{'no': json")], kind="text/event-stream"), "the answer was cut off"),
        (Reply(chunks=[], kind="text/event-stream"), "the answer was cut off"),
        (Reply(chunks=[piece(content="h"), event({"error": {"message": "boom"}})], kind="text/event-stream"), "server"),
    ],
)
def test_what_may_pass_is_waited_for(ask: Ask, stand_in: StandIn, reply: Reply, why: str) -> None:
    stand_in.replies += [reply, reply]
    told = ask()
    assert told.answer.text == COMMAND
    assert told.shown() == COMMAND
    assert len(stand_in.requests) == 3
    assert len(told.waits()) <= 2
    assert all(wait.startswith(why) and "trying again in 1 s" in wait for wait in told.waits())


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (fault(500, "oh"), "has an error of its own (oh): resume later (tried 4 times)"),
        (fault(429, "slow"), "limits the rate of calls: wait a little, then resume (tried 4 times)"),
        (fault(429, "slow", headers={"retry-after": "0"}), "limits the rate of calls"),
        (streamed("half of", finish=None), "cut its answer off in the middle: resume to ask again (tried 4 times)"),
        (Reply(end="reset"), "was lost: resume to try again (tried 4 times)"),
        (Reply(chunks=[], kind="text/event-stream"), "without an answer: look at its log, then resume (tried 4 times)"),
    ],
)
def test_waiting_is_bounded(ask: Ask, stand_in: StandIn, reply: Reply, said: str) -> None:
    stand_in.replies += [reply] * 9
    told = ask(retries=3, longest_wait=0.015)
    assert said in told.error
    assert len(stand_in.requests) == 4
    assert len(told.waits()) == 3


@pytest.mark.full
def test_the_countdown_names_each_second(ask: Ask, stand_in: StandIn) -> None:
    stand_in.replies.append(fault(429, "slow", headers={"retry-after": "2"}))
    told = ask()
    assert told.waits() == ["rate limit: trying again in 2 s", "rate limit: trying again in 1 s"]
    after = told.deltas[2:]
    assert after[0] == Delta("wait")
    assert told.answer.text == COMMAND


def test_what_was_shown_of_a_cut_answer_is_taken_back(ask: Ask, stand_in: StandIn) -> None:
    stand_in.replies.append(streamed("half of", finish=None))
    kinds = [delta.kind for delta in ask().deltas]
    assert kinds[:2] == ["text", "reset"]
    assert kinds.count("reset") == 1


def test_an_answer_that_was_cut_off_is_counted(ask: Ask, stand_in: StandIn) -> None:
    stand_in.replies.append(streamed("x" * 3500, finish=None))
    usage = ask().answer.usage
    assert usage is not None and usage.estimated
    assert (usage.prompt_tokens, usage.completion_tokens) == (11 + sent_tokens(MESSAGES), 7 + 1000)


def test_the_arguments_of_a_tool_call_that_was_cut_off_are_counted(ask: Ask, stand_in: StandIn) -> None:
    call = {"index": 0, "id": "c", "function": {"name": "wait", "arguments": "x" * 3500}}
    stand_in.replies.append(Reply(chunks=[piece(tool_calls=[call])], kind="text/event-stream", end="cut"))
    told = ask()
    assert told.answer.usage == Usage(11 + sent_tokens(MESSAGES), 7 + 1000, estimated=True)


# ---------------------------------------------------------------- nobody there, or nobody who answers


@pytest.mark.parametrize(
    ("provider", "start"),
    [("ollama", "ollama serve"), ("llamacpp", "llama-server -m"), ("vllm", "vllm serve"), ("lmstudio", "lms server")],
)
def test_a_server_that_is_not_there_is_told_with_how_to_start_it(ask: Ask, provider: str, start: str) -> None:
    told = ask(provider=provider, base_url="http://127.0.0.1:9/v1")
    assert "nothing answers at http://127.0.0.1:9" in told.error
    assert f"start the server with: {start}" in told.error
    assert told.waits() == []


def test_a_server_that_goes_away_is_waited_for(stand_in: StandIn, ask: Ask) -> None:
    """It answered before, so it may come back; the first question is answered, the second is not."""
    stand_in.replies.append(streamed("first"))
    stand_in.replies[0].end = "proper"
    closing = stand_in.replies[0].chunks

    def last_words() -> Iterator[bytes]:  # the listening socket goes away with the last piece
        yield from closing
        stand_in.server.shutdown()
        stand_in.server.socket.close()

    stand_in.replies[0] = Reply(chunks=last_words(), kind="text/event-stream", end="cut")
    told = ask(times=2, retries=2)
    assert [answer.text for answer in told.answers] == ["first"]
    assert "nothing answers at" in told.error
    assert len(told.waits()) == 2


def test_an_unknown_host(ask: Ask) -> None:
    told = ask(base_url="http://no-such-host.invalid/v1")
    assert "check OPENAI_BASE_URL and the network" in told.error


@pytest.mark.parametrize("url", ["nonsense", "ftp://127.0.0.1/v1", "http://[1/v1", "http://127.0.0.1:99999/v1"])
def test_an_address_that_cannot_be_used(ask: Ask, url: str) -> None:
    told = ask(base_url=url, retries=0)
    assert "OPENAI_BASE_URL" in told.error or "start the server" in told.error


def test_https_spoken_to_a_plain_server(ask: Ask, stand_in: StandIn) -> None:
    told = ask(base_url=stand_in.url.replace("http:", "https:"))
    assert "is it http instead of https" in told.error


NOTHING = "sent no text of an answer for 1 s: give it more with OPENAI_STALL_SECONDS"


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (
            Reply(chunks=[piece(content="and then")], kind="text/event-stream", end="open"),
            "sent no piece of an answer for 1 s: give it more with OPENAI_TIMEOUT",
        ),
        (Reply(chunks=[], kind="text/event-stream", end="open"), NOTHING),
        (Reply(chunks=[b'{"choices": ['], end="open"), NOTHING),
    ],
)
@pytest.mark.full
def test_a_silent_server_is_asked_again_and_then_left(ask: Ask, stand_in: StandIn, reply: Reply, said: str) -> None:
    stand_in.replies += [reply, reply]
    told = ask(timeout=1, stall_seconds=1, retries=1)
    assert said in told.error
    assert len(stand_in.requests) == 2
    assert stand_in.left.wait(60)


def test_a_model_that_is_loaded_or_thinks_before_its_first_text_is_waited_for(ask: Ask, stand_in: StandIn) -> None:
    """Without a sign, for longer than the limit between two pieces; once before the first byte, once after it."""

    def thinking() -> Iterator[bytes]:
        yield piece(role="assistant", content="")
        sleep(1)
        yield from streamed(COMMAND).chunks

    def loading(request: object) -> None:
        if len(stand_in.requests) == 1:
            sleep(1)

    stand_in.refuse = loading
    stand_in.replies += [streamed(COMMAND), Reply(chunks=thinking(), kind="text/event-stream")]
    told = ask(times=2, timeout=0.3, retries=0)
    assert [answer.text for answer in told.answers] == [COMMAND, COMMAND], told.errors


def test_a_program_that_stood_still_for_hours_goes_on(place: Place, stand_in: StandIn) -> None:
    """As after Ctrl-Z and fg: the clock jumps between two pieces, and no limit has passed."""

    def halves() -> Iterator[bytes]:
        for text in (COMMAND[:30], COMMAND[30:]):
            yield piece(content=text)
            (place.folder / "later").touch()
            sleep(0.5)  # so that the program looks at its clock before the next piece
        yield from streamed().chunks

    stand_in.replies.append(Reply(chunks=halves(), kind="text/event-stream"))
    model = {"OPENAI_BASE_URL": stand_in.url, "SMART_LLM_MODEL": "m", "OPENAI_RETRIES": "0"}
    place.python(*jumping("later")[1:], "run", *STONE_PICKAXE, "-c", "--max-steps", "1", **model)
    assert [event["command"] for event in kinds(place.events(), "result")] == ["craft_item"]


@pytest.mark.full
def test_ctrl_z_for_longer_than_a_limit_ends_no_run(place: Place, stand_in: StandIn) -> None:
    """The rest of the answer comes while the program is stopped, so only its own clock can be at fault."""
    stopped = threading.Event()

    def halves() -> Iterator[bytes]:
        yield piece(content=COMMAND[:30])
        assert stopped.wait(PATIENCE)
        yield from streamed(COMMAND[30:]).chunks

    stand_in.replies.append(Reply(chunks=halves(), kind="text/event-stream"))
    model: dict[str, Any] = {"OPENAI_BASE_URL": stand_in.url, "SMART_LLM_MODEL": "m"}
    model |= {"OPENAI_RETRIES": "0", "OPENAI_TIMEOUT": "10"}
    with closing(Emulator(place, ["run", *STONE_PICKAXE, "-c", "--max-steps", "1"], **model)) as screen:
        screen.until("planks")
        os.kill(screen.child.pid, signal.SIGSTOP)
        sleep(12)
        stopped.set()
        os.kill(screen.child.pid, signal.SIGCONT)
        screen.leave()
    assert [event["command"] for event in kinds(place.events(), "result")] == ["craft_item"]


# ---------------------------------------------------------------- the prompt is too long


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("This model's maximum context length is 4096 tokens. However, you requested 9035 tokens", 4096),
        ("This endpoint's maximum context length is 131072 tokens. However, you requested about 200,000", 131072),
        ("the request exceeds the available context size. try increasing the context size", None),
        ("request (9030 tokens) exceeds the available context size (4096 tokens), try increasing it", 4096),
        ("The decoder prompt (length 17772) is longer than the maximum model length of 16384.", 16384),
        ("Input prompt (2501 tokens) is too long and exceeds limit of 2048", 2048),
        (
            "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with "
            "context length of only 32768 tokens, which is not enough.",
            32768,
        ),
        ("Reached context length of 32000 tokens with model (arch: x) that does not support overflow", 32000),
        ("Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 477469 tokens.", 272000),
        ("prompt is too long: 210000 tokens > 200000 maximum", 200000),
        ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1048576),
        ("Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context", 32768),
        ("`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000", 4097),
        ("'max_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your", 4096),
        ("Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 45000.", 30000),
        ("input exceeds context length", None),
        ("Please reduce the length of the messages or completion.", None),
        ("too many tokens: size limit exceeded by 11326 tokens", None),
    ],
)
def test_the_wordings_of_a_prompt_that_is_too_long(text: str, limit: int | None) -> None:
    assert is_overflow(text)
    assert limit_in(text) == limit


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens is too large: 50000. This model supports at most 16384 completion tokens",
        "Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.",
        "Invalid 'messages[1].content': expected a string",
        "The server is overloaded, its context was lost",
    ],
)
def test_other_faults_are_not_taken_for_it(text: str) -> None:
    assert not is_overflow(text)


@pytest.mark.parametrize(
    "reply",
    [
        fault(400, "maximum context length is 4096 tokens", code="context_length_exceeded"),
        fault(500, "the prompt exceeds the available context size (4096 tokens)"),
        fault(429, "Request too large for m on tokens per min (TPM): Limit 4096, Requested 45000."),
        Reply(413, [b"<html>Request Entity Too Large</html>"], "text/html"),
        Reply(
            chunks=[piece(content="x"), event({"error": {"message": "Reached context length of 4096 tokens"}})],
            kind="text/event-stream",
        ),
    ],
)
def test_an_overflow_is_its_own_error_with_the_limit_and_one_call(ask: Ask, stand_in: StandIn, reply: Reply) -> None:
    stand_in.replies.append(reply)
    told = ask()
    assert isinstance(told.errors[0], ContextOverflow)
    assert told.errors[0].limit == (None if reply.status == 413 else 4096)
    assert "lower SMART_TOKEN_LIMIT" in told.error
    assert len(stand_in.requests) == 1


# ---------------------------------------------------------------- forms of an error, and what must not be shown


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "it is so", "code": None}},
        {"error": "it is so"},
        {"message": "it is so"},
        {"detail": "it is so"},
        {"detail": [{"loc": ["body", "x"], "msg": "it is so"}]},
        {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": "it is so"}}},
        "it is so",
    ],
)
def test_the_forms_of_an_error(body: object) -> None:
    fault = judge(report_of(400, body), OpenAISettings(base_url="http://x/v1"), "m")
    assert "it is so" in fault.text


def test_a_key_or_password_is_never_in_the_line(ask: Ask, stand_in: StandIn) -> None:
    stand_in.replies.append(fault(400, "your key sk-secret-1 is odd"))
    told = ask(api_key="sk-secret-1", base_url=stand_in.url.replace("//", "//me:hunter2@"))
    assert "[key removed]" in told.error
    assert "hunter2" not in told.error
    assert "sk-secret-1" not in told.error


@pytest.mark.parametrize("key", ["x", "local", "none", "sk-local"])
def test_a_key_that_is_a_word_leaves_a_text_whole(ask: Ask, stand_in: StandIn, key: str) -> None:
    stand_in.replies.append(fault(400, "none of the local text exceeds it"))
    assert "none of the local text exceeds it" in ask(api_key=key).error


# ---------------------------------------------------------------- the list of models


def _list(**settings: object) -> list[tuple[str, str]]:
    return asyncio.run(list_models(OpenAISettings(**settings)))  # type: ignore[arg-type]


def test_what_is_offered(stand_in: StandIn) -> None:
    stand_in.offer("a", "b")
    assert _list(base_url=stand_in.url) == [("a", "somebody"), ("b", "somebody")]


@pytest.mark.parametrize("body", [b"nonsense", b'{"data": 5}', b"7", b""])
def test_a_list_that_is_none(stand_in: StandIn, body: bytes) -> None:
    stand_in.models = Reply(chunks=[body])
    with pytest.raises(BrainError, match="lists no models"):
        _list(base_url=stand_in.url)


def test_a_list_that_is_not_allowed(stand_in: StandIn) -> None:
    stand_in.models = fault(401, "no")
    with pytest.raises(BrainError, match="refuses the key"):
        _list(base_url=stand_in.url)


def test_odd_rows_are_left_out(stand_in: StandIn) -> None:
    stand_in.models = Reply(chunks=[json.dumps({"data": [{"id": "a"}, {"id": 5}, None, {}]}).encode()])
    assert _list(base_url=stand_in.url) == [("a", "")]


def test_an_unknown_provider_is_named() -> None:
    with pytest.raises(UsageError, match="choose ollama"):
        _list(provider="olama")


# ---------------------------------------------------------------- signs of life, and the key


def test_comments_that_keep_a_stream_alive_count_as_signs_of_life(ask: Ask, stand_in: StandIn) -> None:
    def thinking() -> Iterator[bytes]:
        for _ in range(12):
            sleep(0.25)
            yield b": keep-alive\n\n"
        yield from streamed(COMMAND).chunks

    stand_in.replies.append(Reply(chunks=thinking(), kind="text/event-stream"))
    told = ask(timeout=2, retries=0)
    assert told.answer.text == COMMAND


@pytest.mark.parametrize("key", ["sk-a1b2c3\n", " sk-a1b2c3", '"sk-a1b2c3"', "sk-a1b2c3\r\n"])
def test_a_key_is_sent_without_what_was_copied_with_it(ask: Ask, stand_in: StandIn, key: str) -> None:
    assert ask(api_key=key).answer.text == COMMAND
    assert stand_in.requests[0]["key"] == "Bearer sk-a1b2c3"


@pytest.mark.parametrize(("key", "what"), [("https://api.example/v1", "an address"), ("sk a1 b2", "blanks")])
def test_what_is_no_key_is_named_before_a_call(ask: Ask, stand_in: StandIn, key: str, what: str) -> None:
    assert f"OPENAI_API_KEY holds {what}, which no key does: correct it" in ask(api_key=key).error
    assert not stand_in.requests


def test_further_headers_are_sent_and_checked(ask: Ask, stand_in: StandIn) -> None:
    assert ask(headers={"x-grok-conv-id": "mine"}).answer.text == COMMAND
    assert stand_in.requests[0]["x-grok-conv-id"] == "mine"
    for bad in ({"a b": "c"}, {"a": "b\nc"}, {"a": 1}):
        with pytest.raises(UsageError, match="is no header"):
            OpenAISettings(headers=bad)  # type: ignore[arg-type]
