"""Runs one program to its end: what it prints, what it takes, and why it stopped.

The launcher puts the kernel's limits on it; what the kernel does not limit (the time by the clock, the memory and disk
of all its processes together, how much it prints) is watched from here.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from autocraft.errors import CommandError
from autocraft.sandbox import processes
from autocraft.sandbox.folder import RunFolder, Usage
from autocraft.sandbox.settings import CodeSettings
from autocraft.sandbox.start import KEEPER_ENVIRONMENT, Protection, Report, Start

_PAUSE = 0.05  # seconds between two looks at a program, at least
_REST = 4  # pauses as long as this many looks take, so that watching takes a fifth of a processor at most
_LONGEST_PAUSE = 0.5  # seconds; a program that makes looks take long gains no more time than this
_GRACE = 2.5  # seconds that the launcher gets to end a program and all it started
_HELPERS = 2  # processes of ours among those counted


@dataclass
class Printed:
    """The beginning and the end of what a program printed, and how much there was; `room` is in bytes."""

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
        """As text, with a line that says how many bytes were left out of the middle."""
        tail = self.tail[-(self.room - self.room // 2) :]
        left = self.total - len(self.head) - len(tail)
        if not left:
            return (self.head + tail).decode("utf-8", "replace")
        head, end = self.head.decode("utf-8", "replace"), tail.decode("utf-8", "replace")
        return f"{head}\n[{left:,} bytes are left out.]\n{end}"


@dataclass
class Outcome:
    """How a program ended: by its exit code, by a signal, or by a limit (`limit` says which in words)."""

    code: int | None = None
    signal: int | None = None
    limit: str = ""
    disk: bool = False
    """Whether that limit was one of the disk, so that nothing of it should be kept."""
    left: int = 0
    """Processes that were still there when the program itself had ended."""
    seconds: float = 0.0
    stdout: str = ""
    stderr: str = ""


async def run(protection: Protection, folder: RunFolder, argv: Sequence[str], settings: CodeSettings) -> Outcome:
    """Run ``python argv`` in the copy. Cancelled, it ends the program first. Raises CommandError where none starts."""
    try:
        start = Start.of(protection, folder, argv, settings)
        with Report() as report:
            keeper = await asyncio.create_subprocess_exec(
                *start.command(report.writing),
                env=KEEPER_ENVIRONMENT,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                pass_fds=[report.writing],
                start_new_session=True,
            )
            report.handed_on()
            outcome = await _Watch(keeper, folder, settings).until_end()
            said = report.read()
    except OSError as error:
        raise CommandError(f"the program was not started: {error.strerror or error}; try again") from None
    if "failed" in said:
        raise CommandError(f"the program was not started: {said['failed']}; set code.protection to auto")
    return _judge(outcome, said, settings)


def _judge(outcome: Outcome, said: dict[str, Any], settings: CodeSettings) -> Outcome:
    """Fill in what the launcher reported; one that reports nothing was killed itself."""
    status = said.get("status")
    outcome.left = int(said.get("left", 0))
    if outcome.limit:
        return outcome
    if status is None:
        outcome.limit = "the end of its keeper, which somebody killed"
    elif os.WIFSIGNALED(status):
        outcome.signal = os.WTERMSIG(status)
    else:
        outcome.code = os.waitstatus_to_exitcode(status)
    return outcome


def _pause_after(seconds: float) -> float:
    """How long to pause after a look that took so long."""
    return min(_LONGEST_PAUSE, max(_PAUSE, _REST * seconds))


class _Watch:
    """One running program."""

    def __init__(self, keeper: Process, folder: RunFolder, settings: CodeSettings) -> None:
        self.keeper = keeper
        self.folder = folder
        self.settings = settings
        self.outcome = Outcome()
        self.printed = [Printed(settings.output_chars), Printed(settings.output_chars)]

    async def until_end(self) -> Outcome:
        started = time.monotonic()
        readers = [
            asyncio.create_task(self._read(stream, into))
            for stream, into in zip((self.keeper.stdout, self.keeper.stderr), self.printed, strict=True)
        ]
        ended = asyncio.create_task(self.keeper.wait())
        try:
            await self._watch(ended, started + self.settings.seconds)
        finally:
            await self._end(ended, readers)
        if not self.outcome.limit:
            await asyncio.to_thread(self._look)  # what it took in its last moment counts as well
        self.outcome.seconds = time.monotonic() - started
        self.outcome.stdout, self.outcome.stderr = (each.text for each in self.printed)
        return self.outcome

    async def _watch(self, ended: asyncio.Task[int], deadline: float) -> None:
        """Until it ends by itself or passes a limit."""
        pause = _PAUSE
        while not ended.done():
            left = deadline - time.monotonic()
            if left <= 0:
                self.outcome.limit = f"the time limit of {self.settings.seconds:g} s (code.seconds)"
                return
            await asyncio.wait([ended], timeout=min(pause, left))
            if ended.done() or self._is_over():
                return
            looked = time.monotonic()
            if not ended.done() and await asyncio.to_thread(self._look):
                return
            pause = _pause_after(time.monotonic() - looked)

    def _is_over(self) -> bool:
        if sum(each.total for each in self.printed) > self.settings.file_mb << 20:
            self.outcome.limit = f"the limit of {self.settings.file_mb} MB of output (code.file_mb)"
        return bool(self.outcome.limit)

    def _look(self) -> bool:
        """Whether its processes or its files are over a limit."""
        limits = self.settings
        found = processes.below(self.keeper.pid)
        usage = self.folder.usage()
        if sum(each.threads for each in found) > limits.processes + _HELPERS:
            self.outcome.limit = f"the limit of {limits.processes} processes and threads (code.processes)"
        elif processes.memory_of(found, limits.memory_mb << 20) > limits.memory_mb << 20:
            self.outcome.limit = f"the limit of {limits.memory_mb} MB of memory (code.memory_mb)"
        elif usage.entries > limits.files:
            self.outcome.limit, self.outcome.disk = f"the limit of {limits.files:,} files (code.files)", True
        elif self.folder.too_deep(usage):
            self.outcome.limit, self.outcome.disk = "the limit of 64 folders in each other", True
        else:
            self.outcome.limit = self._over_disk(usage, found)
            self.outcome.disk = bool(self.outcome.limit)
        return bool(self.outcome.limit)

    def _over_disk(self, usage: Usage, found: list[processes.Process]) -> str:
        """The limit of the disk that it is over; empty where it is not.

        What moves while it is counted is counted again while the program stands still, but only where the disk has
        lost as much meanwhile. What cannot be counted then is taken from that loss, whoever took it.
        """
        most = self.settings.total_mb << 20
        limit = f"the limit of {self.settings.total_mb} MB of disk (code.total_mb)"
        counted, whole = self._counted(usage, found)
        if not whole and counted <= most < self.folder.lost():
            with processes.standing_still(self.keeper.pid) as found:
                counted, whole = self._counted(self.folder.usage(), found)
                if not whole and counted <= most < self.folder.lost():
                    return f"{limit}, or by others who filled the disk: not all that it wrote could be counted"
        return limit if counted > most else ""

    def _counted(self, usage: Usage, found: list[processes.Process]) -> tuple[int, bool]:
        """Bytes that it takes on disk, and whether that is all."""
        nameless, all_seen = processes.nameless_files(found)
        return usage.bytes + nameless, usage.whole and all_seen

    async def _read(self, stream: asyncio.StreamReader | None, into: Printed) -> None:
        while stream is not None and (data := await stream.read(1 << 16)):
            into.add(data)

    async def _end(self, ended: asyncio.Task[int], readers: list[asyncio.Task[None]]) -> None:
        """Let the launcher kill the program and all it started; if it cannot, do so from here."""
        if self.keeper.stdin is not None:
            self.keeper.stdin.close()  # its life line
        await asyncio.wait([ended], timeout=_GRACE)
        if not ended.done():
            with contextlib.suppress(ProcessLookupError):
                self.keeper.kill()
        if not ended.done() or ended.result() != 0:
            await asyncio.to_thread(processes.kill_marked, f"HOME={self.folder.work}")
        await asyncio.wait([ended, *readers], timeout=_GRACE)
        for reader in readers:
            reader.cancel()
