"""The base class of a model to evaluate, and the brain that it becomes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from autocraft.crafting.picture import window_array
from autocraft.errors import BrainError
from autocraft.evaluation.tools import EpisodeWorld
from autocraft.protocols import Answer, Json, Message


class Model:
    """The class to subclass. `step` is enough.

    The names are those of plancraft's own base class. Without `batch_step`, one model plays one episode at a time.
    """

    name = "model"

    def step(self, observation: Json, dialogue_history: Sequence[Json]) -> str:
        """Return the next action as one line, such as ``move: from [I1] to [A1] with quantity 1``.

        `observation` has "target", "inventory" (slot number -> {"type", "quantity"}), "message" (the text that a
        language model would read) and, if images are on, "image" (height x width x 3, uint8). `dialogue_history` is the
        whole dialogue of the episode, as {"role", "content"}, with the few-shot opening.
        """
        raise NotImplementedError

    def reset(self) -> None:
        """Prepare for a new episode. It is called before the first step."""

    batch_step: Callable[[Sequence[Json], Sequence[Sequence[Json]]], list[str]] | None = None
    """Define it to answer several episodes in one call. Both arguments are lists of what `step` takes."""


class Batcher:
    """Collects the questions of all running episodes for one call of `batch_step`."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.playing = 0
        """The episodes that have begun and not ended."""
        self._waiting: list[tuple[Json, Sequence[Json], asyncio.Future[str]]] = []

    def end(self) -> None:
        """Count an episode that ends, so that the others do not wait for it."""
        self.playing -= 1
        self._flush()

    async def ask(self, observation: Json, history: Sequence[Json]) -> str:
        """Return the model's answer. With `batch_step`, wait until every running episode has asked."""
        if self.model.batch_step is None:
            return str(self.model.step(observation, history))
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting.append((observation, history, answer))
        self._flush()
        return await answer

    def _flush(self) -> None:
        self._waiting = [waiter for waiter in self._waiting if not waiter[2].cancelled()]
        if not self._waiting or len(self._waiting) < self.playing or self.model.batch_step is None:
            return
        asking, self._waiting = self._waiting, []
        try:
            answers = self.model.batch_step([waiter[0] for waiter in asking], [waiter[1] for waiter in asking])
            if len(answers) != len(asking):
                raise ValueError(f"batch_step gave {len(answers)} answers to {len(asking)} questions")
        except Exception as error:  # noqa: BLE001 - a person's model may raise anything; it goes to those who wait
            for _, _, future in asking:
                future.set_exception(error)
            return
        for (_, _, future), text in zip(asking, answers, strict=True):
            future.set_result(str(text))


class ModelBrain:
    """A `Model` as a brain for the loop."""

    reads_prompt = True
    asks_model = True
    metered = False

    def __init__(self, batcher: Batcher, world: EpisodeWorld) -> None:
        self.name = batcher.model.name
        self._batcher = batcher
        self._world = world
        self._reset = False

    async def think(self, messages: Sequence[Message], **options: object) -> Answer:
        """Return the model's line. Raises BrainError for any exception of the model's own code."""
        table = self._world.table
        observation: dict[str, Any] = {
            "target": self._world.example.target,
            "inventory": {slot: {"type": item, "quantity": count} for slot, (item, count) in table.stacks()},
            "message": messages[-1].content,
        }
        if self._world.conditions.images:
            observation["image"] = window_array(table)
        history = [{"role": message.role, "content": message.content} for message in messages]
        try:
            if not self._reset:
                self._batcher.model.reset()
                self._reset = True
            return Answer(await self._batcher.ask(observation, history))
        except Exception as error:
            raise BrainError(f"the model {self.name} raised {type(error).__name__}: {error}") from error

    async def close(self) -> None:
        return
