"""The plain form of the openai brain, by the real SDK over a loopback socket."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from autocraft.brains.openai import OpenAIBrain, OpenAISettings
from autocraft.errors import BrainError
from autocraft.protocols import Message
from tests.conftest import STONE_PICKAXE, Place, kinds

COMMAND = '{"thoughts": {"text": "planks"}, "command": {"name": "craft_item", "args": {"name": "oak_planks"}}}'


class Endpoint:
    """A stand-in for a model's server: chat completions, with the answers that a test gives it."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.replies: list[tuple[int, Any]] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                endpoint.requests.append({"path": self.path, "key": self.headers["authorization"], **body})
                status, value = endpoint.replies.pop(0) if endpoint.replies else (200, completion(COMMAND))
                data = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def completion(text: str, finish: str = "stop", usage: bool = True) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    made: dict[str, Any] = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
    made["choices"] = [{"index": 0, "message": message, "finish_reason": finish}]
    if usage:
        made["usage"] = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return made


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def ask(endpoint: Endpoint) -> Callable[..., Any]:
    def think(role: str = "smart", **settings: Any) -> Any:
        async def go() -> Any:
            brain = OpenAIBrain(OpenAISettings(base_url=endpoint.url, **settings))
            try:
                return await brain.think([Message("system", "s"), Message("user", "u")], role=role)
            finally:
                await brain.close()

        return asyncio.run(go())

    return think


def test_an_answer_with_its_usage(ask: Callable[..., Any], endpoint: Endpoint) -> None:
    answer = ask(api_key="sk-test-123456", smart_model="big", fast_model="small")
    assert (answer.text, answer.finish_reason, answer.usage.total) == (COMMAND, "stop", 18)
    sent = endpoint.requests[0]
    assert sent["model"] == "big"
    assert sent["key"] == "Bearer sk-test-123456"
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    ask(role="fast", smart_model="big", fast_model="small")
    assert endpoint.requests[1]["model"] == "small"


def test_a_local_server_needs_no_key_and_may_send_no_usage(ask: Callable[..., Any], endpoint: Endpoint) -> None:
    endpoint.replies.append((200, completion(COMMAND, usage=False)))
    assert ask().usage is None


@pytest.mark.parametrize(
    ("status", "error", "said"),
    [
        (401, {"message": "bad key", "code": "invalid_api_key"}, "refuses the key: check OPENAI_API_KEY"),
        (404, {"message": "no model", "code": "model_not_found"}, "does not know the model 'big'"),
        (429, {"message": "quota", "code": "insufficient_quota"}, "quota of your key"),
        (400, {"message": "something\nodd"}, "refuses the request (something odd)"),
    ],
)
def test_faults_are_one_line_that_says_what_to_do(
    ask: Callable[..., Any], endpoint: Endpoint, status: int, error: dict[str, str], said: str
) -> None:
    endpoint.replies += [(status, {"error": error})] * 3
    with pytest.raises(BrainError) as caught:
        ask(smart_model="big")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_run_with_a_model_counts_tokens_and_keeps_the_key_to_itself(place: Place, endpoint: Endpoint) -> None:
    script = [("craft_item", {"name": "oak_planks"}), ("craft_item", {"name": "stick"})]
    script += [("craft_item", {"name": "stone_pickaxe"}), ("task_complete", {"reason": "made"})]
    for name, args in script:
        text = json.dumps({"thoughts": {"text": "my key is sk-secret-987654"}, "command": {"name": name, "args": args}})
        endpoint.replies.append((200, completion(text)))
    done = place.run(
        "run", *STONE_PICKAXE, "--continuous", "--json", "--price-in", "1", "--price-out", "2",
        OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="sk-secret-987654",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    end = place.events()[-1]
    assert (end["tokens"], end["estimated"], round(end["cost"], 6)) == (72, False, 0.0001)
    everything = done.stdout + done.stderr + json.dumps(place.events()) + json.dumps(endpoint.requests[0]["messages"])
    assert "[key removed]" in everything
    assert "sk-secret-987654" not in "".join(json.dumps(event) for event in place.events())
    sent = endpoint.requests[-1]["messages"]
    assert [message["role"] for message in sent if message["role"] == "system"] == ["system"]
    assert any("Made 1 stone_pickaxe" in message["content"] for message in sent if message["role"] == "user")


def test_a_cost_limit_stops_before_the_call_that_could_break_it(place: Place, endpoint: Endpoint) -> None:
    done = place.run(
        "run", *STONE_PICKAXE, "--continuous", "--json", "--price-in", "1000", "--price-out", "1000",
        "--max-cost", "0.01", OPENAI_BASE_URL=endpoint.url,
    )  # fmt: skip
    assert done.returncode == 3
    end = place.events()[-1]
    assert end["why"].startswith("--max-cost 0.01: $0.0000 is used, and the next call may cost $")
    assert endpoint.requests == []


def test_a_token_limit_stops_before_the_call_that_could_break_it(place: Place, endpoint: Endpoint) -> None:
    done = place.run("run", *STONE_PICKAXE, "-c", "--json", "--max-tokens", "100", OPENAI_BASE_URL=endpoint.url)
    assert done.returncode == 3
    end = place.events()[-1]
    assert end["why"].startswith("--max-tokens 100: 0 are used, and the next call may take ")
    assert endpoint.requests == []


def test_a_broken_answer_is_given_to_the_fast_model_once(place: Place, endpoint: Endpoint) -> None:
    broken = '{"command": {"name": "craft_item", "args": {"name": oak_planks"}}'
    endpoint.replies.append((200, completion(broken)))
    endpoint.replies.append((200, completion(COMMAND)))
    done = place.run(
        "run", *STONE_PICKAXE, "-c", "--json", "--max-steps", "1",
        OPENAI_BASE_URL=endpoint.url, SMART_LLM_MODEL="big", FAST_LLM_MODEL="small",
    )  # fmt: skip
    assert done.returncode == 3
    assert [request["model"] for request in endpoint.requests] == ["big", "small"]
    reply = kinds(place.events(), "reply")[0]
    assert (reply["ok"], reply["stage"]) == (True, "llm fix")
    assert place.events()[-1]["tokens"] == 36
