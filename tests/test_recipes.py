"""The recipes of CONTRIBUTING.md: each is carried out in a copy of the program, exactly as its text says."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT, Place

RECIPE = re.compile(r"Write `(?P<new>\S+)`:|`(?P<old>autocraft/\S+\.py)`|```(?P<kind>\w+)\n(?P<code>.*?)```", re.DOTALL)
TEST = "tests/test_rings.py"


@dataclass
class Workshop:
    """A copy of the program in which a recipe is carried out."""

    folder: Path
    place: Place

    def carry_out(self, title: str) -> list[subprocess.CompletedProcess[str]]:
        """Do what the numbered steps of a recipe say. Return what its commands printed."""
        return [self.run(shlex.split(line)) for line in self.write(title).splitlines()]

    def write(self, title: str) -> str:
        """Write the files of a recipe as its steps say. Return its commands, one a line."""
        file, commands = "", ""
        for match in RECIPE.finditer(steps(title)):
            code = match["code"]
            if match["kind"] == "python":
                assert not (self.folder / file).exists()
                (self.folder / file).write_text(code, encoding="utf-8")
            elif match["kind"] == "diff":
                path = self.folder / file
                path.write_text(patched(path.read_text(encoding="utf-8"), code), encoding="utf-8")
            elif match["kind"] == "sh":
                commands += code
            else:
                file = match["new"] or match["old"]
        return commands

    def run(self, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run ``autocraft …`` or ``python -m …`` with the program of the copy."""
        start = {"autocraft": [sys.executable, "-m", "autocraft"], "python": [sys.executable]}[words[0]]
        environment = self.place.environment | {"PYTHONPATH": str(self.folder)}
        return subprocess.run(
            [*start, *words[1:]], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120
        )


def steps(title: str) -> str:
    """Return the numbered steps of a recipe."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return section[section.index("\n1. ") : section.rindex("```") + 3]


def patched(text: str, diff: str) -> str:
    """Return the text with the added lines of a diff, whose other lines must be there once."""
    lines = diff.splitlines(keepends=True)
    old = "".join(line[1:] for line in lines if line[0] in " -")
    assert text.count(old) == 1, f"these lines must be there once:\n{old}"
    return text.replace(old, "".join(line[1:] for line in lines if line[0] in " +"))


@pytest.fixture
def workshop(place: Place, tmp_path: Path) -> Workshop:
    folder = tmp_path / "checkout"
    ignore = shutil.ignore_patterns("node_modules")
    for name in ("autocraft", "prompts", "scripts", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    (folder / "tests").mkdir()
    shutil.copy(ROOT / TEST, folder / "tests")
    return Workshop(folder, place)


@pytest.mark.full
def test_the_new_modules_are_of_a_layer_and_please_the_linter(workshop: Workshop) -> None:
    for title in ("Add a command", "Add a brain", "Add a world"):
        workshop.write(title)
    new = [f"autocraft/{name}.py" for name in ("commands/light", "brains/ladder", "worlds/garden")]
    checked = workshop.run(["python", "-m", "pytest", "-q", "-p", "no:cacheprovider", TEST])
    assert checked.returncode == 0, checked.stdout
    settings = ["--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    for words in (["check", *settings], ["format", "--check", *settings]):
        linted = workshop.run(["python", "-m", "ruff", *words, *new])
        assert linted.returncode == 0, linted.stdout


@pytest.mark.full
def test_add_a_command(workshop: Workshop) -> None:
    listed, written = workshop.carry_out("Add a command")
    assert "count_torches(width: int, length: int = 1)" in listed.stdout, listed.stderr
    assert written.returncode == 0, written.stderr
    page = (workshop.folder / "docs" / "commands.md").read_text(encoding="utf-8")
    assert "| `count_torches(width: int, length: int = 1)` | Say how many torches" in page
    call = {"thoughts": {"text": "I count."}, "command": {"name": "count_torches", "args": {"width": 30}}}
    (workshop.folder / "script").write_text(json.dumps(call))
    workshop.run(["autocraft", "run", "--brain", "scripted", "--script", "script", "--goal", "light", "--continuous"])
    assert [event["text"] for event in workshop.place.events() if event["type"] == "result"] == ["3 torches"]


@pytest.mark.full
def test_add_a_brain(workshop: Workshop) -> None:
    [played] = workshop.carry_out("Add a brain")
    assert played.returncode == 0, played.stdout + played.stderr
    assert "Brain: ladder" in played.stdout
    events = workshop.place.events()
    made = [event["args"]["name"] for event in events if event["type"] == "reply" and event["command"] == "craft_item"]
    assert made == ["oak_planks", "stick", "ladder"]
    assert events[-1]["reason"] == "goal_reached"


@pytest.mark.full
def test_add_a_world(workshop: Workshop) -> None:
    [played] = workshop.carry_out("Add a world")
    assert played.returncode == 0, played.stdout + played.stderr
    events = workshop.place.events()
    assert next(event["text"] for event in events if event["type"] == "result") == "There are 3 carrots now."
    assert events[-1]["reason"] == "goal_reached"
    resumed = workshop.run(["autocraft", "run", "--resume", "last", "--goal", "get 5 carrot", "--continuous"])
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    texts = [event["text"] for event in workshop.place.events() if event["type"] == "result"]
    assert "There are 5 carrots now." in texts


def test_a_recipe_that_does_not_fit_the_code_fails() -> None:
    with pytest.raises(AssertionError, match="must be there once"):
        patched("a\nb\n", " a\n+x\n c\n")
    assert patched("a\nb\n", " a\n+x\n b\n") == "a\nx\nb\n"
