"""The pages in a real headless Chromium: light, dark and on a phone, with hostile texts, and never cut."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from autocraft.crafting.examples import load_examples
from autocraft.evaluation.page import page_text as evaluation_page
from autocraft.evaluation.scores import summary
from autocraft.learning.page import page_text as learning_page
from autocraft.learning.record import Record
from autocraft.report.page import page_text as session_page
from autocraft.report.recorded import recorded_runs
from autocraft.report.story import Story
from autocraft.session.reading import Events
from autocraft.session.upkeep import unpack
from tests.browser.chromium import Chromium, chromium
from tests.evaluation.make_results import several
from tests.evaluation.test_page import HOSTILE
from tests.journals import event
from tests.learning.runs import pickaxe_run
from tests.test_building_pictures import building_run
from tests.test_report_page import bot_run

pytestmark = pytest.mark.full

PHONE = 390
CUT = "[...document.querySelectorAll('#summary .scroll')].filter((e) => e.scrollWidth > e.clientWidth).length"


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with chromium() as made:
        yield made


def written(folder: Path, text: str) -> Path:
    (folder / "page.html").write_text(text)
    return folder / "page.html"


def test_the_browser_has_letters_and_sees_barriers(browser: Chromium, tmp_path: Path) -> None:
    page = written(tmp_path, "<span id=narrow>iiii</span> <span id=wide>mmmm</span><img src='data:,'>")
    look = "[narrow, wide].map((each) => each.getBoundingClientRect().width)"
    seen = browser.open(page, look=look, check=True)
    narrow, wide = seen["found"]
    assert 0 < narrow < wide  # without letters every page would fit every window
    assert 'image-alt: <img src="data:,">' in seen["barriers"]


PAGES = {
    "session": lambda: session_page(Story.of(bot_run()), "s"),
    "learning": lambda: learning_page(Record.of(pickaxe_run().events), "s"),
}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [1280, 760, PHONE, 320])
def test_a_page_fits_the_window_in_light_and_dark(browser: Chromium, tmp_path: Path, name: str, width: int) -> None:
    page = written(tmp_path, PAGES[name]())
    light, dark = (browser.open(page, width, dark=each, check=True) for each in (False, True))
    for seen in (light, dark):
        assert (seen["faults"], seen["wide"], seen["barriers"]) == ([], width, [])
    assert light["back"] != dark["back"]


def test_the_page_shows_text_curves_and_map(browser: Chromium, tmp_path: Path) -> None:
    page = written(tmp_path, session_page(Story.of(bot_run()), "s"))
    look = "[document.querySelectorAll('.plot svg').length, document.querySelector('.badge').innerText, "
    look += "getComputedStyle(document.querySelector('.line1')).stroke !== "
    look += "getComputedStyle(document.querySelector('.line0')).stroke]"
    assert browser.open(page, look=look)["found"] == [4, "goal reached", True]
    details = "[...document.querySelectorAll('.plot svg')].every((e) => e.getBoundingClientRect().height > 100)"
    assert browser.open(page, PHONE, look=details)["found"] is True


@pytest.mark.parametrize("evil", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_runs_nothing_and_loads_nothing(browser: Chromium, tmp_path: Path, evil: str) -> None:
    page = written(tmp_path, session_page(Story.of(bot_run(evil)), "s"))
    seen = browser.open(page, PHONE, look="[document.title, document.scripts.length]")
    assert (seen["faults"], seen["found"][1], seen["wide"]) == ([], 2, PHONE)
    assert seen["found"][0].startswith("get 1 oak_log")


PLAYS = """(() => {
  const text = (id) => document.getElementById(id).innerText
  const act = (id, name, value) => {
    const element = document.getElementById(id)
    if (value !== undefined) element.value = value
    element.dispatchEvent(new Event(name))
  }
  const seen = []
  const note = () => seen.push([text('turn').split(' ')[0], text('command'), text('held').replace(/\\n/g, ' ')])
  note()
  act('moment', 'input', 1)
  note()
  const drawing = document.querySelector('#plot-tokens svg'), { left, width } = drawing.getBoundingClientRect()
  drawing.dispatchEvent(new MouseEvent('click', { clientX: left + width * 0.97 }))
  note()
  act('find', 'input', 'no command')
  seen.push(text('shown'))
  act('show', 'click')
  seen.push(text('shown'), document.querySelectorAll('#plot-map .here').length)
  return seen
})()"""


def test_a_person_plays_the_run_again_and_finds_a_step(browser: Chromium, tmp_path: Path) -> None:
    page = written(tmp_path, session_page(Story.of(bot_run()), "s"))
    seen = browser.open(page, look=PLAYS)
    assert (seen["faults"], seen["found"]) == ([], [
        ["3", "goto", "oak_log 2"], ["1", "mine_block name=plain", "dirt 1 oak_log 2"],
        ["3", "goto", "oak_log 2"], "1 of 6 steps", "6 of 6 steps", 1,
    ])  # fmt: skip


GROWS = """(async () => {
  const button = document.getElementById('playing'), slider = document.getElementById('moment')
  const number = (kind) => document.querySelectorAll(`#plot-items .item${kind}`).length
  const seen = [number(''), number('.later'), number('.new')]
  slider.value = 0
  slider.dispatchEvent(new Event('input'))
  seen.push(number('.later'), number('.new'))
  button.click()
  while (button.textContent !== 'Play') await new Promise((go) => setTimeout(go, 20))
  return [...seen, number('.later'), document.getElementById('turn').textContent.split(',')[0]]
})()"""


def test_the_graph_of_items_grows_while_a_recorded_run_plays(browser: Chromium, tmp_path: Path) -> None:
    story = Story.of(Events(unpack(recorded_runs()["stone_pickaxe"], tmp_path)))
    seen = browser.open(written(tmp_path, session_page(story, "s")), look=GROWS)
    assert (seen["faults"], seen["found"]) == ([], [5, 0, 1, 3, 2, 0, "3 of 3"])


def test_a_page_that_is_to_play_begins_at_its_first_turn_by_itself(browser: Chromium, tmp_path: Path) -> None:
    events = [*bot_run()[:1], *(event("answer", turn=turn, t=float(turn)) for turn in range(1, 400))]
    look = "(({ value, max }) => [value < Number(max), max])(document.getElementById('moment'))"
    look = f"[{look}, document.getElementById('playing').textContent].flat()"
    pages = (session_page(Story.of(events), "s", plays=plays) for plays in (True, False))
    found = [browser.open(written(tmp_path, page), look=look)["found"] for page in pages]
    assert found == [[True, "399", "Pause"], [False, "399", "Play"]]


def test_the_control_a_script_that_is_not_the_page_s_own_is_stopped_and_told(browser: Chromium, tmp_path: Path) -> None:
    page = session_page(Story.of(bot_run()), "s").replace("</main>", "</main><script>alert(1)</script>")
    faults = browser.open(written(tmp_path, page))["faults"]
    assert len(faults) == 1 and "Content Security Policy" in faults[0]
    free = page.replace("http-equiv", "data-off")
    assert browser.open(written(tmp_path, free))["faults"] == ["dialog: 1"]


@pytest.mark.parametrize("width", [1600, 1300, 1299, 1200, 1100, 1000, 900])
def test_the_comparison_of_an_evaluation_is_never_cut(browser: Chromium, tmp_path: Path, width: int) -> None:
    results = list(several(list(load_examples("test").values())[::60], seeds=2))
    told = summary(
        results, split="test", conditions={"model": "a model of a long name", "tools": ["M", "S", "SE"]}, seconds=61.0
    )
    page = written(tmp_path, evaluation_page(results, told, "e"))
    look = f"[{CUT}, document.querySelectorAll('#list li').length > 0]"
    seen = browser.open(page, width, look=look, check=True, dark=width > 1200)
    assert (seen["faults"], seen["wide"], seen["found"], seen["barriers"]) == ([], width, [0, True], [])


BUILT = """(async () => {
  const slider = document.querySelector('#buildings input')
  const pale = () => document.querySelectorAll('#buildings .later').length
  const seen = [pale()]
  for (const moment of [0, 1, 2]) {
    slider.value = moment
    slider.dispatchEvent(new Event('input'))
    seen.push(pale())
  }
  return seen
})()"""


@pytest.mark.parametrize("width", [1280, 320])
def test_a_building_is_shown_at_each_moment_of_its_work(browser: Chromium, tmp_path: Path, width: int) -> None:
    run = building_run([[10, 64, -3, "oak_planks"]], [[11, 64, -3, "oak_planks"], [10, 65, -3, "glass"]])
    page = written(tmp_path, session_page(Story.of(run), "s"))
    seen = browser.open(page, width, look=BUILT, check=True)
    assert (seen["faults"], seen["wide"], seen["barriers"]) == ([], width, [])
    end, before, middle, again = seen["found"]
    assert end == again == 0 < middle < before
