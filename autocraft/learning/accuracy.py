"""Compares the learned graph with the game's data. No brain sees the result."""

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
    verdicts = [verdict for edge in graph.edges() if (verdict := truth.confirms(*edge)) is not None]
    return sum(verdicts), len(verdicts)


def accuracy_text(graph: Graph, world: World) -> str:
    """Return the accuracy in words. Return '' if nothing was learned, or in a world without a clock."""
    if not isinstance(world, LiveWorld):
        return ""
    right, total = accuracy(graph)
    return f"{right} of {count(total, 'learned edge')} confirmed by the game's data" if total else ""
