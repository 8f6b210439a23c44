"""Runs one Python program to its end and reports its output, its usage and why it stopped.

The launcher sets the kernel's limits. This module watches what the kernel does not limit: wall-clock time, memory and
disk of all processes together, and the amount of output.
"""

from __future__ import annotations

import asyncio
import os
import time
from asyncio.subprocess import PIPE
from codecs import getincrementaldecoder
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from autocraft.children import Child, Lifetime, start
from autocraft.errors import CommandError
from autocraft.sandbox import processes
from autocraft.sandbox.folder import DiskUsage, SandboxFolder
from autocraft.sandbox.settings import CodeSettings
from autocraft.sandbox.start import SUPERVISOR_ENVIRONMENT, Protection, Report, supervisor_command

_PAUSE = 0.05  # seconds between two checks of a program, at least
_REST = 4  # a pause is this many times as long as a check, so that checks take at most a fifth of a processor
_LONGEST_PAUSE = 0.5  # seconds; the most time that a program gains by making checks slow
_GRACE = 2.5  # seconds that the launcher gets to end a program and its processes
_HELPERS = 2  # the launcher's own processes, which are counted too


@dataclass
class Output:
    """The beginning and the end of a program's output, and its total size. At most `room` bytes are stored."""

    room: int
    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    total: int = 0

    def add(self, data: bytes) -> None:
        self.total += len(data)
        missing = self.room // 2 - len(self.head)
        if missing > 0:
            self.head += data[:missing]
            data = data[missing:]
        self.tail += data
        if len(self.tail) > self.room:
            del self.tail[: -(self.room - self.room // 2)]

    @property
    def text(self) -> str:
        """Return the output. A line in its middle says how many bytes are left out."""
        tail = self.tail[-(self.room - self.room // 2) :]
        missing = self.total - len(self.head) - len(tail)
        if not missing:
            return (self.head + tail).decode("utf-8", "replace")
        head, end = self.head.decode("utf-8", "replace"), tail.decode("utf-8", "replace")
        return f"{head}\n[{missing:,} bytes are left out.]\n{end}"


@dataclass
class ProgramExit:
    """How a program ended: by its exit code, by a signal, or by a limit, which `limit` names in words."""

    code: int | None = None
    signal: int | None = None
    limit: str = ""
    disk: bool = False
    """Whether it was a limit of the disk. Then none of the program's files is copied back."""
    survivors: int = 0
    """Processes that were still running after the end of the program itself."""
    seconds: float = 0.0
    stdout: str = ""
    stderr: str = ""


async def run(
    protection: Protection,
    folder: SandboxFolder,
    argv: Sequence[str],
    settings: CodeSettings,
    hear: Callable[[str], None] = lambda text: None,
) -> ProgramExit:
    """Run ``python argv`` in the copy, and call `hear` with its output. If cancelled, end the program first.

    Raises CommandError if the program cannot be started.
    """
    try:
        with Report() as report:
            supervisor = await start(
                supervisor_command(protection, folder, argv, settings, report.writing),
                Lifetime.OWN,
                env=SUPERVISOR_ENVIRONMENT,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                pass_fds=[report.writing],
            )
            report.close_writing()
            outcome = await _Watch(supervisor, folder, settings, hear).until_end()
            facts = report.read()
    except OSError as error:
        raise CommandError(f"the program was not started: {error.strerror or error}; try again") from None
    if "failed" in facts:
        raise CommandError(f"the program was not started: {facts['failed']}; run autocraft doctor")
    return _judge(outcome, facts, settings)


def _judge(outcome: ProgramExit, facts: dict[str, Any], settings: CodeSettings) -> ProgramExit:
    """Fill in what the launcher reported. A launcher that reports nothing was killed itself."""
    status = facts.get("status")
    outcome.survivors = int(facts.get("left", 0))
    if outcome.limit:
        return outcome
    if status is None:
        outcome.limit = "the end of its supervisor, which was killed"
    elif os.WIFSIGNALED(status):
        outcome.signal = os.WTERMSIG(status)
    else:
        outcome.code = os.waitstatus_to_exitcode(status)
    return outcome


def _pause_after(seconds: float) -> float:
    """Return how long to pause after a check that took `seconds`."""
    return min(_LONGEST_PAUSE, max(_PAUSE, _REST * seconds))


class _Watch:
    """One running program."""

    def __init__(
        self, supervisor: Child, folder: SandboxFolder, settings: CodeSettings, hear: Callable[[str], None]
    ) -> None:
        self.supervisor = supervisor
        self.folder = folder
        self.settings = settings
        self.hear = hear
        self.outcome = ProgramExit()
        self.outputs = [Output(settings.output_chars), Output(settings.output_chars)]

    async def until_end(self) -> ProgramExit:
        start = time.monotonic()
        readers = [
            asyncio.create_task(self._read(stream, into))
            for stream, into in zip((self.supervisor.stdout, self.supervisor.stderr), self.outputs, strict=True)
        ]
        end_task = asyncio.create_task(self.supervisor.wait())
        try:
            await self._watch(end_task, start + self.settings.seconds)
        finally:
            await self._end(end_task, readers)
        if not self.outcome.limit:
            await asyncio.to_thread(self._check)  # the usage at its end counts as well
        self.outcome.seconds = time.monotonic() - start
        self.outcome.stdout, self.outcome.stderr = (output.text for output in self.outputs)
        return self.outcome

    async def _watch(self, end_task: asyncio.Task[int], deadline: float) -> None:
        """Wait until the program ends or passes a limit."""
        pause = _PAUSE
        while not end_task.done():
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                self.outcome.limit = f"the time limit of {self.settings.seconds:g} s (code.seconds)"
                return
            await asyncio.wait([end_task], timeout=min(pause, remaining))
            if end_task.done() or self._is_over():
                return
            check_start = time.monotonic()
            if not end_task.done() and await asyncio.to_thread(self._check):
                return
            pause = _pause_after(time.monotonic() - check_start)

    def _is_over(self) -> bool:
        """Return whether a limit was passed, also that of the output."""
        if sum(output.total for output in self.outputs) > self.settings.file_mb << 20:
            self.outcome.limit = f"the limit of {self.settings.file_mb} MB of output (code.file_mb)"
        return bool(self.outcome.limit)

    def _check(self) -> bool:
        """Return whether the processes or the files of the program are over a limit."""
        limits = self.settings
        children = processes.below(self.supervisor.pid)
        usage = self.folder.usage()
        if sum(child.threads for child in children) > limits.processes + _HELPERS:
            self.outcome.limit = f"the limit of {limits.processes} processes and threads (code.processes)"
        elif processes.memory_of(children, limits.memory_mb << 20) > limits.memory_mb << 20:
            self.outcome.limit = f"the limit of {limits.memory_mb} MB of memory (code.memory_mb)"
        elif usage.entries > limits.files:
            self.outcome.limit, self.outcome.disk = f"the limit of {limits.files:,} files (code.files)", True
        elif usage.too_deep:
            self.outcome.limit, self.outcome.disk = "the limit of 64 folders in each other", True
        else:
            self.outcome.limit = self._over_disk(usage, children)
            self.outcome.disk = bool(self.outcome.limit)
        return bool(self.outcome.limit)

    def _over_disk(self, usage: DiskUsage, children: list[processes.Process]) -> str:
        """Return the limit of the disk that the program has passed. Return '' if it has passed none.

        Files may move during the count. If the disk has lost more than the limit, they are counted again while the
        program is stopped. If they still cannot be counted, the program is ended, although others may have used the
        space.
        """
        most = self.settings.total_mb << 20
        limit = f"the limit of {self.settings.total_mb} MB of disk (code.total_mb)"
        size, complete = self._count(usage, children)
        if not complete and size <= most < self.folder.lost_bytes():
            with processes.stopped(self.supervisor.pid) as children:
                size, complete = self._count(self.folder.usage(), children)
                if not complete and size <= most < self.folder.lost_bytes():
                    return f"{limit}, or by others who filled the disk: not all of its files could be counted"
        return limit if size > most else ""

    def _count(self, usage: DiskUsage, children: list[processes.Process]) -> tuple[int, bool]:
        """Return the bytes that the program uses on disk, and whether all of them were counted."""
        nameless, all_counted = processes.nameless_files(children)
        return usage.bytes + nameless, usage.complete and all_counted

    async def _read(self, stream: asyncio.StreamReader | None, into: Output) -> None:
        decoder = getincrementaldecoder("utf-8")("replace")
        while stream is not None and (data := await stream.read(1 << 16)):
            into.add(data)
            self.hear(decoder.decode(data))

    async def _end(self, end_task: asyncio.Task[int], readers: list[asyncio.Task[None]]) -> None:
        """Let the launcher kill the program and all its processes. If it cannot, kill them from here."""
        if self.supervisor.stdin is not None:
            self.supervisor.stdin.close()  # which ends the launcher
        await asyncio.wait([end_task], timeout=_GRACE)
        if not end_task.done():
            self.supervisor.kill()
        if not end_task.done() or end_task.result() != 0:
            await asyncio.to_thread(processes.kill_marked, f"HOME={self.folder.work}")
        await asyncio.wait([end_task, *readers], timeout=_GRACE)
        for reader in readers:
            reader.cancel()
