"""Node is found, its packages are fetched whole or not at all, and a child never outlives us."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from autocraft.errors import LeftInUse, NodeMissing, SessionError, UsageError
from autocraft.node import child_environment, find_node, install, packages
from autocraft.worlds.minecraft.child import NodeChild, error_of
from autocraft.worlds.minecraft.faults import BotFault, WorldLost
from autocraft.worlds.minecraft.lan import find_lan_world
from autocraft.worlds.minecraft.packages import PACKAGES
from autocraft.worlds.minecraft.settings import MinecraftSettings, address
from autocraft.worlds.minecraft.view import View
from tests.commands.site import CERTIFICATE, Site
from tests.conftest import PROGRAM, ROOT, Place
from tests.processes import alive
from tests.waiting import PATIENCE, until
from tests.worlds.minecraft.playing import node_environment

BOT = ROOT / "autocraft" / "worlds" / "minecraft" / "node" / "bot"
ECHO = """
const { send, serve } = require(process.argv[1] + '/../shared/lines.js')
const { Fault } = require(process.argv[1] + '/../shared/fault.js')
require(process.argv[1] + '/../shared/watchdog.js').watch({ work: Number(process.argv[2]) || undefined })
console.log('a library prints')
process.stdout.write('no json\\n')
send({ event: 'hello' })
async function work ({ seconds, pausing }) { // with pauses between pieces of it
  const pause = require(process.argv[1] + '/pausing.js').pausing()
  const end = process.cpuUsage().user + seconds * 1e6
  while (process.cpuUsage().user < end) if (pausing) await pause()
  return process.cpuUsage().user / 1e6
}
function carryOut ({ method, params }) {
  if (method === 'echo') return params.what
  if (method === 'fail') throw new Fault('it failed', 'limit')
  if (method === 'exit') process.exit(3)
  if (method === 'spin') for (;;);
  if (method === 'work') return work(params)
  return new Promise(() => {})
}
serve({ carryOut, leave: () => process.exit(0) })
"""


async def start(folder: Path, events: list[Any], work: float = 30) -> NodeChild:
    command: list[str | Path] = [find_node(), "-e", ECHO, str(BOT), str(work)]
    return await NodeChild.start(command, child_environment(), folder / "log" / "child.log", events.append)


def test_replies_events_and_a_log(tmp_path: Path) -> None:
    async def scene() -> None:
        events: list[Any] = []
        child = await start(tmp_path, events)
        replies = await asyncio.gather(
            *(child.request({"method": "echo", "params": {"what": n}}, 20) for n in range(50))
        )
        assert [each["result"] for each in replies] == list(range(50))
        failed = await child.request({"method": "fail"}, 20)
        assert failed["error"] == {"kind": "limit", "text": "it failed", "said": []}
        fault = error_of(failed)
        assert fault is not None and (str(fault), fault.kind) == ("it failed", "limit")
        await child.close()
        assert events == [{"event": "hello"}]
        assert not alive(child.pid)

    asyncio.run(scene())
    log = (tmp_path / "log" / "child.log").read_text()
    assert "a library prints" in log and "no json" in log


def test_who_waits_hears_that_an_event_could_not_be_recorded(tmp_path: Path) -> None:
    """The command waited for a child that nobody read any more."""

    class Full(list[Any]):
        def append(self, event: Any) -> None:
            raise SessionError("the disk is full")

    async def scene() -> None:
        child = await start(tmp_path, Full())
        with pytest.raises(SessionError, match="the disk is full"):
            await child.request({"method": "nothing"}, 20)
        assert (await child.request({"method": "echo", "params": {"what": 1}}, 20))["result"] == 1
        await child.close()
        assert not alive(child.pid)

    asyncio.run(scene())


def test_a_death_is_seen_at_once_by_all_who_wait(tmp_path: Path) -> None:
    async def scene() -> None:
        events: list[Any] = []
        child = await start(tmp_path, events)
        waiting = [asyncio.create_task(child.request({"method": "nothing"}, 60)) for _ in range(3)]
        child.send({"method": "exit"})
        for task in waiting:
            with pytest.raises(BotFault, match="exit code 3") as error:
                await task
            assert error.value.kind == "gone"
        with pytest.raises(BotFault):
            await child.request({"method": "echo"}, 60)
        await child.close()
        assert events[-1]["event"] == "gone"

    asyncio.run(scene())


def test_an_answer_that_came_while_this_process_was_stopped_is_taken(tmp_path: Path) -> None:
    """After Ctrl-Z and `fg`, a bot that had joined long ago was ended as one that hangs."""

    async def scene() -> None:
        child, loop = await start(tmp_path, []), asyncio.get_running_loop()
        await child.request({"method": "echo"}, 20)
        work = asyncio.create_task(child.request({"method": "echo", "params": {"what": 1}}, 20))
        await asyncio.sleep(0)
        stdout: Any = child._process._process._transport.get_pipe_transport(1)  # type: ignore[attr-defined]
        select.select([stdout.get_extra_info("pipe")], [], [])  # nothing else is done until it has answered
        real = loop.time
        loop.time = lambda: real() + 60  # type: ignore[method-assign]
        assert (await work)["result"] == 1
        await child.close()

    asyncio.run(scene())


def test_an_answer_that_nobody_waits_for_any_more_is_forgotten(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """After the end of the child, the screen would show that its exception was never retrieved."""

    async def scene() -> None:
        child = await start(tmp_path, [])
        os.kill(child.pid, signal.SIGSTOP)
        given_up = asyncio.create_task(child.request({"method": "echo"}, 20))
        with pytest.raises(BotFault, match=r"no answer within 0\.01 seconds"):
            await child.request({"method": "echo"}, 0.01)
        given_up.cancel()
        await asyncio.wait([given_up])
        assert given_up.cancelled() and not child._waiting
        await child.kill()

    asyncio.run(scene())
    gc.collect()
    assert caplog.text == ""


@pytest.mark.full  # it burns processor time until it is ended
def test_a_child_that_hangs_is_told_apart_and_ended(tmp_path: Path) -> None:
    async def scene() -> None:
        child = await start(tmp_path, [])
        await child.request({"method": "echo", "params": {"what": 1}}, 20)
        with pytest.raises(BotFault, match="no answer within") as error:
            await child.request({"method": "spin"}, 0.3)
        assert error.value.kind == "hung"
        await child.close()
        assert not alive(child.pid)

    asyncio.run(scene())


@pytest.mark.full
def test_one_that_works_without_a_pause_ends_itself(tmp_path: Path) -> None:
    async def scene() -> None:
        events: list[Any] = []
        child = await start(tmp_path, events, work=0.8)  # far more than passes between two signs of life
        pausing = {"method": "work", "params": {"seconds": 1.2, "pausing": True}}
        assert (await child.request(pausing, 120))["result"] >= 1.2
        with pytest.raises(BotFault, match=r"it worked for 0\.8 seconds without a pause and was ended; its") as error:
            await child.request({"method": "work", "params": {"seconds": 600}}, 600)
        assert error.value.kind == "hung" and not alive(child.pid)
        assert events[-1]["event"] == "gone" and "without a pause" in events[-1]["why"]
        await child.close()

    asyncio.run(scene())


KEEPER = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, {root!r})
from tests.worlds.minecraft.test_node import start
async def main():
    child = await start(Path({folder!r}), [])
    await child.request({{"method": "echo", "params": {{"what": 1}}}}, 20)
    if {spin}: child.send({{"method": "spin"}})
    print(child.pid, flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""


@pytest.mark.parametrize("spin", [False, True])
@pytest.mark.sampled(1)
def test_a_child_ends_when_python_is_killed(tmp_path: Path, spin: bool) -> None:
    code = KEEPER.format(root=str(ROOT), folder=str(tmp_path), spin=spin)
    environment = os.environ | node_environment()
    python = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment, text=True)
    assert python.stdout is not None
    pid = int(python.stdout.readline())
    python.send_signal(signal.SIGKILL)
    python.wait()
    until(lambda: not alive(pid), "the end of the child")


def test_a_log_that_cannot_be_kept_is_said(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("in the way")
    with pytest.raises(WorldLost, match="cannot write"):
        asyncio.run(start(tmp_path, []))


# ---------------------------------------------------------------- installing


def test_node_is_the_real_binary() -> None:
    node = find_node()
    assert node.read_bytes()[:2] != b"#!"
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    assert int(version[1:].split(".")[0]) >= 22


def test_what_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(NodeMissing, match="unset it"):
        find_node({"AUTOCRAFT_NODE": str(tmp_path / "node")})
    with pytest.raises(NodeMissing, match="no mineflayer"):
        packages(PACKAGES, {"AUTOCRAFT_NODE_MODULES": str(tmp_path)})


def test_what_npm_cannot_fetch_leaves_nothing_behind(tmp_path: Path) -> None:
    nowhere = {"npm_config_registry": "http://127.0.0.1:9", "npm_config_fetch_retries": "0"}
    environment = os.environ | nowhere | {"npm_config_cache": str(tmp_path / "cache")}
    said: list[str] = []
    half = tmp_path / "root" / f"{PACKAGES.name}.part"
    half.mkdir(parents=True)
    (half / "node_modules").mkdir()
    with pytest.raises(NodeMissing, match="check the network"):
        install(PACKAGES, tmp_path / "root", find_node(), environment, said.append)
    assert "120 MB" in said[0]
    assert [path.name for path in (tmp_path / "root").iterdir()] == [f"{PACKAGES.name}.lock"]


def test_npm_trusts_the_certificates_that_we_trust(tmp_path: Path) -> None:
    """The certificate is of another host, so npm still refuses, but for that reason."""
    site, own = Site(tls=True), {"REQUESTS_CA_BUNDLE": str(CERTIFICATE)}
    with site.server:
        for environment, why in (({}, "SELF_SIGNED_CERT"), (own, "ALTNAME_INVALID")):
            npm = {"npm_config_registry": f"https://127.0.0.1:{site.port}", "npm_config_fetch_retries": "0"}
            npm |= {"npm_config_cache": str(tmp_path / "cache"), "PATH": os.environ["PATH"]}
            with pytest.raises(NodeMissing, match=f"{why}.*: name your company's certificates in SSL_CERT_FILE"):
                install(PACKAGES, tmp_path / "root", find_node(), npm | environment, lambda line: None)
        site.server.shutdown()


FETCH = """
import os, sys
from pathlib import Path
from autocraft.node import install
from autocraft.worlds.minecraft.packages import PACKAGES
install(PACKAGES, Path(sys.argv[1]), Path(sys.argv[2]), os.environ, print)
"""


def sleeping_npm(folder: Path) -> tuple[Path, Path]:
    """Return a Node whose npm sleeps at its first run and does nothing later, and the file of its process number."""
    node = folder / "bin" / "node"
    script = f"#!/bin/sh\ncd '{folder}'; mkdir once || exit 0\necho $$ > part; mv part npm\nsleep 600\n"
    for file in (node, folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"):
        file.parent.mkdir(parents=True)
        file.write_text(script)
        file.chmod(0o700)
    return node, folder / "npm"


@pytest.mark.skipif(os.name == "nt", reason="there is no guard that ends npm")
def test_a_kill_ends_npm_and_the_next_run_fetches_anew(tmp_path: Path) -> None:
    node, started = sleeping_npm(tmp_path)
    root = tmp_path / "root"
    with subprocess.Popen([sys.executable, "-c", FETCH, str(root), str(node)], cwd=ROOT) as python:
        until(started.exists, "npm")
        python.kill()
    npm, part = int(started.read_text()), root / f"{PACKAGES.name}.part"

    def fetched_anew() -> bool:
        """Return False while the first npm has the lock."""
        try:
            install(PACKAGES, root, node, os.environ, print)
        except LeftInUse:
            assert part.exists(), "nothing of the first is removed while it may write"
            return False
        except NodeMissing as error:
            assert "npm succeeded, but did not install" in str(error)
        return True

    until(fetched_anew, "the end of the first npm")
    assert not alive(npm)


@pytest.mark.skipif(os.name == "nt", reason="there is no guard that ends npm")
def test_an_interrupt_ends_a_run_that_fetches(place: Place, tmp_path: Path) -> None:
    node, started = sleeping_npm(tmp_path / "fake")
    run = [*PROGRAM, "run", "--world", "minecraft", "--brain", "planner", "--goal", "get 1 oak_log"]
    environment = place.environment | {"AUTOCRAFT_NODE": str(node), "XDG_DATA_HOME": str(tmp_path / "data")}
    with subprocess.Popen(run, cwd=place.folder, env=environment, stderr=subprocess.PIPE) as python:
        until(started.exists, "npm")
        python.send_signal(signal.SIGINT)
        assert python.wait(PATIENCE) == 130
    until(lambda: not alive(int(started.read_text())), "the end of npm")


def test_a_run_ends_while_its_view_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node, started = sleeping_npm(tmp_path / "fake")
    monkeypatch.setenv("AUTOCRAFT_NODE", str(node))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    async def tell(on: bool) -> None:
        raise AssertionError("nobody looks")

    async def leave() -> None:
        view = View(tell)
        opening = asyncio.create_task(view.open("1.16.5", tmp_path / "view.log", lambda line: None))
        await asyncio.to_thread(until, started.exists)
        await view.close()
        with pytest.raises(asyncio.CancelledError):
            await opening

    asyncio.run(leave())
    npm = int(started.read_text())
    assert alive(npm), "nobody waited for npm"
    os.kill(npm, signal.SIGKILL)


def test_the_environment_of_a_child_holds_no_secret() -> None:
    seen = child_environment({"PATH": "/bin", "OPENAI_API_KEY": "sk-1", "HOME": "/home/x", "npm_config_x": "y"})
    assert seen == {"PATH": "/bin", "HOME": "/home/x"}


@pytest.mark.full
def test_npm_brings_everything_once(tmp_path: Path) -> None:
    said: list[str] = []
    modules = install(PACKAGES, tmp_path / "a ü", find_node(), os.environ, said.append)
    assert (modules / "mineflayer-pathfinder").is_dir() and not (modules / "flying-squid").exists()
    bedrock = modules / "minecraft-data" / "minecraft-data" / "data" / "bedrock"
    assert sorted(each.name for each in bedrock.iterdir()) == ["common", "latest"], "data that nobody reads is removed"
    assert list(modules.glob("**/*.map")) == [] and any(modules.glob("*/LICEN*"))
    assert sum(each.stat().st_size for each in modules.glob("**/*") if each.is_file()) < 130_000_000
    assert said[-1] == "The Node packages are there."
    assert [line for line in said if re.fullmatch(r"  \[#{10} {10}\] \d+ of \d+ packages", line)], "how far it has come"
    assert install(PACKAGES, tmp_path / "a ü", find_node(), {}, said.append) == modules


# ---------------------------------------------------------------- settings, and LAN worlds


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"server": "a b"}, "give HOST:PORT"),
        ({"server": "host:99999"}, "give HOST:PORT"),
        ({"username": "ö"}, "give 1 to 16 letters"),
        ({"fence": "1,2,3"}, "x1,z1,x2,z2"),
        ({"listen_to": ("a b",)}, "give one name each"),
        ({"listen_to": ("",)}, "give one name each"),
        ({"heights": "low,high"}, "low,high"),
        ({"mc_version": "../x"}, "not a version"),
        ({"mc_version": "1.20.4"}, "the practice server is 1.16.5 alone"),
    ],
)
def test_settings_that_cannot_be_used(setting: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        MinecraftSettings(**setting)


def test_settings_that_can() -> None:
    assert address("[::1]:25570") == ("::1", 25570)
    assert address("mc.example.org") == ("mc.example.org", 25565)
    bounds = MinecraftSettings(fence="10,-5,-10,5", heights="80,0").bounds
    assert bounds["fence"] == [-10, -5, 10, 5] and bounds["heights"] == [0, 80]


def test_a_lan_world_is_found_by_what_it_announces() -> None:
    async def scene() -> tuple[str, int]:
        loop = asyncio.get_running_loop()
        port = free_udp_port()
        hearing = asyncio.create_task(find_lan_world(port, 20))
        out, _ = await loop.create_datagram_endpoint(asyncio.DatagramProtocol, remote_addr=("127.0.0.1", port))
        while not hearing.done():
            for said in (b"noise", b"[MOTD]x[/MOTD][AD]99999[/AD]", b"[MOTD]ours[/MOTD][AD]51234[/AD]"):
                out.sendto(said)
            await asyncio.sleep(0.01)
        out.close()
        return hearing.result()

    assert asyncio.run(scene()) == ("127.0.0.1", 51234)


def test_a_flood_of_messages_does_not_hold_up_the_run_while_it_listens() -> None:
    async def scene() -> int:
        port, passes = free_udp_port(), 0
        hearing = asyncio.create_task(find_lan_world(port, 20))
        await asyncio.sleep(0)  # until it listens
        await asyncio.sleep(0)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            out.connect(("127.0.0.1", port))
            for said in (*[b"noise"] * 50, b"[MOTD]ours[/MOTD][AD]51234[/AD]"):
                out.send(said)
        while not hearing.done():
            passes += 1
            await asyncio.sleep(0)
        return passes

    assert asyncio.run(scene()) > 50


def test_no_lan_world_is_said() -> None:
    with pytest.raises(UsageError, match="Open to LAN"):
        asyncio.run(find_lan_world(free_udp_port(), 0.1))


def free_udp_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
