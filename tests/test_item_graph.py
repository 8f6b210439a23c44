"""The graph of items: what each can be made from, and that it has no circle and leaves nothing joined out."""

from __future__ import annotations

import pytest

from autocraft.crafting.recipes import load_book
from autocraft.page.graph import MOST_NODES, item_tree, made_from

PICKAXE = {"oak_log": 1, "oak_planks": 2, "stick": 2, "wooden_pickaxe": 2, "cobblestone": 3, "stone_pickaxe": 4}


def test_an_item_comes_from_those_of_a_recipe_that_were_held_before_or_in_the_same_moment() -> None:
    assert made_from(PICKAXE) == {
        "oak_log": [],
        "oak_planks": ["oak_log"],
        "stick": ["oak_planks"],
        "wooden_pickaxe": ["oak_planks", "stick"],
        "cobblestone": [],
        "stone_pickaxe": ["cobblestone", "stick"],
    }
    assert made_from({"stick": 1, "oak_planks": 2}) == {"stick": [], "oak_planks": []}, "the planks came later"


@pytest.mark.parametrize("first", ["iron_ingot", "iron_nugget", "iron_block"])
def test_what_is_made_from_each_other_makes_no_circle(first: str) -> None:
    others = [name for name in ("iron_ingot", "iron_nugget", "iron_block") if name != first]
    sources = made_from({first: 1, **dict.fromkeys(others, 2)})
    assert sources[first] == [] and all(sources[other] for other in others)
    together = made_from(dict.fromkeys([first, *others], 1))
    assert not any(together.values()), "nobody can tell which came first"


def test_all_items_at_once_or_one_after_another_give_a_graph_without_a_circle() -> None:
    items = sorted(load_book().items)
    for moments in (dict.fromkeys(items, 1), {item: at for at, item in enumerate(items)}):
        sources = made_from(moments)
        assert list(moments) == sorted(sources)
        order = {item: at for at, item in enumerate(sources)}
        assert all(order[each] < order[item] for item, those in sources.items() for each in those)


def test_the_plot_draws_each_joined_item_once_and_lists_all() -> None:
    plot = item_tree([*PICKAXE.items(), ("dirt", 2)], "turn")
    drawn = [each.attributes["data-item"] for each in plot.shapes if each.name == "circle"]
    assert sorted(drawn) == sorted(PICKAXE), "dirt is joined to nothing"
    assert plot.said.startswith("7 kinds of items; 4 of them can be made from others. Those that nothing was made")
    assert len(plot.tables[0].rows) == 7
    x = {each.attributes["data-item"]: float(each.attributes["cx"]) for each in plot.shapes if each.name == "circle"}
    assert all(x[each] < x[item] for item, those in made_from(PICKAXE).items() for each in those)
    assert not item_tree([("dirt", 1), ("oak_log", 2)], "turn").shapes


def test_a_long_run_is_bounded_and_no_two_items_share_a_place() -> None:
    plot = item_tree(zip(sorted(load_book().items), range(2000), strict=False), "turn")
    points = [each.attributes for each in plot.shapes if each.name == "circle"]
    assert len(points) == MOST_NODES == len({(each["cx"], each["cy"]) for each in points})
    assert max(float(each["cy"]) for each in points) < plot.height
