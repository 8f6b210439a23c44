"""The protocol's own test tool judges our server, and our client of the servers of others."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, Place
from tests.mcp.clients import serving
from tests.mcp.conformance.tool import HERE, conformance

pytestmark = pytest.mark.full
CLIENT = f"{sys.executable} -m tests.mcp.conformance.client"
LADDER = ("craft", "1", "ladder", "--inventory", "oak_log=3", "--auto-look")


@pytest.mark.parametrize(("revision", "checks"), [("2025-11-25", 45), ("2026-07-28", 112)])
def test_the_server_does_what_a_revision_requires(place: Place, revision: str, checks: int) -> None:
    """All scenarios but those of `expected.yml` pass without a warning. So many checks pass in all."""

    async def go() -> tuple[int, str]:
        async with serving(place, *LADDER) as served:
            flags = ("--url", served.url, "--requirements", revision, "--expected-failures", str(HERE / "expected.yml"))
            return await conformance(place.folder, "server", *flags, TOKEN=served.token)

    code, said = asyncio.run(go())
    assert code == 0, said[-5_000:]
    passed = re.search(r"Total: (\d+) passed", said)
    assert passed is not None and int(passed[1]) >= checks, said[-5_000:]


def test_headers_that_do_not_fit_the_request_are_refused(place: Place) -> None:
    async def go() -> tuple[int, str]:
        async with serving(place, *LADDER) as served:
            flags = ("--url", served.url, "--spec-version", "2026-07-28", "--scenario", "http-header-validation")
            return await conformance(place.folder, "server", *flags, TOKEN=served.token)

    code, said = asyncio.run(go())
    assert code == 0 and "0 failed, 0 warnings" in said, said[-5_000:]


@pytest.mark.parametrize(
    "scenario",
    [
        "initialize",
        "tools_call",
        "sse-retry",
        "request-metadata",
        "http-standard-headers",
        "http-custom-headers",
        "http-invalid-tool-headers",
        "json-schema-ref-no-deref",
        "json-schema-2020-12-preservation",
    ],
)
def test_the_client_does_what_the_protocol_requires(tmp_path: Path, scenario: str) -> None:
    flags = ("client", "--command", CLIENT, "--scenario", scenario)
    code, said = asyncio.run(conformance(tmp_path, *flags, TOKEN="", PYTHONPATH=str(ROOT)))
    assert code == 0 and "0 failed" in said, said[-5_000:]
