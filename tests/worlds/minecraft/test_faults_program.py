"""The whole program when it is killed, when the disk is full, and when a server is not what it should be."""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from autocraft.errors import AutocraftError
from autocraft.worlds.minecraft.faults import WorldLost
from autocraft.worlds.minecraft.server import PracticeServer
from tests.conftest import PROGRAM, Place, kinds, unmeasured
from tests.processes import alive, children
from tests.waiting import PATIENCE, until
from tests.worlds.minecraft.playing import Player, node_environment, play, playing, processes
from tests.worlds.minecraft.talking import talker

GOAL = ["--world", "minecraft", "--goal", "craft 4 oak_planks", "--brain", "scripted", "--continuous"]


def killed_during(place: Place, command: str, args: dict[str, Any], speed: str = "1") -> None:
    """Kill Python in the middle of the command; its children leave, and a resume goes on in the same world."""
    run = subprocess.Popen(
        [*PROGRAM, "run", *GOAL, "--speed", speed, "--script", place.script((command, args))],
        cwd=place.folder,
        env=place.environment | node_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until(
            lambda: list(place.state.glob("sessions/*/events.jsonl")) and kinds(place.events(), "intent"), "the command"
        )
        assert kinds(place.events(), "result") == []
        bot, server = sorted(children(run.pid))[-2:]
        run.send_signal(signal.SIGKILL)
        run.wait()
        until(lambda: not alive(bot) and not alive(server), "the end of its children")
    finally:
        run.kill()
        run.wait()
    script = place.script(
        (command, args), ("mine_block", {"name": "oak_log"}), ("craft_item", {"name": "oak_planks", "count": 4}),
        ("task_complete", {}),
    )  # fmt: skip
    again = place.run(
        "run", "--resume", "last", "--brain", "scripted", "--continuous", "--speed", "0", "--script", script,
        **node_environment(),
    )  # fmt: skip
    assert again.returncode == 0, again.stdout + again.stderr
    results = kinds(place.events(), "result")
    unknown = f"Outcome unknown: the run was killed during {command}. Look at the world"
    assert results[0]["text"].startswith("Waited 20 s" if command == "wait" else unknown)  # to wait again does no harm
    assert kinds(place.events(), "end")[-1]["inventory"]["oak_planks"] >= 4


@pytest.mark.full
def test_python_killed_in_the_middle_of_a_command(place: Place) -> None:
    killed_during(place, "mine_block", {"name": "oak_log", "count": 6})


@pytest.mark.full
@pytest.mark.parametrize(
    ("command", "args", "speed"),
    [
        ("wait", {"seconds": 20}, "1"),
        ("goto", {"x": 40, "y": 70, "z": 40}, "1"),
        ("explore_until", {"direction": "north", "seconds": 600, "block": "sponge"}, "1"),
        ("goto_block", {"name": "birch_log"}, "0.1"),  # the log is so near that it is there in two seconds
    ],
)
def test_python_killed_in_the_middle_of_other_commands(
    place: Place, command: str, args: dict[str, Any], speed: str
) -> None:
    killed_during(place, command, args, speed)


@pytest.mark.full
@pytest.mark.parametrize("saves", [True, False])
def test_the_practice_server_alone_serves_and_leaves_politely(place: Place, saves: bool) -> None:
    run = subprocess.Popen(
        [*PROGRAM, "practice-server", "--port", "0", "--folder", str(place.folder / "world")],
        cwd=place.folder,
        env=place.environment | node_environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert run.stdout is not None
        said = run.stdout.readline()
        port = re.search(r"Practice server on 127\.0\.0\.1:(\d+), seed 1: a practice world, not vanilla", said)
        assert port, said
        with talker(port[1], "Guest"):
            assert run.stdout.readline() == "Guest joined\n"
        assert run.stdout.readline() == "Guest left\n"
        if not saves:
            (place.folder / "world" / "world.json.new").mkdir()
        (server,) = children(run.pid)
        run.send_signal(signal.SIGINT)
        assert run.wait(PATIENCE) == 0 and not alive(server)
        said = run.stdout.read()
        assert said.startswith("\nThe practice server ends.\n")
        assert ("The practice world could not be saved: EISDIR" in said) == (not saves), said
        assert (place.folder / "world" / "world.json").is_file() == saves
    finally:
        run.kill()
        run.wait()


def test_the_practice_server_starts_without_a_folder(place: Place) -> None:
    """As README and docs write it; only the port is another one."""
    command, env = [*PROGRAM, "practice-server", "--port", "0"], place.environment | node_environment()
    run = subprocess.Popen(command, cwd=place.folder, env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert run.stdout is not None
        assert run.stdout.readline().startswith("Practice server on 127.0.0.1:")
        run.send_signal(signal.SIGINT)
        assert run.wait(PATIENCE) == 0
        assert not list(place.folder.rglob("world.json"))
    finally:
        run.kill()
        run.wait()


def test_a_folder_in_which_nothing_can_be_written_is_named_at_once(place: Place) -> None:
    done = place.run("practice-server", "--port", "0", "--folder", "/proc", **node_environment())
    assert done.returncode == 1 and "the folder /proc cannot be used" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.full
@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (["--port", "99999"], "give 0 to 65535"),
        (["--speed", "nan"], "0 is no limit"),
        (["--folder", "/dev/null/world"], "the folder /dev/null/world cannot be used"),
        (["--seed", "9" * 30], "seed must be a whole number from -9007199254740991 to 9007199254740991"),
    ],
)
def test_nonsense_starts_no_practice_server(place: Place, flags: list[str], why: str) -> None:
    done = place.run("practice-server", "--port", "0", *flags, **node_environment())
    assert done.returncode in (1, 2) and why in done.stderr and done.stderr.count("\n") == 1


# ---------------------------------------------------------------- a full disk


@pytest.mark.full
def test_a_full_disk_costs_what_is_kept_and_not_the_run(tmp_path: Path) -> None:
    async def scene() -> None:
        async with playing() as player:
            world = player.world
            assert world.joining.server is not None
            (world.folder / "changes.jsonl").symlink_to("/dev/full")
            _, hard = resource.prlimit(world.joining.server.child.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(world.joining.server.child.pid, resource.RLIMIT_FSIZE, (16, hard))
            assert "Mined 2 oak_log" in await player.must("mine_block", name="oak_log", count=2)
            assert (await player.seen())["inventory"]["oak_log"] == 2
            with pytest.raises(AutocraftError, match="the practice server"):
                await world.joining.server.ask("save")
            full = [note for note in player.notes if "changes.jsonl cannot be written" in note]
            assert len(full) == 1 and "No space left on device" in full[0]
            assert await asyncio.to_thread(world.undo, {"call": f"test:{player.calls}"})

    play(scene())


@pytest.mark.full
def test_a_disk_that_becomes_full_ends_the_run(place: Place) -> None:
    def little() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, 12_000))

    script = place.script(*[("wait", {"seconds": 0.1 * turn}) for turn in range(1, 60)])
    run = subprocess.Popen(
        [*PROGRAM, "run", *GOAL, "--speed", "0", "--script", script],
        cwd=place.folder,
        env=unmeasured(place.environment)  # the data of coverage do not fit either
        | node_environment()
        | {"PYTHONDONTWRITEBYTECODE": "1", "MEMORY_BACKEND": "none"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=little,
    )
    born: set[int] = set()
    while run.poll() is None:
        born |= set(children(run.pid))
        time.sleep(0.02)
    assert run.stdout is not None
    said = run.stdout.read()
    assert run.returncode == 1 and "Traceback" not in said, said
    assert "cannot write the journal in" in said and "free some space, then resume" in said, said
    assert kinds(place.events(), "result") != []
    assert born and not [pid for pid in born if alive(pid)]


# ---------------------------------------------------------------- other servers


async def refused(folder: Path, server: str, **settings: Any) -> str:
    player = Player(folder, server=server, **settings)
    try:
        with pytest.raises(AutocraftError) as error:
            await player.world.open()
        return str(error.value)
    finally:
        await player.world.close()
        assert processes(player) == []


def packet(told: object) -> bytes:
    """The packet 0 of a server: what it is, or why it lets nobody in."""
    text = json.dumps(told).encode()
    body = b"\x00" + bytes([len(text) & 0x7F | 0x80, len(text) >> 7]) + text
    return bytes([len(body) & 0x7F | 0x80, len(body) >> 7]) + body


OUTDATED = packet({"translate": "multiplayer.disconnect.outdated_client", "with": ["1.16.5"]})
FUTURE = packet({"version": {"name": "Future 9", "protocol": 99999}, "players": {}, "description": "x"})


@pytest.mark.full
@pytest.mark.parametrize(
    ("version", "answer", "why"),
    [
        ("1.20.4", OUTDATED, "This server is version 1.16.5, you are using version 1.20.4"),
        ("1.20.4", b"", "the server closed it; you gave version 1.20.4: leave it out to ask the server"),
        ("0.1", b"", "unsupported protocol version: 0.1; you gave version 0.1"),
        ("", FUTURE, "Unsupported protocol version '99999'"),
    ],
)
def test_a_server_of_another_version_is_said(tmp_path: Path, version: str, answer: bytes, why: str) -> None:
    async def scene() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1000)
            writer.write(answer)
            if answer == FUTURE:
                await reader.read()  # it is pinged as well before the connection ends
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        said = await refused(tmp_path, f"127.0.0.1:{server.sockets[0].getsockname()[1]}", mc_version=version)
        assert said.startswith("cannot join the server: ") and why in said
        server.close()

    play(scene())


@pytest.mark.full
def test_a_practice_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    async def scene() -> None:
        before = set(children(os.getpid()))  # the shared server of this worker may be there
        taken = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
        port = taken.sockets[0].getsockname()[1]
        for options, why in (
            ({"port": port}, f"port {port} is in use; name another"),
            ({"port": 0, "seed": "x"}, "seed"),
            ({"port": 0, "folder": "/dev/null/world"}, "/dev/null/world"),
        ):
            with pytest.raises(WorldLost, match="the practice server did not start: ") as error:
                await PracticeServer.start(options, tmp_path / "server.log")
            assert why in str(error.value)
        assert set(children(os.getpid())) <= before
        taken.close()

    play(scene())
