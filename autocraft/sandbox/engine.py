"""The child process that runs one JavaScript program. Starts it, exchanges lines, watches its memory, and ends it.

Its lines are not trusted. A line may be forged, incomplete or endless.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from pathlib import Path
from typing import Any

from autocraft.children import Child, Lifetime, start
from autocraft.errors import NodeMissing
from autocraft.protocols import Json
from autocraft.sandbox.confine import confined
from autocraft.sandbox.packages import NODE_FOLDER
from autocraft.sandbox.program import ProgramLimits

_LONGEST_LINE = 1 << 20
_START_SECONDS = 20.0
"""Seconds until a child must be ready."""
_NODE_MB = 160
"""Memory for Node itself, besides the program's machine."""
_HEAP_MB = 64
"""Most memory for autocraft's own JavaScript, outside the machine."""
_GRACE = 1.0
"""Seconds that a child has after its limit to end its program itself, and to say at which line."""
_CHECK_SECONDS = 0.05
"""Seconds between two checks of its memory."""


class ChildBroken(Exception):
    """The child cannot be used any more. `which` is the limit that it passed, or ``process``."""

    def __init__(self, which: str, why: str = "") -> None:
        super().__init__(why)
        self.which = which


class ProgramChild:
    """A child that has evaluated its prelude and waits for its one program."""

    def __init__(self, process: Child, purpose: tuple[Any, ...], memory_mb: int) -> None:
        self._process = process
        self._most_memory = (memory_mb + _NODE_MB) << 20
        self.purpose = purpose
        """The prelude and limits that it was started with, as `purpose_of` returns them."""
        self.seconds = 0.0
        """The program's own time: seconds of waiting for the child since it got its program."""
        self._end: asyncio.Task[str] = asyncio.create_task(self._watch())

    @classmethod
    async def start(cls, node: Path, modules: Path, log: Path, prelude: str, limits: ProgramLimits) -> ProgramChild:
        """Start a child. Raises NodeMissing if it cannot be started or its prelude fails."""
        command = [
            str(node),
            "--permission",
            f"--allow-fs-read={NODE_FOLDER}",
            f"--allow-fs-read={modules}",
            "--no-addons",
            "--openssl-config=/dev/null",
            f"--max-old-space-size={_HEAP_MB}",
            "--max-semi-space-size=1",  # MB; otherwise the garbage of many calls needs much memory
            str(NODE_FOLDER / "main.js"),
            str(modules),
        ]
        libraries = node.resolve().parent.parent / "lib"
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            with log.open("ab") as log_file:
                process = await start(
                    confined(command, [node, libraries, NODE_FOLDER, modules], _processor(limits)),
                    Lifetime.OWN,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=log_file,
                    env={},
                    cwd=NODE_FOLDER,
                    limit=_LONGEST_LINE,
                )
        except OSError as error:
            why = f"{error.strerror}: {error.filename}" if error.filename else error.strerror
            raise NodeMissing(f"no process for programs can be started ({why}): correct that, then try again") from None
        engine = cls(process, purpose_of(prelude, limits), limits.memory_mb)
        try:
            engine.send(json.dumps({"memory": limits.memory_mb, "stack": limits.stack_kb, "prelude": prelude}))
            message, _ = await engine.receive(_START_SECONDS)
            if "ready" not in message:
                raise ChildBroken("process", str(message.get("failed", message)))
        except BaseException as error:
            await engine.kill()
            if isinstance(error, ChildBroken):
                raise NodeMissing(f"the process for programs did not start ({error}); its log is {log}") from None
            raise
        return engine

    @property
    def alive(self) -> bool:
        return not self._end.done()

    def send(self, line: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(line.encode("utf-8", "replace") + b"\n")

    async def receive(self, until: float) -> tuple[Json, bytes]:
        """Return the next line as JSON and as bytes. Raises ChildBroken at the end, and when time is up."""
        assert self._process.stdin is not None and self._process.stdout is not None
        start = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(until - self.seconds + _GRACE):
                with contextlib.suppress(OSError):  # after its end, its last lines must still be read
                    await self._process.stdin.drain()
                line = await self._process.stdout.readuntil(b"\n")
        except TimeoutError:
            raise ChildBroken("seconds") from None
        except asyncio.LimitOverrunError:
            raise ChildBroken("process", "it said a line that is too long") from None
        except (asyncio.IncompleteReadError, OSError):
            raise ChildBroken(await self._end, "its process ended") from None
        finally:
            self.seconds += asyncio.get_running_loop().time() - start
        return message_of(line), line

    async def run_alongside(self, work: asyncio.Future[Any]) -> str:
        """Wait for `work`, and cancel it if the child ends first. Its exceptions are not raised.

        Return the limit by which the child ended. Return '' if `work` was done first.
        """
        try:
            await asyncio.wait([work, self._end], return_when=asyncio.FIRST_COMPLETED)
        finally:
            early = not work.done()
            if early:
                work.cancel()
                await asyncio.gather(work, return_exceptions=True)  # which also marks its exception as seen
        return await self._end if early else ""

    async def kill(self) -> None:
        """Kill the child and wait for its end."""
        self._process.kill()
        await self._process.communicate()  # the end shows only after all output is read
        await self._end

    async def _watch(self) -> str:
        """Wait until the child has ended. Return the limit that ended it, or ``process``."""
        end_task = asyncio.ensure_future(self._process.wait())
        which = "process"
        while not end_task.done():
            await asyncio.wait([end_task], timeout=_CHECK_SECONDS)
            if not end_task.done() and _memory(self._process.pid) > self._most_memory:
                which = "memory"
                self._process.kill()
                await end_task
        return which


def purpose_of(prelude: str, limits: ProgramLimits) -> tuple[Any, ...]:
    """Return the properties of a child that a program needs. A child with equal ones can run it."""
    return prelude, limits.memory_mb, limits.stack_kb, _processor(limits)


def _processor(limits: ProgramLimits) -> float:
    """Return the seconds of processor time after which the kernel ends a child, also if its parent was killed."""
    return 30 + 2 * limits.seconds


def message_of(line: bytes) -> Json:
    """Parse one line of the child. Raises ChildBroken if it is not strict JSON in UTF-8, since then it is forged."""
    import orjson

    try:
        message = orjson.loads(line)
    except ValueError:
        message = None
    if not isinstance(message, dict):
        raise ChildBroken("process", "it said a line that is not JSON")
    return message


def _memory(pid: int) -> int:
    """Return the bytes that a process has in memory. Return 0 if it is unknown."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
