"""Whoever connects without a cookie or a token stays shortly, gives way to others, and prints nothing."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from autocraft.web import loopback
from autocraft.web.loopback import Connection, Guard, Listener, Server, listen, listen_at
from tests.waiting import PATIENCE

TOKEN = "the token"
HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Send one piece, then the next one when the other side sends more."""
    if scope["type"] != "http":
        raise RuntimeError("no lifespan")
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"a", "more_body": True})
    await receive()
    await send({"type": "http.response.body", "body": b"b"})


@asynccontextmanager
async def served() -> AsyncIterator[int]:
    """Yield the port of a server with the token."""
    listening = listen(0, "--port")
    port = listening.getsockname()[1]
    server = Server(Guard(application, port, TOKEN), listening)
    server.open()
    async with asyncio.timeout(PATIENCE):
        try:
            yield port
        finally:
            await server.close()


async def admitted(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Return a connection whose answer has begun."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 1\r\n\r\n"
    writer.write(head.encode())
    assert b" 200 " in await reader.readuntil(b"\r\n\r\n")
    assert await reader.readexactly(1) == b"a"
    return reader, writer


async def ended(reader: asyncio.StreamReader) -> None:
    """Wait until the other side has closed a connection."""
    with contextlib.suppress(ConnectionError):
        assert await reader.read() == b""


async def strangers(
    number: int, connect: Callable[[], Any], half: bytes = HALF
) -> list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Return connections of which every second one has sent half of a request."""
    pairs = [await connect() for _ in range(number)]
    for _, writer in pairs[::2]:
        writer.write(half)
    return pairs


def leave(*pairs: tuple[asyncio.StreamReader, asyncio.StreamWriter]) -> None:
    for _, writer in pairs:
        writer.transport.abort()


def test_the_oldest_strangers_give_way_and_who_is_admitted_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "SECONDS", 10_000)

    async def play() -> None:
        async with served() as port:
            reader, writer = await admitted(port)
            pairs = await strangers(200, lambda: asyncio.open_connection("127.0.0.1", port))
            for stranger, _ in pairs[: 200 - 63]:
                await ended(stranger)
            other = await admitted(port)
            await ended(pairs[200 - 63][0])
            assert not any(stranger.at_eof() for stranger, _ in pairs[-62:]), "the newest of them still wait"
            writer.write(b"x")
            assert await reader.readexactly(1) == b"b"
            leave(*pairs, other, (reader, writer))

    asyncio.run(play())


def test_where_all_are_admitted_the_newest_is_closed() -> None:
    async def play() -> None:
        async with served() as port:
            pairs = [await admitted(port) for _ in range(64)]
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            await ended(reader)
            for stays, more in pairs:
                more.write(b"x")
                assert await stays.readexactly(1) == b"b"
            leave(*pairs, (reader, writer))

    asyncio.run(play())


def test_a_stranger_stays_a_few_seconds_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "SECONDS", 0)

    async def play() -> None:
        async with served() as port:
            reader, writer = await admitted(port)
            pairs = await strangers(10, lambda: asyncio.open_connection("127.0.0.1", port))
            for stranger, _ in pairs:
                await ended(stranger)
            writer.write(b"x")
            assert await reader.readexactly(1) == b"b"
            leave(*pairs, (reader, writer))

    asyncio.run(play())


@pytest.mark.full
def test_a_stranger_who_reads_no_answer_is_closed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "SECONDS", 1)

    async def play() -> None:
        async with served() as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            with contextlib.suppress(ConnectionError):
                while True:
                    writer.write(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode() * 1_000)
                    await writer.drain()
            leave((reader, writer))

    asyncio.run(play())


def test_without_a_free_descriptor_it_waits_and_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    async def play() -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        async with served() as port:
            leave(await admitted(port))  # now it has imported what it needs
            clients = [socket.socket() for _ in range(10)]
            free = os.dup(0)
            os.close(free)
            resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))
            try:
                for each in clients:
                    each.connect(("127.0.0.1", port))
                with pytest.raises(OSError, match="Too many open files"):
                    os.dup(0)
                await asyncio.sleep(3 * loopback.PAUSE)
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            leave(await admitted(port))
            for each in clients:
                each.close()

    asyncio.run(play())
    assert capfd.readouterr() == ("", "")


def test_a_unix_socket_has_the_same_limits(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr(loopback, "SECONDS", 10_000)
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short

    async def play() -> None:
        def protocol_of(connection: Connection) -> asyncio.BaseProtocol:
            async def enter(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                if await reader.readline() == b"hello\n":
                    connection.admit()
                    writer.write(b"welcome\n")
                    await reader.read()
                writer.close()

            return asyncio.StreamReaderProtocol(asyncio.StreamReader(), enter)

        listener = Listener(listen_at("attach"), protocol_of)
        listener.start()
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_unix_connection("attach")
            writer.write(b"hello\n")
            assert await reader.readline() == b"welcome\n"
            pairs = await strangers(100, lambda: asyncio.open_unix_connection("attach"), b"hel")
            for stranger, _ in pairs[: 100 - 63]:
                await ended(stranger)
            assert not reader.at_eof()
            leave(*pairs, (reader, writer))
            await listener.close()

    asyncio.run(play())


def test_the_page_sends_localhost_to_the_address_itself() -> None:
    async def play() -> list[bytes]:
        listening = listen(0, "--web-port")
        port = listening.getsockname()[1]
        server = Server(Guard(application, port), listening)
        server.open()
        answers = []
        for target in (b"/?token=a", b"@evil.example/"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET %s HTTP/1.1\r\nHost: localhost:%d\r\nConnection: close\r\n\r\n" % (target, port))
            answers.append((await reader.read()).replace(str(port).encode(), b"PORT"))
            writer.close()
        await server.close()
        return answers

    link, odd = asyncio.run(play())
    assert b" 307 " in link and b"location: http://127.0.0.1:PORT/?token=a\r\n" in link
    assert b"location: http://127.0.0.1:PORT/@evil.example/\r\n" in odd
