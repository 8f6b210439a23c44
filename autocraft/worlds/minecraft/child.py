"""A Node child that talks only to this process, by the lines of `node/shared/lines.js`; replies are matched by `id`.

The child's stderr, and what libraries print to stdout, goes to a log file of the session. When Python dies, the child's
stdin ends and the child leaves.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from autocraft.children import Child, Lifetime, start
from autocraft.errors import NodeMissing
from autocraft.installation import install_line
from autocraft.protocols import Json
from autocraft.session.fields import whole
from autocraft.text.characters import well_formed
from autocraft.worlds.minecraft.faults import BotFault, WorldLost

LONGEST_LINE = 32 * 1024 * 1024
READY = 60.0
"""Seconds in which a child must listen after it was started."""
PARTING = 2.5
"""Seconds in which a child may leave after its stdin has ended, by default."""
_LONGEST_LOG = 20 * 1024 * 1024


class NodeChild:
    """One running child.

    `gone` is set once it has ended, and `why` says why. `end` is then "hung" if its watchdog ended it, otherwise
    "gone".
    """

    def __init__(self, process: Child, log: IO[bytes], on_event: Callable[[Json], None]) -> None:
        self._process = process
        self._log = log
        self._on_event = on_event
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Json]] = {}
        self.gone = asyncio.Event()
        self.why = ""
        self.end = "gone"
        self.age: int | None = None
        """The world's clock in game ticks, as the child said it last; None before that."""
        self._leaving = False
        self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._keep_log())]

    @classmethod
    async def start(
        cls,
        command: Sequence[str | Path],
        environment: Mapping[str, str],
        log: Path,
        on_event: Callable[[Json], None],
        *,
        umask: int = -1,
        inherits: IO[str] | None = None,
    ) -> NodeChild:
        """Start `command` and append its log to `log`. Raises NodeMissing, and WorldLost if the log cannot be written.

        `umask` is that of the files which the child makes; -1 does not change it. The child `inherits` a lock, so that
        it is held until the child ends, even if this process is killed.
        """
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            log_file = log.open("ab", buffering=0)
        except OSError as error:
            raise WorldLost(f"cannot write {log}: {error.strerror}; free some space, then resume") from None
        try:
            process = await start(
                command,
                Lifetime.OWN,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=environment,
                limit=LONGEST_LINE,
                umask=umask,
                pass_fds=() if inherits is None or sys.platform == "win32" else (inherits.fileno(),),
            )
        except OSError as error:
            log_file.close()
            raise NodeMissing(f"cannot start {command[0]}: {error.strerror}; {install_line('minecraft')}") from None
        return cls(process, log_file, on_event)

    @classmethod
    async def listening(
        cls,
        what: str,
        command: Sequence[str | Path],
        environment: Mapping[str, str],
        log: Path,
        on_event: Callable[[Json], None],
        params: Json,
        *,
        inherits: IO[str] | None = None,
    ) -> tuple[NodeChild, Json]:
        """Start a child, and let it listen by the request `start` with `params`. Return it and its answer.

        `what` names it in an error. Raises NodeMissing, and WorldLost with why it did not start; it is killed then.
        """
        child = await cls.start(command, environment, log, on_event, inherits=inherits)
        try:
            reply = await child.request({"method": "start", "params": params}, READY)
            if fault := error_of(reply):
                raise fault
        except BotFault as fault:
            where = f"; its log is {log}" if fault.kind == "hung" and not child.gone.is_set() else ""
            await child.kill()
            raise WorldLost(f"{what} did not start: {fault}{where}") from None
        except asyncio.CancelledError:
            await child.kill()
            raise
        return child, reply["result"]

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, message: Json) -> None:
        """Write one line. If the child has ended, the reply that somebody waits for shows it."""
        stdin = self._process.stdin
        if stdin is not None and not stdin.is_closing():
            with contextlib.suppress(OSError):
                stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def post(self, message: Json) -> tuple[int, asyncio.Future[Json]]:
        """Send a request. Return its id and the reply to come, which is a BotFault of kind `end` if the child ends."""
        id = next(self._ids)
        reply: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        if self.gone.is_set():
            reply.set_exception(BotFault(self.why, self.end))
            return id, reply
        self._waiting[id] = reply
        reply.add_done_callback(lambda _: self._waiting.pop(id, None))
        self.send({"id": id, **message})
        return id, reply

    async def request(self, message: Json, seconds: float) -> Json:
        """Return the reply to one message. Raises BotFault: "hung" after `seconds`, `end` once the child has ended."""
        _, reply = self.post(message)
        try:
            for limit in (seconds, 0.1):  # then a moment, to read what came while this process was stopped
                if (await asyncio.wait([reply], timeout=limit))[0]:
                    return reply.result()
            raise BotFault(f"no answer within {seconds:g} seconds", "hung")
        finally:
            reply.cancel()  # if it is not there yet, nobody waits for it any more

    async def close(self, seconds: float = PARTING) -> None:
        """End its stdin, give it so many seconds to leave, then kill it with all its processes."""
        self._leaving = True
        if self._process.stdin is not None:
            self._process.stdin.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.gone.wait()
        await self.kill()

    async def kill(self) -> None:
        """Kill it at once, with all its processes."""
        self._leaving = True
        self._process.kill()
        await self._process.wait()
        for task in self._tasks:
            with contextlib.suppress(TimeoutError, asyncio.CancelledError):
                await asyncio.wait_for(task, 1)
        self._log.close()

    async def _read(self) -> None:
        """Deliver replies and events until stdout ends."""
        stdout = self._process.stdout
        assert stdout is not None
        while True:
            try:
                line = await stdout.readline()
            except ValueError:  # longer than any valid line
                self._write_log(b"a line of more than 32 MB was dropped\n")
                continue
            if not line:
                break
            try:
                message = well_formed(json.loads(line))
            except (ValueError, RecursionError):
                message = None
            if not isinstance(message, dict):
                self._write_log(line)
                continue
            self._deliver(message)
        code = await self._process.wait()
        self.why = f"{self.why or f'its process ended ({_how(code)})'}; its log is {self._log.name}"
        self.gone.set()
        self._fail(BotFault(self.why, self.end))
        if not self._leaving:
            self._hear({"event": "gone", "why": self.why})

    def _deliver(self, message: Json) -> None:
        if whole(age := message.get("age")):
            self.age = age
        reply = self._waiting.get(message.get("id", 0))
        if reply is not None and not reply.done():
            reply.set_result(message)
        elif message.get("event") == "hung":  # the watchdog's last line before it ends the process
            self.end, self.why = "hung", str(message.get("why"))
        elif "event" in message:
            self._hear(message)

    def _hear(self, event: Json) -> None:
        """Report an event. Everybody who waits for a reply gets an error of that, such as one of a full disk."""
        try:
            self._on_event(event)
        except Exception as error:  # noqa: BLE001  # whatever it is, nobody may wait in vain
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        for reply in list(self._waiting.values()):
            if not reply.done():
                reply.set_exception(error)
                reply.exception()  # so that asyncio does not warn if nobody waits any more

    async def _keep_log(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None
        while piece := await stderr.read(65536):
            self._write_log(piece)

    def _write_log(self, piece: bytes) -> None:
        """Append to the log. Errors are ignored: a full disk or an endless log must not stop the game."""
        with contextlib.suppress(OSError, ValueError):
            if self._log.tell() < _LONGEST_LOG:
                self._log.write(piece)


def _how(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    with contextlib.suppress(ValueError):
        return f"killed by {signal.Signals(-code).name}"
    return f"killed by signal {-code}"


def error_of(reply: Json) -> BotFault | None:
    """Return the fault in a reply, {"error": {"kind", "text", "said"}}. Return None if it has none."""
    if (error := reply.get("error")) is None:
        return None
    fields = error if isinstance(error, dict) else {}
    text, kind = str(fields.get("text") or "it failed without a message"), str(fields.get("kind") or "failed")
    return BotFault(text, kind, tuple(map(str, fields.get("said") or ())))
