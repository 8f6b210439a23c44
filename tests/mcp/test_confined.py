"""A server that is confined sees what its settings name and nothing else, or it is not started."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from autocraft.mcp.client.definitions import Definition, Pins
from autocraft.mcp.client.family import OtherServer
from autocraft.mcp.client.servers import Server
from autocraft.sandbox import processes
from autocraft.sandbox.confinement import Reach, confinement
from autocraft.sandbox.folder import SandboxFolder
from autocraft.sandbox.settings import CodeSettings
from tests.conftest import PROGRAM, ROOT, Place, kinds
from tests.mcp.other_server import EVAL
from tests.mcp.servers import Other, opened, other, own, settings
from tests.processes import alive
from tests.waiting import until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux confines")

GOAL = ["--goal", "craft 1 ladder", "--brain", "scripted"]
ECHO = ("others.echo", {"text": "hello"})


@pytest.fixture
def there(tmp_path: Path) -> Other:
    made = other(tmp_path)
    made.behave(tools=[EVAL])
    return made


def evaluated(root: Path, there: Other, *texts: str, confine: bool, **reach: Any) -> list[str]:
    """Return what these expressions are in the server."""
    can = Reach(write=(str(there.folder), *reach.pop("write", ())), **reach)

    async def go() -> list[str]:
        async with opened(root, there.server(confine=confine, reach=can), {"PATH": os.environ["PATH"]}) as others:
            assert others.registry.commands(), others.family.lines
            return [(await others.call("eval", text=text)).text for text in texts]

    return asyncio.run(go())


@pytest.fixture
def listening() -> Iterator[Callable[[socket.AddressFamily, Any], socket.socket]]:
    made: list[socket.socket] = []

    def listen(family: socket.AddressFamily, address: Any) -> socket.socket:
        made.append(socket.socket(family))
        made[-1].bind(address)
        made[-1].listen()
        return made[-1]

    yield listen
    for each in made:
        each.close()


def test_it_reaches_nothing_but_what_is_named(tmp_path: Path, there: Other, listening: Callable[..., Any]) -> None:
    private = tmp_path / "private"
    private.mkdir()
    (private / "secret").write_text("the secret")
    tcp = listening(socket.AF_INET, ("127.0.0.1", 0)).getsockname()[1]
    listening(socket.AF_UNIX, str(private / "socket"))
    listening(socket.AF_UNIX, f"\0{tmp_path.name}{os.getpid()}")
    victim = subprocess.Popen(["/bin/sleep", "600"])
    connect = "__import__('socket').socket({}).connect({!r})"
    attacks = {
        "read a private file": f"open({str(private / 'secret')!r}).read()",
        "list a folder of the person": f"__import__('os').listdir({str(private)!r})",
        "list the folder above its own": f"'private' in __import__('os').listdir({str(tmp_path)!r}) or 1/0",
        "write beside it": f"open({str(private / 'new')!r}, 'w').close()",
        "change its own program": f"open({str(there.program)!r}, 'a').close()",
        "reach the network": connect.format(2, ("127.0.0.1", tcp)),
        "reach a socket of the person": connect.format(1, str(private / "socket")),
        "reach a socket without a path": connect.format(1, f"\0{tmp_path.name}{os.getpid()}"),
        "see other processes": f"open('/proc/{victim.pid}/cmdline').read().index('sleep')",
        "read the environment of autocraft": f"open('/proc/{os.getpid()}/environ').read(1)",
        "signal a process": f"__import__('os').kill({victim.pid}, 0)",
    }
    try:
        confined = evaluated(tmp_path / "a", there, *attacks.values(), confine=True)
        control = evaluated(tmp_path / "b", there, *attacks.values(), confine=False)
    finally:
        victim.kill()
        victim.wait()
    error = ("Error: ", "ZeroDivisionError")
    assert {name: said for name, said in zip(attacks, control, strict=True) if any(map(said.count, error))} == {}
    assert {name: said for name, said in zip(attacks, confined, strict=True) if not any(map(said.count, error))} == {}


def test_it_has_what_is_named(tmp_path: Path, there: Other, listening: Callable[..., Any]) -> None:
    seen, changed = tmp_path / "seen", tmp_path / "seen" / "changed"
    changed.mkdir(parents=True)
    (seen / "file").write_text("words")
    port = listening(socket.AF_INET, ("127.0.0.1", 0)).getsockname()[1]
    texts = [
        f"open({str(seen / 'file')!r}).read()",
        f"open({str(seen / 'new')!r}, 'w').close()",
        f"open({str(changed / 'new')!r}, 'w').write('words')",
        f"__import__('socket').socket().connect(('127.0.0.1', {port}))",
        "open(__import__('os').path.expanduser('~/x'), 'w').write('words')",
        "__import__('tempfile').TemporaryFile().write(b'words')",
        "__import__('os').getcwd() == __import__('os').environ['HOME']",
    ]
    reach: dict[str, Any] = {"read": (str(seen),), "write": (str(changed),), "network": True}
    said = evaluated(tmp_path, there, *texts, confine=True, **reach)
    assert said[:1] + said[2:] == ["'words'", "5", "None", "5", "5", "True"]
    assert said[1].startswith("OSError: [Errno 30] Read-only")
    assert (changed / "new").read_text() == "words"
    assert not list(Path(os.environ.get("TMPDIR", "/tmp")).glob("autocraft-run-*/work/x")), "its home is removed"


def test_a_script_with_an_interpreter_of_its_own_is_started(tmp_path: Path, there: Other) -> None:
    """As pip and pipx install programs: a script whose first line names the Python of a virtual environment."""
    folder = tmp_path / "tool" / "bin"
    folder.mkdir(parents=True)
    (folder / "python").symlink_to(Path(sys.executable).resolve())
    (folder / "serve").write_text(f"#!{folder}/python\n{there.program.read_text()}")
    (folder / "serve").chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "serve").symlink_to(folder / "serve")
    reach = Reach(write=(str(there.folder),))
    server = Server("others", "serve", (str(there.folder),), confine=True, reach=reach)

    async def go() -> str:
        async with opened(tmp_path, server, {"PATH": f"{tmp_path}/bin:/usr/bin:/bin"}) as others:
            assert others.registry.commands(), others.family.lines
            return (await others.call("eval", text="__import__('sys').argv[1]")).text

    assert asyncio.run(go()) == repr(str(there.folder))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"reach": Reach(read=("/no such folder",))}, "it is to see /no such folder, which is not there"),
        ({"reach": Reach(read=("/usr/..",))}, "it is given the whole file system"),
        ({"reach": Reach()}, "; it is confined, and read, write and network of mcp.servers.others say what it may use"),
    ],
)
def test_what_cannot_start_is_one_line(tmp_path: Path, there: Other, given: Any, says: str) -> None:
    """Without its folder to write in, this server fails at its first line."""

    async def go() -> list[str]:
        async with opened(tmp_path, there.server(confine=True, **given)) as others:
            assert not others.registry.commands()
            return others.family.lines

    [line] = asyncio.run(go())
    assert says in line and "\n" not in line and not there.starts()


@pytest.mark.full
def test_its_end_is_the_end_of_all_that_it_started(place: Place) -> None:
    """Also of what left its group, after a kill -9 of autocraft, beside which nothing else could end it."""
    there = other(place.folder)
    there.behave(stays=True)
    own(place, settings("others", there.table(confine=True, write=[str(there.folder)])))
    script = place.script(ECHO, ("wait", {"seconds": 600}))
    command = [*PROGRAM, "run", *GOAL, "--script", script, "--continuous"]
    run = subprocess.Popen(command, cwd=place.folder, env=place.environment, stdout=subprocess.DEVNULL)

    def told() -> bool:
        return len(kinds(place.events(), "result")) == 1

    try:
        until(told, "the call")
        assert kinds(place.events(), "result")[0]["text"] == "hello"
        started = [each.pid for each in processes.below(run.pid)]
        assert len(started) == 5, "the guard, the two that confine, the server and its child"
        run.kill()
        run.wait()
        until(lambda: not any(map(alive, started)), "the end of all of them")
    finally:
        run.kill()
        run.wait()


REFUSED = """
import sys
from tests.security.refusing import refuse
refuse("no-namespaces")
from autocraft.cli import main
sys.argv = ["autocraft", *sys.argv[1:]]
main()
"""


@pytest.mark.parametrize("confine", [True, False])
@pytest.mark.full
def test_where_nothing_can_be_confined_it_is_not_started(place: Place, confine: bool) -> None:
    there = other(place.folder)
    own(place, settings("others", there.table(confine=confine, write=[str(there.folder)])))
    run = ["run", *GOAL, "--script", place.script(ECHO), "--continuous"]
    done = subprocess.run(
        [sys.executable, "-c", REFUSED, *run], cwd=place.folder, env=place.environment, capture_output=True, text=True
    )
    line = (
        "others: no program can be confined here (unshare: Operation not permitted): allow user namespaces as "
        "docs/systems.md says; to start it all the same, set mcp.servers.others.confine to false: none of its tools is "
        "offered"
    )
    assert (line in " ".join(done.stdout.split())) == confine, done.stdout + done.stderr
    assert bool(there.starts()) == (not confine), "the control is started"


def test_the_guard_starts_nothing_that_it_cannot_confine(tmp_path: Path) -> None:
    """Without the trial before, too."""
    proof = tmp_path / "proof"
    with SandboxFolder(CodeSettings()) as folder:
        command = ["/usr/bin/touch", str(proof)]
        job, _ = confinement(folder, command, "", Reach(write=(str(tmp_path),)), {})
        guard = [sys.executable, "-I", "-S", "-B", str(ROOT / "autocraft" / "sandbox" / "guard.py")]
        code = (
            "import os, sys; from tests.security.refusing import refuse\n"
            "refuse(sys.argv[1]); os.execv(sys.argv[2], sys.argv[2:])"
        )

        def started(refused: str) -> subprocess.CompletedProcess[str]:
            reading, writing = os.pipe()
            try:
                line = [sys.executable, "-c", code, refused, *guard, str(reading), "", job, *command]
                return subprocess.run(line, pass_fds=[reading], cwd=ROOT, stderr=subprocess.PIPE, text=True)
            finally:
                os.close(reading)
                os.close(writing)

        done = started("no-namespaces")
        assert (done.returncode, proof.exists()) == (126, False)
        assert done.stderr == "/usr/bin/touch cannot be confined: unshare: Operation not permitted\n"
        assert started("auto").returncode == 0 and proof.exists(), "the control"


# ---------------------------------------------------------------- what the person says


def kept(place: Place) -> list[Any]:
    file = place.state / "mcp_tools.json"
    entries = json.loads(file.read_text())["servers"].values() if file.exists() else ()
    return [entry.get("confined") for entry in entries]


@pytest.mark.parametrize("answer", ["confined", "free", "yes"])
@pytest.mark.sampled(1)
def test_the_first_sight_of_a_server_asks_once(place: Place, terminal: Callable[..., Any], answer: str) -> None:
    there = other(place.folder)
    own(place, settings("others", there.table(write=[str(there.folder)])))
    script = place.script(("others.echo", {"text": "hello"}))
    child = terminal("run", *GOAL, "--script", script, "--continuous")
    child.expect("The server others is new")
    child.expect("it has no network")
    child.expect("anything else does not start it: ")
    child.sendline(answer)
    if answer == "yes":
        child.expect("it is not started, as you said neither confined nor free")
        child.wait()
        assert not there.starts() and not kept(place)
        return
    child.expect(
        "seen for the first time, confined" if answer == "confined" else "seen for the first time, not confined"
    )
    child.expect("returned: hello")
    child.wait()
    assert kept(place) == [answer == "confined"]
    home = place.folder if answer == "free" else Path("/workspace")
    assert there.saw("environ")["HOME"] == str(home)
    (there.folder / "environ").unlink()
    place.run("run", *GOAL, "--script", place.script(ECHO), "--continuous")
    assert there.saw("environ")["HOME"] == str(home) and kept(place) == [answer == "confined"]
    own(place, settings("others", there.table(write=[str(there.folder)], confine=answer == "free")))
    place.run("run", *GOAL, "--script", place.script(ECHO), "--continuous")
    assert (there.saw("environ")["HOME"] == "/workspace") == (answer == "free"), "the settings come first"


@pytest.mark.full
def test_nobody_is_asked_where_the_settings_say_it(place: Place, terminal: Callable[..., Any]) -> None:
    there = other(place.folder)
    own(place, settings("others", there.table(confine=True, write=[str(there.folder)])))
    child = terminal("run", *GOAL, "--script", place.script(ECHO), "--continuous")
    child.expect("seen for the first time, confined")
    child.wait()
    shown = place.run("doctor").stdout
    assert ", confined: 11 tools" in " ".join(shown.split())


def test_the_preview_says_that_it_is_confined(tmp_path: Path, there: Other) -> None:
    def preview(**given: Any) -> str:
        pins, server = Pins(tmp_path), there.server(**given)
        pins.pin(server.name, server.source, {"echo": Definition("echo", "x", {})}, confined=given.pop("said", None))
        family = OtherServer(server, pins, {})
        family.commands()
        return family.preview(None)  # type: ignore[arg-type]

    assert "runs in the server others (confined): " in preview(confine=True)
    assert "runs in the server others: " in preview()


def test_how_it_is_confined_makes_no_other_server(there: Other) -> None:
    sources = {there.server(confine=confine, reach=Reach(network=True)).source for confine in (True, False, None)}
    assert sources == {there.server().source}


def test_a_record_of_before_is_read_and_a_damaged_one_refused(tmp_path: Path) -> None:
    entry: dict[str, Any] = {"pinned": [{"name": "echo", "description": "x", "schema": {}}]}
    file = tmp_path / "mcp_tools.json"
    file.write_text(json.dumps({"version": 1, "servers": {"others:1": entry}}))
    assert Pins(tmp_path).offer("others", "1") and not Pins(tmp_path).confined("others", "1")
    Pins(tmp_path).pin("others", "1", {}, confined=True)
    assert json.loads(file.read_text())["version"] == 2 and Pins(tmp_path).confined("others", "1")
    tools = {"echo": Definition("echo", "x", {})}
    Pins(tmp_path).note("others", "1", tools)
    assert Pins(tmp_path).found("others", "1") and Pins(tmp_path).confined("others", "1"), "a note keeps the answer"
    Pins(tmp_path).pin("others", "1", tools)
    assert Pins(tmp_path).confined("others", "1"), "a new pin too"
    for confined in ("no", 0):
        file.write_text(json.dumps({"version": 2, "servers": {"others:1": entry | {"confined": confined}}}))
        with pytest.raises(Exception, match="cannot be read: move it away"):
            Pins(tmp_path).confined("others", "1")


def test_a_signal_to_the_guard_ends_a_confined_program(tmp_path: Path) -> None:
    from autocraft.children import Lifetime, start

    async def go() -> int:
        with SandboxFolder(CodeSettings()) as folder:
            job, environment = confinement(folder, ["/bin/sleep", "600"], "", Reach(), {})
            child = await start(["/bin/sleep", "600"], Lifetime.GUARDED, env=environment, confinement=job)
            child.terminate()
            return await child.wait()

    assert asyncio.run(go()) == -signal.SIGTERM
