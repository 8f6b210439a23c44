"""A run that was killed leaves the file of its page, and another program may listen at its port later."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from autocraft.web.loopback import listen
from autocraft.web.run_pages import PROOF, RunPages

SESSION = "20261127-010203-abcdef"
GOALS = {"goals": ["craft 1 stick"], "waiting": True, "token": "t" * 30}


class Stranger:
    """Listens at the port of a run that was killed, and answers every request in this way."""

    def __init__(self, headers: str = "", body: bytes = json.dumps(GOALS).encode()) -> None:
        self.headers = headers
        self.body = body
        self.heard = b""

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator[int]:
        server = await asyncio.start_server(self._answer, sock=listen(0, "--port"))
        async with server:
            yield server.sockets[0].getsockname()[1]

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heard += await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(self.body)}\r\n{self.headers}\r\n"
        with contextlib.suppress(OSError):
            writer.write(head.encode() + self.body)
            await writer.drain()
        writer.close()


def asked(root: Path, stranger: Stranger) -> Path:
    """Let a run ask the stranger for its goals and for a link. Return the file of the killed run."""

    async def play() -> Path:
        pages = RunPages(root, "20261127-020304-fedcba", 1)
        pages.enter()
        async with stranger.listening() as port:
            killed = RunPages(root, SESSION, port)
            killed.enter()
            assert await pages.link(SESSION) == ""
            killed.enter()
            assert await pages.rows() == []
            return root / "pages" / f"{SESSION}.json"

    return asyncio.run(play())


@pytest.mark.parametrize("proof", ["", "x", "0" * 64])
def test_whoever_does_not_know_the_key_gets_nobody_to_its_page(tmp_path: Path, proof: str) -> None:
    stranger = Stranger(f"{PROOF}: {proof}\r\n" if proof else "")
    file = asked(tmp_path, stranger)
    assert not file.exists(), "it is not asked again"
    assert stranger.heard.count(b"POST /link") == stranger.heard.count(b"POST /about") == 1


def test_a_stranger_learns_nothing_that_it_could_use(tmp_path: Path) -> None:
    """It hears no key, and what it hears proves nothing for another answer."""
    stranger = Stranger()
    asked(tmp_path, stranger)
    first = next(line for line in stranger.heard.split(b"\r\n") if line.lower().startswith(b"authorization: "))
    nonce, _, sent = first.split()[2].decode().partition(".")
    again = Stranger(f"{PROOF}: {sent}\r\n")
    assert not asked(tmp_path, again).exists()
    own = RunPages(tmp_path, SESSION, 1)
    assert own.nonce_of(f"Bearer {nonce}.{sent}") == "", "the key of each run is its own"


def test_an_endless_answer_of_a_stranger_is_not_read_to_its_end(tmp_path: Path) -> None:
    body = os.urandom(2**20) * 40
    stranger = Stranger(body=body)
    assert not asked(tmp_path, stranger).exists()


def test_the_run_itself_is_believed(tmp_path: Path) -> None:
    """The control: whoever knows the key."""

    async def play() -> None:
        pages = RunPages(tmp_path, "20261127-020304-fedcba", 1)

        class Known(Stranger):
            async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                bearer = next(line for line in head.split("\r\n") if line.lower().startswith("authorization: "))
                nonce = killed.nonce_of(bearer.partition(": ")[2])
                self.headers = f"{PROOF}: {killed.prove(nonce, self.body)}\r\n"
                reader.feed_data(b"\r\n\r\n")
                await super()._answer(reader, writer)

        async with Known().listening() as port:
            killed = RunPages(tmp_path, SESSION, port)
            killed.enter()
            assert await pages.link(SESSION) == f"http://127.0.0.1:{port}/?token={'t' * 30}"
            assert await pages.rows() == [{"session": SESSION, "goals": ["craft 1 stick"], "waiting": True}]

    asyncio.run(play())
