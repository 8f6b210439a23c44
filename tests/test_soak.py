"""The soak finds what is lost, and loses nothing itself."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from benchmarks.soak import HEAD, Soak, _judge, play, table
from tests.conftest import STONE_PICKAXE, Place

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")


@pytest.mark.full
def test_a_changed_journal_counts_as_lost_and_an_honest_one_does_not(place: Place) -> None:
    assert place.run("run", *STONE_PICKAXE, "--continuous").returncode == 0
    honest, changed = Soak("crafting"), Soak("crafting")
    _judge(honest, place.folder, 0, 1)
    journal = place.state / "sessions" / place.session() / "events.jsonl"
    journal.write_text(journal.read_text().replace("Made 4 oak_planks", "Made 5 oak_planks"))
    _judge(changed, place.folder, 1, 1)
    assert (honest.counts["lost"], honest.counts["recovered"], honest.troubles) == (0, 1, [])
    assert (changed.counts["lost"], changed.counts["recovered"]) == (1, 0)
    assert changed.counts["steps"] == honest.counts["steps"] == 3


def test_the_table_has_a_cell_under_each_head() -> None:
    soak = Soak("crafting", runs=2)
    soak.faults.update(["kill", "kill", "leave"])
    assert len(soak.row()) == len(HEAD) and "3 (2 kill, 1 leave)" in table([soak])


@pytest.mark.full
def test_faults_and_restarts_lose_nothing(tmp_path: Path) -> None:
    soak, chance = Soak("crafting"), random.Random(3)
    for number in range(6):
        folder = tmp_path / str(number)
        folder.mkdir()
        play(soak, chance, folder)
    assert soak.faults.total() > 0 and soak.counts["steps"] > 0
    assert (soak.counts["lost"], soak.counts["recovered"], soak.troubles) == (0, soak.faults.total(), [])
