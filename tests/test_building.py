"""Blueprints as values: read from layers, words and files, and refused with the reason before anything stands."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import Any, cast

import pytest

from autocraft.building.blueprint import Block, Blueprint, Cell, beside
from autocraft.building.checks import check
from autocraft.building.plans import Plan, Plans
from autocraft.building.schematics import blueprint_of_nbt
from autocraft.building.wishes import SHIPPED, Wish, blueprint_of, read_goal, read_wish
from autocraft.errors import CommandError
from autocraft.goals import Deed, Goal
from autocraft.goals.verbs import VERBS
from autocraft.goals.wording import Names
from tests.schematics import FILES, longs

HUT = """
# = oak_planks
D = oak_door[facing=north]
T = torch
layer 0
#####
#####
#####
#####
layer 1
#####
#..T#
#...#
##D##
layer 2
#####
#...#
#...#
##D##
layer 3
#####
#####
#####
#####
"""


def shipped_form(name: str) -> str:
    """Return the text form of a building that a name alone says."""
    return blueprint_of(cast(Wish, read_wish(name)), "birch").text().partition("\n")[2]


NAMES = Names.of(["oak_planks", "oak_door", "torch", "stick", "house"], verbs=VERBS)


def broken(old: str, new: str) -> str:
    assert old in HUT
    return HUT.replace(old, new, 1)


GOOD = {
    "house 5x5": {"oak_planks": 96, "oak_door": 1, "torch": 1},
    "house 5x5, no torch": {"oak_planks": 96, "oak_door": 1},
    "build a 5x5 cabin of birch with a door and a torch": {"birch_planks": 96, "birch_door": 1, "torch": 1},
    "house 7x5, walls 3 high, gable roof, oak, door south, 2 windows, bed, torch": {
        "oak_planks": 106, "oak_stairs": 28, "glass_pane": 2, "oak_door": 1, "torch": 1, "white_bed": 1,
    },
    "a house 6x6x4 of cobblestone with an east door, a chest and 2 torches": {
        "cobblestone": 78, "oak_planks": 72, "torch": 2, "chest": 1, "oak_door": 1,
    },
    "big spruce house, 4 windows": {"spruce_planks": 204, "glass_pane": 4, "spruce_door": 1, "torch": 1},
    "house 4x4": {"oak_planks": 66, "oak_door": 1, "torch": 1},
    "a stone tower 9 blocks tall": {
        "cobblestone": 174, "oak_planks": 25, "ladder": 9, "oak_door": 1, "oak_trapdoor": 1, "torch": 1,
    },
    "tower, north door, crafting table": {
        "oak_planks": 167, "ladder": 7, "oak_door": 1, "oak_trapdoor": 1, "crafting_table": 1,
        "torch": 1,
    },
    "an animal pen": {"oak_fence": 23, "oak_fence_gate": 1},
    "a stone bridge, 12 blocks long": {"cobblestone": 30, "oak_fence": 20, "oak_stairs": 6},
    "footbridge 3x9, birch": {"birch_planks": 21, "birch_fence": 14, "birch_stairs": 6},
    "fence around the farm, gate to the north": {"oak_fence": 31, "oak_fence_gate": 1},
    "a nether portal": {"obsidian": 14},
    HUT: {"oak_planks": 66, "oak_door": 1, "torch": 1},
}  # fmt: skip


@pytest.mark.parametrize("text", GOOD)
def test_a_good_blueprint_has_its_bill_and_is_read_again_from_its_own_text(text: str) -> None:
    wish = None if "\n" in text else read_wish(text)
    blueprint = Blueprint.read(text) if wish is None else blueprint_of(wish)
    check(blueprint)
    assert blueprint.bill == GOOD[text]
    again = Blueprint.read(blueprint.text())
    assert (again.blocks, again.sunk) == (blueprint.blocks, blueprint.sunk)
    assert (wish and wish.kind == "portal") or again.free == blueprint.free
    assert wish is None or read_wish(str(wish)) == wish


SENTENCES = {
    "build a small house here": "house 5x5, walls 3 high, flat roof, door south, 1 torch",
    "build a cabin": "house 5x5, walls 3 high, flat roof, door south, 1 torch",
    "build a big shed without a torch": "house 9x7, walls 3 high, flat roof, door south, no torch",
    "Please build me a 5x5 cabin of birch with a door and a torch.": (
        "house 5x5, walls 3 high, flat roof, birch, door south, 1 torch"
    ),
    "build a 7x5x4 oak cottage with 2 windows": (
        "house 7x5, walls 4 high, flat roof, oak, door south, 2 windows, 1 torch"
    ),
    "build a big cobblestone house with a bed, a chest and two torches": (
        "house 9x7, walls 3 high, flat roof, cobblestone, door south, 1 bed, 2 torches, 1 chest"
    ),
    "can you build me a nice little hut, please?": "house 5x5, walls 3 high, flat roof, door south, 1 torch",
    "construct a watchtower 12 high out of dark oak": "tower 5x5, walls 12 high, dark oak, door south, 1 torch",
    "build a tall stone tower": "tower 5x5, walls 10 high, cobblestone, door south, 1 torch",
    "make an animal pen": "pen 7x7, gate south",
    "build a fence for my sheep": "pen 7x7, gate south",
    "build a 9x9 pen with a gate to the east": "pen 9x9, gate east",
    "build a stone bridge 12 blocks long": "bridge 12x3, cobblestone",
    "build a fence around the farm": "fence 9x9, gate south",
    "make a nether portal": "portal 4x1",
    "build a house 5x5, walls 3 high, roof, door, torch": "house 5x5, walls 3 high, flat roof, door south, 1 torch",
}
"""Sentences that need no model, with the building that each means."""
FORMS = {
    **{name: shipped_form(name) for name in SHIPPED},
    "hut": HUT,
    "steps": "< = oak_stairs[facing=west,half=bottom]\n# = stone\nlayer 0\n##<\nlayer 1\n#<_",
    "wall": "sunk 0\n# = cobblestone\nG = glass\nT = wall_torch[facing=south]\nlayer 0\n###\n___\nlayer 1-2\n#G#\n_T_",
    "well": "sunk 1\n# = stone_bricks\nF = oak_fence\n= = oak_slab[type=bottom]\n"
    "layer 0\n###\n###\n###\nlayer 1\n#_#\n_._\n#_#\nlayer 2-3\nF_F\n_._\nF_F\nlayer 4\n===\n===\n===",
}
"""Good forms, as a model writes them."""
BROKEN = [
    ("", "has no layer"),
    (broken("T = torch", "T is a torch"), "line 4 of the blueprint: 'T is a torch' is neither"),
    (broken("#..T#", "#..X#"), "line 12 of the blueprint: the letter 'X' has no block"),
    (broken("#..T#", "#..T"), "line 12 of the blueprint: the row has 4 letters, and that of line 6 has 5"),
    (broken("layer 3", "layer 4"), "has no layer 3, although it has layer 4"),
    (broken("#...#\n##D##\nlayer 2", "##D##\nlayer 2"), "layer 1 of the blueprint has 3 rows, and layer 0 has 4"),
    (broken("[facing=north]", ""), "oak_door at (2, 1, 3) needs a direction: write oak_door[facing=north]"),
    (broken("layer 3\n#####\n#####", "layer 3\n#####\n##.##"), "has no roof over (2, 1)"),
    (broken("#...#\n##D##\nlayer 3", "#....\n##D##\nlayer 3"), "has a gap in its wall beside"),
    (broken("#...#\n##D##\nlayer 2", "#.#.#\n##D##\nlayer 2"), "oak_door at (2, 1, 3) cannot be passed: oak_planks"),
    (broken("T = torch", "T = water"), "water cannot be placed"),
    (broken("T = torch", "T = wall_torch[facing=south]").replace("#..T#\n#...#", "#...#\n#.T.#"), "no block behind it"),
    (HUT + "layer 4\n.....\n.....\n.....\n.....\nlayer 5\n##...\n.....\n.....\n.....", "2 blocks float, such as"),
    (broken("T = torch", "T = oak_plonks"), "there is no block oak_plonks, did you mean oak_planks"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "fault"), BROKEN)
def test_a_broken_blueprint_is_refused_with_its_reason(text: str, fault: str) -> None:
    with pytest.raises(CommandError, match=re.escape(fault)):
        check(Blueprint.read(text), NAMES)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("house with a chimney", "'chimney' is not understood"),
        ("house 3x3", "a house is 4 to 24 blocks wide and deep, not 3x3"),
        ("house 5x5, walls 20 high", "walls of a house are 2 to 8 blocks high"),
        ("house 4x4, 3 beds", "no room for a bed"),
        ("house 5x5, 40 windows", "windows, not 40"),
        ("portal 4x5", "a portal is 4 blocks wide and 1 deep, not 4x5"),
        ("bridge with a roof and a bed", "'bed' is not understood"),
    ],
)
def test_words_that_cannot_be_built_are_named(text: str, fault: str) -> None:
    with pytest.raises(CommandError, match=re.escape(fault)):
        blueprint_of(cast(Wish, read_wish(text)))


def test_a_sentence_is_a_goal_and_others_stay_what_they_are() -> None:
    for text, building in SENTENCES.items():
        assert Goal.parse(text, NAMES).deeds == (Deed("build", building),)
        assert read_goal(f"build a {building}") == building
    for name in SHIPPED:
        assert read_goal(f"build a {name}") == str(read_wish(name)) == str(read_wish(name.replace(" ", "_")))
    for text in ("Please build me the schematic My_Hut.schem here.", "construct My_Hut.schem"):
        assert Goal.parse(text, NAMES).deeds == (Deed("build", "My_Hut.schem"),)
    for text in (
        "make notes.txt",
        "build hut.zip",
        "build a house with a chimney",
        "build it",
        "craft 2 sticks",
        "find a house",
        "get 1 house",
        "make a fence",
        "make a bed and a house",
    ):
        assert read_goal(text) == ""
    assert Goal.parse("build a house", ["oak_planks"]).deeds == (), "the crafting world builds nothing"


@pytest.mark.parametrize("name", FORMS)
def test_each_good_form_can_be_built(name: str) -> None:
    blueprint = Blueprint.read(FORMS[name], name)
    check(blueprint)
    assert blueprint.name == name and len(FORMS) == 10 and len(SENTENCES) >= 12


@pytest.mark.parametrize("name", FILES)
def test_each_blueprint_that_is_written_as_a_file_can_be_built(name: str) -> None:
    check(Blueprint.read(FILES[name], name))


def test_each_kind_of_block_of_a_large_palette_has_its_own_letter() -> None:
    blocks = {(x, 0, z): Block(f"kind_{x}_of_{z}") for x in range(20) for z in range(10)}
    assert Blueprint.read(Blueprint.of("many", blocks).text()).blocks == blocks


def test_a_plan_is_what_its_id_says(tmp_path: Path) -> None:
    plan = Plan.at(Blueprint.read(HUT, "hut"), (10, 63, -5))
    assert min(plan.blocks)[:3] == (10, 63, -5), "its floor lies in the ground"
    plans = Plans(tmp_path)
    plans.save(plan)
    assert plans.load(plan.id) == plan and plans.newest("hut") == plan.id and not plans.newest("house")
    assert Plan.at(Blueprint.read(HUT, "hut"), (11, 63, -5)).id != plan.id
    file = tmp_path / f"{plan.id}.json"
    file.write_text(file.read_text().replace("oak_planks", "diamond_block"))
    for id in (plan.id, "00000000", "../x"):
        with pytest.raises(CommandError, match="there is no plan"):
            plans.load(id)


def packed_region(
    palette: list[dict[str, Any]], numbers: list[int], size: Cell, at: Cell = (0, 0, 0)
) -> dict[str, Any]:
    """Return a region as Litematica writes it, with longs in two halves as the bot reads them."""
    words = [half for each in longs(numbers, len(palette)) for half in (each >> 32, each & 2**32 - 1)]
    signed = [word - 2**32 if word >= 2**31 else word for word in words]
    halves = list(zip(signed[::2], signed[1::2], strict=True))
    sides, place = (dict(zip("xyz", each, strict=True)) for each in (size, at))
    return {"Size": sides, "Position": place, "BlockStatePalette": palette, "BlockStates": halves}


def test_files_of_the_game_of_sponge_and_of_litematica_mean_the_same_blueprint() -> None:
    palette = {"minecraft:oak_stairs[facing=east,half=bottom,shape=straight,waterlogged=false]": 0, "minecraft:air": 1}
    sponge = {"Width": 2, "Height": 1, "Length": 1, "Palette": palette, "BlockData": [0, 1]}
    nested = {"Schematic": {"Width": 2, "Height": 1, "Length": 1, "Blocks": {"Palette": palette, "Data": [0, 1]}}}
    states = {"facing": "east", "half": "bottom", "shape": "straight", "waterlogged": "false"}
    kinds: list[dict[str, Any]] = [{"Name": "minecraft:oak_stairs", "Properties": states}, {"Name": "minecraft:air"}]
    structure = {"palette": kinds, "blocks": [{"pos": [0, 0, 0], "state": 0}, {"pos": [1, 0, 0], "state": 1}]}
    for value in (sponge, nested, structure):
        blueprint = blueprint_of_nbt(value, "step")
        assert blueprint.blocks == {(0, 0, 0): Block.read("oak_stairs[facing=east,half=bottom]")}
        assert blueprint.free == {(1, 0, 0)}
    many = [kinds[1], kinds[0]]
    many += [{"Name": f"minecraft:stone_{n}"} for n in range(15)]
    for palette_size, size in product((2, 17), ((2, 1, 1), (-2, 1, 1), (2, -1, -1))):
        region = packed_region(many[:palette_size], [0, 1], size)
        blueprint = blueprint_of_nbt({"Regions": {"a": region}, "Version": 6}, "step")
        assert blueprint.blocks == {(1, 0, 0): Block.read("oak_stairs[facing=east,half=bottom]")}
        assert blueprint.free == {(0, 0, 0)}
    row = [n % 16 + 1 for n in range(13)]  # of five bits each, so that the thirteenth lies in two longs
    two = {"a": packed_region(many, row, (13, 1, 1)), "b": packed_region(many, [2, 0], (-2, 1, 1), (4, 4, -2))}
    blocks = blueprint_of_nbt({"Regions": two}, "row").blocks
    assert [blocks[x, 0, 2].name for x in range(13)] == [many[n]["Name"][10:] for n in row]
    assert blocks[3, 4, 0].name == "stone_0" and len(blocks) == 14
    with pytest.raises(CommandError, match="too large: at most 48 along each axis"):
        blueprint_of_nbt({"Regions": {"a": packed_region(many, [], (49, 1, 1))}}, "row")
    short = packed_region(many, row, (13, 1, 1)) | {"Size": {"x": 13, "y": 2, "z": 1}}
    structures: list[Any] = [{"Palette": {}}, {"palette": [], "blocks": [{"pos": [0, 0, 0], "state": 3}]}]
    broken: list[Any] = [{"Regions": {}}, {"Regions": {"a": short}}, {}, [], *structures]
    for other in broken:
        with pytest.raises(CommandError, match="is no schematic"):
            blueprint_of_nbt(other, "step")


@pytest.mark.parametrize("text", [text for text in GOOD if "\n" not in text])
@pytest.mark.parametrize("bots", [2, 3, 4])
def test_the_parts_of_a_plan_are_all_of_it_and_take_as_long(tmp_path: Path, text: str, bots: int) -> None:
    wish = read_wish(text)
    assert wish is not None
    plan = Plan.at(blueprint_of(wish, "oak"), (5, 63, -7))
    plans = Plans(tmp_path)
    plans.save(plan)
    parts = [plans.load(part.id) for part in plan.split(bots)]
    assert [part.id for part in parts] == [f"{plan.id}.{number}of{bots}" for number in range(1, bots + 1)]
    assert sorted(block for part in parts for block in part.blocks) == sorted(plan.blocks)
    assert sorted(cell for part in parts for cell in part.free) == sorted(plan.free)
    assert all(sorted([*part.blocks, *part.rest]) == sorted(plan.blocks) and part.whole == plan.id for part in parts)
    share = len(plan.blocks) / bots
    assert all(share / 2 <= len(part.blocks) <= share * 1.5 for part in parts), [len(part.blocks) for part in parts]
    for part in parts:
        cells = {block[:3] for block in part.blocks}
        for x, y, z, name, states, item in part.blocks:
            if not item:
                facing = states.get("facing", "north")
                first = (x, y - 1, z) if name.endswith("door") else beside((x, y, z), facing, -1)
                assert first in cells, f"{name} at {(x, y, z)} is parted from its first half"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("cabin", [57, 42]),  # who makes the door and the torch, and for both a workbench, places fewer blocks
        ("cabin", [36, 33, 30]),
        ("bridge", [20, 21]),  # each part makes all kinds
        ("bridge", [13, 15, 13]),
        ("pen", [12, 12]),  # its gate takes what its fence takes
        ("pen", [8, 8, 8]),
        ("# = cobblestone\nW = cobblestone_wall\nlayer 0\n#########W", [9, 1]),  # who makes the wall needs a workbench
    ],
)
def test_who_alone_makes_a_kind_places_fewer_blocks(text: str, parts: list[int]) -> None:
    """One of two bots made all that takes a workbench and coal, and the other one waited for it."""
    wish = read_wish(text)
    plan = Plan.at(blueprint_of(wish, "oak") if wish else Blueprint.read(text), (0, 63, 0))
    assert [len(part.blocks) for part in plan.split(len(parts))] == parts


@pytest.mark.parametrize("id", ["0of2", "3of2", "1of1", "1of10", "x", "1of2.1of2"])
def test_a_part_that_a_plan_does_not_have_is_refused(tmp_path: Path, id: str) -> None:
    plans, plan = Plans(tmp_path), Plan.at(Blueprint.read(HUT), (0, 63, 0))
    plans.save(plan)
    with pytest.raises(CommandError, match="there is no plan"):
        plans.load(f"{plan.id}.{id}")
