"""The live page in a real headless Chromium: a run that is authorised by clicks, and pages that may not touch it."""

from __future__ import annotations

import asyncio
import functools
import http.server
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from autocraft.node import packages
from autocraft.worlds.minecraft.view import PACKAGES
from tests.browser.chromium import Chromium, chromium
from tests.commands.programs import with_programs
from tests.conftest import STONE_PICKAXE, Place, kinds
from tests.evaluation.test_page import HOSTILE
from tests.learning.test_learning import ANSWER, DESCRIPTION, PLANKS, STICKS, WOOD, WRONG, program, task, verdict
from tests.waiting import PATIENCE
from tests.web.browsing import Browser, served
from tests.worlds.minecraft.playing import node_environment

pytestmark = pytest.mark.full

TOOLS = """
const at = (id) => document.getElementById(id)
const until = async (met) => { while (!met()) await new Promise((go) => setTimeout(go, 5)) }
const ready = (value) => {
  const button = at('answer').querySelector(`button[value=${value}]`)
  return !at('answer').hidden && button.checkVisibility() && !button.disabled && button
}
const over = () => at('quiet').textContent.startsWith('The run is over')
const press = async (value) => {
  await until(() => over() || ready(value))
  if (over()) return false
  const before = question.id
  ready(value).click()
  await until(() => over() || question?.id !== before)
  return true
}
"""
"""What a person does with the page, as functions of `look`. `question` is the page's own: texts may repeat."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with chromium() as made:
        yield made


def clicks(code: str) -> str:
    return f"(async () => {{ {TOOLS} {code} }})()"


def play(place: Place, look: Any, *arguments: str, verb: Sequence[str] = ("run", "--web"), **environment: str) -> Any:
    """Begin a run with its page, and return what `look` makes of it."""

    async def go() -> Any:
        async with served(place, *arguments, verb=verb, **environment) as run:
            return await look(run)

    return asyncio.run(go())


def test_a_run_is_authorised_wholly_by_clicks(place: Place, browser: Chromium) -> None:
    async def click(run: Browser) -> dict[str, Any]:
        code = "let often = 0; while (await press('run')) often += 1; await until(() => !at('end').hidden)\n"
        code += "return [often, at('end').innerText, at('held').innerText, document.title]"
        seen = browser.open(run.link, look=clicks(code))
        assert await run.process.wait() == 0
        return seen

    seen = play(place, click, *STONE_PICKAXE)
    decided = kinds(place.events(), "decision")
    often, end, held, title = seen["found"]
    assert seen["faults"] == [] and often == len(decided)
    assert {each["by"] for each in decided} == {"web"}
    assert end.startswith("goal reached") and "stone_pickaxe" in held and title == "craft 1 stone_pickaxe"


def test_words_edit_and_budget_by_clicks_and_a_reload(place: Place, browser: Chromium) -> None:
    planks = ("craft_item", {"name": "oak_planks", "count": 4})
    script = place.script(planks, planks, *[("do_nothing", {})] * 3)

    async def click(run: Browser) -> None:
        code = "await until(() => ready('words')); at('words').value = 'fewer planks'; await press('words')\n"
        code += "await press('edit'); await until(() => at('words').value.startsWith('{'))\n"
        code += "return at('words').value"
        found = browser.open(run.link, look=clicks(code))
        assert found["found"] == '{"name": "oak_planks", "count": 4}'
        code = "await until(() => ready('words')); const shown = at('words').value\n"
        code += "at('words').value = shown.replace('4', '8'); await press('words')\n"
        code += "await press('run'); at('turns').value = '2'; await press('more'); await press('stop')\n"
        code += "await until(over); return shown"
        again = browser.open(run.root, look=clicks(code))
        assert (again["faults"], again["found"]) == ([], '{"name": "oak_planks", "count": 4}'), "a page loaded anew"
        assert await run.process.wait() == 4

    play(place, click, *STONE_PICKAXE, "--brain", "scripted", "--script", script)
    decided = [(each["kind"], each["by"]) for each in kinds(place.events(), "decision")]
    assert decided == [("refuse", "web"), ("run", "web"), ("run", "web"), ("run", "budget"), ("stop", "web")]
    assert kinds(place.events(), "result")[0]["text"].startswith("Made 8 oak_planks")


def test_a_question_takes_no_click_that_was_meant_for_the_one_before(place: Place, browser: Chromium) -> None:
    """A second press of a double click comes when the next question has just been drawn."""

    async def click(run: Browser) -> None:
        code = "await until(() => ready('run')); const first = question.id; ready('run').click()\n"
        code += "await until(() => question !== null && question.id !== first)\n"
        code += "at('answer').querySelector('button[value=run]').click()\n"
        code += "await until(() => ready('run')); return question.id !== first"
        assert browser.open(run.link, look=clicks(code))["found"] is True
        assert len(kinds(place.events(), "decision")) == 1

    play(place, click, *STONE_PICKAXE)


def test_a_key_presses_its_button_and_no_other_key_does(place: Place, browser: Chromium) -> None:
    async def click(run: Browser) -> list[Any]:
        code = """
          const key = (key, at = document.body, more = {}) =>
            at.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, ...more }))
          await until(() => question !== null)
          const first = question.id
          key('y')
          const early = ready('run')
          await until(() => ready('run'))
          for (const more of [{ repeat: true }, { ctrlKey: true }, { isComposing: true }]) key('y', document.body, more)
          for (const each of ['x', '3', 'Enter']) key(each)
          key('y', at('words'))
          const asked = at('answer').querySelector('button[value=run]').disabled
          key('y')
          await until(() => question !== null && question.id !== first && ready('run'))
          const keys = [...document.querySelectorAll('[aria-keyshortcuts]')].map((each) => each.dataset.key).join('')
          key('N')
          await until(over)
          return [early, asked, keys]
        """
        seen = browser.open(run.link, look=clicks(code))
        assert seen["faults"] == [] and await run.process.wait() == 4
        return list(seen["found"])

    assert play(place, click, *STONE_PICKAXE) == [False, False, "yaen"]
    assert [each["kind"] for each in kinds(place.events(), "decision")] == ["run", "stop"]


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_the_page_fits_the_window_and_hostile_text_runs_nothing(place: Place, browser: Chromium, width: int) -> None:
    evil = "".join(HOSTILE)
    thoughts = {"text": evil, "plan": [evil, "x" * 400], "criticism": evil}
    command = {"name": "say", "args": {"message": evil}}
    script = place.script(
        *({"thoughts": thoughts, "command": command} for _ in range(2)), ("do_nothing", {}), ("do_nothing", {})
    )

    async def look(run: Browser) -> None:
        code = "await until(() => ready('words')); at('words').value = 'no'; await press('words')\n"
        code += "await until(() => ready('run'))\n"
        code += (
            "return [document.scripts.length, document.documentElement.scrollWidth, at('steps').children.length > 1]"
        )
        seen = browser.open(run.link, width, look=clicks(code), check=True)
        assert (seen["faults"], seen["found"], seen["barriers"]) == ([], [1, width, True], [])
        dark = browser.open(run.root, width, look=clicks("await until(() => ready('run'))"), dark=True, check=True)
        assert (dark["faults"], dark["barriers"]) == ([], []) and dark["back"] != seen["back"]

    play(place, look, *STONE_PICKAXE, "--brain", "scripted", "--script", script)


def test_a_learning_run_is_watched_and_authorised_on_the_page(place: Place, browser: Chromium) -> None:
    """Its list of attempts and its graph of items grow with each program, in every width, light and dark."""
    answers = (
        task("Craft 4 oak_planks"), ANSWER, program(WRONG), verdict(False, "no planks"), program(PLANKS), DESCRIPTION,
        task("Craft 4 stick"), ANSWER, program(STICKS), DESCRIPTION,
    )  # fmt: skip
    script = ("--brain", "scripted", "--script", place.script(*answers), "--iterations", "3")
    code = """
      const grown = []
      await until(() => ready('run'))
      do {
        const items = document.querySelectorAll('#plot-items .item').length
        grown.push([at('attempts').children.length, items, document.title.includes('Craft')].join())
      } while (await press('run'))
      return [[...new Set(grown)], at('attempts').innerText, document.querySelectorAll('#plots svg').length]
    """

    async def watch(run: Browser) -> Any:
        fits: list[tuple[list[str], int]] = []
        for width in (1280, 760, 390, 320):
            address, look = run.root if fits else run.link, clicks("await until(() => ready('run'))")
            first = browser.open(address, width, look=look, check=True, dark=width == 760)
            fits.append((first["faults"] + first["barriers"], first["wide"] - width))
        seen = await asyncio.to_thread(browser.open, run.root, 1280, look=clicks(code))
        assert await run.process.wait() == 0 and seen["faults"] == []
        return fits, seen["found"]

    fits, (grown, attempts, plots) = play(place, watch, *WOOD, *script, verb=("learn", "--web"), **with_programs())
    assert fits == [([], 0)] * 4
    assert grown == ["0,0,true", "1,0,true", "2,2,true", "3,3,true"]
    assert "1: Craft 4 oak_planks" in attempts and "stick: have 0" not in attempts and plots == 2


EVIL = """<!doctype html><title>evil</title><body><script>
const root = ROOT
const tried = {}
window.attack = (async () => {
  const post = (path, type, body) => fetch(root + path, {
    method: 'POST', mode: 'no-cors', credentials: 'include', headers: { 'Content-Type': type }, body
  })
  for (const type of ['text/plain', 'application/json']) {
    await post('/say', type, JSON.stringify({ kind: 'words', text: 'obey' })).catch(() => {})
    await post('/say', type, JSON.stringify({ kind: 'pause' })).catch(() => {})
    await post('/answer', type, ANSWER).catch(() => {})
  }
  tried.page = await fetch(root, { credentials: 'include' }).then((reply) => reply.text(), () => '')
  tried.events = await new Promise((done) => {
    const source = new EventSource(root + '/events', { withCredentials: true })
    for (const name of ['goal', 'question']) source.addEventListener(name, (event) => done(event.data))
    source.onerror = () => done('')
  })
  const frame = document.createElement('iframe')
  frame.src = root
  tried.frame = await new Promise((done) => {
    frame.onload = () => { try { done(frame.contentDocument.body.innerText) } catch { done('') } }
    document.body.append(frame)
  })
  return [tried.page, tried.events, tried.frame]
})()
</script>"""


@contextmanager
def page_at_another_port(folder: Path) -> Iterator[str]:
    handler = functools.partial(Silent, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/evil.html"
        server.shutdown()


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        return


def test_a_page_of_another_port_reads_nothing_and_says_nothing(place: Place, browser: Chromium) -> None:
    """Its cookies are the same to the browser, which counts hosts and not ports."""

    async def attack(run: Browser) -> None:
        code = (
            "await until(() => ready('run')); return [at('asked').textContent, await digest(at('asked').textContent)]"
        )
        text, digest = browser.open(run.link, look=clicks(code))["found"]
        (question,) = kinds(place.events(), "question")
        answer = {"id": 1, "digest": digest, "kind": "run"}
        evil = EVIL.replace("ROOT", json.dumps(run.root)).replace("ANSWER", json.dumps(json.dumps(answer)))
        (place.folder / "evil.html").write_text(evil)
        before = len(place.events())
        with page_at_another_port(place.folder) as address:
            assert browser.open(address, look="attack")["found"] == ["", "", ""]
        assert len(place.events()) == before and question["command"] in text
        async with httpx2.AsyncClient(timeout=PATIENCE) as plain:
            assert (await plain.get(run.root)).status_code == 401
        post = (
            "const reply = await fetch('/answer', { method: 'POST', headers: { 'Content-Type': 'application/json' },\n"
        )
        post += f"body: {json.dumps(json.dumps(answer))} }}); return reply.status"
        assert browser.open(run.root, look=clicks(post))["found"] == 200, "the control: the same from our own page"

    play(place, attack, *STONE_PICKAXE)


COLOURS = """new Promise((done) => {
  const probe = Object.assign(document.createElement('canvas'), { width: 64, height: 40 })
  const drawing = probe.getContext('2d', { willReadFrequently: true })
  const look = () => {
    drawing.drawImage(document.querySelector('canvas'), 0, 0, 64, 40)
    const found = new Set(new Uint32Array(drawing.getImageData(0, 0, 64, 40).data.buffer))
    if (found.size > 100) done(found.size)
    else requestAnimationFrame(look)
  }
  look()
})"""
"""Waits until what is drawn has more colours than a sky. It looks in the same frame in which the page draws."""


def test_the_world_is_drawn_as_the_player_sees_it(place: Place, browser: Chromium) -> None:
    async def look(run: Browser) -> tuple[dict[str, Any], dict[str, Any]]:
        code = "await until(() => !at('eyes').hidden); at('view').click()\n"
        code += "await until(() => !at('view').disabled)\n"
        code += "return document.querySelector('#eyes iframe')?.src ?? at('view-said').textContent"
        page = await asyncio.to_thread(browser.open, run.link, look=clicks(code))
        return page, await asyncio.to_thread(browser.open, page["found"], look=COLOURS)

    world = ("--world", "minecraft", "--seed", "1", "--speed", "0")
    environment = node_environment() | {"AUTOCRAFT_VIEW_MODULES": str(packages(PACKAGES))}
    page, view = play(place, look, "get 1 oak_log", *world, **environment)
    assert page["found"].startswith("http://localhost:")
    assert [each for each in page["faults"] if not each.startswith("loads http://localhost:")] == []
    assert view["faults"] == [] and view["found"] > 100


def test_the_demo_opens_the_browser_and_shows_the_world_unasked(place: Place, browser: Chromium) -> None:
    opened, environment = place.folder / "opened", node_environment()
    program = place.folder / "browser"
    program.write_text(f'#!/bin/sh\nprintf "%s" "$1" > {opened}\n')
    program.chmod(0o755)
    environment |= {"AUTOCRAFT_VIEW_MODULES": str(packages(PACKAGES)), "BROWSER": f"{program} %s"}
    code = """
      await until(() => document.querySelector('#eyes iframe'))
      await press('run')
      await until(() => at('steps').children.length > 1)
      const side = at('side').getBoundingClientRect(), eyes = at('eyes').getBoundingClientRect()
      return [eyes.width > side.width, eyes.top < at('question').getBoundingClientRect().top]
    """

    async def look() -> Any:
        async with served(place, "--speed", "0", verb=["demo"], **environment) as run:
            while not opened.exists() or not opened.read_text():  # noqa: ASYNC110 - another program writes it
                await asyncio.sleep(0.01)
            door = Path(urlsplit(opened.read_text()).path)
            assert run.link in door.read_text() and door.stat().st_mode & 0o077 == 0
            return await asyncio.to_thread(browser.open, run.link, look=clicks(code))

    assert asyncio.run(look())["found"] == [True, True]
