"""The package's own tests, from its source distribution, against our environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from autocraft.crafting.plancraft import InvalidAction, MoveAction, PlancraftEnvironment, SmeltAction
from tests.conftest import ROOT

HANGS = 600


@pytest.mark.full
def test_the_26_tests_that_reach_our_code_pass(tmp_path: Path) -> None:
    """25 other tests of the package are about its recipes, planner, sampler and texts, which stay its own."""
    pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", "plancraft", "--require-hashes"]
    subprocess.run([*pip, "-q", "-r", str(ROOT / "requirements-plancraft.lock"), "-d", str(tmp_path)], check=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path, filter="data")
    (source,) = (each for each in tmp_path.iterdir() if each.is_dir())
    report = tmp_path / "reached.json"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "plancraft_own", "-p", "no:cacheprovider", "tests"],
        cwd=source, capture_output=True, text=True, timeout=HANGS,
        env={**os.environ, "PYTHONPATH": f"{source}:{Path(__file__).parent}:{ROOT}", "AUTOCRAFT_REACHED": str(report)},
    )  # fmt: skip
    assert report.exists(), done.stdout + done.stderr
    outcomes = json.loads(report.read_text())
    assert [test for test, outcome in outcomes["reached"].items() if outcome != "passed"] == [], done.stdout
    assert (len(outcomes["reached"]), len(outcomes["all"])) == (26, 51), done.stdout


def test_an_observation_can_be_written_to() -> None:
    env = PlancraftEnvironment({10: {"type": "oak_log", "quantity": 4}})
    seen = env.step()
    assert list(seen) == ["inventory", "image", "message", "legal"]
    seen["target"], seen["image"] = "stick", None
    assert (seen["target"], seen["image"], len(seen)) == ("stick", None, 5)
    assert dict(seen)["inventory"] == {10: {"type": "oak_log", "quantity": 4}}
    del seen["message"]
    assert "message" not in seen and seen.pop("legal") is True
    assert env.step()["message"] == "", "another observation is not changed"
    with pytest.raises(KeyError):
        seen["nothing"]


@pytest.mark.parametrize("kind", [MoveAction, SmeltAction])
def test_the_names_of_the_packages_readme(kind: type[MoveAction | SmeltAction]) -> None:
    assert kind(from_slot=23, to_slot=1, quantity=1) == kind(slot_from=23, slot_to=1, quantity=1) == kind("[I14]", 1, 1)
    for wrong in ({"slot_from": 1, "from_slot": 2, "to_slot": 3}, {"to_slot": 3}, {"from_slot": 3}):
        with pytest.raises(InvalidAction):
            kind(**wrong, quantity=1)
    with pytest.raises(InvalidAction):
        kind(1, 2)


def test_the_inner_verbs_set_and_use_up_what_slots_hold() -> None:
    env = PlancraftEnvironment({10: {"type": "oak_log", "quantity": 4}})
    env.add_item_to_slot("oak_log", 1, 2)
    assert env.state[0] == {"type": "oak_planks", "quantity": 4}
    env.use_ingredients()
    assert env.state[1]["quantity"] == 1
    env.use_ingredients()
    assert env.slot_empty(1) and env.slot_empty(0)
    env.move_item(10, 2, 9)
    env.smelt_item(10, 10, 1)
    assert env.state == {10: {"type": "oak_log", "quantity": 4}}, "what is not possible changes nothing"
