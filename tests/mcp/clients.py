"""The official SDK's client over real standard streams and real HTTP. A function answers as the person."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from mcp.client import stdio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import INTERNAL_ERROR, CallToolResult, ElicitResult, ErrorData

from tests.conftest import PROGRAM, Place
from tests.waiting import PATIENCE

stdio.PROCESS_TERMINATION_TIMEOUT = PATIENCE  # it kills a server that has not ended 2 seconds after its input


def says(*answers: dict[str, Any] | str) -> Person:
    """Return a person who gives these answers in turn, then repeats the last one.

    An answer is the content of a form, or decline or cancel.
    """
    return Person(list(answers))


@dataclass
class Person:
    """Answers forms, and records them."""

    answers: list[dict[str, Any] | str]
    forms: list[str] = field(default_factory=list)
    schemas: list[dict[str, Any]] = field(default_factory=list)
    before: Callable[[], None] = lambda: None
    """Happens between the question and its answer."""

    async def __call__(self, context: Any, params: Any) -> ElicitResult | ErrorData:
        self.forms.append(params.message)
        self.schemas.append(params.requested_schema)
        self.before()
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, str):
            if answer == "silence":
                await asyncio.Event().wait()
            if answer == "fault":
                return ErrorData(code=INTERNAL_ERROR, message="the form is broken")
            return ElicitResult(action=answer)  # type: ignore[arg-type]
        return ElicitResult(action="accept", content=answer)


RUN: dict[str, Any] = {"decision": "run"}


@asynccontextmanager
async def over_stdio(
    place: Place, *arguments: str, person: Person | None = None, mode: str = "auto", **environment: str
) -> AsyncIterator[Client]:
    """Yield a client that has started `autocraft mcp ARGUMENTS`. Without a person it shows no forms."""
    env = place.environment | environment
    server = StdioServerParameters(
        command=sys.executable, args=[*PROGRAM[1:], "mcp", *arguments], env=env, cwd=place.folder
    )
    with (place.folder / "stderr").open("a") as log:
        async with Client(stdio_client(server, errlog=log), mode=mode, elicitation_callback=person) as client:
            yield client


@dataclass
class Served:
    """A server over HTTP."""

    process: Any
    url: str
    token: str


@asynccontextmanager
async def serving(place: Place, *arguments: str, **environment: str) -> AsyncIterator[Served]:
    """Yield the server `autocraft mcp --port 0 ARGUMENTS`. End it afterwards."""
    command = [*PROGRAM, "mcp", "--port", "0", *arguments]
    errors = place.folder / "stderr"
    with errors.open("a") as log, (place.folder / "stdout").open("a") as out:
        process = await asyncio.create_subprocess_exec(
            *command, cwd=place.folder, env=place.environment | environment, stdin=subprocess.DEVNULL, stdout=out,
            stderr=log,
        )  # fmt: skip
    try:
        line = await first_line(errors, process)
        url = line.split(" ")[0]
        token = environment.get("AUTOCRAFT_MCP_TOKEN") or (place.state / "mcp_token").read_text()
        yield Served(process, url, token)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def first_line(file: Path, process: asyncio.subprocess.Process) -> str:
    """Wait until the server listens. Return the line with its address."""
    while True:
        text = file.read_text()
        found = [line for line in text.splitlines() if line.startswith("http://")]
        if found and text.endswith("\n"):
            return found[-1]
        assert process.returncode is None, text
        await asyncio.sleep(0.01)


@asynccontextmanager
async def over_http(
    served: Served, person: Person | None = None, mode: str = "auto", token: str = ""
) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token or served.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(served.url, http_client=http)
        async with Client(transport, mode=mode, elicitation_callback=person) as client:
            yield client


@asynccontextmanager
async def connected(
    way: str, place: Place, *arguments: str, person: Person | None = None, mode: str = "auto", **environment: str
) -> AsyncIterator[Client]:
    """Yield a client over ``stdio`` or ``http``."""
    if way == "stdio":
        async with over_stdio(place, *arguments, person=person, mode=mode, **environment) as client:
            yield client
        return
    async with serving(place, *arguments, **environment) as served, over_http(served, person, mode) as client:
        yield client


def text_of(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if part.type == "text")


def values(result: CallToolResult) -> dict[str, Any]:
    found: dict[str, Any] = result.structured_content
    return found


def steps_in(result: CallToolResult) -> Sequence[dict[str, Any]]:
    """Return the commands in a result of `next_steps`."""

    decoder = json.JSONDecoder()
    return [decoder.raw_decode(line)[0] for line in values(result)["data"].splitlines() if line.startswith("{")]
