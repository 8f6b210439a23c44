"""The picture of a building: every block is drawn, and it fills up by the events of the journal."""

from __future__ import annotations

import json

import pytest

from autocraft.building.blueprint import Block, Blueprint
from autocraft.building.wishes import blueprint_of, read_wish
from autocraft.page.blocks import NEVER, PLANNED, Span, building_plot
from autocraft.page.drawing import WIDTH, Plot
from autocraft.report.page import building_drawing, page_text
from autocraft.report.story import Story
from autocraft.session.events import Event
from scripts.make_page_pictures import IMAGES, buildings_svg
from tests.evaluation.test_page import HOSTILE, read
from tests.journals import event

ROW = "name row\n# = oak_planks\nG = glass\nlayer 0\n##\nlayer 1\nG_"
SHAPES = (
    "oak_planks", "oak_slab[type=top]", "oak_stairs[facing=west,half=top]", "oak_door[facing=north]", "oak_trapdoor",
    "oak_fence", "oak_fence_gate[facing=east]", "glass_pane", "cobblestone_wall", "torch", "wall_torch[facing=south]",
    "ladder[facing=north]", "white_bed[facing=west]", "white_carpet", "chest[facing=north]", "lantern", "oak_sign",
    "something_unknown", "oak_stairs", "wall_torch",
)  # fmt: skip


def building_run(*changes: list[list[object]], evil: str = "row", text: str = ROW) -> list[Event]:
    """A run that plans a row of blocks at (10, 64, -3), and changes blocks, one event of progress for each list."""
    events = [event("goal", goals=[{"text": "build"}], options={}, world=None, continuous=False, session="s")]
    events.append(event("planned", plan="p", blueprint=text.replace("name row", f"name {evil}"), at=[10, 64, -3]))
    events.append(event("intent", seq=5, id="s:5", command="lay_blocks", args={"plan": "p"}))
    events += [event("progress", id="s:5", command="lay_blocks", blocks=blocks) for blocks in changes]
    return events


def standing(story: Story) -> str:
    (building,) = story.buildings.values()
    return building_drawing(building).said


def kinds(plot: Plot) -> list[str]:
    return [shape.attributes["class"] for shape in plot.shapes]


def test_it_fills_up_by_the_events_of_the_journal() -> None:
    first, second, glass = [[10, 64, -3, "oak_planks"]], [[11, 64, -3, "oak_planks"]], [[10, 65, -3, "glass"]]
    elsewhere = [[9, 64, -3, "oak_planks"], [10, 65, -3, "dirt"]]
    run = building_run(first, elsewhere, [*second, *glass], [[10, 64, -3, "air"]])
    assert [standing(Story.of(run[:end])).partition(";")[0] for end in range(3, len(run) + 1)] == [
        "3 blocks", "1 of 3 blocks stand", "1 of 3 blocks stand", "3 of 3 blocks stand", "2 of 3 blocks stand"
    ]  # fmt: skip
    assert list(Story.of(run).buildings["p"].spans.values()) == [Span(1, 4), Span(3, NEVER), Span(3, NEVER)]
    whole = event("result", intent=5, command="lay_blocks", text="Of 3 blocks 3 are right, 0 wrong.")
    assert standing(Story.of([*run, whole])).startswith("3 of 3")
    assert standing(Story.of([*run, event("result", intent=5, command="lay_blocks", ok=False)])).startswith("2 of 3")


def test_what_does_not_stand_is_pale_and_what_is_behind_whole_blocks_is_not_drawn() -> None:
    blueprint = Blueprint.read("# = stone\nlayer 0-2\n###\n###\n###")
    planned = building_plot(blueprint)
    assert kinds(planned) == ["cube"] * len(planned.shapes)
    faces = sum(shape.attributes["d"].count("M") for shape in planned.shapes)
    assert faces == 27, "the three outer sides of a cube of three blocks, and nothing within"
    half = building_plot(blueprint, {cell: Span() for cell in blueprint.blocks if cell[1] == 0})
    assert set(kinds(half)) == {"cube", "cube later"} and half.said.startswith("9 of 27 blocks stand")
    assert sum(s.attributes["d"].count("M") for s in half.shapes if "later" not in s.attributes["class"]) == 9 + 6
    assert "glass" in kinds(building_plot(Blueprint.read(ROW)))[-1]


@pytest.mark.parametrize("text", SHAPES)
def test_each_form_of_a_block_is_drawn_within_the_picture(text: str) -> None:
    blueprint = Blueprint("form", {(0, 0, 0): Block.read(text), (1, 0, 0): Block("stone")}, frozenset())
    plot = building_plot(blueprint, {(0, 0, 0): PLANNED, (1, 0, 0): Span(0)})
    assert {"cube", "cube later"} & set(kinds(plot)) or "glass" in " ".join(kinds(plot))
    own = [shape for shape in plot.shapes if "later" in shape.attributes["class"]]
    assert own and all("NaN" not in shape.attributes["d"] for shape in plot.shapes)


@pytest.mark.parametrize("size", ["house 24x24, walls 8 high", "tower 5x5, walls 16 high", "pen 3x3", "house 4x4"])
def test_a_picture_keeps_to_its_size_and_faces_the_door(size: str) -> None:
    for side in ("north", "south", "west", "east"):
        wish = read_wish(f"{size}, oak, door {side}")
        assert wish is not None
        plot = building_plot(blueprint_of(wish))
        assert plot.width == WIDTH and 0 < plot.height <= 1.25 * WIDTH
        assert ("north-west" in plot.said) == (side in ("north", "west"))
        starts = [float(x) for s in plot.shapes for x in [s.attributes["d"][1:].split(" ")[0]]]
        assert min(starts) >= 0 and max(starts) <= WIDTH
        assert len(json.dumps([shape.attributes for shape in plot.shapes])) < 200_000


@pytest.mark.parametrize("evil", HOSTILE)
def test_hostile_names_stay_text_and_a_broken_plan_is_left_out(evil: str) -> None:
    one_line = " ".join(evil.split()) or "x"
    page = page_text(Story.of(building_run([[10, 64, -3, "oak_planks"]], evil=one_line)), "s")
    assert len(read(page).named("script")) == 2 and 'id="plot-building1"' in page
    assert Story.of(building_run(text="layer 0\nX")).buildings == {}


def test_the_picture_of_the_docs_is_what_the_pages_draw() -> None:
    assert (IMAGES / "building.svg").read_text(encoding="utf-8") == buildings_svg()
