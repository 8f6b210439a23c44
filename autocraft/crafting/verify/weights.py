"""Checks that the weights of a certificate bound the remaining actions; see "Weights" in `docs/crafting.md`."""

from __future__ import annotations

import math
from collections.abc import Mapping

from autocraft.crafting.verify.question import Question, Unsound
from autocraft.crafting.verify.sharing import entry


class CheckedWeights:
    """Weights that are checked when constructed. Raises Unsound if they fail for plans of at most `most` actions.

    If `thrifty`, they must hold only for plans in which the counts need every take.
    """

    def __init__(self, question: Question, weights: Mapping[str, int], scale: int, most: int, *, thrifty: bool) -> None:
        if any(type(weight) is not int or weight < 0 for weight in (scale, *weights.values())) or scale < 1:
            raise Unsound("weights are whole numbers, none below 0, over a scale of at least 1")
        self._scale = scale
        self._worth = [weights.get(name, 0) for name in question.names]
        self._goal = sum(worth * count for worth, count in zip(self._worth, question.goal, strict=True))
        worth = dict(zip(question.names, self._worth, strict=True))
        takes = _most_takes(question, most) if thrifty else [most] * len(question.crafts)
        self._paid = []
        for number, craft in enumerate(question.crafts):
            used = sum(min(worth[name] for name in names) * cells for names, cells in craft.needs)
            extra = craft.count * worth[craft.makes] - used - scale
            if extra > 0 and extra * takes[number] > entry(question, number) * scale:
                raise Unsound(f"the weights give more than one action for {craft.makes}")
            self._paid.append(max(0, extra) * (takes[number] - 1))
        for product, inputs in question.smelts.items():
            for name in inputs:
                gain = worth[product] - worth[name]
                if gain > 0 and (
                    not _final(question, name, product) or gain * question.goal[question.number[product]] > scale
                ):
                    raise Unsound(f"the weights give an action for smelting {product}, which may cost none")

    def remaining(self, counts: tuple[int, ...], craft: int) -> int:
        """Return the least actions from these counts on, in a run of `craft` (-1 for no run)."""
        owed = self._goal - sum(worth * count for worth, count in zip(self._worth, counts, strict=True))
        if craft >= 0:
            owed -= self._paid[craft]
        return max(0, -(-owed // self._scale))


def _final(question: Question, name: str, product: str) -> bool:
    """Return whether smelting into `product` costs an action: nothing uses it, and the grid holds no `name`."""
    used = any(product in names for craft in question.crafts for names, _ in craft.needs)
    return (
        not used and product not in question.inputs and not any(stack and stack[0] == name for stack in question.grid)
    )


def _most_takes(question: Question, most: int) -> list[int]:
    """Return the most takes of each craft in a plan of at most `most` actions in which every take is needed."""
    demands: dict[str, float] = {}

    def lacking(name: str) -> float:
        need = demand(name)
        return need if need == math.inf else max(0, need - question.start[question.number[name]])

    def demand(name: str) -> float:
        if name not in demands:
            demands[name] = math.inf  # the value for recipes that go in circles
            total: float = question.goal[question.number[name]]
            for number, craft in enumerate(question.crafts):
                total += sum(cells * takes(number) for names, cells in craft.needs if name in names)
            total += sum(lacking(product) for product, inputs in question.smelts.items() if name in inputs)
            demands[name] = total
        return demands[name]

    def takes(number: int) -> float:
        need = lacking(question.crafts[number].makes)
        return need if need == math.inf else -(-need // question.crafts[number].count)

    return [int(max(1, min(most, takes(number)))) for number in range(len(question.crafts))]
