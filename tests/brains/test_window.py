"""The window that a local server really has: as each kind tells it, and by the tokens that it counts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from autocraft import Brain, Config, World, open_run
from autocraft.brains.endpoint import OpenAISettings
from autocraft.brains.openai import OpenAIBrain
from autocraft.protocols import Answer, Message, Observation
from autocraft.text.prompts import Prompt
from tests.brains.stand_in import COMMAND, Reply, StandIn, event, fault, piece
from tests.conftest import STONE_PICKAXE, Place


def page(value: Any) -> Reply:
    return Reply(chunks=[json.dumps(value).encode()])


PAGES: dict[str, tuple[dict[str, Any], int]] = {
    "llama.cpp": ({"/props": {"default_generation_settings": {"n_ctx": 6144}}}, 6144),
    "Ollama, loaded": ({"/api/ps": {"models": [{"name": "m", "model": "m", "context_length": 8192}]}}, 8192),
    "Ollama, set by the model": (
        {
            "/api/ps": {"models": []},
            "/api/show": {"model_info": {"q.context_length": 40_960}, "parameters": "num_ctx 5000"},
        },
        5000,
    ),
    "Ollama, not set": ({"/api/ps": {"models": []}, "/api/show": {"model_info": {"q.context_length": 40_960}}}, 4096),
    "LiteLLM": (
        {"/model/info": {"data": [{"model_name": "x"}, {"model_name": "m", "model_info": {"max_input_tokens": 3000}}]}},
        3000,
    ),
    "LM Studio": ({"/api/v0/models/m": {"id": "m", "loaded_context_length": 7000, "max_context_length": 9000}}, 7000),
    "none of them": ({}, 0),
    "garbage": ({"/props": [1], "/api/ps": {"models": "many"}, "/api/v0/models/m": {"loaded_context_length": "x"}}, 0),
}


@pytest.mark.parametrize("kind", PAGES)
def test_each_kind_of_server_is_asked_in_its_own_way(stand_in: StandIn, kind: str) -> None:
    pages, expected = PAGES[kind]
    stand_in.pages = {path: page(value) for path, value in pages.items()}

    async def asked() -> int:
        brain = OpenAIBrain(OpenAISettings(base_url=stand_in.url, smart_model="m"))
        try:
            return await brain.window("smart")
        finally:
            await brain.close()

    assert asyncio.run(asked()) == expected
    assert not stand_in.requests


@pytest.mark.parametrize(
    ("owner", "asked"),
    [
        ("llamacpp", ["/props"]),
        ("library", ["/api/ps"]),
        ("organization_owner", ["/api/v0/models/m"]),
        ("vllm", []),
        ("openai", ["/model/info"]),
        ("somebody", ["/props", "/api/ps", "/api/v0/models/m", "/model/info"]),
    ],
)
def test_the_list_of_models_tells_which_server_is_asked(stand_in: StandIn, owner: str, asked: list[str]) -> None:
    stand_in.models = page({"data": [{"id": "m", "owned_by": owner, "max_model_len": 2_000}]})
    stand_in.pages = {path: Reply(404, [b"{}"]) for path in ("/props", "/api/ps", "/api/v0/models/m", "/model/info")}

    async def tell() -> int:
        brain = OpenAIBrain(OpenAISettings(base_url=stand_in.url, smart_model="m"))
        try:
            return await brain.window("smart")
        finally:
            await brain.close()

    assert asyncio.run(tell()) == 2_000
    assert stand_in.visited == ["/v1/models", *asked]


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_asked_for_its_window_again(stand_in: StandIn, status: int) -> None:
    busy = [fault(status, "slow down")] * 2
    stand_in.models = page({"data": [{"id": "m", "owned_by": "vllm", "max_model_len": 2_000}]})
    stand_in.busy = lambda: busy.pop() if busy else None

    async def tell() -> int:
        brain = OpenAIBrain(OpenAISettings(base_url=stand_in.url, smart_model="m", retry_seconds=0.01))
        try:
            return await brain.window("smart")
        finally:
            await brain.close()

    assert asyncio.run(tell()) == 2_000
    assert stand_in.visited == ["/v1/models"] * 3


def counting(tokens: int) -> Reply:
    """Return a good answer, whose prompt the server counted as so many tokens."""
    usage = {"prompt_tokens": tokens, "completion_tokens": 7, "total_tokens": tokens + 7}
    chunks = [
        piece(role="assistant", content=COMMAND),
        piece("stop"),
        event({"choices": [], "usage": usage}),
        event(b"[DONE]"),
    ]
    return Reply(chunks=chunks, kind="text/event-stream")


COUNTS: dict[str, tuple[list[tuple[int, int]], int]] = {
    "cut to the token": ([(36_000, 4096), (38_000, 4096), (40_000, 4096)], 4096),
    "whole messages are dropped": ([(20_000, 4050), (30_000, 3900), (40_000, 3980)], 4050),
    "all is taken in": ([(36_000, 9000), (38_000, 9500), (40_000, 10_000)], 0),
    "a tokenizer that makes few": ([(36_000, 5000), (38_000, 5300), (60_000, 8400)], 0),
    "a text of many tokens came first": ([(10_000, 5000), (20_000, 4600), (21_000, 4700)], 0),
    "a server that counts badly": ([(36_000, 11), (38_000, 11), (40_000, 11)], 0),
    "once is no evidence": ([(36_000, 4096), (38_000, 9000), (40_000, 10_000)], 0),
    "a prompt that stays": ([(36_000, 4096), (36_000, 4096), (36_000, 4000)], 0),
}
"""What happens -> the characters of each prompt with the tokens that the server counts, and the window that follows."""


@pytest.mark.parametrize("name", COUNTS)
def test_a_prompt_that_is_dropped_in_part_is_noticed_by_its_count(stand_in: StandIn, name: str) -> None:
    prompts, window = COUNTS[name]
    stand_in.replies += [counting(tokens) for _, tokens in prompts]

    async def asked() -> tuple[int, list[str]]:
        brain = OpenAIBrain(OpenAISettings(base_url=stand_in.url, smart_model="m"))
        try:
            for size, _ in prompts:
                await brain.think([Message("user", Prompt("word " * (size // 5)))])
            return await brain.window("smart"), brain.notices
        finally:
            await brain.close()

    found, notices = asyncio.run(asked())
    assert (found, len(notices)) == (window, int(window > 0))


def test_a_window_that_cannot_hold_the_fixed_prompt_is_refused_before_the_first_call(
    place: Place, stand_in: StandIn
) -> None:
    stand_in.pages = {"/props": page({"default_generation_settings": {"n_ctx": 512}})}
    done = place.run("run", *STONE_PICKAXE, "-c", OPENAI_BASE_URL=stand_in.url, SMART_LLM_MODEL="m")
    assert done.returncode == 1 and not stand_in.requests
    assert "the window of the model is 512: choose a model with a larger one" in done.stdout


def test_an_overflow_that_trimming_cannot_mend_is_not_tried_again(place: Place, stand_in: StandIn) -> None:
    stand_in.refuse = lambda request: fault(400, "the request exceeds the available context size (1024 tokens)")
    done = place.run("run", *STONE_PICKAXE, "-c", OPENAI_BASE_URL=stand_in.url, SMART_LLM_MODEL="m")
    assert len(stand_in.requests) == 1
    assert "the window of the model is 1,024" in done.stdout and "trimmed" not in done.stdout


class Bell(World):
    """A live world that tells its news once."""

    name, ticks, version, cheats, report = "bell", 0, "", 0, None

    def __init__(self) -> None:
        self.news = " The bell rang."

    async def open(self) -> list[str]:
        return []

    async def peek(self) -> Observation:
        return Observation(f"You are in a tower.{self.news}", {})

    async def observe(self) -> Observation:
        seen, self.news = await self.peek(), ""
        return seen


class Listener(Brain):
    """Knows its window, and keeps what it was asked."""

    name, asks_model = "listener", True
    heard = ""

    async def window(self, role: str) -> int:
        return 20_000

    async def think(self, messages: Sequence[Message], **options: Any) -> Answer:
        self.heard += messages[-1].content
        return Answer('{"command": {"name": "task_complete", "args": {}}}')


def test_measuring_the_prompt_does_not_swallow_the_news_of_a_live_world(place: Place) -> None:
    listener = Listener()

    async def play() -> None:
        config = Config(memory="none", continuous=True, state_dir=place.state, workspace=place.folder / "work")
        async with open_run("ring the bell", config=config, world=Bell(), brain=listener) as run:
            async for _ in run:
                pass

    asyncio.run(play())
    assert "The bell rang." in listener.heard
