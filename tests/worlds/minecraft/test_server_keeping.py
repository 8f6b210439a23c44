"""Saving, ending, wrong options, and what strangers' clients may send to the practice server."""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from autocraft.errors import LeftInUse
from autocraft.protocols import Json
from autocraft.session.atomic import lock_file
from autocraft.worlds.minecraft.faults import WorldLost
from autocraft.worlds.minecraft.server import PracticeServer, news
from tests.conftest import ROOT
from tests.worlds.minecraft.server_lab import scenario

pytestmark = pytest.mark.full

HOLDS_A_SERVER = """
import asyncio, sys
from pathlib import Path
from autocraft.node import find_node, packages
from autocraft.worlds.minecraft.packages import PACKAGES
from autocraft.worlds.minecraft.server import PracticeServer

async def main():
    options = {"folder": sys.argv[1], "seed": 1, "port": 0}
    server = await PracticeServer.start(options, Path(sys.argv[1] + ".log"))
    print(server.child.pid, flush=True)
    await asyncio.sleep(1000)

asyncio.run(main())
"""


def test_a_world_is_kept_over_a_restart() -> None:
    seen = scenario("keeping", "restart")
    assert seen["code"] == 0
    assert seen["files"] == ["columns", "world.json"]
    assert (seen["carried"], seen["kept"]) == (7, [["cobblestone", 5]])
    assert seen["there"] and seen["floor"] == "stone" and seen["time"] and seen["later"]
    assert seen["otherSeed"] == "the world in FOLDER has the seed 1; start with that seed or name another folder"
    assert seen["damaged"] == "FOLDER/world.json is damaged; restore it, or name another folder"


def test_what_was_saved_survives_a_kill() -> None:
    assert scenario("keeping", "killed") == {"saved": True, "carried": {"cobblestone": 3}, "code": 0}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets us wait for a process that is not our child")
def test_a_world_is_saved_when_autocraft_is_killed_and_the_server_ends(tmp_path: Path) -> None:
    folder = tmp_path / "world"
    command = [sys.executable, "-c", HOLDS_A_SERVER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as autocraft:
        assert autocraft.stdout is not None
        server = os.pidfd_open(int(autocraft.stdout.readline()))
        try:
            signal.pidfd_send_signal(server, signal.SIGSTOP)
            autocraft.kill()
            autocraft.wait()
            held = f"the world is still in use by a process of a run that has ended .pid {autocraft.pid}.; wait"
            with pytest.raises(LeftInUse, match=held):
                lock_file(folder / "lock", "the world")
            asyncio.run(_start_beside(folder, server))
        finally:
            os.close(server)
    assert json.loads((folder / "world.json").read_bytes())
    assert sorted(each.name for each in folder.iterdir()) == ["columns", "lock", "world.json"]
    lock_file(folder / "lock", "the world").close()


async def _start_beside(folder: Path, stopped: int) -> None:
    """Start a server in the world that a `stopped` one still has to save, and let that one go on once this one waits.

    A resume just after a kill was refused.
    """
    told: asyncio.Queue[Json] = asyncio.Queue()
    options = {"folder": str(folder), "seed": 1, "port": 0}
    starting = asyncio.create_task(PracticeServer.start(options, folder.with_suffix(".log"), told.put_nowait))
    assert news(await told.get()) == "An earlier run still saves the practice world. Waiting for it."
    assert not starting.done()
    assert not (folder / "world.json").exists()
    signal.pidfd_send_signal(stopped, signal.SIGCONT)
    server = await starting
    assert (folder / "world.json").exists()
    assert select.select([stopped], [], [], 60)[0], "it has ended by itself"
    await server.close()


def test_a_server_that_never_ends_is_waited_for_no_longer_than_it_may_save(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autocraft.worlds.minecraft.server.SAVING", 0.6)
    ended = subprocess.Popen(["true"])
    ended.wait()
    lock = lock_file(tmp_path / "lock", "the world")
    (tmp_path / "lock").write_text(str(ended.pid))
    heard: list[Json] = []
    refused = f"in {tmp_path} is still in use by a process of a run that has ended .pid {ended.pid}.; wait a few"
    with pytest.raises(WorldLost, match=refused):
        asyncio.run(PracticeServer.start({"folder": str(tmp_path)}, tmp_path / "log", heard.append))
    assert [each["event"] for each in heard] == ["waiting"]
    lock.close()


def test_a_server_that_is_slow_to_save_is_waited_for(tmp_path: Path) -> None:
    """It was killed after 2.5 seconds, and what had happened since the last save was lost."""
    folder = tmp_path / "world"

    async def scene() -> None:
        options = {"folder": str(folder), "seed": 1, "port": 0}
        server = await PracticeServer.start(options, tmp_path / "server.log")
        os.kill(server.child.pid, signal.SIGSTOP)
        closing = asyncio.create_task(server.close())
        assert not (await asyncio.wait([closing], timeout=3))[0]  # longer than the limit was
        os.kill(server.child.pid, signal.SIGCONT)
        await closing

    asyncio.run(scene())
    assert json.loads((folder / "world.json").read_bytes())


def test_a_server_that_is_slow_to_answer_is_waited_for(tmp_path: Path) -> None:
    """After ten seconds a run ended, or the world of a run stood still for ever."""

    async def scene() -> None:
        server, loop = await PracticeServer.start({"port": 0}, tmp_path / "server.log"), asyncio.get_running_loop()
        os.kill(server.child.pid, signal.SIGSTOP)
        work = asyncio.create_task(server.ask("thaw"))
        await asyncio.sleep(0)
        real = loop.time
        loop.time = lambda: real() + 60  # type: ignore[method-assign]
        assert not (await asyncio.wait([work], timeout=0.01))[0]
        os.kill(server.child.pid, signal.SIGCONT)
        await work
        await server.close()

    asyncio.run(scene())


def test_a_world_is_held_by_its_server_and_not_by_an_old_number_of_a_process(tmp_path: Path) -> None:
    """After a crash the number in the lock may be that of another program, and a resume said to stop that one."""

    async def start() -> PracticeServer:
        options = {"folder": str(tmp_path), "seed": 1, "port": 0}
        return await PracticeServer.start(options, tmp_path.with_suffix(".log"))

    async def scene() -> None:
        server = await start()
        with pytest.raises(WorldLost) as refused:
            await start()
        assert str(refused.value) == (
            f"the practice server did not start: the practice world in {tmp_path} is in use by another run "
            f"(pid {os.getpid()}); stop it first, or name another folder"
        )
        await server.child.kill()
        await server.close()
        server = await start()
        await server.close()

    (tmp_path / "lock").write_text("1")
    asyncio.run(scene())


def test_wrong_options_are_one_line_each() -> None:
    seen = scenario("keeping", "options")
    assert seen["seed"] == "seed must be a whole number from -9007199254740991 to 9007199254740991"
    assert seen["port"] == "port must be a port from 0 to 65535"
    assert seen["speed"].startswith("speed must be")
    assert seen["unknown"].startswith('no option is called "colour"; there are: port, seed')
    assert seen["folder"].endswith("cannot be used (ENOTDIR); name another one")
    assert seen["taken"].endswith("is in use; name another, or 0 for any free one")


def test_nonsense_ends_at_most_its_own_connection() -> None:
    seen = scenario("keeping", "nonsense")
    assert seen == {"stays": True, "given": 1, "bound": True, "code": 0, "uncaught": False}


def test_no_cheats_and_it_says_what_it_is() -> None:
    seen = scenario("keeping", "honest")
    assert seen["carried"] == {} and seen["health"] == 20
    assert "not vanilla" in seen["said"][0] and "not vanilla" in seen["motd"]
    assert seen["said"].count("This practice world runs without cheats.") == 3
    assert seen["pid"] and not seen["left"]
