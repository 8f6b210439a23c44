"""Checks the certificate of a bound: no plan has fewer actions than it claims."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from autocraft.crafting.table import CraftingTable
from autocraft.crafting.verify.cells import CellsBound
from autocraft.crafting.verify.question import Question, Unsound, Work
from autocraft.crafting.verify.takes import TakesBound
from autocraft.crafting.verify.weights import CheckedWeights

_DEEPEST = 200


def check(table: CraftingTable, targets: Mapping[str, int], certificate: Mapping[str, Any], states: int) -> None:
    """Raise Unsound unless `certificate["least"]` actions are needed to hold `targets`."""
    least, bound = certificate["least"], certificate["bound"]
    if least == 0:
        return
    if bound not in ("takes", "cells"):
        raise Unsound(f"there is no bound {str(bound)[:40]!r}")
    if least > _DEEPEST:
        raise Unsound(f"bounds of more than {_DEEPEST} actions are not checked")
    question = Question(table, targets, certificate["merged"])
    thrifty = bound == "takes" and not any(question.grid)
    weights = CheckedWeights(question, certificate["weights"], certificate["scale"], least - 1, thrifty=thrifty)
    takes = TakesBound(question, weights, Work(states))
    deepest = sys.getrecursionlimit()
    sys.setrecursionlimit(max(deepest, 20 * _DEEPEST))
    try:
        if bound == "takes":
            short = takes.within(takes.start(), least - 1)
        else:
            cells = CellsBound(takes)
            short = cells.within(takes.start(), cells.start(), least - 1)
    finally:
        sys.setrecursionlimit(deepest)
    if short:
        raise Unsound(f"the bound {bound!r} does not rule out a plan of {least - 1} actions")
