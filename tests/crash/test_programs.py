"""kill -9 in the middle of a program: its effects are settled one by one. Then it runs again from before them."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from tests.commands.programs import with_programs
from tests.conftest import Place, kinds
from tests.waiting import until

pytestmark = pytest.mark.sampled(2)

PLANKS = """async function planks(bot) {
  await craftItem(bot, 'oak_planks', 1);
  await craftItem(bot, 'oak_planks', 1);
  await craftItem(bot, 'oak_planks', 1);
}"""
SKILL: tuple[str, dict[str, Any]] = (
    "save_skill",
    {"name": "planks", "code": PLANKS, "description": "Make planks.", "trial": True},
)
PROGRAM: tuple[str, dict[str, Any]] = ("run_program", {"code": PLANKS})


def kill(place: Place, command: tuple[str, dict[str, Any]], point: str, nth: int) -> None:
    script = place.script(command, ("show_inventory", {}))
    died = place.python("-m", "tests.crash.runner", point, str(nth), script, **with_programs())
    assert died.returncode == -9, f"not killed at {point} {nth}: {died.stderr}"


def resumed(place: Place) -> list[dict[str, object]]:
    """The results of the whole session after its resume, which has one turn more."""
    done = place.run("run", "--resume", "last", "--continuous", "--max-steps", "2", "--json", **with_programs())
    assert done.returncode == 3, done.stdout[-2000:] + done.stderr
    events = place.events()
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert len(kinds(events, "result")) == len(kinds(events, "intent"))
    return kinds(events, "result")


POINTS = [
    ("after intent", 1, 0),
    ("before effect", 2, 1),
    ("after intent", 3, 2),
    ("after effect", 2, 2),
    ("after result", 2, 2),
    ("before result", 3, 3),
]


@pytest.mark.parametrize(("point", "nth", "effects"), POINTS)
def test_a_killed_program_runs_again_from_the_state_before_it(place: Place, point: str, nth: int, effects: int) -> None:
    kill(place, PROGRAM, point, nth)
    results = resumed(place)
    [outer] = [each for each in results if each["command"] == "run_program"]
    assert outer["ok"] and "Effects: 3, of which 3 did what they should:" in str(outer["text"])
    assert len([each for each in results if each["agent"] == "program"]) == effects + 3
    rewound = [event["world"]["slots"] for event in kinds(place.events(), "rewind")]
    assert [slot for world in rewound for slot in world.values() if "oak_planks" in slot] == []
    assert len(rewound) == bool(effects)
    assert place.events()[-1]["inventory"] == {"cobblestone": 3, "oak_log": 61, "oak_planks": 12}


def test_a_program_that_is_killed_each_time_begins_anew_each_time(place: Place) -> None:
    kill(place, PROGRAM, "after result", 2)
    for _ in range(3):
        died = place.python("-m", "tests.crash.runner", "after result", "1", "resume", **with_programs())
        assert died.returncode == -9, died.stderr
    [outer] = [each for each in resumed(place) if each["command"] == "run_program"]
    assert outer["ok"] and "Effects: 3, of which 3 did what they should:" in str(outer["text"])
    assert len(kinds(place.events(), "rewind")) == 4
    assert place.events()[-1]["inventory"]["oak_planks"] == 12


@pytest.mark.parametrize(("point", "nth", "effects"), POINTS)
def test_a_killed_trial_of_a_skill_is_not_run_again(place: Place, point: str, nth: int, effects: int) -> None:
    kill(place, SKILL, point, nth)
    results = resumed(place)
    inner = [each for each in results if each["agent"] == "program"]
    [outer] = [each for each in results if each["command"] == "save_skill"]
    assert [(each["command"], each["ok"]) for each in inner] == [("craft_item", True)] * effects
    assert not outer["ok"]
    said = str(outer["text"])
    assert said.startswith("Outcome unknown: the run was killed during save_skill. It was not kept.")
    assert "The program was cut off and is not run again." in said
    assert f"Effects: {effects}, of which {effects} did what they should:" in said or not effects
    assert place.events()[-1]["inventory"].get("oak_planks", 0) == 4 * effects
    assert not (place.state / "skills").exists()


def test_a_trial_after_which_the_skill_was_kept_is_done(place: Place) -> None:
    kill(place, SKILL, "before result", 4)
    [outer] = [each for each in resumed(place) if each["command"] == "save_skill"]
    assert (outer["ok"], outer["text"]) == (True, "The skill planks is kept as version 1.")
    assert place.events()[-1]["inventory"]["oak_planks"] == 12


def test_a_program_whose_result_is_missing_runs_again_as_a_whole(place: Place) -> None:
    kill(place, PROGRAM, "before result", 4)
    [outer] = [each for each in resumed(place) if each["command"] == "run_program"]
    assert outer["ok"] and "Effects: 3, of which 3 did what they should:" in str(outer["text"])
    assert place.events()[-1]["inventory"]["oak_planks"] == 12


def test_a_program_that_was_only_approved_runs_once(place: Place) -> None:
    kill(place, PROGRAM, "after decision", 1)
    results = resumed(place)
    assert [each["command"] for each in results] == ["craft_item"] * 3 + ["run_program", "show_inventory"]
    assert place.events()[-1]["inventory"]["oak_planks"] == 12


def test_nothing_of_a_killed_run_is_left(place: Place) -> None:
    kill(place, PROGRAM, "after intent", 2)
    until(lambda: not _children(with_programs()["AUTOCRAFT_SANDBOX_MODULES"]), "the end of its children")


def _children(modules: str) -> list[str]:
    """The processes whose parent has died and that read these packages."""
    listed = subprocess.run(["ps", "-eo", "ppid,args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if line.split()[0] == "1" and modules in line]
