"""Several bots in one run on the practice server: what they share, who builds what, and what holds when one is lost."""

from __future__ import annotations

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
from autocraft.worlds.minecraft.board import Board
from autocraft.worlds.minecraft.bridge import MOST_REPLACED
from tests.conftest import PROGRAM, Place, kinds
from tests.processes import children, command_line
from tests.worlds.minecraft.playing import node_environment
from tests.worlds.minecraft.talking import talker

HOUSE = ["run", "--world", "minecraft", "--bots", "2", "--brain", "planner", "--goal", "build a small house here"]
FAST = ["--speed", "0", "--seed", "1", "--max-game-minutes", "30", "--json", "--cheats"]
GIVEN = ["--begin", "/give @s oak_planks 64", "--begin", "/give @s oak_door 1", "--begin", "/give @s dirt 8"]
SECONDS = 900
"""After which a run hangs, also on a busy machine."""


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (["--world", "crafting", "--bots", "2"], "--bots belongs to Minecraft: add --world minecraft, or leave it out"),
        (["--world", "minecraft", "--bots", "5"], "--bots is 5: give a number from 1 to 4"),
        (["--world", "minecraft", "--bots", "0"], "--bots is 0: give a number from 1 to 4"),
        (["--world", "minecraft", "--bots", "2", "--auth", "microsoft"], "--bots 2 needs an account for each bot"),
        (["--world", "minecraft", "--bots", "2", "--username", "a" * 16], "give 1 to 15 letters, digits and _"),
        (
            ["--world", "minecraft", "--bots", "2", "--brain", "scripted", "--script", "script.jsonl"],
            "--bots 2 needs the built-in planner: add --brain planner, or leave --bots out",
        ),
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


def test_words_go_to_the_bot_that_they_name(tmp_path: Path) -> None:
    board = Board(Plans(tmp_path), {})
    first, second = board.add("Ann"), board.add("Ann2")
    for said, post, words in [
        ("get 3 sticks", first, "get 3 sticks"),
        ("Ann2, get 3 sticks", second, "get 3 sticks"),
        ("@ann2: stop", second, "stop"),
        ("ann get 3 sticks", first, "get 3 sticks"),
        ("Ann20 is here", first, "Ann20 is here"),
    ]:
        assert board.addressed(said) == (post, words)


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
def test_the_first_bot_is_kicked_again_and_again_and_the_house_is_built(place: Place) -> None:
    """Another client takes the name of the first bot while both build."""
    taken: list[str] = []

    def take_its_name(seen: tuple[subprocess.Popen[str], list[dict[str, Any]]]) -> bool:
        events = seen[1]
        if len(taken) <= MOST_REPLACED and laid(events, "", 3 + len(taken)):
            (port,) = {
                text[1] for each in kinds(events, "note") if (text := re.search(r"127.0.0.1:(\d+),", each["text"]))
            }
            with talker(port, "autocraft"):
                taken.append(port)
        return False

    events = played(place, *HOUSE, *FAST, *GIVEN, "--continuous", until=take_its_name)
    end, notes = events[-1], [each["text"] for each in kinds(events, "note")]
    assert (end["type"], end["reason"]) == ("end", "goal_reached"), events[-6:]
    assert "Of 99 blocks 99 are right, 0 wrong." in end["why"], end
    assert taken and any("connection ended (kicked)" in text for text in notes), notes
