"""A kept run is run again without a model: the same steps give the same results, and a difference is told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autocraft.errors import UsageError
from autocraft.report.recorded import recorded_runs
from autocraft.report.replay import cassette, practice_flags
from autocraft.session.events import End
from autocraft.session.reading import Events
from autocraft.session.upkeep import unpack
from autocraft.settings.config import Config
from autocraft.settings.settings import Settings
from autocraft.text.phrases import join_words
from scripts.make_recorded_runs import PLAYED, SEEN
from tests.conftest import STONE_PICKAXE, Place, kinds
from tests.journals import event as made
from tests.journals import record
from tests.test_agents import CONTINUOUS, DONE, START, says
from tests.test_agents import run as helper_run
from tests.worlds.minecraft.playing import node_environment

pytestmark = pytest.mark.sampled(7)


def play(place: Place, *more: str) -> str:
    done = place.run("run", *STONE_PICKAXE, "--continuous", *more)
    assert done.returncode == 0, done.stderr
    return place.session()


def journal(place: Place) -> Path:
    return place.state / "sessions" / place.session() / "events.jsonl"


def change(place: Place, what: Callable[[dict[str, Any]], None]) -> None:
    """Change each event of the newest journal."""
    events = place.events()
    for event in events:
        what(event)
    journal(place).write_text("".join(json.dumps(event) + "\n" for event in events))


def test_a_run_gives_the_same_again_without_a_model(place: Place) -> None:
    first = play(place)
    before = place.events(first)
    done = place.run("replay", first)
    assert done.returncode == 0, done.stdout
    assert "NEXT ACTION craft_item" in done.stdout
    assert "Replayed. answers: 3 the same; commands: 3 the same; goals: 1 the same." in done.stdout
    assert (place.events(first), place.sessions()) == (before, [first])


@pytest.mark.parametrize("which", ["a session", "an exported file", "a recorded run"])
def test_a_page_plays_a_run_in_the_person_s_browser(place: Place, which: str) -> None:
    name = "stone_pickaxe" if which == "a recorded run" else play(place)
    given = name
    if which == "an exported file":
        assert place.run("sessions", "export", name, "--to", "given.tar.gz").returncode == 0
        name, given = "given", "given.tar.gz"
    browser = place.folder / "browser"
    browser.write_text('#!/bin/sh\nprintf %s "$1" > "$HOME/opened"\n')
    browser.chmod(0o755)
    done = place.run("replay", given, "--web", BROWSER=f"{browser} %s")
    assert done.returncode == 0, done.stderr
    page = place.state / "replayed" / f"{name}.html"
    assert (place.folder / "opened").read_text() == page.as_uri()
    assert '"plays": true' in page.read_text() and "stone_pickaxe" in page.read_text()


def test_a_recorded_run_is_told_and_compared_as_any_other(place: Place) -> None:
    done = place.run("replay", "stone_pickaxe")
    assert done.returncode == 0 and "goals: 1 the same." in done.stdout
    wrong = place.run("replay", "no_such_run")
    assert wrong.returncode == 2
    assert f"recorded runs are {join_words(list(recorded_runs()), 'and')}" in wrong.stderr
    mixed = place.run("replay", "stone_pickaxe", "--web", "--act")
    assert mixed.stderr == "autocraft: --web plays the whole run on its page: leave the other options out\n"


def test_the_recorded_runs_are_small_and_those_that_the_script_makes() -> None:
    files = recorded_runs()
    assert list(files) == sorted(PLAYED)
    assert sum(each.stat().st_size for each in files.values()) < 300_000


@pytest.mark.parametrize("name", PLAYED)
def test_a_recorded_run_reached_its_end_and_tells_nothing_of_a_computer(name: str, tmp_path: Path) -> None:
    folder = unpack(recorded_runs()[name], tmp_path)
    events = list(Events(folder))
    assert isinstance(events[-1], End) and events[-1].exit == 0
    texts = [path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()]
    found = {each for text in texts for each in re.findall(r'(?<=")/[\w.-]+/[\w./-]+', text)}
    assert {each for each in found if not each.startswith(f"{SEEN}/")} == set()


def test_a_low_level_run_too(place: Place) -> None:
    play(place, "--low-level")
    done = place.run("replay")
    assert (done.returncode, "different" in done.stdout) == (0, False)


def wrong_text(event: dict[str, Any]) -> None:
    if event["type"] == "result" and event["command"] == "craft_item":
        event["text"] = "Made 99 diamonds."


def wrong_world(event: dict[str, Any]) -> None:
    if event["type"] == "result" and event.get("world"):
        event["world"]["slots"]["I36"] = ["diamond", 1]


def wrong_reading(event: dict[str, Any]) -> None:
    if event["type"] == "reply":
        event["stage"] = "heuristic"


def wrong_goal(event: dict[str, Any]) -> None:
    if event["type"] == "goal":
        event["goals"] = [{"text": "craft 9 diamond", "items": [["diamond", 9]]}]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("what", "said"),
    [
        (wrong_text, "the result is now: Made 4"),
        (wrong_world, "but the world is another one now"),
        (wrong_reading, "the answer is read as craft_item"),
        (wrong_goal, "the world does not agree now"),
    ],
)
def test_a_difference_is_told_and_fails(place: Place, what: Callable[[dict[str, Any]], None], said: str) -> None:
    play(place)
    change(place, what)
    done = place.run("replay")
    assert done.returncode == 1
    assert "REPLAY DIFFERS at event" in done.stdout and said in done.stdout


def test_a_run_that_used_nearly_everything(place: Place) -> None:
    record(place)
    done = place.run("replay")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "different" not in done.stdout
    assert not (place.folder / "replayed").exists()


def test_from_and_until_show_a_part_of_the_same_run(place: Place) -> None:
    play(place)
    late = place.run("replay", "--from", "99")
    assert late.returncode == 2 and "turns: give --from 1 to " in late.stderr
    shown = place.run("replay", "--from", "2", "--until", "3").stdout
    assert [f"TURN {turn}" in shown for turn in (1, 2, 3, 4)] == [False, True, True, False]
    assert "commands: 3 the same" in shown


def test_from_and_until_count_the_turns_of_the_main_agent(place: Place) -> None:
    looks = says("fast", "show_inventory")
    helper_run(place, START, DONE, looks, looks, says("fast", "reply", text="none"), arguments=CONTINUOUS)
    assert "the run has 2 turns: give --from 1 to 2" in place.run("replay", "--from", "3").stderr
    until = place.run("replay", "--until", "1").stdout
    assert [f"TURN {turn} of agent scout" in until for turn in (1, 3)] == [True, True] and "TURN 2\n" not in until
    assert "of agent scout" not in place.run("replay", "--from", "2").stdout


def test_a_minecraft_run_is_read_again_and_not_repeated(place: Place) -> None:
    play(place)

    def moved(event: dict[str, Any]) -> None:
        if event["type"] == "goal":
            event["options"]["world"], event["world"] = "minecraft", None
        if event["type"] == "result":
            event.pop("world", None)
        if event["type"] == "answer" and event["turn"] == 1:
            event["text"] = json.dumps({"command": {"name": "mine_block", "args": mined}})
        if event["type"] == "reply" and event["turn"] == 1:
            event["command"], event["args"] = "mine_block", mined

    mined = {"name": "stone", "count": 2}
    change(place, moved)
    done = place.run("replay")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "answers: 3 the same; commands: 3 not repeated; goals: 1 not repeated." in done.stdout


@pytest.mark.parametrize("options", [{"world": "minecraft"}, {"world": "minecraft", "minecraft.server": "evil:1"}])
def test_acting_again_reaches_no_server(tmp_path: Path, options: dict[str, Any]) -> None:
    """Neither that of the person's own file nor one that a journal of a stranger names."""
    own = tmp_path / ".config" / "autocraft" / "autocraft.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[minecraft]\nserver = "mine:25565"\n')
    config = Config(Settings(practice_flags(options), {}, folder=tmp_path))
    assert config.minecraft.server == ""
    control = Config(Settings({}, {}, folder=tmp_path))
    assert control.minecraft.server == "mine:25565"
    with pytest.raises(UsageError, match="leave --act out"):
        practice_flags(options | {"server": "evil:1"})


@pytest.mark.full
def test_a_minecraft_run_is_acted_again_with_the_same_result(place: Place) -> None:
    run = ("run", "--world", "minecraft", "--goal", "craft 1 crafting_table", "--continuous", "--speed", "0")
    done = place.run(*run, **node_environment())
    assert done.returncode == 0, done.stderr
    again = place.run("replay", "--act", **node_environment())
    assert again.returncode == 0, again.stdout
    assert "goals: 1 the same" in again.stdout and "different" not in again.stdout


def test_an_undo_is_taken_over(place: Place) -> None:
    assert place.run("run", *STONE_PICKAXE, stdin="y\n/undo\nn\n").returncode == 4
    done = place.run("replay")
    assert done.returncode == 0, done.stdout
    assert "1 not repeated" in done.stdout


def test_an_exported_run_replays_elsewhere(place: Place, tmp_path: Path) -> None:
    play(place)
    assert place.run("sessions", "export", "--to", "bug.tar.gz").returncode == 0
    done = place.run("replay", "bug.tar.gz", AUTOCRAFT_STATE_DIR=str(tmp_path / "elsewhere"))
    assert done.returncode == 0 and "goals: 1 the same" in done.stdout
    left = [path.name for path in (tmp_path / "elsewhere").rglob("*") if path.is_file()]
    assert not left, "what was unpacked is gone"


def test_a_cassette_plays_the_same_run(place: Place) -> None:
    first = play(place)
    assert place.run("replay", "--cassette", "answers.jsonl").returncode == 0
    play(place, "--brain", "scripted", "--script", "answers.jsonl")
    took = [[event["args"] for event in kinds(place.events(id), "intent")] for id in (first, place.session())]
    assert took[0] == took[1]


@pytest.mark.parametrize(
    "text",
    [
        "an interrupted call",
        "answers that were cut off",
        "the answer was cut off and could not be read; asked again",
        "the answer was cut inside an argument; asked again",  # of an older version
    ],
)
def test_a_cassette_has_no_line_for_a_call_that_gave_no_answer(text: str) -> None:
    lines = cassette(
        [
            made("expense", text=text, usage=[9, 0, True], cost=0.0, role="smart"),
            made("answer", text="look", role="smart"),
            made(
                "expense",
                text="the answer was given to the fast model to repair",
                usage=[9, 9, False],
                cost=0.0,
                role="fast",
            ),
            made("reply", ok=True, stage="fast", thoughts={}, command="look", args={}),
        ]
    )
    assert [(line["role"], "look" in line["text"]) for line in lines] == [("smart", True), ("fast", True)]


def test_a_cassette_numbers_the_bots_of_a_run() -> None:
    bots = ("", "Ann2", "", "Ann3", "Ann2")
    lines = cassette(made("answer", text=str(at), role="smart", bot=bot) for at, bot in enumerate(bots))
    assert [(line["text"], line.get("bot", 1)) for line in lines] == [
        ("0", 1), ("1", 2), ("2", 1), ("3", 3), ("4", 2)
    ]  # fmt: skip


def test_speed_waits_as_the_run_did(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pauses are those of the journal, divided by the speed, and never longer than the longest."""
    import asyncio

    from autocraft.cli import replay

    play(place)
    change(place, lambda event: event.update(t=1000.0 + 40.0 * event["turn"]))
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    shown: dict[str, Any] = {"id": "last", "start": 0, "until": None, "cassette": None, "state_dir": place.state}
    assert replay.replay(speed=10.0, **shown) == 0
    assert sorted(set(waited)) == [0.0, 4.0]
    waited.clear()
    assert replay.replay(speed=1.0, **shown) == 0
    assert max(waited) == replay.LONGEST_PAUSE
