"""Engines play episodes: in this process, many at the same time, or on the workers of a Ray cluster.

Both yield each result when its episode ends, and both give the same results.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from autocraft.errors import AutocraftError, BrainError, UsageError
from autocraft.installation import install_line

RETRIES = 3
"""How many times an episode is restarted if its worker dies."""


@dataclass(frozen=True)
class Task:
    """One episode to play, and the folder of its journal."""

    id: str
    seed: int
    folder: Path

    @property
    def key(self) -> tuple[str, int]:
        return self.id, self.seed


Row = TypeVar("Row")
Played = TypeVar("Played", covariant=True)


class Job(Protocol[Played]):
    """Plays tasks. It can be pickled before its first one."""

    async def play(self, task: Task) -> Played:
        """Play one task. Its journal is `events.jsonl` in the task's folder."""
        ...

    async def close(self) -> None:
        """Release all resources. It is called after the last task of this process."""
        ...


async def play_here(tasks: Iterable[Task], job: Job[Row], workers: int) -> AsyncGenerator[Row, None]:
    """Play in this process. Up to `workers` episodes wait for their model at the same time."""
    waiting = iter(tasks)
    playing: set[asyncio.Task[Row]] = set()
    try:
        while True:
            while len(playing) < workers and (task := next(waiting, None)) is not None:
                playing.add(asyncio.create_task(job.play(task)))
            if not playing:
                return
            ready, playing = await asyncio.wait(playing, return_when=asyncio.FIRST_COMPLETED)
            for running in sorted(ready, key=lambda each: each.exception() is not None):  # a failure ends it all
                yield running.result()
    finally:
        for running in playing:
            running.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        await job.close()


async def play_on_ray(tasks: Iterable[Task], job: Job[Row], workers: int) -> AsyncGenerator[Row, None]:
    """Play on the Ray cluster of RAY_ADDRESS, or else on one of this computer with `workers` processes."""
    try:
        import ray
    except ImportError:
        raise UsageError(f"--engine ray needs the package ray: {install_line('ray')}") from None
    address = os.environ.get("RAY_ADDRESS")
    where = {"address": address} if address else {"address": "local", "num_cpus": workers, "include_dashboard": False}
    quiet = {"log_to_driver": False, "logging_level": "ERROR", "ignore_reinit_error": True}
    try:
        await asyncio.to_thread(ray.init, **where, **quiet)
    except Exception as error:  # noqa: BLE001 - Ray lists no exceptions for it
        raise UsageError(f"no Ray cluster at {address or 'this machine'}: {error}") from None
    try:
        remote = ray.remote(max_retries=RETRIES)(_play_there)
        waiting = iter(tasks)
        playing: dict[Any, Task] = {}
        while True:
            while len(playing) < 2 * workers and (task := next(waiting, None)) is not None:
                playing[remote.remote(job, task.id, task.seed)] = task
            if not playing:
                return
            ready, _ = await asyncio.to_thread(ray.wait, list(playing), num_returns=1)
            for future in ready:
                task = playing.pop(future)
                result, journal = await asyncio.to_thread(ray.get, future)
                task.folder.mkdir(parents=True, exist_ok=True)
                (task.folder / "events.jsonl").write_bytes(journal)
                yield result
    except ray.exceptions.RayError as error:
        cause = getattr(error, "cause", None) or error  # what an episode raised on its worker
        if isinstance(cause, AutocraftError):
            raise cause from None
        why = f"{type(cause).__name__}: {cause}".strip().split("\n")[0][:300]
        raise BrainError(f"the Ray cluster failed: {why}; what was played is kept, go on with --resume") from None
    finally:
        ray.shutdown()


ENGINES = {"local": play_here, "ray": play_on_ray}
"""Name -> the function that yields the result of each task, in the order in which the tasks end."""


def _play_there(job: Job[Row], id: str, seed: int) -> tuple[Row, bytes]:
    """Play one episode on a worker. Return its result and its journal."""

    async def play_and_close(folder: Path) -> Row:
        try:
            return await job.play(Task(id, seed, folder))
        finally:
            await job.close()

    with tempfile.TemporaryDirectory() as folder:
        result = asyncio.run(play_and_close(Path(folder)))
        return result, (Path(folder) / "events.jsonl").read_bytes()
