"""Serves one client over standard input and output, which nothing else may use during that time."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import threading
from collections.abc import AsyncIterator
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from autocraft.agent.threads import run_in_thread
from autocraft.text.messages import Unreadable, read_message

MOST_LINE = 16 * 2**20
"""Bytes of one message. A client that sends a longer one is not listened to any more."""
_SHORT = 900
"""Characters of a message that is neither too deep nor has too long a number."""
_ID = re.compile(r'"id"\s*:\s*([0-9]{1,15}|"[\w-]{1,100}")')


def take_wire() -> tuple[int, int]:
    """Return the descriptors of the client. From now on standard input is empty, and what is printed goes to stderr."""
    inward, outward = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.dup2(2, 1)
    os.close(empty)
    return inward, outward


async def lines_of(descriptor: int) -> AsyncIterator[str]:
    """Yield the lines of a descriptor. A thread reads them, which does not keep the process from ending.

    A line that is too long is yielded as '', and is the last one.
    """
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[str | None]()

    def read() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the run is over
            with contextlib.suppress(OSError), open(descriptor, "rb", closefd=False) as stream:
                while (line := stream.readline(MOST_LINE)) and line.endswith(b"\n"):
                    loop.call_soon_threadsafe(lines.put_nowait, line.decode("utf-8", "replace"))
                if len(line) == MOST_LINE:
                    loop.call_soon_threadsafe(lines.put_nowait, "")
            loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read, daemon=True).start()
    while (line := await lines.get()) is not None:
        yield line


class Output:
    """Writes to the client beside the event loop. A client that reads no more is no fault, and delays no end."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    async def write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            await run_in_thread(self._write, text.encode())

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._descriptor, data) :]

    async def flush(self) -> None:
        return


async def readable(lines: AsyncIterator[str], output: Output) -> AsyncIterator[str]:
    """Yield the lines that can be read. Answer the others at once, as the SDK would leave their client waiting."""
    async for line in lines:
        if not line:
            await output.write(_refusal(f"of more than {MOST_LINE:,} bytes", ""))
            return
        try:
            if len(line) > _SHORT:
                read_message(line)
        except Unreadable as error:
            await output.write(_refusal(str(error), line))
        except ValueError:
            yield line  # the SDK answers what is no JSON
        else:
            yield line


def _refusal(why: str, line: str) -> str:
    """Return the error for a message. It names the message's id if there is only one id in its text."""
    ids = set(_ID.findall(line))
    error = {"code": -32700, "message": f"you sent a message {why}: send a smaller one"}
    return json.dumps({"jsonrpc": "2.0", "id": json.loads(ids.pop()) if len(ids) == 1 else None, "error": error}) + "\n"


async def serve(server: Server[Any], inward: int, outward: int) -> None:
    """Serve until the client closes its side."""
    output: Any = Output(outward)
    lines: Any = readable(lines_of(inward), output)
    async with stdio_server(lines, output) as (read, write):
        await server.run(read, write, server.create_initialization_options())
