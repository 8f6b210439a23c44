"""Serves the page that shows what the player sees: a separate process on loopback, with a secret path.

The bot tells what it sees only while a browser shows the page. The library that draws it is fetched at the first time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any
from urllib.parse import quote

from autocraft.agent.threads import run_in_thread
from autocraft.node import PackageList, child_environment, find_node, packages
from autocraft.protocols import Json
from autocraft.worlds.minecraft.child import NodeChild
from autocraft.worlds.minecraft.confined import confined_node
from autocraft.worlds.minecraft.packages import NODE_FOLDER

HOST = "localhost"
"""Another name than that of the page of a run, whose cookie a browser therefore does not send here."""
PACKAGES = PackageList(
    NODE_FOLDER / "view",
    "prismarine-viewer",
    "AUTOCRAFT_VIEW_MODULES",
    "the view through the player's eyes, about 215 MB",
    (
        "minecraft-data",
        "three",
        "prismarine-viewer/examples",
        "prismarine-viewer/public/textures/[0-9]*/[!e]*",  # pictures of blocks are in one file for each version
        "**/*.map",
        "**/*.d.ts",
        "**/*.md",
        "**/test",
    ),
)

_AGAIN = 5.0
"""Seconds after which a bot that tells nothing is asked again: a busy bot may have refused."""


class View:
    """One running page. `tell` lets the bot begin to tell what it sees, from the start, or end it."""

    def __init__(self, tell: Callable[[bool], Coroutine[Any, Any, None]]) -> None:
        self.watched = False
        """Whether a browser shows the page."""
        self._shows = False
        """Whether the bot has told anything since the browser came."""
        self._start: asyncio.Task[str] | None = None
        self._tell = tell
        self._child: NodeChild | None = None
        self._telling: set[asyncio.Task[None]] = set()

    @property
    def running(self) -> bool:
        return self._child is not None and not self._child.gone.is_set()

    async def open(self, version: str, log: Path, say: Callable[[str], None]) -> str:
        """Start the page for a version of the game, unless it runs or starts already. Return its address.

        `say` gets the progress. Raises NodeMissing and WorldLost; the next call then starts it anew.
        """
        if self._start is None or (self._start.done() and not self.running):
            self._start = asyncio.create_task(self._open(version, log, say))
        return await asyncio.shield(self._start)  # a browser that leaves does not end what others wait for

    async def _open(self, version: str, log: Path, say: Callable[[str], None]) -> str:
        node, modules = find_node(), await run_in_thread(packages, PACKAGES, say=say)
        command = confined_node(node, modules, [str(NODE_FOLDER / "view" / "main.js")])
        environment = child_environment(AUTOCRAFT_NODE_MODULES=str(modules))
        params = {"version": version}
        self._child, about = await NodeChild.listening("the view", command, environment, log, self._hear, params)
        return f"http://{HOST}:{int(about['port'])}/{quote(str(about['path']))}/"

    def show(self, message: object) -> None:
        """Pass on what the bot has told."""
        self._shows = True
        if self._child is not None:
            self._child.send({"method": "show", "params": {"sent": message}})

    async def close(self) -> None:
        for task in (self._start, *self._telling):
            if task is not None:
                task.cancel()
        if self._child is not None:
            await self._child.close()

    def _hear(self, event: Json) -> None:
        self.watched, self._shows = event.get("event") == "watched" and event.get("on") is True, False
        task = asyncio.get_running_loop().create_task(self._let_tell(self.watched))
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _let_tell(self, on: bool) -> None:
        """Let the bot begin to tell, again until it does, or end it."""
        await self._tell(on)
        while on and self.watched and not self._shows and self.running:
            await asyncio.sleep(_AGAIN)
            if self.watched and not self._shows:
                await self._tell(on)
