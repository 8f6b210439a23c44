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
from autocraft.protocols import Answer, Delta, Json, Message, commands_of
from autocraft.session.events import Goals
from autocraft.worlds.crafting import CraftingWorld

pytestmark = [pytest.mark.llm, pytest.mark.xdist_group("llm")]

GOAL = "craft 1 stone_pickaxe"
HELD = ["oak_log=3,cobblestone=3", "oak_planks=2,stone=3"]
"""Situations; one goal for all, so that the server has most of each prompt in its cache."""


class Player:
    """One situation of the crafting world with the brain that is asked about it."""

    def __init__(self, url: str, at: int = 0, **settings: Any) -> None:
        self.world = CraftingWorld(parse_inventory(HELD[at]))
        goal = Goal.parse(GOAL, self.world.items)
        self.registry = Registry([*self.world.commands(), *commands_of(ControlCommands())])
        self.transcript = Transcript(PromptSettings(), self.registry.describe)
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


def test_a_streamed_answer_is_the_sum_of_its_pieces_and_a_plain_one_is_repaired_or_refused(url: str) -> None:
    """Without a schema. Whatever it says, it is a command or one line of an error, never an exception."""
    assert [id for id, _ in asyncio.run(list_models(OpenAISettings(base_url=url)))] == ["smollm2"]
    player = Player(url, temperature=0.9)

    async def fix(prompt: str) -> Answer:
        return await player.brain.think([Message("user", prompt)], role="fast", max_tokens=60)

    async def two() -> list[Answer]:
        answers = []
        for _ in range(2):
            answers.append(await player.ask(max_tokens=80))
            try:
                reply = await read_or_fix(answers[-1], registry=player.registry, fixer=fix)
                player.registry.bind(reply.name, reply.args)
            except (UnreadableReply, InvalidCommand) as refused:
                assert "\n" not in str(refused).strip()
        return answers

    answers = play(player, two)
    assert player.joined("text") == "".join(answer.text for answer in answers)
    assert len(player.deltas) > 10
    for answer in answers:
        assert answer.text and answer.usage is not None
        assert answer.usage.prompt_tokens > 500
        assert 0 < answer.usage.completion_tokens <= 80


def test_an_answer_under_the_schema_is_a_valid_command_with_its_thoughts(url: str) -> None:
    player = Player(url, 1, temperature=0.9)
    answer = play(player, lambda: player.ask(schema=command_schema(player.registry), max_tokens=900))
    assert answer.finish_reason == "stop"
    reply = read(answer, registry=player.registry)
    assert (reply.stage, reply.flags) == ("plain", ())
    assert list(reply.thoughts) == ["text", "reasoning", "plan", "criticism", "speak"]
    assert player.registry.bind(reply.name, reply.args)
    assert player.exchanges[0]["request"]["response_format"]["type"] == "json_schema"


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


ONE = {
    "type": "object",
    "properties": {"name": {"const": "wait"}, "args": {"type": "object", "properties": {}}},
    "required": ["name", "args"],
}
WAIT = {"type": "object", "properties": {"command": {"anyOf": [ONE]}}, "required": ["command"]}
"""The schema of a single command."""
TOOLS = "that an answer must be a call of a tool"
IGNORED: dict[str, tuple[dict[str, Any], str]] = {
    "a tool that must be called": ({"tools": "native"}, TOOLS),
    "a tool that must be called, by Responses": ({"tools": "native", "wire": "responses"}, TOOLS),
    "a schema, by Responses": ({"wire": "responses"}, "the form that an answer must have"),
}
"""What this server accepts and does not keep to -> the settings that ask for it, and what is said."""


@pytest.mark.parametrize("what", IGNORED)
def test_what_llama_cpp_ignores_is_noticed_after_two_answers_and_told_once(url: str, what: str) -> None:
    settings, said = IGNORED[what]
    player = Player(url, **settings)

    async def until_noticed() -> None:
        messages = [Message("system", "You are friendly."), Message("user", "Say hello.")]
        for _ in range(8):  # an answer that is cut off shows nothing
            await player.brain.think(messages, schema=WAIT, max_tokens=150)
            if player.brain.notices:
                break
        await player.brain.think(messages, schema=WAIT, max_tokens=150)

    play(player, until_noticed)
    assert len(player.brain.notices) == 1 and f"ignores {said}" in player.brain.notices[0]
    first, *_, last = [each["request"] for each in player.exchanges]
    assert ("tools" in first, "tools" in last) == ("tools" in settings, False)
    assert first.get("response_format") != last["response_format"], "the next lower form is asked for"


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
