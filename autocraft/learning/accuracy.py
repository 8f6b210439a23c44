"""Compares what was learned with the game's data. No brain sees it."""

from __future__ import annotations

from autocraft.learning.graph import Graph
from autocraft.learning.truth import truth_of
from autocraft.node import packages
from autocraft.protocols import LiveWorld, World
from autocraft.text.phrases import count
from autocraft.worlds.minecraft.facts import PRACTICE_VERSION
from autocraft.worlds.minecraft.packages import PACKAGES


def accuracy(graph: Graph) -> tuple[int, int]:
    """Return how many learned edges the game's data confirms, and how many it can check at all.

    Raises NodeMissing if the data cannot be read.
    """
    truth = truth_of(packages(PACKAGES), PRACTICE_VERSION)
    told = [found for edge in graph.edges() if (found := truth.confirms(*edge)) is not None]
    return sum(told), len(told)


def accuracy_text(graph: Graph, world: World) -> str:
    """Return the accuracy in words. Return '' if nothing was learned, or in a world without a clock: no game."""
    if not isinstance(world, LiveWorld):
        return ""
    right, told = accuracy(graph)
    return f"{right} of {count(told, 'learned edge')} confirmed by the game's data" if told else ""
