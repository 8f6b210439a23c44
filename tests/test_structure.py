"""How the parts are joined, held to the figures that `scripts/structure.py` measures."""

from __future__ import annotations

import ast

from scripts import structure

TREES = structure.modules()


def test_the_root_of_the_package_holds_ten_modules() -> None:
    assert len(structure.root_modules()) <= 10, structure.root_modules()


def test_no_modules_import_each_other() -> None:
    assert structure.circles(structure.imports(TREES)) == []
    assert structure.circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]], "the control"


def test_nobody_decides_by_the_name_of_a_brain_a_memory_or_a_world() -> None:
    assert structure.comparisons(TREES) == []
    control = {"autocraft.agent.x": ast.parse('if self.brain.name == "planner": pass')}
    assert structure.comparisons(control) == ["autocraft.agent.x:1"]


def test_a_hook_belongs_to_its_command() -> None:
    """What is left is the world of Minecraft, whose commands share one body."""
    found = structure.switches(TREES)
    assert len(found) <= 3 and {each.partition(":")[0] for each in found} == {"autocraft.worlds.minecraft.world"}


def test_the_parts_are_joined_in_the_order_in_which_they_need_each_other() -> None:
    assert len(structure.lambdas()) <= 2, structure.lambdas()


def test_nothing_of_a_live_run_is_made_of_more_than_eight_values() -> None:
    made = structure.constructors(TREES)
    assert {name: count for name, count in made.items() if count > 8} == {}
    assert made["autocraft.agent.context.RunContext"] == 8, "the control"


def test_what_opens_a_run_is_a_page_or_two() -> None:
    lines = (structure.PACKAGE / "app.py").read_text(encoding="utf-8").splitlines()
    families = (structure.PACKAGE / "agent" / "families.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) + len(families) <= 450
