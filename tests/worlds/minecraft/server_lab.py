"""Runs the scenarios of `node/*.js` against the practice server, for the tests `test_server_*.py` beside it.

Each scenario is a process of its own. It starts the server as autocraft does, joins plain mineflayer bots without our
bridge, and prints what they saw. Node and its packages come from the installer, or from AUTOCRAFT_NODE and
AUTOCRAFT_NODE_MODULES.
"""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from autocraft.node import child_environment, find_node, packages
from autocraft.worlds.minecraft.packages import PACKAGES

SCENARIOS = Path(__file__).with_name("node")
LONGEST = 900
"""Seconds after which a scenario hangs; it says more itself after 300 of waiting for one thing."""


@cache
def _node() -> tuple[str, dict[str, str]]:
    """Return the Node binary and the environment of its children."""
    return str(find_node()), child_environment(AUTOCRAFT_NODE_MODULES=str(packages(PACKAGES)))


def scenario(file: str, name: str) -> Any:
    """Return the result of the scenario. Fails the test with its error, if it has one."""
    node, environment = _node()
    done = subprocess.run(
        [node, "run.js", f"{file}.js", name],
        cwd=SCENARIOS,
        env=environment | {"TMPDIR": os.environ.get("TMPDIR", "/tmp")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST,
    )
    lines = done.stdout.splitlines()
    assert lines, done.stderr
    answer = json.loads(lines[-1])
    assert "error" not in answer, answer
    return answer["result"]
