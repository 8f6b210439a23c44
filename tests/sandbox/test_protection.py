"""Which protection is found, what it says of itself, and what a program sees under it."""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from autocraft.errors import CommandError
from autocraft.sandbox import child, linux, processes
from autocraft.sandbox.child import Output, ProgramExit
from autocraft.sandbox.confine import confined
from autocraft.sandbox.folder import DiskUsage, SandboxFolder
from autocraft.sandbox.protection import find
from autocraft.sandbox.settings import CodeSettings
from autocraft.sandbox.start import Protection

pytestmark = pytest.mark.sampled(10)

ROOT = Path(__file__).parents[2]


def run(program: str, *args: str, **settings: object) -> ProgramExit:
    """A program in the strongest sandbox that this system has."""
    chosen = CodeSettings(**settings)  # type: ignore[arg-type]
    with SandboxFolder(chosen) as folder:
        folder.put("main.py", program.encode())
        folder.put("helper.py", b"word = 'from beside it'")
        return asyncio.run(child.run(find(chosen), folder, ["main.py", *args], chosen))


@pytest.mark.parametrize(
    ("parts", "network", "words"),
    [
        (("namespaces", "uid", "seccomp"), False, ["sees only its copy", "network: blocked", "ended as a whole"]),
        (("uid", "seccomp"), False, ["everybody may read", "network: blocked", "ended as a whole"]),
        (("uid", "landlock", "seccomp"), False, ["can open only its copy", "network: blocked", "ended as a whole"]),
        ((), False, ["limits only", "NOT protected", "network: NOT blocked", "it can end yours"]),
        (("namespaces", "seccomp"), True, ["network: allowed"]),
    ],
)
def test_it_says_in_one_line_what_is_in_force(parts: tuple[str, ...], network: bool, words: list[str]) -> None:
    said = Protection(parts, Path("python"), network).in_words
    assert "\n" not in said
    for each in words:
        assert each in said


FINDS = """
import sys
from tests.security.refusing import refuse
refuse(sys.argv[1])
from autocraft.sandbox.protection import find
from autocraft.sandbox.settings import CodeSettings
try: print(",".join(find(CodeSettings()).parts))
except Exception as error: print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is nothing to find")
@pytest.mark.parametrize("refused", ["auto", "no-landlock", "no-namespaces", "no-namespaces,no-landlock"])
def test_what_the_kernel_refuses_is_done_without_or_no_program_runs(refused: str) -> None:
    command = [sys.executable, "-c", FINDS, refused]
    said = subprocess.check_output(command, env={"PYTHONPATH": str(ROOT)}, text=True).strip()
    found, root = said.split(","), os.geteuid() == 0
    if "no-namespaces" in refused and not root:
        assert "(unshare: Operation not permitted)" in said and "set code.protection to none" in said
        return
    assert found[0] == ("uid" if "no-namespaces" in refused else "namespaces")
    assert found[-1] == "seccomp" and ("uid" in found) == root
    assert ("landlock" in found) == (linux.landlock_version() > 0 and "no-landlock" not in refused)


@pytest.mark.parametrize(
    ("system", "protection", "off"),
    [
        ("linux", "auto", ""),
        ("darwin", "auto", "this system, where nothing keeps a program from your files"),
        ("darwin", "none", ""),
        ("win32", "auto", "Windows"),
        ("win32", "none", "Windows"),
    ],
)
def test_systems_without_protection_run_no_program_unless_told_to(
    monkeypatch: pytest.MonkeyPatch, system: str, protection: str, off: str
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    settings = CodeSettings(protection=protection)
    assert settings.off_by.startswith(off) and bool(settings.off_by) == bool(off)
    if off:
        with pytest.raises(CommandError, match="no program is run because of"):
            find(settings)


def test_a_program_is_ordinary_python_without_our_packages_and_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "KEY-1")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    seen = run(
        "import os, sys, helper, json, sqlite3, threading\n"
        "print(helper.word, sys.argv[1:], sys.stdin.read() == '', os.getcwd() == os.environ['HOME'])\n"
        "print([p for p in sys.path if 'packages' in p], sorted(os.environ))\n"
        "for name in ('numpy', 'autocraft', 'pytest'):\n"
        "    try: __import__(name); print('FOUND', name)\n"
        "    except ImportError: pass\n"
        "print(os.listdir('.') and __file__.endswith('main.py'))\n"
        f"print(os.getresgid() == os.getresuid() or os.getuid() == {os.getuid()})\n"
        "exit(7)\n",
        "a b",
        "--flag",
    )
    assert seen.stderr == ""
    names = ["HOME", "LANG", "MALLOC_ARENA_MAX", "PATH", "TMPDIR"]
    assert seen.stdout.splitlines() == [
        "from beside it ['a b', '--flag'] True True",
        f"[] {names}",
        "True",
        "True",
    ]
    assert seen.code == 7


@pytest.mark.parametrize(
    ("program", "code", "signal"),
    [("", 0, None), ("raise SystemExit(3)", 3, None), ("1/0", 1, None), ("import os; os.abort()", None, 6)],
)
def test_how_it_ended(program: str, code: int | None, signal: int | None) -> None:
    seen = run(program)
    assert (seen.code, seen.signal, seen.limit) == (code, signal, "")


def test_children_threads_and_pools_of_its_own_work() -> None:
    seen = run(
        "import asyncio, multiprocessing, subprocess, sys, threading\n"
        "threads = [threading.Thread(target=print) for n in range(8)]\n"
        "[each.start() for each in threads]; [each.join() for each in threads]\n"
        "async def main():\n"
        "    child = await asyncio.create_subprocess_exec(sys.executable, '-c', 'print(5)')\n"
        "    return await child.wait()\n"
        "print(asyncio.run(main()), subprocess.check_output(['echo', 'hello']))\n"
        "children = [multiprocessing.Process(target=print, args=(n,)) for n in range(3)]\n"
        "[each.start() for each in children]; [each.join() for each in children]\n"
        "print([each.exitcode for each in children])\n"
    )
    assert seen.code == 0, seen.stderr
    assert "0 b'hello\\n'" in seen.stdout
    assert "[0, 0, 0]" in seen.stdout


@pytest.mark.full
def test_a_million_lines_are_cut_in_the_middle_and_say_so() -> None:
    seen = run("for n in range(1_000_000): print(n)", output_chars=1000, seconds=60)
    lines = seen.stdout.splitlines()
    assert seen.code == 0, seen
    assert (lines[0], lines[-1]) == ("0", "999999")
    whole = sum(len(f"{n}\n") for n in range(1_000_000))
    assert f"[{whole - 1000:,} bytes are left out.]" in lines
    assert len(seen.stdout) < 1100


def test_output_is_whole_up_to_the_room_and_cut_beyond() -> None:
    for pieces in ([b"0123456789"], [b"01234", b"56789"], [b"0"] * 3):
        output = Output(10)
        for piece in pieces:
            output.add(piece)
        assert output.text == b"".join(pieces).decode()
    output = Output(10)
    for n in range(1000):
        output.add(f"{n:03} ".encode())
        assert len(output.head) + len(output.tail) <= 30
    assert output.text == "000 0\n[3,990 bytes are left out.]\n 999 "


ASKS_TO_BE_TRACED = (
    "import ctypes, os, signal, sys\n"
    "assert ctypes.CDLL(None).ptrace(0, 0, 0, 0) == 0\n"
    "print('stops', flush=True)\n"
    "os.kill(os.getpid(), signal.SIGWINCH)\n"
    "print('goes on', flush=True)\n"
)


@pytest.mark.skipif(sys.platform != "linux", reason="the requests of ptrace are those of Linux")
def test_a_stop_is_no_end_and_ends_a_program_that_asks_to_be_traced() -> None:
    seen = run(ASKS_TO_BE_TRACED, protection="none", seconds=60)
    assert (seen.stdout, seen.signal, seen.limit) == ("stops\n", signal.SIGKILL, "")
    assert run("print('next')", protection="none").stdout == "next\n"
    assert "AssertionError" in run(ASKS_TO_BE_TRACED).stderr, "the filter refuses to be traced at all"


def test_a_program_that_stops_its_own_child_sees_it_stop_and_go_on() -> None:
    """The control: only what asked to be traced is ended, no other stop."""
    seen = run(
        "import os, signal\n"
        "child = os.fork()\n"
        "if child == 0: os.kill(os.getpid(), signal.SIGSTOP); os._exit(5)\n"
        "print(os.WSTOPSIG(os.waitpid(child, os.WUNTRACED)[1]))\n"
        "os.kill(child, signal.SIGCONT)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n",
        seconds=60,
    )
    assert (seen.stdout, seen.code) == ("19\n5\n", 0)


FIRST_THREAD_ENDS = """
import ctypes, os, sys, threading, time
def work():
    held = b"x" * (int(sys.argv[1]) << 20)
    os.write(ready, b".")
    time.sleep(1000)
wait, ready = os.pipe()
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        for each in range(3): os.close(each)
        threading.Thread(target=work).start()
        ctypes.CDLL(None).pthread_exit(None)
for _ in range(3): os.read(wait, 1)
time.sleep(float(sys.argv[2]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is no /proc")
@pytest.mark.parametrize("parts", ["auto", "none"])
def test_a_process_whose_first_thread_has_ended_is_counted_and_does_not_outlive_its_program(parts: str) -> None:
    assert "code.memory_mb" in run(FIRST_THREAD_ENDS, "100", "1000", protection=parts, memory_mb=256, seconds=60).limit
    seen = run(FIRST_THREAD_ENDS, "1", "0", protection=parts, seconds=60)
    left = 0 if "namespaces" in find(CodeSettings(protection=parts)).parts else 3  # the kernel itself ends these
    assert (seen.code, seen.limit, seen.survivors) == (0, "", left)


MAKES_AND_REMOVES = """
import os, time
end = time.monotonic() + 600
while time.monotonic() < end and not os.path.exists("enough"):
    for n in range(40): open(f"t{n}", "w").close()
    for n in range(40): os.unlink(f"t{n}")
print("done")
"""


@pytest.mark.parametrize("parts", ["auto", "none"])
@pytest.mark.full
def test_a_program_does_not_answer_for_what_others_write_beside_it(parts: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk has lost more than the limit all the time, and names vanish under the eyes of who counts them."""
    walk, unseen = SandboxFolder.usage, []

    def usage(self: SandboxFolder) -> DiskUsage:
        seen = walk(self)
        unseen.append(not seen.complete)
        if sum(unseen) == 3:
            (self.work / "enough").touch()
        return seen

    monkeypatch.setattr(SandboxFolder, "usage", usage)
    monkeypatch.setattr(SandboxFolder, "lost_bytes", lambda self: 200 << 20)
    seen = run(MAKES_AND_REMOVES, protection=parts, total_mb=100, seconds=600)
    assert (seen.code, seen.limit, seen.stdout) == (0, "", "done\n")
    assert sum(unseen) >= 3


MANY_MAPPINGS = """
import mmap, sys
held = mmap.mmap(-1, 40_000 * 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
if sys.argv[1] == "many":
    for n in range(0, 20_000, 2): held.madvise(mmap.MADV_DONTFORK, n * 4096, 4096)
print(flush=True)
input()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is no /proc")
@pytest.mark.parametrize(("how", "whole"), [("many", False), ("few", True)])
def test_a_program_cannot_make_a_look_at_it_long(how: str, whole: bool) -> None:
    """What is read of each of its processes is bounded; the pause after a long look is as well."""
    with subprocess.Popen(
        [sys.executable, "-c", MANY_MAPPINGS, how], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:
        assert program.stdout is not None and program.stdout.readline() == b"\n"
        mine = [each for each in processes.below(os.getpid()) if each.pid == program.pid]
        assert len(mine) == 1
        assert processes.nameless_files(mine) == (0, whole)
        program.kill()
    assert [child._pause_after(each) for each in (0, 0.1, 60)] == [0.05, 0.4, 0.5]


UNCOUNTED = """
import ctypes, mmap, os, resource, sys
libc = ctypes.CDLL(None, use_errno=True)
def limits(): resource.prlimit(int(sys.argv[1]), resource.RLIMIT_CORE, (7, 7))
def shares(): mmap.mmap(-1, 4096, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
def zero(): os.open("/dev/zero", os.O_RDWR)
def pages():
    held = ctypes.create_string_buffer(4096)
    piece = (ctypes.c_size_t * 2)(ctypes.addressof(held), 4096)
    if libc.vmsplice(os.pipe()[1], piece, ctypes.c_size_t(1), 0) < 0: raise OSError
def thread():
    global stack  # it must outlive this call, as the thread does
    stack = mmap.mmap(-1, 1 << 16, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    top = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(stack)) + (1 << 16) - 64)
    flags = 0x100 | 0x200 | 0x800 | 0x10000 | 0x40000  # all is shared but the open files
    if libc.clone(libc.pause, top, flags, None) < 0: raise OSError
for each in (limits, shares, zero, pages, thread):
    try: each(); print(each.__name__, flush=True)
    except OSError: pass
os._exit(0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the calls are those of Linux")
@pytest.mark.parametrize(("parts", "works"), [("auto", ""), ("none", "limits shares zero pages thread")])
def test_what_no_count_sees_is_refused_and_so_are_the_limits_of_others(parts: str, works: str) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as theirs:
        before = resource.prlimit(theirs.pid, resource.RLIMIT_CORE)
        seen = run(UNCOUNTED, str(theirs.pid), protection=parts)
        after = resource.prlimit(theirs.pid, resource.RLIMIT_CORE)
        theirs.kill()
    assert (seen.code, seen.stdout.split()) == (0, works.split()), seen
    assert (after == before) is (not works)


NEWER_CALLS = """
import ctypes, struct, sys
libc, value = ctypes.CDLL(None, use_errno=True), ctypes.create_string_buffer(b"changed")
size, name = ctypes.c_size_t, sys.argv[1].encode()
asked = struct.pack("=QII", ctypes.addressof(value), 7, 0)
libc.syscall(ctypes.c_long(463), ctypes.c_int(-100), name, ctypes.c_uint(0), b"user.note", asked, size(len(asked)))
print(ctypes.get_errno())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the calls are those of Linux")
def test_a_newer_call_changes_no_file_of_the_person_either(tmp_path: Path) -> None:
    """Landlock does not cover this call, so the filter of the confined Node must, though the kernel got it later."""
    tmp_path.chmod(0o755)
    mine, theirs = tmp_path / "mine", tmp_path / "control"
    for each in (mine, theirs):
        each.write_text("x")
    subprocess.run([sys.executable, "-c", NEWER_CALLS, str(theirs)], check=True)
    if os.listxattr(theirs) != ["user.note"]:
        pytest.skip("the kernel or the disk has not this call")
    subprocess.run(confined([sys.executable, "-c", NEWER_CALLS, str(mine)], [Path("/")], 60), check=True)
    assert os.listxattr(mine) == []


CONNECTS = """
import socket, sys
socket.socket(socket.AF_INET).close()
for name in (sys.argv[1], "\\0" + sys.argv[1]):
    try: socket.socket(socket.AF_UNIX).connect(name); print("THROUGH")
    except OSError: print("closed")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="sockets without a path are Linux's")
@pytest.mark.parametrize(("parts", "got"), [("auto", "closed"), ("none", "THROUGH")])
def test_the_network_is_no_way_to_a_socket_of_the_person(parts: str, got: str) -> None:
    """One is a file, the other has a name in the network that the program shares."""
    place = Path(tempfile.mkdtemp(prefix="autocraft-socket-"))
    name = str(place / "socket")
    with socket.socket(socket.AF_UNIX) as by_path, socket.socket(socket.AF_UNIX) as by_name:
        for each, address in ((by_path, name), (by_name, f"\0{name}")):
            each.bind(address)
            each.listen()
        try:
            seen = run(CONNECTS, name, protection=parts, network=True)
        finally:
            shutil.rmtree(place)
    assert seen.stdout.split() == [got, got], seen
