"""The bot's Node reads, writes and starts nothing of the person's, though it may use the network.

A script tries it in the very confinement in which the bot runs, in the kernel's part of it alone, and, as the control,
in a Node without any.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from autocraft.node import find_node, packages
from autocraft.sandbox import linux
from autocraft.worlds.minecraft.confined import confined_node
from autocraft.worlds.minecraft.packages import PACKAGES
from tests.security.count import Tally
from tests.worlds.minecraft.playing import floor, play, playing, processes

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such confinement, which is said")
WITH_KERNEL = pytest.mark.skipif(
    sys.platform != "linux" or linux.landlock_version() < linux.SIGNALS, reason="needs Landlock of version 6"
)
PROBES = (Path(__file__).parent / "bot" / "probe.js").read_text(encoding="utf-8")
ALLOWED = ("writes where it may", "reaches a server")
BY_NODE_ALONE = ("talks to a service of this machine", "signals its parent", "reads the environment of its parent")
"""What `--permission` does not cover, or covers only for some: the kernel's part."""


class Bait:
    """What is tried for, and what it says where it was got."""

    def __init__(self, folder: Path) -> None:
        self.outside, self.kept = folder / "outside", folder / "kept"
        for each in (self.outside, self.kept):
            each.mkdir()
        self.file = self.outside / "bait.txt"
        self.file.write_text("the bait")
        self.service = socket.socket(socket.AF_UNIX)
        self.service.bind(str(folder / "service"))
        self.server = socket.socket()
        self.server.bind(("127.0.0.1", 0))
        self.service.listen()
        self.server.listen()

    def close(self) -> None:
        self.service.close()
        self.server.close()

    def asked(self) -> str:
        return json.dumps(
            {
                "bait": str(self.file),
                "outside": str(self.outside),
                "kept": str(self.kept),
                "modules": str(packages(PACKAGES)),
                "service": self.service.getsockname(),
                "port": self.server.getsockname()[1],
                "parent": os.getpid(),
            }
        )

    def probe(self, command: list[str]) -> dict[str, str]:
        """What each attempt of the script got, empty where it was refused."""
        secret = {**os.environ, "PROBE_SECRET": "of the environment"}
        done = subprocess.run(command, capture_output=True, timeout=60, env=secret, cwd=self.outside)
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        got: dict[str, str] = json.loads(done.stdout)
        assert "other" not in got, got["other"]
        return got


@pytest.fixture
def bait(tmp_path: Path) -> Iterator[Bait]:
    made = Bait(tmp_path)
    yield made
    made.close()


def confined(bait: Bait) -> list[str]:
    return confined_node(find_node(), packages(PACKAGES), ["-e", PROBES, "--", bait.asked()], writable=[bait.kept])


def without_permission(command: list[str]) -> list[str]:
    """The same confinement by the kernel, of a Node that has got around its own."""
    asked = json.loads(command[-1])
    asked["command"] = [each for each in asked["command"] if not each.startswith(("--permission", "--allow-"))]
    return [*command[:-1], json.dumps(asked)]


def test_control_without_confinement_each_attempt_succeeds(bait: Bait) -> None:
    got = bait.probe([str(find_node()), "-e", PROBES, "--", bait.asked()])
    assert all(got.values()), got
    assert got["reads a file outside"] == "the bait" and (bait.outside / "written").exists()


def test_the_bot_s_confinement_refuses_them(bait: Bait, tally: Callable[[str], Tally]) -> None:
    got = bait.probe(confined(bait))
    attack = tally("bot")
    for name, found in got.items():
        only_kernel = name in BY_NODE_ALONE and (sys.platform != "linux" or linux.landlock_version() < linux.SIGNALS)
        if name not in ALLOWED and not only_kernel:
            attack.add(name, found)
    attack.done()
    assert len(got) == 18 and all(got[name] for name in ALLOWED), "what it needs it has"
    assert bait.file.read_text() == "the bait" and [path.name for path in bait.outside.iterdir()] == ["bait.txt"]


@WITH_KERNEL
def test_the_kernel_refuses_them_where_node_does_not(bait: Bait, tally: Callable[[str], Tally]) -> None:
    got = bait.probe(without_permission(confined(bait)))
    attack = tally("bot")
    for name, found in got.items():
        if name not in ALLOWED:
            attack.add(f"{name}, by the kernel alone", found)
    attack.done()
    assert all(got[name] for name in ALLOWED)
    assert bait.file.read_text() == "the bait" and [path.name for path in bait.outside.iterdir()] == ["bait.txt"]


@WITH_KERNEL
def test_a_folder_that_is_missing_does_not_open_the_rest(bait: Bait) -> None:
    command = confined_node(
        find_node(), packages(PACKAGES), ["-e", PROBES, "--", bait.asked()], writable=[bait.kept / "missing"]
    )
    got = bait.probe(without_permission(command))
    assert [name for name, found in got.items() if found] == ["reaches a server"]


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="what a process is confined to is read in /proc")
def test_bot_and_practice_server_are_confined_and_play() -> None:
    async def scene() -> None:
        async with playing(cheats=True) as player:
            pids = processes(player)
            assert len(pids) == 2
            for pid in pids:
                environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
                assert [each.partition(b"=")[0] for each in environment if each] == [b"AUTOCRAFT_NODE_MODULES"]
                status = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
                assert status["NoNewPrivs"] == "1"
                assert status["Seccomp"].strip() == "2" or os.uname().machine not in ("x86_64", "aarch64")
                assert b"--permission" in Path(f"/proc/{pid}/cmdline").read_bytes()
            x, y, z = await floor(player)
            await player.must("goto", x=x + 4, y=y, z=z + 3)
            assert await player.standing() != (x, y, z), "it moves"
            await player.give(oak_log=1)
            await player.must("craft_item", name="oak_planks")
            assert (await player.seen())["inventory"]["oak_planks"] == 4, "it crafts"

    play(scene())


@pytest.mark.full
def test_the_world_of_the_practice_server_is_kept_all_the_same() -> None:
    """It writes in its own folder, or a restarted one would begin with another world."""

    async def scene() -> None:
        async with playing(cheats=True) as player:
            x, y, z = await floor(player)
            await player.world.command(f"/setblock {x + 2} {y} {z} diamond_block")
            server: Any = player.world.joining.server
            await server.ask("save")
            kept = list((player.world.folder / "world").rglob("*"))
            assert any(path.is_file() for path in kept)

    play(scene())
