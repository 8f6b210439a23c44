"""Programs for the tests, and a run that can carry them out."""

from __future__ import annotations

import subprocess
from typing import Any

from autocraft.node import find_node, packages
from autocraft.sandbox.packages import PACKAGES
from tests.conftest import Place, kinds

ITEMS = "oak_log=3,cobblestone=3"
# In a program, the `count` of craftItem says how often the recipe is carried out.
PICKAXE = """async function craftStonePickaxe(bot) {
  await craftItem(bot, 'oak_planks', 2);
  await craftItem(bot, 'stick', 1);
  await craftItem(bot, 'stone_pickaxe', 1);
  return 'made';
}"""
LOOP = """async function loop(bot) {
  await craftItem(bot, "oak_planks", 1);
  while (true) {}
}"""


def with_programs() -> dict[str, str]:
    """Return the environment in which programs run although the home folder is another one."""
    return {"AUTOCRAFT_NODE": str(find_node()), PACKAGES.variable: str(packages(PACKAGES))}


def run(
    place: Place, *script: Any, stdin: str | None = None, arguments: tuple[str, ...] = (), **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run these answers towards a stone pickaxe."""
    goal = ["--goal", "craft 1 stone_pickaxe", "--inventory", ITEMS, "--brain", "scripted"]
    return place.run(
        "run", *goal, "--script", place.script(*script), *arguments, stdin=stdin, **(with_programs() | environment)
    )


def decided(events: list[dict[str, Any]], agent: str) -> list[tuple[str, str]]:
    """Return kind and author of each decision about the commands of this agent."""
    return [(each["kind"], each["by"]) for each in kinds(events, "decision") if each["agent"] == agent]
