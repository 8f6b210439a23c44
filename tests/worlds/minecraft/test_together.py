"""Several bots in one run on the practice server: what they share, who builds what, and what holds when one is lost."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autocraft.building.plans import Plans
from autocraft.goals import Goal
from autocraft.goals.wording import KIND
from autocraft.node import child_environment, find_node, packages
from autocraft.worlds.minecraft.board import Board
from autocraft.worlds.minecraft.bridge import MOST_REPLACED
from autocraft.worlds.minecraft.packages import NODE_FOLDER, PACKAGES
from autocraft.worlds.minecraft.settings import MinecraftSettings
from tests.conftest import PROGRAM, Place, kinds
from tests.processes import children, command_line
from tests.worlds.conftest import Stage
from tests.worlds.minecraft.playing import Player, floor, node_environment
from tests.worlds.minecraft.talking import talker

HOUSE = ["run", "--world", "minecraft", "--bots", "2", "--brain", "planner", "--goal", "build a small house here"]
FAST = ["--speed", "0", "--seed", "1", "--max-game-minutes", "30", "--json", "--cheats"]
GIVEN = ["--begin", "/give @s oak_planks 64", "--begin", "/give @s oak_door 1", "--begin", "/give @s dirt 8"]
REFUSED = """
const { EventEmitter } = require('node:events')
const folder = process.argv[1]
const { Vec3 } = require(folder + '/../shared/need.js')('vec3')
const at = new Vec3(1, 64, 2)
const told = []
const bot = Object.assign(new EventEmitter(), { // as mineflayer is for the journal
  dig: async () => {},
  placeBlock: async () => {},
  pathfinder: { isMining: () => false },
  autocraft: {
    options: { shared: { '(1, 64, 2)': 'walk' } },
    sightings: { reply: () => '' },
    tell: (event) => told.push(event)
  }
})
require(folder + '/journal.js')(bot)
const { journal } = bot.autocraft
const block = { name: 'dirt', position: at, canHarvest: () => true }
bot.dig(block).then(() => {
  const between = journal.placed(at)
  bot.emit(`blockUpdate:${at}`, null, block)
  console.log(JSON.stringify({ between, after: journal.placed(at), aids: journal.aids(true).map(String), told }))
  process.exit()
})
"""
SECONDS = 900
"""After which a run hangs, also on a busy machine."""


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (["--world", "crafting", "--bots", "2"], "--bots belongs to Minecraft: add --world minecraft, or leave it out"),
        (["--world", "crafting", "--unknown", "cake"], "--unknown belongs to Minecraft: add --world minecraft"),
        (["--world", "minecraft", "--bots", "2", "--unknown", "3: cake"], "'3: cake' is for bot 3: add --bots 3"),
        (["--world", "minecraft", "--bots", "5"], "--bots is 5: give a number from 1 to 4"),
        (["--world", "minecraft", "--bots", "0"], "--bots is 0: give a number from 1 to 4"),
        (["--world", "minecraft", "--bots", "2", "--auth", "microsoft"], "--bots 2 needs an account for each bot"),
        (["--world", "minecraft", "--bots", "2", "--username", "a" * 16], "give 1 to 15 letters, digits and _"),
    ],
)
def test_a_run_that_cannot_have_several_bots_is_refused_in_one_line(place: Place, flags: list[str], why: str) -> None:
    place.script(("do_nothing", {}))
    done = place.run("run", "--goal", "get 1 stick", "--continuous", *flags, **node_environment())
    assert done.returncode == 2 and why in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert not place.sessions() or not place.events(), "nothing was begun"


def test_only_a_run_for_goals_has_several_bots(place: Place) -> None:
    done = place.run("learn", "--bots", "2", "--brain", "oracle", "--continuous", **node_environment())
    assert done.returncode == 2 and "--bots 2: only 'autocraft run' lets several bots play" in done.stderr, done.stderr


def test_a_goal_is_shared_out_and_the_rest_of_a_lost_bot_goes_to_the_first(tmp_path: Path) -> None:
    board = Board(Plans(tmp_path), {})
    first, second, third = (board.add(name) for name in ("bot", "bot2", "bot3"))
    first.inventory, second.inventory = {"oak_log": 5}, {"oak_log": 1}
    needs = {"items": [("#log", 16)], "deeds": [["mine", "stone", 2], ["go", "1 2 3", 1]]}
    assert board.share(first, needs) == {"items": [("#log", 9)], "deeds": [["mine", "stone", 1], ["go", "1 2 3", 1]]}
    assert board.share(second, needs) == {"items": [("#log", 4)], "deeds": [["mine", "stone", 1]]}
    assert board.share(third, needs) == {"items": [("#log", 3)], "deeds": []}
    first.gone = True
    assert board.leads(second) and not board.leads(third)
    assert board.share(second, needs) == {"items": [("#log", 6)], "deeds": [["mine", "stone", 1], ["go", "1 2 3", 1]]}


def test_what_is_for_one_bot_alone_reaches_it_alone() -> None:
    settings = MinecraftSettings(bots=2, begin=("/time set day", "2: /give @s bread 3"), unknown=("1: cake", "bread"))
    first, second = settings.of_bot(1), settings.of_bot(2)
    assert (first.username, first.begin, first.unknown) == ("autocraft", ("/time set day",), ("cake", "bread"))
    assert second.begin == ("/time set day", "/give @s bread 3") and second.unknown == ("bread",)
    assert second.username == "autocraft2"


def test_each_bot_in_turn_gets_one_item_of_what_cannot_be_divided(tmp_path: Path) -> None:
    board = Board(Plans(tmp_path), {})
    first, second = board.add("bot"), board.add("bot2")
    needs = {"items": [("cake", 1), ("bread", 1), ("pie", 1)], "deeds": []}
    assert board.share(first, needs)["items"] == [("cake", 1), ("pie", 1)]
    assert board.share(second, needs)["items"] == [("bread", 1)]
    assert board.share(second, {"items": [("cake", 1)], "deeds": []}, 1)["items"] == [("cake", 1)]
    batch = {"items": [("cookie", 8)], "deeds": []}
    assert board.share(first, batch)["items"] == [("cookie", 8)] and not board.share(second, batch)["items"]
    first.inventory = {"oak_planks": 2}
    planks = {"items": [("oak_planks", 20)], "deeds": []}  # five times four are missing
    assert [board.share(each, planks)["items"] for each in (first, second)] == [
        [("oak_planks", 14)],
        [("oak_planks", 8)],
    ]


def test_a_bot_offers_what_it_can_do_without_and_gives_what_it_is_asked_for(tmp_path: Path) -> None:
    board = Board(Plans(tmp_path), {})
    first, second, third = (board.add(name, ("cake",) * (name == "bot3")) for name in ("bot", "bot2", "bot3"))
    second.inventory, second.needed = {"book": 5, "stick": 1}, {"book": 2}
    assert board.others(first) == [
        {"name": "bot2", "offers": {"book": 3, "stick": 1}, "unknown": []},
        {"name": "bot3", "offers": {}, "unknown": ["cake"]},
    ]
    first.asks = {"bot2": {"book": 3}}
    second.needed = {"book": 5}
    assert board.others(first)[0]["offers"]["book"] == 3, "what it is to give counts as needed, and is still offered"
    assert board.others(third)[1]["offers"]["book"] == 0, "but not to others"
    assert board.orders(second) == [("give:bot", "book", 3)] and not board.orders(third)
    assert "Bot bot: at (), no command, holds nothing, asks for 3 book" in board.text(second)
    board.gave(second, "give:bot book", 2)
    board.gave(third, "give:bot book", 1)
    assert board.orders(second) == [("give:bot", "book", 1)]
    board.gave(second, "give:bot book", 1)
    assert not board.orders(second), "nothing is given twice before the other one plans again"


def test_the_materials_of_a_building_are_handed_over_as_each_part_needs_them(tmp_path: Path) -> None:
    board = Board(Plans(tmp_path), {})
    first, second = board.add("bot"), board.add("bot2")
    first.at, second.at = (0, 64, 0), (9, 64, 0)
    first.inventory, second.inventory = {"cobblestone": 46, "torch": 1}, {"oak_planks": 50, "oak_door": 1}
    bills = {
        "bot": Counter(cobblestone=24, oak_planks=26, oak_door=1),
        "bot2": Counter(cobblestone=22, oak_planks=24, torch=1),
    }
    assert list(board.exchange(bills)) == [
        ("bot2", "bot", "oak_planks", 26), ("bot2", "bot", "oak_door", 1),
        ("bot", "bot2", "cobblestone", 22), ("bot", "bot2", "torch", 1),
    ]  # fmt: skip
    second.inventory = {"oak_planks": 40}
    assert ("bot2", "bot", "oak_planks", 16) in list(board.exchange(bills)), "it keeps what its own part needs"
    second.doing = "lay_blocks 3f9c1a20.2of2"
    assert {giver for giver, *_ in board.exchange(bills)} == {"bot"}, "nobody waits for a bot that builds"
    first.at = (90, 64, 0)
    assert not list(board.exchange(bills)), "nor for one that is far away"


def test_the_planner_asks_another_bot_and_does_meanwhile_what_it_can(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/setblock {x + 2} {y} {z} crafting_table")
        await player.world.command("/give @s oak_log 2")
        other = {"name": "bot2", "offers": {"book": 3}, "unknown": []}

        async def answer(name: str, *others: dict[str, Any]) -> dict[str, Any]:
            goals = [{"items": [[name, 1]], "deeds": []}]
            parts = {"goals": goals, "kinds": KIND.pattern, "avoid": [], "others": list(others)}
            return await player.world._read_or_lose("plan", parts)  # type: ignore[no-any-return]

        asked = await answer("bookshelf", other)
        assert asked["asks"] == {"bot2": {"book": 3}} and asked["needed"]["oak_log"] == 2
        assert [step["name"] for step in asked["steps"]] == ["craft_item"], "the shelf waits for the books"
        assert asked["steps"][0]["args"]["name"] == "oak_planks"
        alone = await answer("bookshelf")
        assert not alone["asks"] and alone["steps"][-1]["args"]["name"] == "bookshelf"

    stage.play(scene)


def test_a_block_of_another_bot_that_the_server_keeps_is_lost_for_neither() -> None:
    script: list[str | Path] = [find_node(), "-e", REFUSED, NODE_FOLDER / "bot"]
    environment = child_environment(AUTOCRAFT_NODE_MODULES=str(packages(PACKAGES)))
    done = subprocess.run(script, env=environment, capture_output=True, check=True, timeout=120)
    seen = json.loads(done.stdout)
    assert not seen["between"] and seen["after"], seen
    assert seen["aids"] == ["(1, 64, 2)"], "the other one learned that it is gone, so this bot takes it away"
    assert [(each["what"], each.get("by")) for each in seen["told"]] == [("broke", None), ("placed", "walk")]


def test_words_go_to_the_bot_that_they_name(tmp_path: Path) -> None:
    board = Board(Plans(tmp_path), {})
    first, second = board.add("Ann"), board.add("Ann2")
    for said, post, words, named in [
        ("get 3 sticks", first, "get 3 sticks", False),
        ("Ann2, get 3 sticks", second, "get 3 sticks", True),
        ("@ann2: stop", second, "stop", True),
        ("ann get 3 sticks", first, "get 3 sticks", True),
        ("Ann20 is here", first, "Ann20 is here", False),
    ]:
        assert board.addressed(said) == (post, words, named)


def played(place: Place, *arguments: str, until: Callable[[Any], bool] | None = None) -> list[dict[str, Any]]:
    """Run autocraft to its end. Return its events. With `until`, call it with the process and each event.

    After the first event for which it returns True, the run is killed with signal 9.
    """
    environment = place.environment | {"AUTOCRAFT_MOBS": "false", **node_environment()}
    child = subprocess.Popen(
        [*PROGRAM, *arguments], cwd=place.folder, env=environment, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert child.stdout is not None
    deadline, events = time.monotonic() + SECONDS, []
    for line in child.stdout:
        assert line.startswith("{"), line
        events.append(json.loads(line))
        if time.monotonic() > deadline or (until is not None and until((child, events))):
            os.kill(child.pid, signal.SIGKILL)
            break
    child.wait()
    assert time.monotonic() < deadline, events[-3:]
    return events


def laid(events: list[dict[str, Any]], bot: str, count: int) -> bool:
    """Tell whether a bot has just said that so many blocks of its part stand."""
    last = events[-1]
    words = str(last.get("text", "")).split()
    said = last["type"] == "progress" and last.get("command") == "lay_blocks" and last.get("bot", "") == bot
    return said and words[1:2] == ["of"] and words[-1] == "blocks" and int(words[0]) >= count


def whole(place: Place, events: list[dict[str, Any]]) -> None:
    """Check that a run ended with the whole house, and that no bot broke what the other one had placed."""
    end = events[-1]
    assert (end["type"], end["reason"], end.get("deaths", 0)) == ("end", "goal_reached", 0), events[-6:]
    assert ": 1 of 1. Of 99 blocks 99 are right, 0 wrong." in end["why"], end
    (file,) = place.state.rglob("changes.jsonl")
    changes = [each for each in map(json.loads, file.read_text().splitlines()) if each.get("after") or "before" in each]
    placed: dict[tuple[int, ...], str] = {}
    done: Counter[str] = Counter()
    for each in changes:
        cell, bot = (each["x"], each["y"], each["z"]), each.get("bot", "")
        if each["what"] == "placed" and each["after"].startswith("oak_"):
            placed[cell] = bot
            done[bot] += 1
        elif each["before"].startswith("oak_") and cell in placed:
            assert placed.pop(cell) == bot, each
    assert min(done[""], done["autocraft2"]) >= 30, done


@pytest.mark.full
def test_two_bots_build_a_house_and_ask_one_question_at_a_time(place: Place) -> None:
    environment = {"AUTOCRAFT_MOBS": "false", **node_environment()}
    done = place.run(*HOUSE, *FAST, *GIVEN, stdin="y\n" * 12, **environment)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    events = place.events()
    whole(place, events)
    asked = [(each.get("bot", ""), each["command"]) for each in kinds(events, "question")]
    assert asked[0] == ("", "plan_build") and ("autocraft2", "build") in asked and asked[-1] == ("", "build"), asked
    turns = [each for each in events if each["type"] in ("question", "decision") and each["agent"] == "main"]
    for question, decision in zip(turns[::2], turns[1::2], strict=True):
        assert (question["type"], decision["type"]) == ("question", "decision")
        assert question.get("bot") == decision.get("bot") and decision["by"] == "person"
    built = {
        (each.get("bot", ""), each["args"]["plan"][8:])
        for each in kinds(events, "intent")
        if each["command"] == "build"
    }
    assert built == {("", ".1of2"), ("autocraft2", ".2of2"), ("", "")}


@pytest.mark.full
def test_a_run_that_was_killed_goes_on_with_both_bots_and_outlives_a_bot(place: Place) -> None:
    played(place, *HOUSE, *FAST, *GIVEN, "--continuous", until=lambda seen: laid(seen[1], "autocraft2", 5))
    killed: list[int] = []

    def kill_second(seen: tuple[subprocess.Popen[str], list[dict[str, Any]]]) -> bool:
        child, events = seen
        if not killed and laid(events, "autocraft2", 1):
            killed.append(max(pid for pid in children(child.pid) if b"bot/main.js" in command_line(pid)))  # the younger
            os.kill(killed[0], signal.SIGKILL)
        return False

    events = played(place, "run", "--resume", "last", "--continuous", "--json", until=kill_second)
    assert killed, "the second bot had nothing to build any more"
    whole(place, events)
    lost = [each for each in kinds(events, "note") if "connection ended (gone)" in each["text"]]
    assert lost and {each["bot"] for each in lost} == {"autocraft2"}


@pytest.mark.full
def test_if_the_first_bot_is_lost_for_good_the_others_reach_the_goal(place: Place) -> None:
    """Another client takes the name of the first bot whenever it does something, until it does not come back."""
    taken: list[str] = []

    def take_its_name(seen: tuple[subprocess.Popen[str], list[dict[str, Any]]]) -> bool:
        events = seen[1]
        last = events[-1]
        if last["type"] == "intent" and not last.get("bot") and len(taken) <= MOST_REPLACED:
            (port,) = {
                text[1] for each in kinds(events, "note") if (text := re.search(r"127.0.0.1:(\d+),", each["text"]))
            }
            with talker(port, "autocraft"):
                taken.append(port)
        return False

    goal = ["--goal", "get 24 dirt"]
    events = played(place, *HOUSE[:-2], *goal, *FAST, "--continuous", until=take_its_name)
    end, notes = events[-1], [(each.get("bot", ""), each["text"]) for each in kinds(events, "note")]
    assert any("the first bot goes no further: " in text for bot, text in notes if not bot), notes
    assert (end["type"], end["reason"], end["exit"]) == ("end", "goal_reached", 0), events[-6:]
    mined = [each for each in kinds(events, "result") if each["ok"] and each.get("bot") == "autocraft2"]
    assert mined and "need 24" in end["why"], end


@pytest.mark.full
def test_a_bot_makes_nothing_that_it_does_not_know(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        await floor(player, stage.area())
        await player.world.command("/give @s oak_log 3")
        assert "does not know how to make stick" in await player.fails("craft_item", name="stick")
        assert "does not know how to make charcoal" in await player.fails("smelt_item", name="oak_log")
        await player.must("craft_item", name="oak_planks", count=4)
        (goal,) = [Goal.parse("craft 1 stick", player.world.items)]
        assert all(step.args.get("name") != "stick" for step in (await player.world.plan([goal])).steps)

    stage.play(scene, unknown=("stick", "charcoal"))


@pytest.mark.full
def test_the_first_bot_is_kicked_again_and_again_and_the_house_is_built(place: Place) -> None:
    """Another client takes the name of the first bot while both build."""
    taken: list[str] = []

    def take_its_name(seen: tuple[subprocess.Popen[str], list[dict[str, Any]]]) -> bool:
        events = seen[1]
        if len(taken) <= MOST_REPLACED and laid(events, "", 3 + len(taken)):
            (port,) = {
                text[1] for each in kinds(events, "note") if (text := re.search(r"127.0.0.1:(\d+),", each["text"]))
            }
            # the run does not wait for this, and may have ended meanwhile
            with contextlib.suppress(ConnectionRefusedError), talker(port, "autocraft"):
                taken.append(port)
        return False

    long = ["--max-game-minutes", "600"]  # the game goes on while a bot waits to join again
    events = played(place, *HOUSE, *FAST, *long, *GIVEN, "--continuous", until=take_its_name)
    end, notes = events[-1], [each["text"] for each in kinds(events, "note")]
    assert (end["type"], end["reason"]) == ("end", "goal_reached"), events[-6:]
    assert "Of 99 blocks 99 are right, 0 wrong." in end["why"], end
    assert taken and any("connection ended (kicked)" in text for text in notes), notes
