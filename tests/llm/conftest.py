"""Starts the server of the real model once for all tests that ask it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SLOW = {"OPENAI_TIMEOUT": "3000", "OPENAI_STALL_SECONDS": "3000"}
"""Limits that a busy machine keeps. A person does not need them."""


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """Yield the address of a server that runs as long as the tests of this folder."""
    command = [sys.executable, "-m", "tests.llm.serve"]
    root = Path(__file__).parents[2]
    server = subprocess.Popen(
        command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip
    assert server.stdin is not None and server.stdout is not None
    address = server.stdout.readline().strip()
    assert address.startswith("http://127.0.0.1:"), "the model server did not start"
    yield f"{address}/v1"
    server.stdin.close()
    server.wait(timeout=20)
