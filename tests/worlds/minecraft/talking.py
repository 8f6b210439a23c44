"""A plain bot beside autocraft's, for tests of chat and attacks. It has no bridge and no lockstep."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from autocraft.node import child_environment, find_node, packages
from autocraft.worlds.minecraft.packages import PACKAGES

TALKER = Path(__file__).with_name("node") / "talker.js"


@contextlib.contextmanager
def talker(port: str, name: str) -> Iterator[Callable[..., None]]:
    """Yield a plain bot that says the lines it gets. With `heard` it waits until the server has told everybody."""
    environment = child_environment(AUTOCRAFT_NODE_MODULES=str(packages(PACKAGES)))
    child = subprocess.Popen(
        [find_node(), TALKER, port, name], env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdin is not None and child.stdout is not None
    try:
        assert json.loads(child.stdout.readline()) == {"joined": name}

        def say(text: str, heard: bool = False) -> None:
            child.stdin.write(text + "\n")  # type: ignore[union-attr]
            child.stdin.flush()  # type: ignore[union-attr]
            while heard and text not in json.loads(child.stdout.readline()).get("heard", ""):  # type: ignore[union-attr]
                pass

        yield say
    finally:
        child.kill()
        child.wait()
