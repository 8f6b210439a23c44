"""Lets the bot join: its process, the practice server unless the person has a server, and what is sent to join."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from autocraft.agent.threads import run_in_thread
from autocraft.network import in_own_network
from autocraft.node import find_node, packages
from autocraft.protocols import Json
from autocraft.worlds.minecraft.bridge import Bridge
from autocraft.worlds.minecraft.facts import PRACTICE_VERSION
from autocraft.worlds.minecraft.faults import WorldLost
from autocraft.worlds.minecraft.lan import find_lan_world
from autocraft.worlds.minecraft.packages import PACKAGES
from autocraft.worlds.minecraft.places import Places
from autocraft.worlds.minecraft.server import PracticeServer, news
from autocraft.worlds.minecraft.settings import MinecraftSettings, address


@dataclass
class Joining:
    """The children of one world, started when they are needed.

    `hear` gets each event of the bot, `tell` a line for the model and the journal, `say` one for the person. `state`
    returns what the bot is told of itself at each join.
    """

    settings: MinecraftSettings
    folder: Path
    accounts: Path
    hear: Callable[[Json], None]
    tell: Callable[[str], None]
    say: Callable[[str], None]
    state: Callable[[], Json]
    first: Joining | None = None
    """How the first bot joined, whose practice server all bots of a run share. None for the first one itself."""
    server: PracticeServer | None = field(init=False, default=None)
    bridge: Bridge | None = field(init=False, default=None)
    """The bot's process, once it has joined."""
    places: Places | None = field(init=False, default=None)
    """What the bot remembers of this world; known once it has been joined."""
    _starting: asyncio.Lock = field(init=False, default_factory=asyncio.Lock)
    where: tuple[str, int] = field(init=False, default=("", 0))
    """Host and port of the server that was joined last."""

    @cached_property
    def modules(self) -> Path:
        """The folder of Node packages, which are fetched at the first time. Raises NodeMissing."""
        return packages(PACKAGES, say=self.say)

    async def join(self) -> Bridge:
        """Return the bridge, with the bot in the world. Raises NodeMissing, UsageError and WorldLost."""
        if self.bridge is None:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise WorldLost(f"cannot make {self.folder}: {error.strerror}; free some space, then resume") from None
            self.bridge = Bridge(
                find_node(),
                await run_in_thread(lambda: self.modules),
                self.folder / "bot.log",
                self._options,
                self.hear,
                memory_mb=self.settings.node_memory_mb,
                writable=(self._tokens(),) if self.settings.auth == "microsoft" else (),
                pace=1 / self.settings.speed if not self.settings.server and 0 < self.settings.speed < 1 else 1.0,
                shared_clock=self.settings.bots > 1 or self.first is not None,
            )
        before = self.bridge.joins
        await self.bridge.connect()
        if self.server is not None and before == 0 and self.bridge.joins:
            await self.server.ask("thaw")
        return self.bridge

    async def watch(self) -> None:
        """Return when the practice server hangs or has ended, at once if there is none."""
        server = (self.first or self).server
        if server is not None:
            await server.watch()

    async def leave(self) -> None:
        """Let the bot leave the server."""
        if self.bridge is not None:
            await self.bridge.close()

    async def close(self) -> None:
        """Let the bot leave, and the practice server save and end."""
        await self.leave()
        if self.server is not None:
            await self.server.close()

    async def _options(self) -> Json:
        """Return how to join now. The practice server is started, or restarted, if it does not run."""
        config = self.settings
        options: Json = {"username": config.username, "bounds": config.bounds, "reflexes": config.reflexes}
        if config.server:
            host, port = await find_lan_world(last=self.where) if config.server == "lan" else address(config.server)
            options |= {"version": config.mc_version, "auth": config.auth}
            options |= {"profiles": str(self._tokens()) if config.auth == "microsoft" else ""}
        else:
            host, port = "127.0.0.1", await (self.first or self)._practice()
            options |= {"version": PRACTICE_VERSION, "auth": "offline", "lockstep": True}
            options |= {"hold": config.freeze, "seed": config.seed}
        self.where = (host, port)
        if self.places is None:  # the practice world is the session's own
            root = self.accounts.parent / "places"
            known = Places.of_server(root, host, port, config.username) if config.server else None
            self.places = known or Places(self.folder / "places.json")
        sight = config.sight or ("loaded" if in_own_network(host) else "seen")
        return options | self.state() | self.places.facts | {"host": host, "port": port, "sight": sight}

    def _tokens(self) -> Path:
        """Return the folder of the tokens of Microsoft accounts, readable for the person only."""
        try:
            self.accounts.mkdir(parents=True, exist_ok=True)
            self.accounts.chmod(0o700)
            for file in self.accounts.glob("*.json"):
                file.chmod(0o600)
        except OSError as error:
            raise WorldLost(f"cannot keep the account's tokens in {self.accounts}: {error.strerror}") from None
        return self.accounts

    async def _practice(self) -> int:
        """Return the port of the practice server."""
        async with self._starting:
            return await self._started()

    async def _started(self) -> int:
        if self.server is not None and self.server.running:
            return self.server.port
        old_server, config = self.server, self.settings
        if old_server is not None:
            self.tell("the practice server ended and is started again from what it had saved")
            await old_server.close()
        options: Json = {
            "port": old_server.port if old_server else 0,
            "seed": config.seed,
            "speed": config.speed,
            "mobs": config.mobs,
            "folder": str(self.folder / "world"),
            "freeze": old_server is None,
            "cheats": config.cheats,
        }
        self.server = await PracticeServer.start(options, self.folder / "server.log", self._hear_server)
        return self.server.port

    def _hear_server(self, event: Json) -> None:
        if said := news(event):
            self.tell(said)
