"""A server as a child process: only the environment that is named, messages of bounded size, and a certain end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from autocraft.children import Child, Lifetime, start
from autocraft.text.messages import Unreadable, read_message

MOST_LINE = 8 * 2**20
"""Bytes of one message. A server that sends a longer one is stopped."""
ALWAYS = ("PATH", "HOME", "LANG", "SYSTEMROOT", "PATHEXT", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "TEMP")
"""The variables without which most programs do not start. Other variables are passed on only if they are named."""
PATIENCE = 2.0
"""Seconds in which a server must end after its input is closed."""
_MOST_ERRORS = 2_000


@asynccontextmanager
async def child(
    command: list[str], environment: Mapping[str, str], folder: Path, errors: bytearray, confinement: str = ""
) -> AsyncIterator[tuple[Any, Any]]:
    """Start a server, and yield the streams of its messages. Raises OSError if it cannot be started.

    `errors` gets the last of what it prints for people. `confinement` is the job that confines it, if it is confined.
    """
    from mcp.shared.memory import create_client_server_memory_streams

    process = await start(
        command,
        Lifetime.GUARDED,
        env=environment,
        cwd=folder,
        confinement=confinement,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=MOST_LINE,
    )
    async with create_client_server_memory_streams() as (streams, (outward, inward)):
        tasks = [
            asyncio.create_task(_receive(process, inward, errors)),
            asyncio.create_task(_send(process, outward, inward)),
            asyncio.create_task(_listen(process, errors)),
        ]
        try:
            yield streams
        finally:
            await _end(process)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _receive(process: Child, inward: Any, errors: bytearray) -> None:
    """Pass on each message until one is too long, or nobody takes them. Then read and discard, to notice the end."""
    assert process.stdout is not None
    async with inward:
        with contextlib.suppress(Exception):  # the client closes its end with an error of its library
            await _pass_on(process.stdout, inward, errors)
    while await process.stdout.read(2**16):
        pass


async def _pass_on(lines: asyncio.StreamReader, inward: Any, errors: bytearray) -> None:
    """Pass on each message, until one cannot be read.

    Lines that are no messages are left out, since some programs print such lines.
    """
    from mcp.shared.message import SessionMessage
    from mcp.types import jsonrpc_message_adapter

    while True:
        try:
            line = await lines.readline()
        except ValueError:
            errors.extend(f"\nit sent a message of more than {MOST_LINE:,} bytes\n".encode())
            return
        if not line:
            return
        try:  # half a character is replaced, where the SDK would pass over the whole message
            message = jsonrpc_message_adapter.validate_python(read_message(line), by_name=False)
        except Unreadable as error:
            errors.extend(f"\nit sent a message {error}\n".encode())
            return
        except ValueError:
            continue
        await inward.send(SessionMessage(message))


async def _send(process: Child, outward: Any, inward: Any) -> None:
    assert process.stdin is not None
    try:
        async with outward:
            async for each in outward:
                line = each.message.model_dump_json(by_alias=True, exclude_unset=True)
                process.stdin.write(line.encode() + b"\n")
                await process.stdin.drain()
    except OSError:
        await inward.aclose()


async def _listen(process: Child, errors: bytearray) -> None:
    assert process.stderr is not None
    while data := await process.stderr.read(4096):
        errors.extend(data)
        del errors[:-_MOST_ERRORS]


async def _end(process: Child) -> None:
    """Close its input, wait a while, then kill it with all that it started."""
    assert process.stdin is not None
    process.stdin.close()
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), PATIENCE)
    for _ in range(2):  # the second time its guard too, if that is stopped
        process.kill()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), PATIENCE)
            return
