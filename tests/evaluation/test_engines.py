"""The engine of this process: episodes that end at the same time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from autocraft.errors import BrainError
from autocraft.evaluation.engines import Task, play_here


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
