"""Sends a browser's requests to the page of a real run: the link, the cookie, the events, the answers."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import re
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from tests.conftest import PROGRAM, Place
from tests.waiting import PATIENCE

LINK = re.compile(r"http://127\.0\.0\.1:\d+/\?token=[\w-]+")


@dataclass
class Browser:
    """One browser. It stores the cookie, and the newest value of each part of the page."""

    link: str
    process: Any
    http: httpx2.AsyncClient
    parts: dict[str, Any] = field(default_factory=dict)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    @property
    def root(self) -> str:
        return self.link.partition("/?")[0]

    async def enter(self) -> str:
        """Open the link. Return the page."""
        page = await self.http.get(self.link)
        assert page.status_code == 200, page.text
        return page.text

    async def follow(self) -> None:
        """Read the events until the run is over."""
        async with self.http.stream("GET", f"{self.root}/events", timeout=None) as stream:
            assert stream.status_code == 200
            name = ""
            async for line in stream.aiter_lines():
                key, _, value = line.partition(": ")
                if key == "event":
                    name = value
                elif key == "data":
                    async with self.changed:
                        self.parts[name] = json.loads(value)
                        self.changed.notify_all()

    async def question(self, after: int = 0) -> dict[str, Any] | None:
        """Wait for a question after the one of this id. Return None if the run is over."""
        async with self.changed:
            await self.changed.wait_for(
                lambda: "over" in self.parts or (self.parts.get("question") or {"id": 0})["id"] > after
            )
            found: dict[str, Any] | None = self.parts["question"]
            return found

    async def answer(self, question: dict[str, Any], kind: str, **more: Any) -> httpx2.Response:
        return await self.post("/answer", answer_to(question, kind, **more))

    async def post(self, path: str, body: object, **headers: str) -> httpx2.Response:
        return await self.http.post(self.root + path, json=body, headers={"Origin": self.root} | headers, timeout=60)


def answer_to(question: dict[str, Any], kind: str, **more: Any) -> dict[str, Any]:
    digest = hashlib.sha256(question["text"].encode()).hexdigest()
    return {"id": question["id"], "digest": digest, "kind": kind} | more


@asynccontextmanager
async def served(
    place: Place, *arguments: str, verb: Sequence[str] = ("run", "--web"), **environment: str
) -> AsyncIterator[Browser]:
    """Yield a browser that knows the link of `autocraft run --web ARGUMENTS`, a run without a terminal."""
    out = place.folder / "stdout"
    with out.open("w") as stdout:
        process = await asyncio.create_subprocess_exec(
            *PROGRAM, *verb, *arguments, cwd=place.folder, env=place.environment | environment,
            stdin=subprocess.DEVNULL, stdout=stdout, stderr=stdout,
        )  # fmt: skip
    try:
        async with httpx2.AsyncClient(timeout=PATIENCE) as http:
            yield Browser(await link_in(out, process), process, http)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


@asynccontextmanager
async def followed(
    place: Place, *arguments: str, verb: Sequence[str] = ("run", "--web"), **environment: str
) -> AsyncIterator[Browser]:
    """Yield a browser as `served` does, which has opened the link and reads the events."""
    async with served(place, *arguments, verb=verb, **environment) as browser:
        await browser.enter()
        following = asyncio.create_task(browser.follow())
        try:
            yield browser
        finally:
            following.cancel()
            with contextlib.suppress(asyncio.CancelledError, httpx2.HTTPError):
                await following


async def link_in(file: Path, process: asyncio.subprocess.Process) -> str:
    """Wait for the link that the run prints."""
    while True:
        text = file.read_text()
        if (found := LINK.search(text)) and text.endswith("\n"):
            return found[0]
        assert process.returncode is None, text
        await asyncio.sleep(0.01)
