"""Where the run began and where the person is stands in what a model sees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from autocraft.worlds.minecraft.changes import start_of
from autocraft.worlds.minecraft.describe import observation_text
from tests.worlds.conftest import Stage
from tests.worlds.minecraft.playing import Player
from tests.worlds.minecraft.talking import talker

HERE: dict[str, Any] = {
    "position": {"x": 3.0, "y": 64.0, "z": -4.0},
    "dimension": "overworld",
    "players": {"Ann": {"x": 3.0, "y": 64.0, "z": 8.4}, "Ben": None},
}
START = {"x": 0.0, "y": 64.0, "z": 0.0, "dimension": "overworld"}


@pytest.mark.parametrize(
    ("start", "people", "lines"),
    [
        (START, (), ["Start of the run: x=0.0, y=64.0, z=0.0 (5 blocks away)"]),
        (START | {"dimension": "the_nether"}, (), ["Start of the run: x=0.0, y=64.0, z=0.0 (in the_nether)"]),
        (None, ("Ann",), ["The person, Ann: x=3.0, y=64.0, z=8.4 (12 blocks away)"]),
        (None, ("Ben",), ["The person, Ben: in this world, out of sight"]),
        (None, ("Cid",), ["The person, Cid: not in this world"]),
        (None, (), []),
    ],
)
def test_it_is_told_after_the_position(start: dict[str, Any] | None, people: tuple[str, ...], lines: list[str]) -> None:
    rows = observation_text(HERE, ["news"], start, people).splitlines()
    at = next(number for number, row in enumerate(rows) if row.startswith("Position: "))
    assert rows[at + 1 : at + 1 + len(lines)] == lines
    assert rows[at + 1 + len(lines)].startswith("Equipment: ") and rows[-1] == "news"


@pytest.mark.parametrize("damage", [None, "", "[1]", '{"x": "1", "y": 2, "z": 3}', '{"x": 1}'])
def test_the_start_of_a_session_is_kept_and_a_damaged_file_begins_anew(tmp_path: Path, damage: str | None) -> None:
    folder = tmp_path / "minecraft"
    first = start_of(folder, HERE)
    assert first == {"x": 3.0, "y": 64.0, "z": -4.0, "dimension": "overworld"}
    other = {"position": {"x": 90.0, "y": 1.0, "z": 9.0}, "dimension": "overworld"}
    assert start_of(folder, other) == first
    if damage is not None:
        (folder / "start.json").write_text(damage)
        assert start_of(folder, other)["x"] == 90.0
        assert json.loads((folder / "start.json").read_text())["x"] == 90.0


@pytest.mark.full
def test_a_real_player_is_found_and_the_start_stays(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        def line(of: str, text: str) -> str:
            return next(row for row in text.splitlines() if row.startswith(of))

        async def place_of_ann() -> Any:
            return (await player.seen())["players"].get("Ann")

        before = line("Start of the run: ", (await player.world.observe()).text)
        assert line("The person, Ann: ", (await player.world.observe()).text).endswith("not in this world")
        assert player.world.joining.server is not None
        with talker(str(player.world.joining.server.port), "Ann"):
            while not await place_of_ann():
                await player.must("wait", seconds=0.5)  # the world stands still between two commands
            assert "blocks away)" in line("The person, Ann: ", (await player.world.observe()).text)
            x, y, z = await player.standing()
            await player.world.command(f"/tp {x + 200.5} {y + 60} {z + 0.5}")
            while await place_of_ann():
                await player.must("wait", seconds=0.5)
            text = (await player.world.observe()).text
            assert line("The person, Ann: ", text) == "The person, Ann: in this world, out of sight"
            assert line("Start of the run: ", text).split(" (")[0] == before.split(" (")[0]

    stage.play(scene, listen_to=("Ann",))
