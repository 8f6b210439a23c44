"""One child process in which one program runs: started, told, listened to, watched, ended.

Nothing that it says is believed: a line may be forged, torn or endless.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from pathlib import Path
from typing import Any

from autocraft.errors import NodeMissing
from autocraft.protocols import Json
from autocraft.sandbox.confine import confined
from autocraft.sandbox.packages import NODE_FOLDER
from autocraft.sandbox.program import Limits

_LONGEST_LINE = 1 << 20
_STARTING = 20.0
"""Seconds that a child gets until it is ready."""
_OF_NODE_MB = 160
"""What Node itself may have in memory, besides the machine's own."""
_HEAP_MB = 64
"""Of JavaScript that is ours, outside the machine."""
_LOOK = 0.05
"""Seconds between two looks at its memory."""


class Broken(Exception):
    """A child is of no more use; `which` is the limit that it passed, or ``process``."""

    def __init__(self, which: str, why: str = "") -> None:
        super().__init__(why)
        self.which = which


class Engine:
    """A child that has evaluated its prelude and waits for its one program."""

    def __init__(self, process: asyncio.subprocess.Process, fits: tuple[Any, ...], memory_mb: int) -> None:
        self._process = process
        self._room = (memory_mb + _OF_NODE_MB) << 20
        self.fits = fits
        """What it was started for; see `fitting`."""
        self.seconds = 0.0
        """How long it was waited for since it has its program: its own running, by our clock."""
        self._ended: asyncio.Task[str] = asyncio.create_task(self._watch())

    @classmethod
    async def start(cls, node: Path, modules: Path, log: Path, prelude: str, limits: Limits) -> Engine:
        """Raises NodeMissing where it cannot be started or the prelude fails."""
        command = [
            str(node),
            "--permission",
            f"--allow-fs-read={NODE_FOLDER}",
            f"--allow-fs-read={modules}",
            "--no-addons",
            "--openssl-config=/dev/null",
            f"--max-old-space-size={_HEAP_MB}",
            "--max-semi-space-size=1",  # MB; or what many calls leave behind is as large as all the rest
            str(NODE_FOLDER / "main.js"),
            str(modules),
        ]
        libraries = node.resolve().parent.parent / "lib"
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            with log.open("ab") as kept:
                process = await asyncio.create_subprocess_exec(
                    *confined(command, [node, libraries, NODE_FOLDER, modules], _processor(limits)),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=kept,
                    env={},
                    cwd=NODE_FOLDER,
                    limit=_LONGEST_LINE,
                    start_new_session=True,  # Ctrl-C at the terminal is ours to handle
                )
        except OSError as error:
            why = f"{error.strerror}: {error.filename}" if error.filename else error.strerror
            raise NodeMissing(f"no process for programs can be started ({why}): mend that, then again") from None
        engine = cls(process, fitting(prelude, limits), limits.memory_mb)
        try:
            engine.send(json.dumps({"memory": limits.memory_mb, "stack": limits.stack_kb, "prelude": prelude}))
            said, _ = await engine.hear(_STARTING)
            if "ready" not in said:
                raise Broken("process", str(said.get("failed", said)))
        except BaseException as error:
            await engine.kill()
            if isinstance(error, Broken):
                raise NodeMissing(f"the process for programs did not start ({error}); its log is {log}") from None
            raise
        return engine

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return not self._ended.done()

    def send(self, line: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(line.encode("utf-8", "replace") + b"\n")

    async def hear(self, until: float) -> tuple[Json, bytes]:
        """The next line, what it says and as it came, while `seconds` is under `until`. Raises Broken."""
        assert self._process.stdin is not None and self._process.stdout is not None
        started = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(until - self.seconds):
                with contextlib.suppress(OSError):  # it has ended; what it said before that is still to be read
                    await self._process.stdin.drain()
                line = await self._process.stdout.readuntil(b"\n")
        except TimeoutError:
            raise Broken("seconds") from None
        except asyncio.LimitOverrunError:
            raise Broken("process", "it said a line that is too long") from None
        except (asyncio.IncompleteReadError, OSError):
            raise Broken(await self._ended, "its process ended") from None
        finally:
            self.seconds += asyncio.get_running_loop().time() - started
        return message_of(line), line

    async def beside(self, work: asyncio.Future[Any]) -> str:
        """Until `work` of ours is done; raises nothing of it. Where the child ends before, `work` is cancelled.

        Returns the limit by which the child ended, empty where it did not.
        """
        try:
            await asyncio.wait([work, self._ended], return_when=asyncio.FIRST_COMPLETED)
        finally:
            cut = not work.done()
            if cut:
                work.cancel()
                await asyncio.wait([work])
        return await self._ended if cut else ""

    def begin(self) -> None:
        """From here on it is the program's time."""
        self.seconds = 0.0

    async def kill(self) -> None:
        """End it at once; nothing of it is left afterwards."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.communicate()  # reads what is left: its end is not seen behind a pipe that is full
        await self._ended

    async def _watch(self) -> str:
        """Until it has ended; says by which limit."""
        ended = asyncio.ensure_future(self._process.wait())
        which = "process"
        while not ended.done():
            await asyncio.wait([ended], timeout=_LOOK)
            if not ended.done() and _memory(self.pid) > self._room:
                which = "memory"
                with contextlib.suppress(ProcessLookupError):
                    self._process.kill()
                await ended
        return which


def fitting(prelude: str, limits: Limits) -> tuple[Any, ...]:
    """What a child is made for: one that was started for the same can run the program."""
    return prelude, limits.memory_mb, limits.stack_kb, _processor(limits)


def _processor(limits: Limits) -> float:
    """Seconds of processor time after which the kernel ends a child that nobody watches any more."""
    return 30 + 2 * limits.seconds


def message_of(line: bytes) -> Json:
    """One line of the child's. Raises Broken: what is not strictly JSON and UTF-8 is forged."""
    import orjson

    try:
        said = orjson.loads(line)
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise Broken("process", "it said a line that is not JSON")
    return said


def _memory(pid: int) -> int:
    """Bytes in memory; 0 where the system does not say."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
