"""Brains, worlds and memories of installed packages: chosen by name, listed, and named where they are broken."""

from __future__ import annotations

import pytest

from autocraft.extensions import GROUPS, load
from autocraft.features import PARTS
from tests.conftest import ROOT, Place, kinds, python_examples

LADDER = next(code for code in python_examples(ROOT / "docs" / "python_api.md") if "class LadderBrain" in code)
GARDEN = next(code for code in python_examples(ROOT / "CONTRIBUTING.md") if "class GardenWorld" in code)
NOTES = """
from autocraft.memory.none import NoMemory


class Notes(NoMemory):
    name, remembers = "notes", True

    def __init__(self, options):
        self.file = options.folder / "notes.txt"

    @classmethod
    def for_run(cls, options):
        return cls(options)

    def add_many(self, rows):
        with self.file.open("a") as file:
            file.writelines(f"{row.text}\\n" for row in rows)
        return len(rows)
"""
ENTRIES = """
[autocraft.brains]
ladder = parts_of_mine.brain:LadderBrain
broken = parts_of_mine.broken:Brain
half = parts_of_mine.brain:json.JSONDecoder
planner = parts_of_mine.broken:Brain

[autocraft.worlds]
garden = parts_of_mine.garden:GardenWorld

[autocraft.memories]
notes = parts_of_mine.notes:Notes
"""


@pytest.fixture
def packages(place: Place) -> dict[str, str]:
    """Return an environment in which a package is installed that brings a part of each kind."""
    site = place.folder / "site"
    module, about = site / "parts_of_mine", site / "parts_of_mine-1.0.dist-info"
    module.mkdir(parents=True)
    about.mkdir()
    texts = {"__init__": "", "brain": LADDER, "garden": GARDEN, "notes": NOTES, "broken": "raise ValueError('oops')\n"}
    for name, text in texts.items():
        (module / f"{name}.py").write_text(text)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: parts-of-mine\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRIES)
    return {"PYTHONPATH": f"{ROOT}:{site}"}


def test_every_part_of_our_own_is_made_by_the_same_door() -> None:
    for kind, parts in PARTS.items():
        assert kind in GROUPS
        for name in parts:
            assert callable(load(kind, name))


def test_a_run_is_played_by_a_brain_and_remembered_by_a_memory_of_a_package(
    place: Place, packages: dict[str, str]
) -> None:
    goal = ("run", "craft 1 ladder", "--inventory", "oak_log=2", "--continuous")
    done = place.run(*goal, "--brain", "ladder", "--memory", "notes", **packages)
    assert done.returncode == 0, done.stderr
    first, end = place.events()[0], place.events()[-1]
    assert (first["options"]["brain"], first["options"]["memory"]) == ("ladder", "notes")
    assert end["reason"] == "goal_reached"
    notes = place.state / "memories" / "notes" / "notes.txt"
    assert "Goal reached in 3 turns: craft 1 ladder" in notes.read_text()


def test_a_run_takes_place_in_a_world_of_a_package(place: Place, packages: dict[str, str]) -> None:
    done = place.run("run", "get 3 carrot", "--world", "garden", "--memory", "none", "--continuous", **packages)
    assert done.returncode == 0, done.stderr
    assert [each["command"] for each in kinds(place.events(), "intent")] == ["grow"]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--brain", "laddder"), "unknown brain 'laddder': did you mean ladder? choose planner, openai, scripted, "),
        (("--world", "gardn"), "unknown world 'gardn': did you mean garden? choose crafting, minecraft, garden"),
        (
            ("--memory", "note"),
            "unknown memory 'note': did you mean notes? choose local, pinecone, pgvector, none, ",
        ),
        (("--brain", "broken"), "of the package parts-of-mine: ValueError: oops; correct it, or move it away"),
        (("--brain", "half"), "is no whole brain, as it lacks asks_model, close, metered, name, reads_prompt, think"),
    ],
)
@pytest.mark.sampled(1)
def test_what_cannot_be_opened_is_one_line(
    place: Place, packages: dict[str, str], flags: tuple[str, ...], said: str
) -> None:
    done = place.run("run", "craft 1 ladder", *flags, "--continuous", **packages)
    assert done.returncode == 2
    assert said in done.stderr.replace("\n", " ") and "Traceback" not in done.stderr
    assert not (place.state / "memories").exists()


def test_a_package_hurts_no_run_that_does_not_choose_it_and_replaces_nothing(
    place: Place, packages: dict[str, str]
) -> None:
    done = place.run("run", "craft 1 ladder", "--brain", "planner", "--continuous", **packages)
    assert done.returncode == 0, done.stderr


def test_the_doctor_names_what_packages_bring(place: Place, packages: dict[str, str]) -> None:
    lines = place.run("doctor", **packages).stdout.splitlines()
    state = {line.split()[1]: line.split()[0] for line in lines if line.startswith(("ok", "warn", "fail"))}
    assert (state["brains.ladder"], state["worlds.garden"], state["memories.notes"]) == ("ok", "ok", "ok")
    assert state["brains.broken"] == "warn"
