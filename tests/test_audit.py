"""`make audit` finds known faults by the real npm, and says in one line each which list of faults it could not have."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import unquote

import pytest

from scripts.audit import faults_of_node, faults_of_python
from tests.conftest import ROOT

NOBODY = "http://127.0.0.1:9"
"""An address at which nobody listens: the port for data that is thrown away."""


def audit(registry: str) -> subprocess.CompletedProcess[str]:
    """Run the audit without an index of Python's packages, and with this registry of npm's."""
    names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
    own = dict.fromkeys(names, NOBODY) | {"no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1"}
    environment = os.environ | own | {"npm_config_registry": registry}
    command = [sys.executable, "-m", "scripts.audit"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def registry() -> Iterator[str]:
    """A registry that knows a fault of `vec3`, which the Minecraft world uses."""
    fault = {"id": 1, "url": "https://example.org/1", "title": "It is wrong", "severity": "high",
             "vulnerable_versions": ">=0.0.0"}  # fmt: skip

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = unquote(self.path).lstrip("/")
            self.answer(json.dumps({"name": name, "versions": {}, "dist-tags": {}}))

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.answer(json.dumps({"vec3": [fault]}))

        def answer(self, text: str) -> None:
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.full
def test_offline_it_is_skipped_with_a_line_for_each() -> None:
    done = audit(NOBODY)
    python, node = done.stdout.splitlines()
    assert python == "audit: pip-audit is skipped: https://pypi.org cannot be reached"
    assert node.startswith("audit: npm audit is skipped: ") and "ECONNREFUSED" in node
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.full
def test_a_known_fault_of_a_package_of_node_is_an_error(registry: str) -> None:
    done = audit(registry)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "It is wrong (high, https://example.org/1)" in done.stdout
    assert "autocraft/worlds/minecraft/node: vec3" in done.stdout


def test_the_reports_of_both_tools_are_read() -> None:
    """In the forms of pip-audit 2.10 and of npm 11."""
    rows: list[dict[str, Any]] = [
        {"name": "jinja2", "version": "3.1.0", "vulns": [
            {"id": "PYSEC-1", "fix_versions": ["3.1.6"], "aliases": []}, {"id": "PYSEC-2", "fix_versions": []}]},
        {"name": "numpy", "version": "2.0", "vulns": []},
        {"name": "rich", "skip_reason": "Dependency not found on PyPI"},
    ]  # fmt: skip
    assert list(faults_of_python(rows)) == [
        "jinja2 3.1.0: PYSEC-1, mended in 3.1.6",
        "jinja2 3.1.0: PYSEC-2, mended in no version yet",
    ]
    via = [{"title": "Bad", "severity": "low", "url": "u"}, "b"]
    report = {"vulnerabilities": {"a": {"range": "<2", "via": via}, "c": {"range": "*", "via": ["a"]}}}
    assert list(faults_of_node(report)) == ["a <2: Bad (low, u)"]
