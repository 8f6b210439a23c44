"""The test tool of the Model Context Protocol, which npm has."""

from __future__ import annotations

import asyncio
from pathlib import Path

from autocraft.node import PackageList, child_environment, find_node
from tests.npm import fetched

HERE = Path(__file__).parent
CONFORMANCE = PackageList(
    HERE,
    "@modelcontextprotocol/conformance",
    "AUTOCRAFT_CONFORMANCE_MODULES",
    "tests with the protocol's own test tool, about 50 MB",
)
PATIENCE = "300000"
"""Milliseconds for one scenario on a busy machine."""


async def conformance(folder: Path, *arguments: str, **environment: str) -> tuple[int, str]:
    """Run the tool. Return its exit code and what it printed; its records go to `folder`."""
    modules = await asyncio.to_thread(fetched, CONFORMANCE)
    child = await asyncio.create_subprocess_exec(
        find_node(), "--import", HERE / "token.mjs", modules / CONFORMANCE.chief / "dist" / "index.js", *arguments,
        "--timeout", PATIENCE, "--output-dir", "records",
        cwd=folder, env=child_environment() | environment, stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said, _ = await child.communicate()
    assert child.returncode is not None
    return child.returncode, said.decode()
