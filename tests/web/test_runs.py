"""A run that is authorised from the page: shown whole, answered once, by whoever is first."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx2
import pexpect
import pytest

from autocraft.console.choices import UNSEEN
from tests.brains.stand_in import Reply, StandIn, event, piece
from tests.commands.programs import with_programs
from tests.conftest import STONE_PICKAXE, Place, kinds
from tests.learning.test_learning import ANSWER, DESCRIPTION, STICKS, WOOD, WRONG, program, task, verdict
from tests.learning.test_learning import PLANKS as PLANKS_PROGRAM
from tests.waiting import PATIENCE
from tests.web.browsing import LINK, Browser, followed, served
from tests.worlds.minecraft.playing import node_environment

pytestmark = pytest.mark.sampled(4)

WAIT = """
import asyncio
from pathlib import Path
from autocraft.protocols import command, Risk

@command(help="Hold until a file is there", risk=Risk.CHANGE)
async def hold(call):
    while not Path("go").exists():
        await asyncio.sleep(0.01)
    return "held"
"""


@contextlib.asynccontextmanager
async def entered(link: str) -> AsyncIterator[Browser]:
    """Yield a browser that follows the page of a run at a terminal. Wait afterwards until the page has ended."""
    async with httpx2.AsyncClient(timeout=PATIENCE) as http:
        browser = Browser(link, None, http)
        await browser.enter()
        following = asyncio.create_task(browser.follow())
        yield browser
        await following


async def asked(browser: Browser, before: dict[str, Any] | None = None) -> dict[str, Any]:
    """Wait for the next question."""
    question = await browser.question(before["id"] if before else 0)
    assert question is not None, "the run is over"
    return question


async def counts(browser: Browser, question: dict[str, Any], kind: str, **more: Any) -> None:
    answered = await browser.answer(question, kind, **more)
    assert (answered.status_code, answered.text) == (200, "it counts\n")


async def yes_to_the_end(browser: Browser) -> int:
    """Answer y to every question. Return how many there were."""
    question, count = await browser.question(), 0
    while question is not None:
        answered = await browser.answer(question, "run")
        assert answered.status_code == 200, answered.text
        count += 1
        question = await browser.question(question["id"])
    return count


def test_a_run_without_a_terminal_is_authorised_wholly_from_the_page(place: Place) -> None:
    async def play() -> tuple[int, Browser]:
        async with followed(place, *STONE_PICKAXE) as browser:
            count = await yes_to_the_end(browser)
            assert await browser.process.wait() == 0
            return count, browser

    count, browser = asyncio.run(play())
    events = place.events()
    decided = kinds(events, "decision")
    assert len(decided) == count == len(kinds(events, "question"))
    assert {event["by"] for event in decided} == {"web"}
    assert kinds(events, "end")[0]["reason"] == "goal_reached"
    parts = browser.parts
    assert parts["goal"]["goals"] == ["craft 1 stone_pickaxe"]
    assert ["stone_pickaxe", 1] in parts["inventory"]
    assert [name for name, _ in parts["figures"]] == ["Turns", "Tokens", "Cost", "Kinds of items"]
    assert parts["learned"] is None and [plot["name"] for plot in parts["plots"]] == ["items"]
    assert parts["end"]["good"] and parts["steps"][1]["effects"][0]["ok"]


@pytest.mark.full
def test_a_learning_run_shows_its_task_its_attempts_its_curve_and_its_items(place: Place) -> None:
    """The first program does nothing, so its task is tried again."""
    answers = (
        task("Craft 4 oak_planks"), ANSWER, program(WRONG), verdict(False, "no planks"), program(PLANKS_PROGRAM),
        DESCRIPTION, task("Craft 4 stick"), ANSWER, program(STICKS), DESCRIPTION,
    )  # fmt: skip
    script = ("--brain", "scripted", "--script", place.script(*answers), "--iterations", "3")

    async def play() -> tuple[list[Any], dict[str, Any]]:
        tasks = []
        async with followed(place, *WOOD, *script, verb=("learn", "--web"), **with_programs()) as browser:
            question = await browser.question()
            while question is not None:
                tasks.append(browser.parts["learned"]["task"])
                await counts(browser, question, "run")
                question = await browser.question(question["id"])
            assert await browser.process.wait() == 0
            return tasks, browser.parts

    tasks, parts = asyncio.run(play())
    assert list(dict.fromkeys(filter(None, tasks))) == [
        "Now, try 1 of 4: Craft 4 oak_planks", "Now, try 2 of 4: Craft 4 oak_planks", "Now, try 1 of 4: Craft 4 stick",
    ]  # fmt: skip
    attempts = [(each["iteration"], each["outcome"], each["items"]) for each in parts["learned"]["attempts"]]
    assert attempts == [(3, "reached", ["stick"]), (2, "reached", ["oak_planks"]), (1, "critic", ["oak_log"])]
    assert [plot["name"] for plot in parts["plots"]] == ["prompts", "items"]
    assert dict(parts["figures"])["Tasks reached"] == "2 of 2" and parts["goal"]["goals"] == ["Craft 4 stick"]


@pytest.mark.full
def test_a_run_in_minecraft_is_authorised_wholly_from_the_page(place: Place) -> None:
    arguments = ("craft 1 wooden_pickaxe", "--world", "minecraft", "--seed", "1", "--speed", "0")

    async def play() -> Browser:
        async with followed(place, *arguments, **node_environment()) as browser:
            await yes_to_the_end(browser)
            assert await browser.process.wait() == 0
            return browser

    browser = asyncio.run(play())
    assert {event["by"] for event in kinds(place.events(), "decision")} == {"web"}
    assert [plot["name"] for plot in browser.parts["plots"]] == ["items", "map"]
    assert ["wooden_pickaxe", 1] in browser.parts["inventory"]


def scripted(place: Place, *answers: Any) -> tuple[str, ...]:
    return (*STONE_PICKAXE, "--brain", "scripted", "--script", place.script(*answers))


PLANKS = ("craft_item", {"name": "oak_planks", "count": 4})
NOTHING: tuple[str, dict[str, Any]] = ("do_nothing", {})


@pytest.mark.full
def test_budget_edit_feedback_words_and_stop_come_from_the_page(place: Place) -> None:
    ask = ("ask_human", {"question": "Which wood?"})
    arguments = scripted(place, PLANKS, PLANKS, NOTHING, NOTHING, ask, NOTHING, NOTHING)

    async def play() -> None:
        async with followed(place, *arguments) as browser:
            first = await asked(browser)
            assert first["unseen"] == UNSEEN * 1000
            await counts(browser, first, "words", text="fewer planks")
            second = await asked(browser, first)
            await counts(browser, second, "edit")
            editor = await asked(browser, second)
            assert (editor["wants"], editor["default"]) == ("arguments", '{"name": "oak_planks", "count": 4}')
            await counts(browser, editor, "arguments", text='{"name": "oak_planks", "count": 8}')
            edited = await asked(browser, editor)
            assert "The command with your arguments:" in edited["text"] and '"count": 8' in edited["text"]
            await counts(browser, edited, "run")
            budget = await asked(browser, edited)
            await counts(browser, budget, "more", turns=2)
            wood = await asked(browser, budget)
            assert wood["wants"] == "words" and "Which wood?" in wood["text"]
            await counts(browser, wood, "words", text="birch")
            last = await asked(browser, wood)
            await counts(browser, last, "stop")
            assert await browser.process.wait() == 4

    asyncio.run(play())
    decided = [(event["kind"], event["by"]) for event in kinds(place.events(), "decision")]
    assert decided == [
        ("refuse", "web"), ("run", "web"), ("run", "web"), ("run", "budget"), ("run", "question"), ("stop", "web")
    ]  # fmt: skip
    results = [event["text"] for event in kinds(place.events(), "result")]
    assert results[0].startswith("Made 8 oak_planks") and "birch" in results
    assert kinds(place.events(), "decision")[0]["feedback"] == "fewer planks"
    assert kinds(place.events(), "decision")[1]["edited"] == {"count": [4, 8]}
    assert "fewer planks" in place.run("memory", "show", "--kind", "feedback").stdout


def test_words_that_were_begun_before_a_question_was_seen_refuse_its_command(place: Place) -> None:
    async def play() -> None:
        async with followed(place, *scripted(place, PLANKS, NOTHING)) as browser:
            first = await asked(browser)
            assert (await browser.post("/say", {"kind": "pause"})).status_code == 409, "it would hide the question"
            assert (await browser.post("/say", {"kind": "words", "text": "no planks"})).status_code == 200
            second = await asked(browser, first)
            late = await browser.answer(first, "run")
            assert late.status_code == 409 and "do_nothing" in second["text"]
            await counts(browser, second, "stop")
            await browser.process.wait()

    asyncio.run(play())
    decided = [(event["kind"], event["by"]) for event in kinds(place.events(), "decision")]
    assert decided == [("refuse", "feedback"), ("stop", "web")]
    assert not kinds(place.events(), "intent")


@pytest.mark.full
def test_thoughts_come_to_the_page_before_the_answer_is_whole(place: Place, stand_in: StandIn) -> None:
    go = threading.Event()
    text = json.dumps({"thoughts": {"text": "I need planks."}, "command": {"name": "do_nothing", "args": {}}})

    def halves() -> Iterator[bytes]:
        yield piece(role="assistant", content=text[:40])
        go.wait()
        yield from (piece(content=text[40:]), piece("stop"), event(b"[DONE]"))

    stand_in.replies.append(Reply(chunks=halves(), kind="text/event-stream"))
    environment = {"OPENAI_BASE_URL": stand_in.url, "SMART_LLM_MODEL": "m", "FAST_LLM_MODEL": "m"}

    async def play() -> None:
        async with followed(place, *STONE_PICKAXE, **environment) as browser:
            async with browser.changed:
                await browser.changed.wait_for(lambda: "I need planks" in browser.parts.get("incoming", ""))
                assert browser.parts["question"] is None
            go.set()
            question = await asked(browser)
            async with browser.changed:
                await browser.changed.wait_for(lambda: not browser.parts["incoming"])
            assert ["text", "I need planks."] in browser.parts["steps"][0]["thoughts"]
            await counts(browser, question, "stop")
            await browser.process.wait()

    try:
        asyncio.run(play())
    finally:
        go.set()


def test_a_link_that_is_opened_again_is_replaced_by_one_new_link(place: Place) -> None:
    """So a person whose browser has lost the cookie is not locked out, and a used link opens nothing."""

    async def play() -> None:
        async with served(place, *STONE_PICKAXE) as browser, httpx2.AsyncClient(timeout=PATIENCE) as other:
            assert (await other.head(browser.link)).status_code == 200, "a program that looks at a link opens nothing"
            await browser.enter()
            for _ in range(3):
                assert (await other.get(browser.link)).status_code == 403
            first, second = LINK.findall((place.folder / "stdout").read_text())
            assert first == browser.link
            assert (await other.get(second)).status_code == 200 and other.cookies
            assert (await browser.http.get(browser.root)).status_code == 200, "the first browser stays"

    asyncio.run(play())


@pytest.mark.full
def test_a_page_that_is_loaded_anew_has_the_question_and_what_happened(place: Place) -> None:
    async def play() -> None:
        async with followed(place, *STONE_PICKAXE) as browser:
            first = await asked(browser)
            await counts(browser, first, "run")
            second = await asked(browser, first)
            again = Browser(browser.link, browser.process, browser.http)
            assert "<h1>autocraft</h1>" in (await browser.http.get(browser.root)).text, "the cookie opens it again"
            following = asyncio.create_task(again.follow())
            assert await asked(again) == second
            async with again.changed:
                await again.changed.wait_for(lambda: "steps" in again.parts)
            assert again.parts["steps"] == browser.parts["steps"] and len(again.parts["steps"]) > 2
            following.cancel()

    asyncio.run(play())


@pytest.mark.full
def test_feedback_and_a_pause_reach_a_run_that_asks_nothing(place: Place) -> None:
    """The command waits for a file, so there is no question while the page speaks."""
    (place.folder / "tools").mkdir()
    (place.folder / "tools" / "wait.py").write_text(WAIT)
    (place.folder / "autocraft.toml").write_text('[commands]\ncommands_folder = "tools"\n')
    place.confirm()
    hold: tuple[str, dict[str, Any]] = ("hold", {})
    arguments = scripted(place, hold, hold, NOTHING, NOTHING)

    async def begin_hold(browser: Browser, question: dict[str, Any]) -> None:
        await counts(browser, question, "run")
        async with browser.changed:
            await browser.changed.wait_for(lambda: browser.parts["question"] is None)

    async def play() -> None:
        async with followed(place, *arguments) as browser:
            first = await asked(browser)
            await begin_hold(browser, first)
            assert (await browser.post("/say", {"kind": "words", "text": "hurry"})).status_code == 200
            (place.folder / "go").touch()
            second = await asked(browser, first)
            (place.folder / "go").unlink()
            await begin_hold(browser, second)
            noted, *more = await asyncio.gather(*(browser.post("/say", {"kind": "pause"}) for _ in range(4)))
            assert noted.status_code == 200 and {each.status_code for each in more} <= {200, 409}, "none ends the run"
            paused = await asked(browser, second)
            assert "Paused" in paused["text"]
            await counts(browser, paused, "run")
            third = await asked(browser, paused)
            assert "do_nothing" in third["text"]
            await counts(browser, third, "stop")
            await browser.process.wait()

    asyncio.run(play())
    assert [event["text"] for event in kinds(place.events(), "feedback")] == ["hurry"]


def test_whoever_is_first_at_terminal_and_page_answers(place: Place, terminal: Callable[..., Any]) -> None:
    """The prompt of a question may be drawn again under a line, so its words are waited for first."""
    child = terminal("run", "--web", *scripted(place, NOTHING, NOTHING, NOTHING))
    child.expect(LINK)
    link = child.match[0]

    async def play() -> None:
        async with entered(link) as browser:
            first = await asked(browser)
            child.expect_exact("Input:")
            await counts(browser, first, "run")
            child.expect_exact("Answered on the page.")
            second = await asked(browser, first)
            child.expect_exact("Enter 'y'")
            child.expect_exact("Input:")
            child.send("y\r")
            third = await asked(browser, second)
            late = await browser.answer(second, "run")
            assert (late.status_code, late.text) == (409, "this question is answered or withdrawn\n")
            child.expect_exact("Input:")
            await counts(browser, third, "stop")

    asyncio.run(play())
    child.expect(pexpect.EOF)
    decided = [(event["kind"], event["by"]) for event in kinds(place.events(), "decision")]
    assert decided == [("run", "web"), ("run", "person"), ("stop", "web")]


@pytest.mark.parametrize("flags", [(), ("--plain",)], ids=["line", "plain"])
def test_a_line_that_is_being_typed_as_the_page_answers_answers_no_later_question(
    place: Place, terminal: Callable[..., Any], flags: tuple[str, ...]
) -> None:
    """The arguments that stand in the line to be edited are not typed: the next question begins with an empty line."""
    child = terminal("run", "--web", *scripted(place, PLANKS, NOTHING, NOTHING), *flags)
    child.expect(LINK)
    link = child.match[0]

    async def play() -> None:
        async with entered(link) as browser:
            proposed = await asked(browser)
            child.expect_exact("Input:")
            await counts(browser, proposed, "edit")
            editor = await asked(browser, proposed)
            child.expect_exact("Arguments:")
            await counts(browser, editor, "arguments", text='{"name": "oak_planks", "count": 8}')
            first = await asked(browser, editor)
            child.expect_exact("The command with your arguments:")
            assert child.expect_exact(["Input:", "Started before"]) == 0
            child.send("wh")
            child.expect_exact("wh")
            await counts(browser, first, "run")
            second = await asked(browser, first)
            child.expect_exact("Started before this question, so it is not an answer: ")
            child.send("y\r")
            third = await asked(browser, second)
            await counts(browser, third, "stop")

    asyncio.run(play())
    decided = [(event["kind"], event["by"]) for event in kinds(place.events(), "decision")]
    assert decided == [("run", "web"), ("refuse", "feedback"), ("stop", "web")]
    assert [event["text"] for event in kinds(place.events(), "feedback")] == ["why"]


def test_a_port_in_use_and_an_impossible_one_are_one_line(place: Place) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = place.run("run", "--web", "--web-port", port, *STONE_PICKAXE)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"port {port} cannot be used" in done.stderr and "--web-port" in done.stderr
    done = place.run("run", "--web", "--web-port", "70000", *STONE_PICKAXE)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    done = place.run("run", "--web", "--dry-run", *STONE_PICKAXE)
    assert (done.returncode, done.stderr) == (2, "autocraft: --dry-run has no page: leave --web out\n")


@pytest.mark.full
def test_a_page_lists_the_other_runs_and_leads_to_their_pages(place: Place) -> None:
    async def play() -> None:
        folder = str(place.folder)
        rest = ("--workspace", f"{folder}/w1"), ("--workspace", f"{folder}/w2")
        async with followed(place, *STONE_PICKAXE, *rest[0]) as first:
            assert (await first.http.get(f"{first.root}/runs")).json() == []
            async with served(place, "craft 1 stick", "--inventory", "oak_log=1", *rest[1]) as second:
                await asked(first)
                for number in range(50):  # of newer runs that were killed
                    killed = place.state / "pages" / f"99991231-235959-{number:06}.json"
                    killed.write_text(json.dumps({"port": 9, "key": "k"}))
                rows = (await first.http.get(f"{first.root}/runs")).json()
                while not rows or not rows[0]["waiting"]:
                    rows = (await first.http.get(f"{first.root}/runs")).json()
                assert [(row["goals"], row["waiting"]) for row in rows] == [(["craft 1 stick"], True)]
                led = await first.http.get(f"{first.root}/runs/{rows[0]['session']}")
                assert led.status_code == 303 and led.headers["location"].startswith(second.root)
                assert (await second.http.get(led.headers["location"])).status_code == 200
                assert (await second.http.get(led.headers["location"])).status_code == 200, "it has the cookie"
                kept = place.state / "pages" / f"{rows[0]['session']}.json"
                assert kept.stat().st_mode & 0o777 == 0o600
                second.process.kill()
                await second.process.wait()
                assert kept.exists() and (await first.http.get(f"{first.root}/runs")).json() == []
                assert not kept.exists(), "a run that was killed is not asked again"
                assert (await first.http.get(f"{first.root}/runs/{kept.stem}")).status_code == 404
                assert (await first.http.get(f"{first.root}/runs/..%2f..%2fsecret")).status_code == 404
            question = first.parts["question"]
            await counts(first, question, "stop")
            await first.process.wait()
            assert not list(kept.parent.iterdir()), "one that ends in order leaves"

    asyncio.run(play())
