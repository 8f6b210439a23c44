"""What autocraft starts is started at one place, and ends with autocraft: real processes, killed in real ways."""

from __future__ import annotations

import ast
import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import DEVNULL, PIPE

import pytest

from autocraft.children import Child, Lifetime, start, start_waiting
from tests.conftest import PROGRAM, ROOT, Place
from tests.mcp.servers import other, own, settings
from tests.processes import alive, kill
from tests.waiting import until

PACKAGE = ROOT / "autocraft"
STARTS = re.compile(
    r"create_subprocess_(exec|shell)|subprocess_(exec|shell)|Popen|getoutput|getstatusoutput|check_(call|output)"
    r"|forkpty|posix_spawnp?|startfile|ProcessPoolExecutor|pager|pipepager|_open_file_in_editor|open_in_editor"
    r"|echo_via_pager|(exec|spawn)([lv]p?e?)"
)
"""Names of functions by which Python and the libraries in use start a process, whoever has them."""
MODULES = {
    "os": {"fork", "system", "popen"},
    "pty": {"fork", "spawn"},
    "subprocess": {"run", "call"},
    "typer": {"launch"},
    "click": {"edit", "launch"},
    "webbrowser": {"open", "open_new", "open_new_tab", "get"},
    "multiprocessing": {"Process", "Pool", "get_context"},
}
"""The same for names that mean other things elsewhere."""
OURS = {
    "children.py": {"create_subprocess_exec", "Popen"},
    "sandbox/confine.py": {"execve"},
    "sandbox/guard.py": {"fork", "execvp"},
    "sandbox/launcher.py": {"fork", "execve"},
    "sandbox/processes.py": {"fork"},
    "console/terminal.py": {"pager", "_open_file_in_editor"},
    "page/browser.py": {"open"},
}
"""The one place, what runs in a process that it has started, and the person's own pager, editor and browser."""
LIFETIMES = {
    "cli/checks.py": {"GUARDED"},
    "commands/web/page.py": {"GUARDED"},
    "console/notify.py": {"DETACHED"},
    "evaluation/suites/play.py": {"GUARDED"},
    "mcp/client/child.py": {"GUARDED"},
    "node.py": {"GUARDED"},
    "sandbox/child.py": {"OWN"},
    "sandbox/engine.py": {"OWN"},
    "sandbox/protection.py": {"OWN"},
    "worlds/minecraft/child.py": {"OWN"},
    "worlds/minecraft/land.py": {"GUARDED"},
}
"""How long each of them lives; `OWN` is for programs of ours, whose end has tests of its own."""
STAYS = """
import os, signal, subprocess, sys, time
folder, ends = sys.argv[1:]
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
wait = "import time; time.sleep(600)"
again = f"'{sys.executable}' -c 'import time; time.sleep(600)' & echo $! > {folder}/orphan"
commands = [[sys.executable, "-c", wait], ["/bin/sh", "-c", again]]
others = [subprocess.Popen(each, start_new_session=True) for each in commands]
others[1].wait()
with open(f"{folder}/orphan") as file:
    orphan = file.read().strip()
with open(f"{folder}/pids.part", "w") as file:
    file.write(f"{os.getpid()} {others[0].pid} {orphan}")
os.rename(f"{folder}/pids.part", f"{folder}/pids")
if ends == "stays":
    time.sleep(600)
"""
"""A program that ignores every polite end, with a child in a session of its own, and one whose parent has ended."""
PARENT = """
import asyncio, sys
from autocraft.children import Lifetime, start, start_waiting
command, how = sys.argv[2:], sys.argv[1]
async def main():
    if how == "start":
        child = await start(command, Lifetime.GUARDED, env={}, stdin=asyncio.subprocess.PIPE)
    else:
        child = await asyncio.to_thread(start_waiting, command, Lifetime.GUARDED, env={})
    print(child.pid, flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""


def called(tree: ast.AST) -> Iterator[str]:
    """Yield the names in the code that start a process."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            module = node.value.id if isinstance(node.value, ast.Name) else ""
            if STARTS.fullmatch(node.attr) or node.attr in MODULES.get(module, ()):
                yield node.attr
        elif isinstance(node, ast.ImportFrom):
            foreign = not (node.module or "").startswith("autocraft")
            names = {each.name for each in node.names}
            yield from (name for name in names if foreign and STARTS.fullmatch(name))
            yield from names & MODULES.get(node.module or "", set())


def sources() -> Iterator[tuple[str, ast.AST]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        if "node_modules" not in path.parts:
            yield path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def test_every_start_of_a_process_passes_one_function() -> None:
    found = {name: names for name, tree in sources() if (names := set(called(tree)))}
    assert found == OURS


def test_every_start_says_how_the_process_ends() -> None:
    found: dict[str, set[str]] = {}
    for name, tree in sources():
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("start", "start_waiting")
            ):
                lifetimes = [each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)
                             and isinstance(each.value, ast.Name) and each.value.id == "Lifetime"]  # fmt: skip
                found.setdefault(name, set()).update(lifetimes or ["?"])
    assert found == LIFETIMES


@pytest.mark.parametrize(
    "text",
    [
        "import subprocess\nsubprocess.run(['x'])",
        "from subprocess import run",
        "from subprocess import Popen",
        "import asyncio\nasyncio.create_subprocess_shell('x')",
        "import os\nos.system('x')",
        "import os\nos.posix_spawn('x', [], {})",
        "import pydoc\npydoc.pager('x')",
        "import webbrowser\nwebbrowser.open('x')",
        "from concurrent.futures import ProcessPoolExecutor",
    ],
)
def test_a_start_beside_the_function_is_seen(text: str) -> None:
    assert list(called(ast.parse(text)))


def test_no_script_of_ours_in_node_starts_a_process() -> None:
    names = re.compile(r"child_process|node:cluster|'cluster'")
    scripts = [path for path in PACKAGE.rglob("*.[cm]*js") if "node_modules" not in path.parts]
    scripts += [path for path in PACKAGE.rglob("*.js") if "node_modules" not in path.parts]
    assert len(scripts) > 20
    assert [path for path in scripts if names.search(path.read_text(encoding="utf-8"))] == []


# ---------------------------------------------------------------- real ends

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives the guard what left its group")


def pids_in(folder: Path) -> list[int]:
    """Wait for the program and its children, and return their process ids."""
    until((folder / "pids").exists, "the start of the program")
    return [int(each) for each in (folder / "pids").read_text().split()]


def gone(pids: list[int]) -> Callable[[], bool]:
    return lambda: not any(map(alive, pids))


def stays(folder: Path, ends: str = "stays") -> list[str]:
    return [sys.executable, "-c", STAYS, str(folder), ends]


@pytest.fixture
def ended() -> Iterator[list[int]]:
    """Process ids that no test may leave behind, if it fails."""
    pids: list[int] = []
    yield pids
    kill(pids)


@linux
@pytest.mark.parametrize("how", ["start", "start_waiting"])
def test_after_a_kill_of_the_parent_nothing_is_left(tmp_path: Path, how: str, ended: list[int]) -> None:
    """`start_waiting` is called in a thread, since the kernel's signal of a parent's end follows its thread."""
    command = [sys.executable, "-c", PARENT, how, *stays(tmp_path)]
    parent = subprocess.Popen(command, cwd=ROOT, stdout=DEVNULL)
    ended += pids_in(tmp_path)
    assert all(map(alive, ended)) and len(ended) == 3
    parent.kill()
    parent.wait()
    until(gone(ended), "the end of the program and its children")


@linux
def test_the_control_leaves_all_of_them(tmp_path: Path, ended: list[int]) -> None:
    text = PARENT.replace("Lifetime.GUARDED", "Lifetime.DETACHED")
    parent = subprocess.Popen([sys.executable, "-c", text, "start", *stays(tmp_path)], cwd=ROOT, stdout=DEVNULL)
    ended += pids_in(tmp_path)
    parent.kill()
    parent.wait()
    assert all(map(alive, ended)), "the control: without a guard they stay"


@linux
def test_a_parent_that_has_ended_before_the_start_leaves_nothing(tmp_path: Path) -> None:
    """The lifeline is at its end before the guard looks at it."""
    reading, writing = os.pipe()
    os.close(writing)
    guard = PACKAGE / "sandbox" / "guard.py"
    command = [sys.executable, "-I", "-S", "-B", str(guard), str(reading), "", "", "/bin/sleep", "600"]
    with subprocess.Popen(command, pass_fds=[reading]) as process:
        os.close(reading)
        assert process.wait() == -signal.SIGKILL


@linux
def test_a_guard_that_is_killed_takes_its_program_along(tmp_path: Path, ended: list[int]) -> None:
    with start_waiting(stays(tmp_path), Lifetime.GUARDED, env={}) as child:
        ended += pids_in(tmp_path)
        os.kill(child.pid, signal.SIGKILL)
        until(gone(ended[:1]), "the end of the program")


@linux
def test_a_kill_ends_what_left_the_group(tmp_path: Path, ended: list[int]) -> None:
    async def go() -> int:
        child = await start(stays(tmp_path), Lifetime.GUARDED, env={})
        ended.extend(await asyncio.to_thread(pids_in, tmp_path))
        child.kill()
        return await child.wait()

    assert asyncio.run(go()) == -signal.SIGKILL
    assert gone(ended)()


@linux
def test_a_normal_end_ends_what_left_the_group(tmp_path: Path, ended: list[int]) -> None:
    async def go() -> int:
        child = await start(stays(tmp_path, "ends"), Lifetime.GUARDED, env={}, stdout=PIPE)
        assert (await child.communicate())[0] == b""
        return await child.wait()

    assert asyncio.run(go()) == 0
    ended += pids_in(tmp_path)
    assert gone(ended)()


@pytest.mark.parametrize(
    ("code", "ends"),
    [
        ("raise SystemExit(7)", 7),
        ("import os; os.kill(os.getpid(), 9)", -9),
        ("import os; os.kill(os.getpid(), 6)", -6),
        ("import signal, sys; assert signal.getsignal(signal.SIGPIPE) is signal.SIG_IGN", 0),
    ],
)
def test_a_program_ends_as_it_would_without_a_guard(code: str, ends: int) -> None:
    with start_waiting([sys.executable, "-c", code], Lifetime.GUARDED, env={}, stderr=DEVNULL) as child:
        assert child.wait() == ends


def test_sigterm_reaches_the_program() -> None:
    said = "import signal, time; signal.signal(15, lambda *_: exit(3)); print('ready', flush=True); time.sleep(600)"

    async def go() -> int:
        child = await start([sys.executable, "-c", said], Lifetime.GUARDED, env={}, stdout=PIPE)
        assert child.stdout is not None and await child.stdout.readline() == b"ready\n"
        child.terminate()
        return await child.wait()

    assert asyncio.run(go()) == 3


def test_a_program_gets_its_streams_and_its_environment_and_nothing_else() -> None:
    code = "set -- /proc/self/fd/*; echo ${#}; env; cat; printf x >&2"

    async def go(lifetime: Lifetime) -> tuple[bytes, bytes]:
        child = await start(["/bin/sh", "-c", code], lifetime, env={"A": "b"}, stdin=PIPE, stdout=PIPE, stderr=PIPE)
        assert child.stdin is not None
        child.stdin.write(b"words\n")
        child.stdin.close()
        return await child.communicate()

    guarded, plain = (asyncio.run(go(each)) for each in (Lifetime.GUARDED, Lifetime.DETACHED))
    assert guarded == plain and b"words\n" in guarded[0]


def test_a_program_that_closes_its_output_has_closed_it() -> None:
    code = "import os, time; os.close(1); time.sleep(600)"

    async def go() -> None:
        child = await start([sys.executable, "-c", code], Lifetime.GUARDED, env={}, stdout=PIPE)
        assert child.stdout is not None and await child.stdout.read() == b""
        child.kill()
        await child.wait()

    asyncio.run(go())


def test_a_program_that_cannot_be_started_says_why(tmp_path: Path) -> None:
    (tmp_path / "program").write_text("no program")
    command = [tmp_path / "program"]
    with start_waiting(command, Lifetime.GUARDED, env={}, stderr=PIPE, text=True) as child:
        assert child.communicate()[1] == f"{tmp_path}/program cannot be started: Permission denied\n"
    assert child.returncode == 126


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    async def once() -> None:
        child: Child = await start(["/bin/true"], Lifetime.GUARDED, env={}, stdout=PIPE)
        await child.communicate()
        child = await start(["/bin/sleep", "600"], Lifetime.GUARDED, env={})
        child.kill()
        await child.wait()
        with pytest.raises(OSError, match="no such folder"):
            await start(["/bin/true"], Lifetime.GUARDED, env={}, cwd=tmp_path / "no such folder")

    asyncio.run(once())
    before = len(list(Path("/dev/fd").iterdir()))
    asyncio.run(once())
    assert len(list(Path("/dev/fd").iterdir())) == before


# ---------------------------------------------------------------- a whole run


@linux
@pytest.mark.parametrize("end", ["a kill", "its end"])
@pytest.mark.full
def test_a_server_that_ignores_the_end_ends_with_the_run(place: Place, end: str, ended: list[int]) -> None:
    there = other(place.folder)
    there.behave(stays=True)
    own(place, settings("others", there.table()))
    script = place.script(("others.echo", {"text": "a"}), ("wait", {"seconds": 600 if end == "a kill" else 0}))
    command = [*PROGRAM, "run", "--goal", "craft 1 ladder", "--brain", "scripted", "--script", script, "--continuous"]
    run = subprocess.Popen(command, cwd=place.folder, env=place.environment, stdin=DEVNULL, stdout=DEVNULL)
    ended += pids_in(there.folder)
    until(lambda: len(there.calls()) == 1, "the call")
    if end == "a kill":
        run.kill()
    run.wait()
    until(gone(ended), "the end of the server and its children")
