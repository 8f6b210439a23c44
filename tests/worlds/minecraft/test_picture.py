"""The map of the land around the bot: what it holds, how it is drawn, and that a model that sees is sent it."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

from autocraft.worlds.minecraft.picture import CELL, Map, block_colour, cell_box, map_image
from tests.worlds.conftest import Stage
from tests.worlds.minecraft.playing import Player, floor

pytestmark = pytest.mark.sampled(5)

FLAT: dict[str, Any] = {
    "feet": {"x": 10, "y": 64, "z": -7},
    "yaw": 0.0,
    "roofed": False,
    "kinds": ["grass_block", "water"],
    "rows": [[[0, 0] for _ in range(33)] for _ in range(33)],
    "others": [{"name": "pig", "x": 2, "z": -5}],
}
"""A meadow with a pig, as the bot tells it."""


async def land(player: Player) -> Map:
    assert player.world.joining.bridge is not None
    return Map.from_json(await player.world.joining.bridge.look("map", {}))


def pixel(data: bytes, column: int, row: int) -> Any:
    """The colour of a cell near its lower right corner, where no dot covers it."""
    left, top, right, bottom = cell_box(column, row)
    assert (right - left, bottom - top) == (CELL - 1, CELL - 1)
    with Image.open(io.BytesIO(data), formats=["PNG"]) as picture:
        return picture.getpixel((right, bottom))


def test_the_map_holds_the_uppermost_blocks_and_the_living_things(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area(), reach=16)
        await player.world.command(f"/setblock {x + 3} {y} {z - 5} gold_block")
        await player.world.command(f"/setblock {x - 4} {y + 2} {z + 6} oak_leaves")
        await player.world.command(f"/summon pig {x + 7.5} {y} {z - 1.5}")
        await player.must("wait", seconds=0.5)
        seen = await land(player)
        assert (seen.feet, seen.side, seen.roofed) == ((x, y, z), 33, False)
        named = {
            (column - 16, row - 16): (seen.kinds[cell[0]], cell[1])
            for row, cells in enumerate(seen.rows)
            for column, cell in enumerate(cells)
            if cell is not None
        }
        assert named.pop((3, -5)) == ("gold_block", 1)
        assert named.pop((-4, 6)) == ("oak_leaves", 3)
        assert set(named.values()) == {("stone", 0)}
        ((name, east, south),) = seen.others
        assert name == "pig"
        assert max(abs(east - 7), abs(south + 2)) <= 2  # it may have taken some steps

    stage.play(scene)


def test_below_a_roof_the_map_shows_the_cave_and_its_walls(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area(), reach=16)
        await player.world.command(f"/fill {x - 16} {y + 4} {z - 16} {x + 16} {y + 4} {z + 16} stone")
        await player.world.command(f"/fill {x + 2} {y} {z} {x + 2} {y + 3} {z} dirt")
        await player.must("wait", seconds=0.5)
        seen = await land(player)
        assert seen.roofed
        middle = [None if cell is None else (seen.kinds[cell[0]], cell[1]) for cell in seen.rows[16]]
        assert middle[18] == ("dirt", 2)
        assert {*middle[:18], *middle[19:]} == {("stone", 0)}

    stage.play(scene)


def test_a_picture_goes_with_the_observation_only_if_it_is_asked_for(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        await floor(player, stage.area())
        assert (await player.world.observe()).images == ()
        player.world.images = True
        try:
            (image,) = (await player.world.observe()).images
        finally:
            player.world.images = False
        assert image.kind == "image/png"
        assert "stone" in image.alt
        with Image.open(io.BytesIO(image.data), formats=["PNG"]) as picture:
            assert min(picture.size) > 33 * CELL

    stage.play(scene)


def test_a_cell_has_the_colour_of_its_block_and_is_lighter_where_it_lies_higher() -> None:
    data = FLAT | {"rows": [list(row) for row in FLAT["rows"]]}
    data["rows"][2][30] = [1, 0]
    data["rows"][3][30] = [1, 5]
    data["rows"][4][30] = None
    drawn = map_image(data).data
    assert pixel(drawn, 0, 0) == block_colour("grass_block")
    assert pixel(drawn, 30, 2) == block_colour("water")
    assert sum(pixel(drawn, 30, 3)) > sum(block_colour("water"))
    assert sum(pixel(drawn, 30, 4)) < 100


@pytest.mark.parametrize(("yaw", "to"), [(0.0, (0, -1)), (1.5708, (-1, 0)), (3.1416, (0, 1)), (-1.5708, (1, 0))])
def test_the_arrow_points_where_the_player_looks(yaw: float, to: tuple[int, int]) -> None:
    left, top, right, bottom = cell_box(16, 16)
    x, y = (left + right) / 2, (top + bottom) / 2
    with Image.open(io.BytesIO(map_image(FLAT | {"yaw": yaw}).data), formats=["PNG"]) as picture:
        ahead = picture.getpixel((round(x + to[0] * 6), round(y + to[1] * 6)))
        behind = picture.getpixel((round(x - to[0] * 11), round(y - to[1] * 11)))
    assert ahead == (230, 30, 40)
    assert behind == block_colour("grass_block")


def test_the_words_name_blocks_and_living_things_with_their_directions() -> None:
    said = map_image(FLAT).alt
    assert said == "a map of 33 x 33 blocks around (10, 64, -7), in the open: grass_block (1089); pig 5 north 2 east"


def test_names_of_a_server_are_cut_and_cleaned() -> None:
    read = Map.from_json(FLAT | {"others": [{"name": "player \x1b[31m\n" + "x" * 400, "x": 0, "z": 0}]})
    ((name, _, _),) = read.others
    assert len(name) == 40
    assert name.isprintable()
