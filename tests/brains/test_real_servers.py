"""Other people's servers: llmock judges how a client takes faults; LiteLLM and Portkey pass calls on to a stand-in.

They live in `.venv-servers`, since what they need would change how servers of our own run. `make test-all` installs
llmock. The two others are large, so they are installed by hand (tests/README.md).
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from tests.brains.stand_in import COMMAND, StandIn, fault, streamed
from tests.conftest import ROOT, STONE_PICKAXE, Place, kinds
from tests.waiting import until

pytestmark = pytest.mark.full

SERVERS = ROOT / ".venv-servers"
Start = Callable[..., str]


@pytest.fixture
def start(place: Place) -> Iterator[Start]:
    """Yield a function that starts a server of `.venv-servers`, waits for its port, and returns its address."""
    running: list[subprocess.Popen[bytes]] = []

    def begin(path: str, *arguments: str, **environment: str) -> str:
        file = SERVERS / path
        if not file.exists():
            pytest.skip(f"{file.name} is not installed: see tests/README.md")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = ["node", str(file)] if file.suffix == ".js" else [str(file)]
        with (place.folder / "server.log").open("wb") as log:
            running.append(
                subprocess.Popen(
                    [*command, *(each.format(port=port) for each in arguments)],
                    cwd=place.folder,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env={"PATH": os.environ["PATH"], "HOME": str(place.folder), **environment},
                )
            )
        until(lambda: answers(port, running[-1]), f"an answer of {file.name}")
        return f"http://127.0.0.1:{port}"

    yield begin
    for each in running:
        each.kill()
        each.wait()


def answers(port: int, server: subprocess.Popen[bytes]) -> bool:
    assert server.poll() is None, "the server ended: look at server.log"
    with socket.socket() as knock:
        return knock.connect_ex(("127.0.0.1", port)) == 0


def play(place: Place, url: str, *arguments: str, **environment: str) -> str:
    """Play up to three turns at this address. Return what was shown."""
    given = ("run", *STONE_PICKAXE, "-c", "--max-steps", "3", "--memory", "none", *arguments)
    quick = {"AUTOCRAFT_RETRY_SECONDS": "0.1", "OPENAI_BASE_URL": url}
    done = place.run(*given, **quick | environment)
    assert "Traceback" not in done.stdout + done.stderr
    return done.stdout + done.stderr


# ---------------------------------------------------------------- llmock, which judges its clients

CHAT = {"match": {"stream": True}}
FAULTS: dict[str, list[dict[str, Any]]] = {
    "none": [],
    "503": [{"type": "fail", "status": 503, "times": 2, **CHAT}],
    "429": [{"type": "fail", "status": 429, "retry_after": 1, "times": 2, **CHAT}],
    "a list of models with 429": [{"type": "fail", "status": 429, "times": 2, "match": {"path": "*/models"}}],
    "truncated": [{"type": "stream_fault", "kind": "truncate", "after_chunks": 3, "times": 2}],
    "malformed": [{"type": "stream_fault", "kind": "malformed", "after_chunks": 3, "times": 2}],
    "malformed at once": [{"type": "stream_fault", "kind": "malformed", "after_chunks": 0, "times": 1}],
    "disconnect": [{"type": "stream_fault", "kind": "disconnect", "after_chunks": 3, "times": 2}],
    "stall": [{"type": "stream_fault", "kind": "stall", "after_chunks": 3, "stall_seconds": 600, "times": 1}],
    "slow first token": [{"type": "slow_first_token", "seconds": 4}],
}
"""What llmock does to the next calls. After that it answers well."""


LIMITS = {"OPENAI_API_KEY": "sk-mock", "OPENAI_TIMEOUT": "3", "OPENAI_STALL_SECONDS": "9"}


@pytest.mark.parametrize("wire", ["chat", "responses"])
@pytest.mark.parametrize("name", FAULTS)
def test_a_run_outlasts_a_fault_and_llmock_finds_nothing_wrong(
    place: Place, start: Start, name: str, wire: str
) -> None:
    slow = ("--stream-chunk-delay-ms", "100")  # so that llmock sees a client that stops reading
    server = start("bin/llmock", "serve", "--host", "127.0.0.1", "--port", "{port}", *slow)
    if FAULTS[name]:
        httpx2.post(f"{server}/_llmock/scenario", json={"behaviors": FAULTS[name]}).raise_for_status()
    shown = play(place, f"{server}/v1", "--wire", wire, **LIMITS)
    assert len(kinds(place.events(), "answer")) == 3, shown
    verdict = httpx2.get(f"{server}/_llmock/verdict").json()
    assert verdict["findings"] == [], httpx2.get(f"{server}/_llmock/requests").text
    assert httpx2.get(f"{server}/_llmock/scenario").json()["pending"] == [], "each fault was met"


def test_a_window_that_is_too_small_is_not_asked_again(place: Place, start: Start) -> None:
    server = start("bin/llmock", "serve", "--host", "127.0.0.1", "--port", "{port}", "--context-window", "1200")
    shown = play(place, f"{server}/v1", OPENAI_API_KEY="sk-mock")
    assert "and the window of the model is 1,200" in shown
    assert httpx2.get(f"{server}/_llmock/verdict").json()["findings"] == []


# ---------------------------------------------------------------- proxies and gateways before a stand-in


KEY = "sk-right"


def litellm(place: Place, start: Start, stand_in: StandIn) -> str:
    """Start LiteLLM with one model and KEY. Return its address."""
    told = {"model": "openai/m", "api_base": stand_in.url, "api_key": "upstream"}
    row = {"model_name": "small", "litellm_params": told, "model_info": {"max_input_tokens": 9_000}}
    config = {"model_list": [row], "general_settings": {"master_key": KEY}}
    (place.folder / "config.yaml").write_text(json.dumps(config))
    more = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    return start("bin/litellm", "--config", "config.yaml", "--host", "127.0.0.1", "--port", "{port}", **more)


def test_litellm_passes_runs_on_and_its_faults_are_named_or_waited_for(
    place: Place, start: Start, stand_in: StandIn
) -> None:
    """One test for all, since LiteLLM takes long to start."""
    server = litellm(place, start, stand_in)
    ours = ("--profile", "litellm", "--base-url", f"{server}/v1")
    doctor = place.run("doctor", *ours, OPENAI_API_KEY=KEY)
    assert "9,000 tokens, as LiteLLM says" in doctor.stdout, doctor.stdout
    for more in ((), ("--tools", "native")):
        play(place, "", *ours, *more, OPENAI_API_KEY=KEY)
        assert kinds(place.events(), "result")[0]["ok"]
    assert stand_in.requests[0]["response_format"]["type"] == "json_schema"
    assert any(each.get("tool_choice") == "required" for each in stand_in.requests)
    stand_in.replies += [fault(500, "out of order"), streamed(COMMAND, finish=None), streamed(COMMAND)]
    play(place, "", *ours, OPENAI_API_KEY=KEY)
    assert kinds(place.events(), "result")[0]["ok"]
    wrong_key = play(place, f"{server}/v1", OPENAI_API_KEY="sk-wrong", SMART_LLM_MODEL="small")
    assert "refuses the key: check OPENAI_API_KEY" in wrong_key
    wrong_name = play(place, f"{server}/v1", OPENAI_API_KEY=KEY, SMART_LLM_MODEL="smal")
    assert "did you mean small" in wrong_name


def test_portkey_gets_the_headers_that_it_needs(place: Place, start: Start, stand_in: StandIn) -> None:
    """Version 1.15.2 passes the call on, and then breaks its own stream, on Node 20 and 24 ("immutable")."""
    if not shutil.which("node"):
        pytest.skip("Node is not installed")
    server = start("node_modules/@portkey-ai/gateway/build/start-server.js", "--port={port}", "--headless")
    headers = f'"x-portkey-provider" = "openai"\n"x-portkey-custom-host" = "{stand_in.url}"\n'
    model = {"OPENAI_API_KEY": "sk-x", "SMART_LLM_MODEL": "m", "OPENAI_RETRIES": "0"}
    assert "x-portkey-provider header is required" in play(place, f"{server}/v1", **model)
    assert not stand_in.requests
    (place.folder / "autocraft.toml").write_text(f"[openai.headers]\n{headers}")
    place.confirm()
    shown = play(place, f"{server}/v1", **model)
    assert stand_in.requests, shown
    assert stand_in.requests[0]["response_format"]["type"] == "json_schema"
    assert kinds(place.events(), "answer") or "has an error of its own" in shown
