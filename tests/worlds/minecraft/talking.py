"""A plain bot beside autocraft's, for tests of chat and attacks. It has no bridge and no lockstep."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from select import select

from autocraft.node import child_environment, find_node, packages
from autocraft.worlds.minecraft.packages import PACKAGES
from tests.waiting import PATIENCE

TALKER = Path(__file__).with_name("node") / "talker.js"


@contextlib.contextmanager
def talker(port: str, name: str) -> Iterator[Callable[..., None]]:
    """Yield a plain bot that says the lines it gets.

    A server keeps the place of each player. So each scene of a shared server has a name of its own for it.

    With `heard` it waits until the server has told everybody, which it does in its next tick. Raises
    ConnectionRefusedError if the server has ended.
    """
    environment = child_environment(AUTOCRAFT_NODE_MODULES=str(packages(PACKAGES)))
    child = subprocess.Popen(
        [find_node(), TALKER, port, name], env=environment, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    told, tell = child.stdout, child.stdin
    assert told is not None and tell is not None

    def next_line() -> dict[str, str]:
        assert select([told], [], [], PATIENCE)[0], f"the server tells {name} nothing"
        text = told.readline()
        if b"ECONNREFUSED" in text:
            raise ConnectionRefusedError(f"no server listens on port {port}")
        line: dict[str, str] = json.loads(text)
        return line

    def say(text: str, heard: bool = False) -> None:
        tell.write(f"{text}\n".encode())
        while heard and text not in next_line().get("heard", ""):
            pass

    try:
        assert next_line() == {"joined": name}
        yield say
    finally:
        child.kill()
        child.wait()
