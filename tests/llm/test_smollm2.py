"""A real model behind the whole path: OpenAIBrain, json_fix, the registry of the crafting world.

SmolLM2-135M cannot play, but its streams, its answers under a schema, its nonsense and its truncations are real.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from autocraft.agent.transcript import PromptSettings, Transcript
from autocraft.brains.openai import OpenAIBrain, OpenAISettings, list_models
from autocraft.commands.control import ControlCommands
from autocraft.commands.registry import Registry
from autocraft.commands.schema import command_schema
from autocraft.crafting.inventory import parse_inventory
from autocraft.errors import BrainError, ContextOverflow, InvalidCommand, UnreadableReply
from autocraft.goals import Goal
from autocraft.json_fix import read, read_or_fix
from autocraft.protocols import Answer, Call, Delta, Json, Message, commands_of
from autocraft.session.events import Goals
from autocraft.worlds.crafting import CraftingWorld

pytestmark = [pytest.mark.llm, pytest.mark.xdist_group("llm")]

GOAL = "craft 1 stone_pickaxe"
HELD = ["oak_log=3,cobblestone=3", "oak_planks=2,stone=3", "stick=2,cobblestone=3", "stone_pickaxe=1"]
"""Situations; one goal for all, so that the server has most of each prompt in its cache."""


class Player:
    """One situation of the crafting world with the brain that is asked about it."""

    def __init__(self, url: str, at: int = 0, **settings: Any) -> None:
        self.world = CraftingWorld(parse_inventory(HELD[at]))
        goal = Goal.parse(GOAL, self.world.items)
        self.registry = Registry([*self.world.commands(), *commands_of(ControlCommands())])
        self.transcript = Transcript(PromptSettings(), self.registry.describe())
        self.transcript.apply(Goals(goals=(Goal(goal.text),)))
        self.exchanges: list[Json] = []
        self.brain = OpenAIBrain(
            OpenAISettings(base_url=url, smart_model="smollm2", fast_model="smollm2", **settings),
            on_exchange=self.exchanges.append,
        )
        self.deltas: list[Delta] = []

    async def messages(self) -> list[Message]:
        return self.transcript.messages((await self.world.observe()).text)

    async def ask(self, **options: Any) -> Answer:
        return await self.brain.think(await self.messages(), on_delta=self.deltas.append, **options)

    def joined(self, kind: str) -> str:
        return "".join(delta.text for delta in self.deltas if delta.kind == kind)


def play(player: Player, work: Callable[[], Any]) -> Any:
    async def go() -> Any:
        try:
            return await work()
        finally:
            await player.brain.close()

    return asyncio.run(go())


def test_what_is_offered(url: str) -> None:
    assert [id for id, _ in asyncio.run(list_models(OpenAISettings(base_url=url)))] == ["smollm2"]


def test_a_streamed_answer_is_the_sum_of_its_pieces(url: str) -> None:
    player = Player(url)
    answer = play(player, lambda: player.ask(max_tokens=60))
    assert answer.text
    assert player.joined("text") == answer.text
    assert len(player.deltas) > 5
    assert answer.usage is not None
    assert answer.usage.prompt_tokens > 500
    assert 5 < answer.usage.completion_tokens <= 60


@pytest.mark.parametrize("at", [1, 2], ids=HELD[1:3])
def test_every_answer_under_the_schema_is_a_valid_command(url: str, at: int) -> None:
    player = Player(url, at, temperature=0.9)
    schema = command_schema(player.registry)

    async def two() -> list[Call]:
        calls = []
        for _ in range(2):
            answer = await player.ask(schema=schema, max_tokens=900)
            assert answer.finish_reason == "stop"
            reply = read(answer, registry=player.registry)
            assert (reply.stage, reply.flags) == ("plain", ())
            assert list(reply.thoughts) == ["text", "reasoning", "plan", "criticism", "speak"]
            calls.append(player.registry.bind(reply.name, reply.args))
        return calls

    assert len(play(player, two)) == 2
    forms = [each["request"]["response_format"]["type"] for each in player.exchanges]
    assert forms == ["json_schema"] * 2


def test_each_command_of_the_schema_can_be_given_in_full(url: str) -> None:
    """Left to itself the model takes a few favourites; here each command is the only one, without thoughts."""
    player = Player(url, temperature=0.9)
    whole = command_schema(player.registry)

    async def each() -> list[str]:
        given = []
        for one in whole["properties"]["command"]["anyOf"]:
            schema = {**whole, "properties": {"command": one}, "required": ["command"]}
            answer = await player.ask(schema=schema, max_tokens=600)
            reply = read(answer, registry=player.registry)
            given.append(player.registry.bind(reply.name, reply.args).name)
        return given

    assert play(player, each) == list(player.registry.names())


@pytest.mark.parametrize("at", [0, 2], ids=[HELD[0], HELD[2]])
def test_a_plain_answer_is_repaired_or_refused_never_an_exception(url: str, at: int) -> None:
    player = Player(url, at, temperature=0.9)

    async def fix(prompt: str) -> Answer:
        return await player.brain.think([Message("user", prompt)], role="fast", max_tokens=60)

    async def two() -> list[str]:
        ends = []
        for _ in range(2):
            answer = await player.ask(max_tokens=120)
            try:
                reply = await read_or_fix(answer, registry=player.registry, fixer=fix)
                player.registry.bind(reply.name, reply.args)
                ends.append("command")
            except (UnreadableReply, InvalidCommand) as refused:
                assert "\n" not in str(refused).strip()
                ends.append("refused")
        return ends

    assert len(play(player, two)) == 2


def test_an_answer_without_room_says_so_and_is_not_run(url: str) -> None:
    player = Player(url)
    answer = play(player, lambda: player.ask(schema=command_schema(player.registry), max_tokens=25))
    assert answer.finish_reason == "length"
    assert answer.usage is not None
    assert answer.usage.completion_tokens == 25
    with pytest.raises(UnreadableReply) as refused:
        read(answer, registry=player.registry)
    assert "length" in refused.value.flags


def test_a_prompt_beyond_the_window_says_how_large_the_window_is(url: str) -> None:
    player = Player(url)
    with pytest.raises(ContextOverflow) as caught:
        play(player, lambda: player.brain.think([Message("user", "stick " * 6000)]))
    assert caught.value.limit == 4096
    assert "\n" not in str(caught.value)


def test_a_cancelled_answer_frees_the_model(url: str) -> None:
    player = Player(url)

    async def twice() -> Answer:
        begun = asyncio.Event()
        messages = await player.messages()
        thinking = asyncio.create_task(player.brain.think(messages, max_tokens=2000, on_delta=lambda _: begun.set()))
        await begun.wait()
        thinking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await thinking
        return await player.brain.think(messages, max_tokens=5)

    assert play(player, twice).text
    assert [each.get("error") for each in player.exchanges] == ["cancelled", None]


def test_no_server_there_any_more(url: str) -> None:
    player = Player("http://127.0.0.1:9/v1")
    with pytest.raises(BrainError, match="start the server"):
        play(player, lambda: player.ask())
