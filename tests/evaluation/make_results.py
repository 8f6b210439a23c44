"""Makes real results for tests: episodes played in CraftingTable, by minimal plans, random actions, or both in turn.

Success, actions, slots and messages to the player come from the table. Only the player's words are invented, from a
seeded vocabulary, so that pages and files have the size of a real evaluation.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from autocraft.crafting.examples import Example
from autocraft.crafting.minimal.planner import minimal_plan
from autocraft.crafting.slots import COUNT, name_of
from autocraft.errors import IllegalMove
from autocraft.evaluation.published import package_actions
from autocraft.evaluation.results import EpisodeResult, StepResult

MAX_STEPS = 30


class Player:
    """Plays one example to its end and records it."""

    def __init__(self, example: Example, seed: int, wordy: int) -> None:
        """Begin an example. `wordy` is the number of words that the player thinks before each command."""
        self.example, self.seed, self.wordy = example, seed, wordy
        self.table = example.table()
        self.random = random.Random(f"{example.id}-{seed}")
        self.words = sorted(self.table.book.items)
        self.steps: list[StepResult] = []
        self.dialogue: list[dict[str, str]] = [{"role": "system", "content": "Craft the target, one line at a time."}]
        self.ended = ""

    @property
    def success(self) -> bool:
        if self.example.impossible:
            return self.ended == "impossible"
        return self.table.counts().get(self.example.target, 0) > 0

    def observation(self) -> str:
        lines = [f" - {item} {name_of(slot)} quantity {count}" for slot, (item, count) in self.table.stacks()]
        return "\n".join([f"Craft an item of type: {self.example.target}", "inventory:", *lines])

    def turn(self, kind: Any, action: str, source: int = 0, target: int = 0, quantity: int = 0) -> None:
        """Record one command, with the answer of the rules. Carry it out if it is a move or smelt."""
        ok, moves, text = kind != "unreadable", 0, "Ok"
        if kind in ("move", "smelt"):
            try:
                text = (self.table.move if kind == "move" else self.table.smelt)(source, target, quantity)
                moves = 1
            except IllegalMove as error:
                ok, text = False, str(error)
        elif kind == "impossible":
            self.ended = "impossible"
        elif kind == "unreadable":
            text = "no command was found in this answer; begin the line with one of: move, smelt, think, impossible"
        thought = " ".join(self.random.choices(self.words, k=self.wordy))
        answer = f"{thought}\n{action}".strip()
        self.dialogue += [{"role": "user", "content": self.observation()}, {"role": "assistant", "content": answer}]
        if kind == "unreadable":
            action = ""
        self.steps.append(StepResult(kind, action, ok, text, answer, self.table.to_json(), moves))
        if not self.ended and self.success:
            self.ended = "success"
        elif not self.ended and len(self.steps) >= MAX_STEPS:
            self.ended = "max_steps"

    def act(self, kind: str, source: int, target: int, quantity: int) -> None:
        line = f"{kind}: from {name_of(source)} to {name_of(target)} with quantity {quantity}"
        self.turn(kind, line, source, target, quantity)

    def follow_plan(self) -> None:
        """Play the fewest actions from here, or `impossible` if that is proven."""
        plan = minimal_plan(self.table, [self.example.goal])
        for action in plan.actions:
            if not self.ended:
                self.act(action.kind, action.source, action.target, action.quantity)
        if plan.verdict == "impossible" and not self.ended:
            self.turn("impossible", f"impossible: {plan.why}")

    def wander(self, turns: int) -> None:
        """Play random turns: mostly moves between any slots, some smelting, thinking, and lines without a command."""
        for _ in range(turns):
            if self.ended:
                return
            kind = self.random.choices(["move", "smelt", "think", "unreadable", "impossible"], [60, 15, 15, 9, 1])[0]
            filled = [slot for slot, _ in self.table.stacks()] or [0]
            source = self.random.choice(filled) if self.random.random() < 0.8 else self.random.randrange(COUNT)
            target, quantity = self.random.randrange(COUNT), self.random.choice([1, 1, 1, 2, 64])
            if kind in ("move", "smelt"):
                self.act(kind, source, target, quantity)
            else:
                said = " ".join(self.random.choices(self.words, k=4))
                self.turn(kind, f"{kind}: {said}" if kind != "unreadable" else said)

    def result(self, seconds: float = 0.0) -> EpisodeResult:
        best = minimal_plan(self.example.table(), [self.example.goal])
        sent = sum(len(each["content"]) for each in self.dialogue if each["role"] != "assistant")
        said = sum(len(each["content"]) for each in self.dialogue if each["role"] == "assistant")
        return EpisodeResult(
            example_id=self.example.id,
            seed=self.seed,
            target=self.example.target,
            complexity=self.example.level,
            recipe_type=self.example.recipe_type,
            impossible=self.example.impossible,
            success=self.success,
            ended=self.ended or "stuck",  # type: ignore[arg-type]
            number_of_steps=len(self.steps),
            actions=sum(step.moves for step in self.steps),
            minimum=len(best.actions) if best.verdict == "found" else None,
            minimum_proven=best.minimal,
            package_actions=package_actions().get(self.example.id),
            start=self.example.table().to_json(),
            steps=self.steps,
            dialogue=self.dialogue,
            prompt_tokens=sent // 4,
            completion_tokens=said // 4,
            seconds=seconds,
            final_inventory=self.table.counts(),
        )


def by_plan(example: Example, seed: int = 0, wordy: int = 0) -> EpisodeResult:
    """Return the result of the fewest actions, or of `impossible` if that is proven."""
    player = Player(example, seed, wordy)
    player.follow_plan()
    return player.result()


def at_random(example: Example, seed: int = 0, wordy: int = 0, turns: int = MAX_STEPS) -> EpisodeResult:
    """Return the result of random turns to the end. It is stuck if an episode may have more than `turns`."""
    player = Player(example, seed, wordy)
    player.wander(turns)
    return player.result()


def astray(example: Example, seed: int = 0, wordy: int = 0) -> EpisodeResult:
    """Return the result of some random turns, then the fewest actions from there."""
    player = Player(example, seed, wordy)
    player.wander(player.random.randrange(12))
    if not player.ended:
        player.follow_plan()
    return player.result()


def several(examples: list[Example], seeds: int = 1, wordy: int = 0) -> Iterator[EpisodeResult]:
    """Yield a result for each example and seed: by plan, astray and at random in turn."""
    for seed in range(seeds):
        for place, example in enumerate(examples):
            yield (by_plan, astray, at_random)[(place + seed) % 3](example, seed, wordy)
