"""The bot's process and its connection: started, asked, cancelled, watched and brought back.

Every call has a time limit. A dead process, one that hangs, a kick, a lost connection and the bot's death are told
apart by the `kind` of a BotFault, and the next call rejoins with growing pauses. Nothing is ever carried out twice.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autocraft.node import child_environment
from autocraft.protocols import Json
from autocraft.worlds.minecraft.child import NodeChild, error_of
from autocraft.worlds.minecraft.confined import confined_node
from autocraft.worlds.minecraft.faults import BotFault, WorldLost
from autocraft.worlds.minecraft.packages import NODE_FOLDER

PROTOCOL = 1
HELLO, JOIN, SIGN_IN = 20.0, 30.0, 900.0
"""Seconds for the process to start, for joining, and for a person to sign in at Microsoft."""
MOST_REPLACED = 3
"""So often the bot comes back after another client took its name; then one of the two has to give way."""
LETTING_GO = 1.5
"""Seconds that a cancelled command gets to say how far it came."""
_WHY = {
    "kicked": "the server kicked the bot",
    "lost": "the connection to the server was lost",
    "gone": "the bot's process ended",
    "hung": "the bot's process hung",
}


ASKED = 3
"""So often what only reads is asked, where the bot is lost over it each time."""


@dataclass(frozen=True)
class Waits:
    """How long the bridge waits, in seconds."""

    rejoin: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0, 8.0)
    """Before each attempt to rejoin."""
    ping: float = 2.0
    """While a command runs, the process is asked so often whether it lives."""
    silent: float = 120.0
    """So long it may leave that unanswered: it may be busy, or the machine may be."""
    work: float = 30.0
    """So much processor time it may use without a pause; its own watchdog ends it then."""


class Bridge:
    """One bot, whose process writes nowhere but in the folders `writable`.

    `options` are asked for at every join, so that what they name may have moved meanwhile.
    """

    def __init__(
        self,
        node: Path,
        modules: Path,
        log: Path,
        options: Callable[[], Awaitable[Json]],
        on_event: Callable[[Json], None],
        *,
        memory_mb: int = 768,
        writable: tuple[Path, ...] = (),
    ) -> None:
        self.waits = Waits()
        arguments = [f"--max-old-space-size={memory_mb}", str(NODE_FOLDER / "bot" / "main.js"), str(self.waits.work)]
        self._command = confined_node(node, modules, arguments, writable=writable)
        self._environment = child_environment(AUTOCRAFT_NODE_MODULES=str(modules))
        self._log = log
        self._options = options
        self._on_event = on_event
        self._child: NodeChild | None = None
        self._hello: asyncio.Future[Json] | None = None
        self._down = "it has not joined"
        self._replaced = 0
        self._lock = asyncio.Lock()
        self.joins = 0
        """How often it has joined."""
        self.about: Json = {}
        """username and version, once it has joined."""

    @property
    def connected(self) -> bool:
        return self._child is not None and not self._child.gone.is_set() and not self._down

    @property
    def pid(self) -> int:
        """Of the bot's process; 0 when there is none."""
        return 0 if self._child is None or self._child.gone.is_set() else self._child.pid

    async def connect(self) -> None:
        """Join unless the bot is there. Raises WorldLost when every attempt has failed."""
        async with self._lock:
            if self.connected:
                return
            if self._replaced >= MOST_REPLACED:
                raise WorldLost(
                    f"another client joined as {self.about.get('username')} {self._replaced} times, and the server "
                    "keeps the newer one; give this run a --username of its own"
                )
            joined = self.joins
            for turn, pause in enumerate((0.0, *self.waits.rejoin)):
                await asyncio.sleep(pause)
                try:
                    await self._join()
                    return
                except BotFault as fault:
                    why, kind = str(fault), fault.kind
                finally:
                    if self.joins == joined:
                        await self._drop()
                self._on_event({"event": "join_failed", "why": why, "turn": turn + 1})
                if joined == 0 and (kind not in ("gone", "hung") or turn >= 1):
                    break
            raise WorldLost(f"cannot join the server: {why}")

    async def call(self, method: str, params: Json, seconds: float) -> Any:
        """Carry out one command; rejoins before it where that is needed, never after it.

        `seconds` are of the game. Raises BotFault, and WorldLost where rejoining fails. Cancelled, it asks the bot to
        stop and raises BotFault "cancelled" with what was done; a bot that does not let go is killed.
        """
        await self.connect()
        child = self._child
        assert child is not None
        id, reply = child.post({"method": method, "params": params, "seconds": seconds})
        try:
            message = await self._watched(child, reply, time.monotonic() + 30 + 3 * seconds)
        except asyncio.CancelledError:
            message = await self._let_go(child, id, reply)
        fault = error_of(message)
        if fault is None:
            return message.get("result")
        said = message["error"].get("said") if isinstance(message.get("error"), dict) else None
        raise _told(fault, [str(line) for line in said or ()])

    async def look(self, method: str, params: Json) -> Any:
        """The same for what only reads: asked again after a rejoin, since it has no effect."""
        for turn in range(1, ASKED + 1):
            try:
                return await self.call(method, params, 10)
            except BotFault as fault:
                if turn == ASKED or fault.kind not in _WHY:
                    raise
        raise AssertionError("unreachable")

    async def close(self) -> None:
        """Leave the server and end the process."""
        child, self._child, self._down = self._child, None, "it has left"
        if child is not None:
            await child.close()

    async def kill(self) -> None:
        """End the process at once."""
        await self._drop()

    # ------------------------------------------------------------ joining

    async def _join(self) -> None:
        await self._drop()
        options = await self._options()
        self._hello = asyncio.get_running_loop().create_future()
        # the umask is for the tokens of a Microsoft account, the only files that the bot writes
        self._child = child = await NodeChild.start(
            self._command, self._environment, self._log, self._hear, umask=0o077
        )
        try:
            async with asyncio.timeout(HELLO):
                hello = await self._hello
        except TimeoutError:
            raise BotFault(f"{_WHY['hung']} while it started; its log is {self._log}", "hung") from None
        if hello.get("event") == "gone":
            raise BotFault(str(hello["why"]), "gone")
        if hello.get("protocol") != PROTOCOL:
            raise WorldLost(f"the bot speaks protocol {hello.get('protocol')}, not {PROTOCOL}: install autocraft anew")
        limit = SIGN_IN if options.get("auth") == "microsoft" else JOIN
        self._down = ""  # from here on, the loss of the connection is heard and stays
        try:
            reply = await child.request({"method": "join", "params": options}, limit)
        except BotFault as fault:
            if fault.kind == "hung":
                raise BotFault(
                    f"{options['host']}:{options['port']} did not let the bot in within {limit:g} s", "lost"
                ) from None
            raise
        refused = error_of(reply)
        if refused is not None:
            raise _told(refused, [], f"{options['host']}:{options['port']}")
        self.joins += 1
        self.about = dict(reply["result"])

    async def _drop(self) -> None:
        child, self._child, self._down = self._child, None, self._down or "it has left"
        if child is not None:
            await child.kill()

    def _hear(self, event: Json) -> None:
        if self._child is None:  # it was sent away, so what it still says is no news
            return
        kind = event.get("event")
        if kind in ("hello", "gone") and self._hello is not None and not self._hello.done():
            self._hello.set_result(event)
        self._replaced += bool(event.get("replaced"))
        if kind in ("kicked", "lost", "gone"):
            self._down = f"{_WHY[str(kind)]} ({event.get('why') or event.get('text') or 'no reason given'})"
        self._on_event(event)

    # ------------------------------------------------------------ waiting for a reply

    async def _watched(self, child: NodeChild, reply: asyncio.Future[Json], until: float) -> Json:
        """Return the reply. A process that leaves a ping unanswered for too long, or outstays the limit, is killed.

        One that is caught in a loop ends sooner, by its own watchdog.
        """
        while True:
            done, _ = await asyncio.wait([reply], timeout=self.waits.ping)
            if done:
                return await self._reply(reply)
            silent = self.waits.silent
            try:
                await child.request({"method": "ping"}, silent)
            except BotFault:
                if child.gone.is_set() or reply.done():
                    continue  # it is gone, which the reply says too
                await self._drop()
                raise BotFault(
                    f"{_WHY['hung']}: it was silent for {silent:g} seconds and was ended{_UNSURE}", "hung"
                ) from None
            if time.monotonic() > until:
                await self._drop()
                raise BotFault(f"the command outstayed its limit, and the bot's process was ended{_UNSURE}", "hung")

    async def _reply(self, reply: asyncio.Future[Json]) -> Json:
        try:
            return reply.result()
        except BotFault as fault:
            raise _told(fault, []) from None

    async def _let_go(self, child: NodeChild, id: int, reply: asyncio.Future[Json]) -> Json:
        child.send({"cancel": id})
        await asyncio.wait([reply], timeout=LETTING_GO)
        if reply.done():
            return await self._reply(reply)
        reply.cancel()
        await self._drop()
        raise BotFault(
            "Interrupted; the bot did not let go and its process was ended, so what was done is unknown", "cancelled"
        )


_UNSURE = "; whether the command took effect is unknown: look before you repeat it"


def _told(fault: BotFault, said: list[str], where: str = "") -> BotFault:
    """The fault in words for model and person, with what was done before it."""
    text = str(fault)
    if fault.kind in _WHY:
        at = f" at {where}" if where else ""
        why = _WHY[fault.kind]
        text = f"{why[0].upper()}{why[1:]}{at}: {text}" + ("" if where else _UNSURE)
    elif fault.kind == "cancelled":
        text = "Interrupted before it was done."
    elif fault.kind == "dead":
        text = "The bot died before it was done; its items lie where it died, and it has respawned."
    elif fault.kind == "limit":
        text = f"Stopped: {text}."
    return BotFault("\n".join([*said, text]), fault.kind)
