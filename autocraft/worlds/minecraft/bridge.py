"""The bot's process and its connection: start it, call it, cancel a call, watch it and bring it back.

Every call has a time limit. The `kind` of a BotFault tells apart a dead process, one that hangs, a kick, a lost
connection and the bot's death. The next call rejoins, with growing pauses. Nothing is ever executed twice.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from autocraft.node import child_environment
from autocraft.protocols import Json
from autocraft.worlds.minecraft.child import NodeChild, error_of
from autocraft.worlds.minecraft.confined import confined_node
from autocraft.worlds.minecraft.faults import BotFault, WorldLost
from autocraft.worlds.minecraft.packages import NODE_FOLDER

HELLO, JOIN, SIGN_IN = 60.0, 60.0, 900.0
"""Most seconds for the process to start, for joining, and for a person to sign in at Microsoft."""
PAUSES = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds before each attempt to join."""
MOST_REPLACED = 3
"""How often the bot rejoins after another client took its name. Then one of the two must change its name."""
MOST_READS = 3
"""How often a read is tried if the bot is lost during each try."""
CANCEL_SECONDS = 15.0
"""Seconds in which a cancelled command may report how far it came. Clicks in a window take up to six to end."""
_WHY = {
    "kicked": "the server kicked the bot",
    "lost": "the connection to the server was lost",
    "gone": "the bot's process ended",
    "hung": "the bot's process hung",
}


class Bridge:
    """One bot. Its process writes only in the folders `writable`. A second of the game takes `pace` real seconds.

    `options` is called at every join, since what it returns may have changed meanwhile.
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
        pace: float = 1.0,
        shared_clock: bool = False,
    ) -> None:
        self.ping = 2.0
        """Seconds between two pings of the process while a command runs."""
        self.silent = 120.0
        """Seconds that a ping may stay unanswered: the process or the whole computer may be busy."""
        self.spare = 30.0
        """Seconds after a command's limit, beside twice the limit, after which its process is ended."""
        self._pace = pace
        self._shared_clock = shared_clock
        """Whether other bots can stop the world too, as while one of them asks the person."""
        arguments = [f"--max-old-space-size={memory_mb}", str(NODE_FOLDER / "bot" / "main.js")]
        self._command = confined_node(node, modules, arguments, writable=writable)
        self._environment = child_environment(AUTOCRAFT_NODE_MODULES=str(modules))
        self._log = log
        self._options = options
        self._on_event = on_event
        self._child: NodeChild | None = None
        self._joined = False
        self._replacements = 0
        self._age: int | None = None
        self._lock = asyncio.Lock()
        self.joins = 0
        """How often the bot has joined."""
        self.about: Json = {}
        """`username` and `version`, once the bot has joined."""

    @property
    def connected(self) -> bool:
        return self._child is not None and not self._child.gone.is_set() and self._joined

    @property
    def age(self) -> int | None:
        """Return the world's clock in game ticks, as the bot said it last. Return None before that."""
        if self._child is not None and self._child.age is not None:
            self._age = self._child.age
        return self._age

    async def connect(self) -> None:
        """Join unless the bot has joined. Raises WorldLost if every attempt fails."""
        async with self._lock:
            if self.connected:
                return
            if self._replacements >= MOST_REPLACED:
                raise WorldLost(
                    f"another client joined as {self.about.get('username')} {self._replacements} times, and the server "
                    "keeps the newer one; give this run a --username of its own"
                )
            joins_before = self.joins
            for turn, pause in enumerate(PAUSES):
                await asyncio.sleep(pause)
                try:
                    await self._join()
                    return
                except BotFault as fault:
                    why, kind = str(fault), fault.kind
                finally:
                    if self.joins == joins_before:
                        await self._drop()
                self._on_event({"event": "join_failed", "why": why, "turn": turn + 1})
                if joins_before == 0 and (kind not in ("gone", "hung") or turn >= 1):
                    break
            raise WorldLost(f"cannot join the server: {why}")

    async def call(self, method: str, params: Json, seconds: float) -> Any:
        """Execute one command. It rejoins before the command if necessary, never after it.

        `seconds` are of the game. Raises BotFault, and WorldLost if rejoining fails. If cancelled, it asks the bot to
        stop and raises BotFault "cancelled" with what was done; a bot that does not stop is killed.
        """
        await self.connect()
        child = self._child
        assert child is not None
        id, reply = child.post({"method": method, "params": params, "seconds": seconds})
        limit = self.spare + 3 * seconds * self._pace
        try:
            await self._wait_for_reply(child, reply, time.monotonic() + limit)
        except asyncio.CancelledError:
            await self._cancel(child, id, reply)
        try:
            message = reply.result()
            if refused := error_of(message):
                raise refused
        except BotFault as fault:
            raise _worded_fault(fault) from None
        return message.get("result")

    async def look(self, method: str, params: Json) -> Any:
        """Execute a command that only reads. It is repeated after a rejoin, since it has no effect."""
        for _ in range(1, MOST_READS):
            try:
                return await self.call(method, params, 10)
            except BotFault as fault:
                if fault.kind not in _WHY:
                    raise
        return await self.call(method, params, 10)

    def tell(self, method: str, params: Json) -> None:
        """Send a request whose reply does not matter. A bot that is not there learns it when it joins."""
        if self.connected and self._child is not None:
            _, reply = self._child.post({"method": method, "params": params})
            reply.add_done_callback(lambda done: done.cancelled() or done.exception())  # else asyncio complains of it

    async def close(self) -> None:
        """Leave the server and end the process."""
        child, self._child = self._child, None
        if child is not None:
            await child.close()

    # ------------------------------------------------------------ joining

    async def _join(self) -> None:
        await self._drop()
        options = await self._options()
        # the umask is for the tokens of a Microsoft account, the only files that the bot writes
        self._child = child = await NodeChild.start(
            self._command, self._environment, self._log, self._hear, umask=0o077
        )
        try:
            await child.request({"method": "ping"}, HELLO)
        except BotFault as fault:
            if child.gone.is_set():
                raise
            raise BotFault(f"{_WHY['hung']} while it started; its log is {self._log}", fault.kind) from None
        limit = SIGN_IN if options.get("auth") == "microsoft" else JOIN
        self._joined = True  # from here on, a lost connection is recorded
        try:
            reply = await child.request({"method": "join", "params": options}, limit)
        except BotFault as fault:
            if fault.kind == "hung":
                raise BotFault(
                    f"{options['host']}:{options['port']} did not let the bot in within {limit:g} s", "lost"
                ) from None
            raise
        if refused := error_of(reply):
            raise _worded_fault(refused, f"{options['host']}:{options['port']}")
        self.joins += 1
        self.about = dict(reply["result"])

    async def _drop(self) -> None:
        child, self._child, self._joined = self._child, None, False
        if child is not None:
            await child.kill()

    def _hear(self, event: Json) -> None:
        if self._child is None:  # it was dropped, so its last events do not matter
            return
        kind = event.get("event")
        self._replacements += bool(event.get("replaced"))
        if kind in ("kicked", "lost", "gone"):
            self._joined = False
        self._on_event(event)

    # ------------------------------------------------------------ waiting for a reply

    async def _wait_for_reply(self, child: NodeChild, reply: asyncio.Future[Json], until: float) -> None:
        """Wait for the reply. Kill a process that leaves a ping unanswered for too long or passes the time limit.

        A process in an endless loop ends sooner, by its own watchdog.
        """
        age = self.age
        while True:
            began = time.monotonic()
            replies, _ = await asyncio.wait([reply], timeout=self.ping)
            if replies:
                return
            if self._shared_clock and self.age == age:
                until += time.monotonic() - began
            age = self.age
            try:
                await child.request({"method": "ping"}, self.silent)
            except BotFault:
                if child.gone.is_set() or reply.done():
                    continue  # it is gone, and the reply says so too
                await self._drop()
                raise BotFault(
                    f"{_WHY['hung']}: it was silent for {self.silent:g} seconds and was ended{_UNSURE}", "hung"
                ) from None
            if time.monotonic() > until and not reply.done():  # this process may have been stopped meanwhile
                await self._drop()
                raise BotFault(
                    f"the command took longer than its limit, and the bot's process was ended{_UNSURE}", "hung"
                )

    async def _cancel(self, child: NodeChild, id: int, reply: asyncio.Future[Json]) -> None:
        """Wait a moment for the reply to a cancelled request. Kill a process that does not give it."""
        child.send({"cancel": id})
        await asyncio.wait([reply], timeout=CANCEL_SECONDS)
        if reply.done():
            return
        reply.cancel()
        await self._drop()
        raise BotFault(
            "Interrupted; the bot did not stop, so its process was ended, so what was done is unknown", "cancelled"
        )


_UNSURE = "; whether the command took effect is unknown: look before you repeat it"


def _worded_fault(fault: BotFault, where: str = "") -> BotFault:
    """Return the fault in words for model and person, after what was done before it."""
    text = str(fault)
    if fault.kind in _WHY:
        at = f" at {where}" if where else ""
        why = _WHY[fault.kind]
        text = f"{why[0].upper()}{why[1:]}{at}: {text}" + ("" if where else _UNSURE)
    elif fault.kind == "cancelled":
        text = "Interrupted before it was done."
    elif fault.kind == "dead":
        text = f"The bot died before it was done; {text}."
    elif fault.kind == "limit":
        text = f"Stopped: {text}."
    return BotFault("\n".join([*fault.said, text]), fault.kind)
