"""Measures which JavaScript the tests run: a pytest plugin, only for `make coverage-js`.

V8 writes which code a Node process has run when the process ends by itself. So each child gets a folder in which it
may write, and a moment before it is killed. With `--permission` Node does not write this data, so here only the
kernel confines the child.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autocraft.sandbox import engine
from autocraft.worlds.minecraft import confined as minecraft

FOLDER = os.environ.get("AUTOCRAFT_JS_COVERAGE", "")
LARGEST = 256 << 20
"""Bytes of one file that a child may write: what the bot has run takes more than the usual few."""
_IMPORT = "from autocraft.sandbox.confine import main"
PARTING = 10.0
"""Seconds that a program's process gets to end by itself."""


def _measured(confined: Callable[..., list[str]]) -> Callable[..., list[str]]:
    """Return a function for the same command line, with the folder in its environment and among its writable ones."""

    def command_line(command: list[str], readable: list[Path], seconds: float | None, **how: Any) -> list[str]:
        plain = [part for part in command if part != "--permission" and not part.startswith("--allow-")]
        how["writable"] = [*(how.get("writable") or ()), Path(FOLDER)]
        how["environment"] = {**(how.get("environment") or {}), "NODE_V8_COVERAGE": FOLDER}
        line = confined(plain, readable, seconds, **how)
        return [
            part.replace(_IMPORT, f"from autocraft.sandbox import confine; {_IMPORT}; confine._FILE_BYTES = {LARGEST}")
            for part in line
        ]

    return command_line


def _patient(kill: Callable[[engine.ProgramChild], Any]) -> Callable[[engine.ProgramChild], Any]:
    """Return a function that first closes the stdin of a program's process, and kills the process later."""

    async def end(self: engine.ProgramChild) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        await asyncio.wait([self._end], timeout=PARTING)
        await kill(self)

    return end


def pytest_configure(config: pytest.Config) -> None:
    if not FOLDER:
        raise pytest.UsageError("AUTOCRAFT_JS_COVERAGE must name a folder")
    for module in (engine, minecraft):
        setattr(module, "confined", _measured(module.confined))  # noqa: B010
    setattr(engine.ProgramChild, "kill", _patient(engine.ProgramChild.kill))  # noqa: B010
