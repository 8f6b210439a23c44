"""Several bots in one run, each with a model: a stand-in on a real socket, or a script."""

from __future__ import annotations

import asyncio
import html
import json
import re
from typing import Any

import pytest

from autocraft import Brain, Config, UsageError, open_run
from autocraft.protocols import Answer
from tests.brains.stand_in import Reply, StandIn, streamed
from tests.conftest import Place, kinds
from tests.waiting import until
from tests.worlds.minecraft.playing import node_environment
from tests.worlds.minecraft.talking import talker
from tests.worlds.minecraft.test_together import FAST, GIVEN, HOUSE, laid, played, whole

TWO = ["run", "--world", "minecraft", "--bots", "2", "--memory", "none"]
DIRT = ["--goal", "get 12 dirt"]
BRIEF = ["--speed", "0", "--seed", "1", "--max-game-minutes", "30"]
QUIET = {"AUTOCRAFT_MOBS": "false"}


def answer(name: str, /, **args: Any) -> Reply:
    """Return an answer of a model: a command with its thoughts."""
    return streamed(json.dumps({"thoughts": {"text": f"I use {name}."}, "command": {"name": name, "args": args}}))


def text_of(request: dict[str, Any]) -> str:
    return "\n".join(str(message["content"]) for message in request["messages"])


def bot_of(request: dict[str, Any]) -> str:
    """Return the name of the bot for which a model is asked."""
    (name,) = set(re.findall(r"You are the bot (\w+), one of 2", text_of(request)))
    return str(name)


def obedient(request: dict[str, Any]) -> Reply:
    """Answer with the command of the advice, as the simplest model that reads its prompt."""
    advised = re.findall("^Next: `(.*)` \\(", text_of(request), re.MULTILINE)
    if not advised:
        return answer("look_around")
    command = json.loads(html.unescape(advised[-1]))
    return answer(command["name"], **command["args"])


def asked_at(server: StandIn) -> list[str]:
    return ["--base-url", server.url, "--model", "m"]


def test_each_bot_has_its_own_lines_of_a_script(place: Place) -> None:
    script = place.script({"text": "x", "bot": 3})
    flags = ["--goal", "get 1 stick", "--continuous", "--brain", "scripted", "--script", script]
    done = place.run(*TWO, *flags, **node_environment())
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert "line 1 of the script" in done.stderr and "is for bot 3, and --bots is 2: correct one of them" in done.stderr


def test_a_brain_that_a_program_brings_plays_one_bot(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(Brain):
        name = "own"

        async def think(self, messages: Any, **options: Any) -> Answer:
            raise AssertionError("it was asked")

    async def play() -> None:
        async with open_run("get 1 stick", config=Config(**settings, state_dir=place.state), brain=Own()):
            raise AssertionError("it opened")

    for name, value in node_environment().items():
        monkeypatch.setenv(name, value)
    settings: dict[str, Any] = {"world": "minecraft", "bots": 2, "continuous": True, "memory": "none"}
    monkeypatch.chdir(place.folder)
    with pytest.raises(UsageError, match="--bots 2 needs a brain for each bot, and a program brings one"):
        asyncio.run(play())


@pytest.mark.full
def test_two_bots_with_a_model_reach_a_goal_together(place: Place, stand_in: StandIn) -> None:
    """Each asks for itself, is told of the other as data, asks the person in its name, and pays for the run."""
    stand_in.refuse = obedient
    prices = ["--price-in", "1", "--price-out", "1"]
    done = place.run(*TWO, *DIRT, *BRIEF, *asked_at(stand_in), *prices, stdin="y\n" * 30, **QUIET, **node_environment())
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert "Bots: 2. Each asks the model, so a turn of all costs as much as 2 turns of one" in done.stdout
    assert re.search(r"autocraft2\b.*\n.*mine_block", done.stdout, re.IGNORECASE), done.stdout
    events = place.events()
    end = events[-1]
    assert (end["type"], end["reason"]) == ("end", "goal_reached"), events[-4:]
    begun = [each for each in kinds(events, "intent") if each["args"] == {"name": "dirt", "count": 6}]
    assert {each.get("bot", "") for each in begun} == {"", "autocraft2"}, "each does its share"
    answers = kinds(events, "answer")
    assert {each.get("bot", "") for each in answers} == {"", "autocraft2"}
    assert 0 <= len(stand_in.requests) - len(answers) <= 1, "the end of the run may interrupt a call of the other bot"
    paid = sum(sum(each["usage"][:2]) for each in kinds(events, "expense"))
    assert end["tokens"] == 18 * len(answers) + paid, "what all paid is the run's"
    assert end["cost"] == pytest.approx(1e-6 * end["tokens"])
    for request in stand_in.requests:
        name = bot_of(request)
        other = "autocraft2" if name == "autocraft" else "autocraft"
        assert request["messages"][0]["content"].startswith(f"You are {name}, ")
        board = re.search(rf"<data[^>]*>(?:(?!</data>).)*^Bot {other}: at \(", text_of(request), re.DOTALL | re.M)
        assert board, "the board is data"


@pytest.mark.full
def test_a_budget_is_that_of_all_bots(place: Place, stand_in: StandIn) -> None:
    """Each call takes 9,000 tokens and may take some more. After five of both bots together, no call fits any more.

    Of the last two calls only one fits, so five it is however the two take turns.
    """

    def dear(request: dict[str, Any]) -> Reply:
        until(lambda: len({bot_of(each) for each in stand_in.requests}) == 2, "a call of each bot")
        reply = answer("look_around", radius=len(stand_in.requests))
        usage = b'"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18'
        dear = b'"prompt_tokens": 8900, "completion_tokens": 100, "total_tokens": 9000'
        return Reply(chunks=[chunk.replace(usage, dear) for chunk in reply.chunks], kind=reply.kind)

    stand_in.refuse = dear
    limit = ["--max-tokens", "50000", "--continuous", "--json"]
    environment = {"AUTOCRAFT_REPLY_TOKENS": "7000", **QUIET, **node_environment()}
    done = place.run(*TWO, *DIRT, *BRIEF, *asked_at(stand_in), *limit, **environment)
    events = place.events()
    assert done.returncode == 3 and events[-1]["reason"] == "limit", events[-3:]
    why = re.match(r"--max-tokens 50000: 45000 are used, and the next call may take (\d+)", events[-1]["why"])
    assert why and 9000 < int(why[1]) < 11500, "else two calls, or four, would fit at once"
    answers = kinds(events, "answer")
    assert {each.get("bot", "") for each in answers} == {"", "autocraft2"}
    assert len(answers) == len(stand_in.requests) == 5 and events[-1]["tokens"] == 45000


@pytest.mark.full
def test_a_run_with_models_that_was_killed_goes_on_with_both_bots(place: Place, stand_in: StandIn) -> None:
    stand_in.refuse = obedient
    house = [each for each in HOUSE if each not in ("--brain", "planner")]
    played(
        place, *house, *FAST, *GIVEN, *asked_at(stand_in), "--continuous",
        until=lambda seen: laid(seen[1], "autocraft2", 1),
    )  # fmt: skip
    before = len(stand_in.requests)
    events = played(place, "run", "--resume", "last", *asked_at(stand_in), "--continuous", "--json")
    whole(place, events)
    assert len(stand_in.requests) > before, "the models go on"


@pytest.mark.full
@pytest.mark.parametrize("silent", ["autocraft", "autocraft2"])
def test_a_model_that_refuses_stops_its_own_bot_alone(place: Place, stand_in: StandIn, silent: str) -> None:
    stand_in.refuse = lambda request: (
        streamed("I can not help with that.") if bot_of(request) == silent else obedient(request)
    )
    flags = [*BRIEF, "--continuous", "--json"]
    done = place.run(*TWO, *DIRT, *flags, *asked_at(stand_in), **QUIET, **node_environment())
    events = place.events()
    assert done.returncode == 0 and events[-1]["reason"] == "goal_reached", events[-4:]
    notes = [each["text"] for each in kinds(events, "note") if "goes no further: 3 answers in a row" in each["text"]]
    assert len(notes) == 1 and notes[0].startswith("the first bot" if silent == "autocraft" else "bot autocraft2")


@pytest.mark.full
def test_a_player_who_names_no_bot_speaks_to_all(place: Place, stand_in: StandIn) -> None:
    """Words of a named player reach each model; with the name of a bot they reach that one alone."""
    said: list[str] = []

    def speak(request: dict[str, Any]) -> Reply:
        heard = text_of(request)
        if "be quick" in heard and (bot_of(request) == "autocraft2") == ("dig deeper" in heard):
            said.append(bot_of(request))
            return obedient(request) if len(set(said)) == 2 else answer("wait", seconds=1)
        return answer("wait", seconds=1)

    stand_in.refuse = speak
    spoken: list[str] = []

    def talk(seen: tuple[Any, list[dict[str, Any]]]) -> bool:
        events = seen[1]
        if events[-1]["type"] == "intent" and not spoken:
            ports = {text[1] for each in kinds(events, "note") if (text := re.search(r"1:(\d+),", each["text"]))}
            with talker(ports.pop(), "Ann") as say:
                spoken.append("be quick")
                say("be quick", heard=True)
                say("autocraft: look up", heard=True)
                say("autocraft2, dig deeper", heard=True)
        return False

    flags = [*FAST, "--continuous", "--listen-to", "Ann", *asked_at(stand_in)]
    events = played(place, *TWO, *DIRT, *flags, until=talk)
    assert events[-1]["reason"] == "goal_reached", events[-4:]
    words = [(each.get("bot", ""), each["text"], each["by"]) for each in kinds(events, "feedback")]
    assert sorted(words) == [
        ("", "be quick", "Ann"), ("", "look up", "Ann"),
        ("autocraft2", "be quick", "Ann"), ("autocraft2", "dig deeper", "Ann"),
    ]  # fmt: skip


def line(bot: int, name: str, /, **args: Any) -> dict[str, Any]:
    """Return a line of a script for one of several bots."""
    return {"text": json.dumps({"thoughts": {}, "command": {"name": name, "args": args}}), "bot": bot}


@pytest.mark.full
def test_the_person_ends_the_run_at_the_question_of_any_bot(place: Place) -> None:
    script = place.script(line(1, "wait", seconds=500), line(2, "task_complete", reason="it looks nice"))
    flags = ["--goal", "make it look nice", *BRIEF, "--brain", "scripted", "--script", script]
    done = place.run(*TWO, *flags, stdin="y\n" * 3, **QUIET, **node_environment())
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert "AUTOCRAFT2 ASKS:" in done.stdout
    end = place.events()[-1]
    assert (end["type"], end["reason"]) == ("end", "goal_reached")
    assert "the person says that it is done" in end["why"]


@pytest.mark.full
def test_what_one_bot_claims_ends_nobody_else(place: Place) -> None:
    script = place.script(
        line(1, "task_complete", reason="I am done"),
        line(2, "wait", seconds=5), line(2, "chat", text="hello"), line(2, "task_complete", reason="I am done too"),
    )  # fmt: skip
    flags = ["--goal", "make it look nice", *BRIEF, "--continuous", "--json", "--brain", "scripted", "--script", script]
    done = place.run(*TWO, *flags, **QUIET, **node_environment())
    events = place.events()
    assert done.returncode == 6 and events[-1]["reason"] == "claimed", events[-3:]
    texts = [each["text"] for each in kinds(events, "note")]
    assert any(text.startswith("the first bot goes no further: claimed by the model") for text in texts), texts
    assert any(text.startswith("bot autocraft2 goes no further: claimed by the model") for text in texts), texts
    assert [each["command"] for each in kinds(events, "result") if each.get("bot") == "autocraft2"] == [
        "wait", "chat", "task_complete"
    ]  # fmt: skip
