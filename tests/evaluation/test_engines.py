"""The engine of this process: episodes that end at the same time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from autocraft.errors import BrainError, UsageError
from autocraft.evaluation.engines import Task, play_here, play_on_ray


class Together:
    """Ends all tasks at the same time. The tasks named "fails" raise."""

    def __init__(self, count: int) -> None:
        self._all_there = asyncio.Barrier(count)

    async def play(self, task: Task) -> str:
        await self._all_there.wait()
        if task.id == "fails":
            raise BrainError("no model answers")
        return f"{task.id} {task.seed}"

    async def close(self) -> None: ...


def test_a_failure_loses_no_result_of_the_same_moment() -> None:
    results: list[str] = []

    async def play() -> None:
        tasks = [Task("fails" if seed % 2 else "ends", seed, Path()) for seed in range(8)]
        async for result in play_here(tasks, Together(len(tasks)), len(tasks)):
            results.append(result)

    with pytest.raises(BrainError):
        asyncio.run(play())
    assert sorted(results) == ["ends 0", "ends 2", "ends 4", "ends 6"]


class Faulty:
    """Raises what an episode may raise: an error of ours, or any other."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def play(self, task: Task) -> str:
        raise self.error

    async def close(self) -> None: ...


@pytest.mark.full
@pytest.mark.parametrize(
    ("error", "kind", "why"),
    [
        (UsageError("there are no textures in /nowhere"), UsageError, "there are no textures in /nowhere"),
        (ImportError("no numpy"), BrainError, "the Ray cluster failed: ImportError: no numpy"),
    ],
)
def test_what_an_episode_raises_on_a_cluster_is_told(error: Exception, kind: type[Exception], why: str) -> None:
    async def play() -> None:
        async for _ in play_on_ray([Task("TEST0001", 0, Path())], Faulty(error), 1):
            pass

    with pytest.raises(kind, match=f"^{why}"):
        asyncio.run(play())
