"""generate_image against a stand-in for OpenAI's images endpoint, asked by the official SDK over loopback."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from autocraft.agent.account import Account
from autocraft.agent.limits import Limits
from autocraft.agent.state import State
from autocraft.brains.endpoint import OpenAISettings, open_client
from autocraft.commands.copies import UndoCopies
from autocraft.commands.image import LONGEST_PROMPT, ImageCommands, ImageSettings
from autocraft.commands.workspace import FileCaps, Workspace
from autocraft.errors import CommandError
from autocraft.protocols import Call, Json, Result, Risk, commands_of
from autocraft.session.events import Event
from tests.live import account, live_registry


def picture(kind: str = "PNG", colour: str = "red") -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (16, 16), colour).save(made, kind)
    return made.getvalue()


def drawn(data: bytes) -> Json:
    """As the endpoint sends it."""
    return {"created": 1, "data": [{"b64_json": base64.b64encode(data).decode()}], "usage": {"total_tokens": 1}}


class Endpoint:
    """The stand-in: `answer` is sent with `status`; what was asked is kept."""

    def __init__(self) -> None:
        self.status = 200
        self.answer: Any = drawn(picture())
        self.asked: list[Json] = []
        self.held: threading.Event | None = None
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                endpoint.asked.append({"path": self.path, "key": self.headers["authorization"], **body})
                if endpoint.held is not None:
                    endpoint.held.wait(60)
                said = endpoint.answer
                data = said if isinstance(said, bytes) else json.dumps(said).encode()
                self.send_response(endpoint.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                return

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None:
                return

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()


class House:
    """The family on a workspace of its own, called as the loop calls it."""

    def __init__(
        self,
        folder: Path,
        endpoint: OpenAISettings,
        *,
        caps: FileCaps | None = None,
        payer: Account | None = None,
        **settings: Any,
    ):
        self.root = folder / "workspace"
        self.undo = folder / "undo"
        workspace = Workspace(self.root, caps)
        opening = partial(open_client, endpoint)
        self.family = ImageCommands(ImageSettings(**settings), workspace, UndoCopies(self.undo), opening)
        payer = payer or account(folder / "account")
        self.registry = live_registry(commands_of(self.family), account=payer)

    def call(self, prompt: str = "A red fox, in the SNOW!", id: str = "s:1") -> Call:
        bound = self.registry.bind("generate_image", {"prompt": prompt})
        return replace(bound, id=id)

    def evidence(self, call: Call) -> Json:
        kept: Json = json.loads(json.dumps(self.registry.evidence(call)))
        return kept

    def run(self, call: Call) -> Result:
        return asyncio.run(self.registry.call(call))

    def error(self, call: Call) -> str:
        done = self.run(call)
        assert not done.ok and not done.trace and "\n" not in done.text, done
        assert self.files() == {}
        return done.text

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.root.iterdir()} if self.root.exists() else {}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def house(tmp_path: Path, endpoint: Endpoint) -> House:
    return House(tmp_path, OpenAISettings(base_url=endpoint.url, api_key="sk-secret"))


def test_a_picture_is_saved(house: House, endpoint: Endpoint) -> None:
    call = house.call()
    assert (call.name, [p.name for p in call.command.parameters], call.risk) == (
        "generate_image",
        ["prompt"],
        Risk.DESTROY,
    )
    assert house.registry.preview(call) == (
        "sends the prompt to gpt-image-2.5-flare and saves the picture as a-red-fox-in-the-snow-1; it costs money"
    )
    done = house.run(call)
    assert done == Result(f"Saved to disk: a-red-fox-in-the-snow-1.png ({len(picture())} bytes).")
    assert house.files() == {"a-red-fox-in-the-snow-1.png": picture()}
    assert endpoint.asked == [
        {
            "path": "/v1/images/generations",
            "key": "Bearer sk-secret",
            "model": "gpt-image-2.5-flare",
            "prompt": "A red fox, in the SNOW!",
            "n": 1,
            "size": "1024x1024",
        }
    ]


def test_nothing_is_overwritten(house: House, endpoint: Endpoint) -> None:
    for kind, colour in (("PNG", "red"), ("JPEG", "blue"), ("WEBP", "green"), ("PNG", "white")):
        endpoint.answer = drawn(picture(kind, colour))
        assert house.run(house.call("fox")).ok
    assert sorted(house.files()) == ["fox-1.png", "fox-2.jpg", "fox-3.webp", "fox-4.png"]


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("狐", "image-1.png"),
        ("../../etc/passwd", "etc-passwd-1.png"),
        ("CON", "con-1.png"),
        ("\x1b[2J\u202e", "2j-1.png"),
        ("a" * 500, "a" * 40 + "-1.png"),
        ("~", "image-1.png"),
    ],
)
def test_names_come_from_the_prompt_and_stay_inside(house: House, prompt: str, name: str) -> None:
    assert house.run(house.call(prompt)).ok
    assert list(house.files()) == [name]


def test_another_kind_of_model_is_asked_for_bytes(tmp_path: Path, endpoint: Endpoint) -> None:
    settings = OpenAISettings(base_url=endpoint.url)
    house = House(tmp_path, settings, image_model="stablediffusion", image_size="")
    assert house.run(house.call()).ok
    assert endpoint.asked[0]["response_format"] == "b64_json" and "size" not in endpoint.asked[0]


def test_without_a_key(tmp_path: Path) -> None:
    house = House(tmp_path, OpenAISettings())
    said = house.error(house.call())
    assert (
        said.startswith("generate_image needs an endpoint that draws, such as OpenAI's (") and "OPENAI_API_KEY" in said
    )


@pytest.mark.parametrize(
    ("status", "answer", "why"),
    [
        (401, {"error": {"message": "Incorrect key sk-secret"}}, "refuses the key; check OPENAI_API_KEY"),
        (429, {"error": {"message": "slow down"}}, "used up (slow down); wait"),
        (404, {"error": {"message": "no such model"}}, "does not know 'gpt-image-2.5-flare'"),
        (400, {"error": {"message": "blocked by\nmoderation " + "x" * 900}}, "status 400 (blocked by moderation x"),
        (500, b"<html>oops", "status 500"),
        (200, b"<html>oops", "sent no picture"),
        (200, {}, "sent no picture"),
        (200, {"data": []}, "sent no picture"),
        (200, {"data": [{"url": "http://169.254.169.254/"}]}, "sent no picture"),
        (200, {"data": [{"b64_json": "!!"}]}, "sent no picture"),
        (200, [1], "sent no picture"),
        (200, drawn(b"#!/bin/sh\n"), "not PNG, JPEG or WebP"),
        (200, drawn(b"RIFF0000AVI "), "not PNG, JPEG or WebP"),
        (200, b" " * 17_000_000, "sent 16,000,000 bytes without an answer in them"),
    ],
)  # fmt: skip
def test_what_an_endpoint_may_do_wrong(house: House, endpoint: Endpoint, status: int, answer: Any, why: str) -> None:
    endpoint.status, endpoint.answer = status, answer
    said = house.error(house.call())
    assert why in said and len(said) < 400 and "sk-secret" not in said


def test_an_endpoint_that_is_away(tmp_path: Path, endpoint: Endpoint) -> None:
    url = endpoint.url
    endpoint.server.shutdown()
    endpoint.server.server_close()
    house = House(tmp_path, OpenAISettings(base_url=url))
    assert "cannot be reached; check the network and OPENAI_BASE_URL" in house.error(house.call())


def test_a_picture_over_the_cap(tmp_path: Path, endpoint: Endpoint) -> None:
    house = House(tmp_path, OpenAISettings(base_url=endpoint.url), caps=FileCaps(max_bytes=20))
    assert "over the size cap of 20 bytes" in house.error(house.call())


@pytest.mark.parametrize("prompt", ["", " \n", "x" * (LONGEST_PROMPT + 1)])
def test_prompts_that_are_none(house: House, endpoint: Endpoint, prompt: str) -> None:
    assert "prompt" in house.error(house.call(prompt))
    assert "no preview" in house.registry.preview(house.call(prompt))
    assert endpoint.asked == []


# ---------------------------------------------------------------- kill -9, undo, Ctrl-C


def test_what_became_of_a_killed_one(house: House) -> None:
    """Saved: its result is filled in. Not saved: it is not asked for again by itself, as it may have been paid for."""
    call = house.call()
    evidence = house.evidence(call)
    settled = house.registry.settle(call, evidence)
    assert settled.outcome == "unknown" and "may have been paid for" in settled.text
    done = house.run(call)
    settled = house.registry.settle(call, evidence)
    assert (settled.outcome, settled.text) == ("done", done.text)


def test_the_name_in_the_intent_is_the_one_that_is_used(house: House) -> None:
    call = house.call("fox")
    assert house.evidence(call)["image"] == "fox-1"
    assert house.run(call).ok
    other = house.call("fox", id="s:2")
    evidence = house.evidence(other)
    assert evidence["image"] == "fox-2"
    (house.root / "fox-2.jpg").write_bytes(b"somebody's")
    saved = f"{evidence['instead']}.png"
    assert house.run(other).text.startswith(f"Saved to disk: {saved}")
    assert house.registry.settle(other, evidence).text.startswith(f"Saved to disk: {saved}")
    assert (house.registry.undo("generate_image", evidence) or "").startswith(f"{saved} was removed")
    assert (house.root / "fox-2.jpg").read_bytes() == b"somebody's"
    assert sorted(house.files()) == ["fox-1.png", "fox-2.jpg"]


def test_a_file_of_another_process_is_not_taken_for_the_picture_of_a_killed_command(house: House) -> None:
    """It was given as the result, and the undo removed it."""
    evidence = house.evidence(house.call("fox"))
    house.root.mkdir()
    (house.root / "fox-1.png").write_bytes(picture("PNG", "blue"))
    assert house.registry.settle(house.call("fox"), evidence).outcome == "unknown"
    assert house.registry.undo("generate_image", evidence) == "there is no picture fox-1 from this command."
    assert house.files() == {"fox-1.png": picture("PNG", "blue")}


def test_undo_keeps_a_copy(house: House) -> None:
    call = house.call("fox")
    evidence = house.evidence(call)
    house.run(call)
    assert (house.registry.undo("generate_image", evidence) or "").startswith("fox-1.png was removed; a copy is kept")
    assert house.files() == {}
    assert [path.read_bytes() for path in house.undo.iterdir()] == [picture()]
    assert house.registry.undo("generate_image", evidence) == "there is no picture fox-1 from this command."
    with pytest.raises(CommandError, match="nothing was recorded"):
        house.registry.undo("generate_image", {})


def test_cancelling_ends_the_wait(house: House, endpoint: Endpoint) -> None:
    endpoint.held = threading.Event()

    async def run() -> None:
        work = asyncio.create_task(house.registry.call(house.call()))
        while not endpoint.asked:  # noqa: ASYNC110 - the server is in a thread
            await asyncio.sleep(0.01)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(run())
    endpoint.held.set()
    assert house.files() == {}


# ---------------------------------------------------------------- money


def test_pictures_are_counted_and_none_breaks_the_limit(tmp_path: Path, endpoint: Endpoint) -> None:
    paid = account(tmp_path / "session", Limits(max_cost=0.1))
    settings = OpenAISettings(base_url=endpoint.url, api_key="sk-secret")
    house = House(tmp_path, settings, payer=paid, image_price=0.04)
    assert house.registry.preview(house.call("fox")).endswith("; it costs $0.04")
    assert [house.run(house.call("fox")).ok for _ in range(3)] == [True, True, False]
    assert "--max-cost 0.1: $0.0800 is used, and the next call may cost $0.0400" in house.run(house.call("fox")).text
    assert (len(endpoint.asked), len(house.files())) == (2, 2)
    assert (round(paid.state.spending.cost, 4), paid.state.totals.cost_known) == (0.08, True)
    resumed = State()
    for line in (tmp_path / "session" / "events.jsonl").read_text().splitlines():
        resumed.apply(Event.from_json(json.loads(line)))
    assert round(resumed.spending.cost, 4) == 0.08


def test_a_picture_that_cannot_be_read_was_paid_for(tmp_path: Path, endpoint: Endpoint) -> None:
    paid = account(tmp_path / "session")
    settings = OpenAISettings(base_url=endpoint.url, api_key="sk-secret")
    house = House(tmp_path, settings, payer=paid, image_price=0.04)
    endpoint.answer = drawn(b"no picture")
    assert not house.run(house.call("fox")).ok
    endpoint.status = 400
    assert not house.run(house.call("fox")).ok
    assert paid.state.spending.cost == 0.04


def test_a_picture_of_unknown_price_is_refused_under_a_limit_and_else_leaves_the_cost_unknown(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    settings = OpenAISettings(base_url=endpoint.url, api_key="sk-secret")
    limited = House(tmp_path, settings, payer=(strict := account(tmp_path / "session", Limits(max_cost=5.0))))
    assert "set IMAGE_PRICE to what one costs" in limited.error(limited.call("fox"))
    assert endpoint.asked == [] and strict.state.totals.cost_known
    (tmp_path / "free").mkdir()
    free = House(tmp_path / "free", settings, payer=(paid := account(tmp_path / "free" / "session")))
    assert free.run(free.call("fox")).ok
    assert not paid.state.totals.cost_known
