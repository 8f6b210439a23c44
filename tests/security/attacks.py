"""Programs that try to get out of the sandbox or to take more than their share, each with an unprotected control.

    python -m tests.security.attacks WAY FOLDER            one line of JSON: tried, through, broken (what ran no more)
    python -m tests.security.attacks control FOLDER        the same against nothing: failed
    python -m tests.security.attacks hold:WAY FOLDER       a program that stays, until somebody kills this process

An attack prints THROUGH when it succeeds, or leaves a trace outside that `Place.traces` finds. `bound` says how far it
goes: practically without an end inside the sandbox, and only as far as needed in the control. The control is a plain
child process inside limits that keep this machine safe.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import secrets
import signal
import socket
import subprocess
import sys
import textwrap
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autocraft.commands.code import CodeCommands
from autocraft.commands.files import FileCommands
from autocraft.commands.workspace import Workspace
from autocraft.errors import CommandError
from autocraft.protocols import Call, Result, commands_of
from autocraft.sandbox.settings import CodeSettings
from tests.processes import carrying
from tests.security.refusing import refuse, setting_of

KEY = "KEY-of-the-person-"
LIMITS: dict[str, Any] = {
    "seconds": 2.0,
    "memory_mb": 160,
    "processes": 16,
    "file_mb": 4,
    "total_mb": 16,
    "files": 1_000,
    "output_chars": 2_000,
}
START = """
import contextlib, ctypes, os, signal, socket, subprocess, sys, time, zlib
bound, victim, outside, port, shared = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], int(sys.argv[5]), sys.argv[6]
def through(): os.write(2, b"THROUGH\\n")
"""


@dataclass(frozen=True)
class Attack:
    """An attack. `inside` and `control` are its bounds. One of the parts `needs` must be in force to contain it."""

    name: str
    program: str
    inside: int = 1
    control: int = 1
    needs: tuple[str, ...] = ()


def attack(name: str, program: str, **fields: Any) -> Attack:
    return Attack(name, START + textwrap.dedent(program), **fields)


CLOSED = ("namespaces", "uid", "landlock")
ATTACKS = [
    # ------------------------------------------------------------ processes
    attack(
        "fork bomb",
        """
        for n in range(bound):
            if os.fork() == 0:
                time.sleep(20); os._exit(0)
        through()
        """,
        inside=200,
        control=40,
        needs=("namespaces", "uid", "user"),
    ),
    attack(
        "fork bomb whose children fork and leave the session",
        """
        depth = 0
        while depth < bound:
            try:
                if os.fork() == 0: depth += 1; os.setsid()
                else: depth += 1
            except OSError: time.sleep(0.01)
            if bound < 10 and depth >= bound: through()
        time.sleep(20)
        """,
        inside=1_000_000,
        control=5,
        needs=("namespaces", "uid", "user"),
    ),
    attack(
        "daemon by double fork",
        """
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.close(0); os.close(1); os.close(2)
                time.sleep(20)
            os._exit(0)
        time.sleep(0.2)
        """,
    ),
    attack(
        "daemon with an empty environment and another name",
        """
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execve(sys.executable, ["python", "-E", "-c", "import time; time.sleep(20)", sys.argv[1]], {})
            os._exit(0)
        time.sleep(0.5)
        """,
    ),
    attack(
        "ignores SIGTERM and loops",
        """
        for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
            with contextlib.suppress(OSError, ValueError): signal.signal(number, signal.SIG_IGN)
        end = time.monotonic() + bound / 10
        while time.monotonic() < end: pass
        through()
        """,
        inside=100,
        control=5,
    ),
    attack(
        "closes its output and goes on",
        """
        kept = os.dup(2)
        os.close(0); os.close(1); os.close(2)
        time.sleep(bound / 10)
        os.write(kept, b"THROUGH")
        """,
        inside=100,
        control=5,
    ),
    attack(
        "stops the process that watches it",
        """
        os.kill(os.getppid(), signal.SIGSTOP) if bound > 1 else os.kill(victim, signal.SIGSTOP)
        for n in range(30 if bound > 1 else 2_400):
            time.sleep(0.05)
            state = open(f"/proc/{victim if bound == 1 else os.getppid()}/stat").read().rpartition(")")[2].split()[0]
            if state == "T" and (bound == 1 or os.getppid() != 1): through(); break
        """,
        inside=2,
        needs=("namespaces", "uid", "landlock"),
    ),
    # ------------------------------------------------------------ memory
    attack("memory bomb", "x = bytearray(bound << 20); x[::4096] = x[::4096]; through()", inside=2_000, control=300),
    attack(
        "memory bomb in pieces, by many processes",
        """
        started = 0
        for n in range(10):
            if os.fork() == 0:
                x = [b"x" * (1 << 20) + bytes([i % 256]) for i in range(bound)]; time.sleep(2); through(); os._exit(0)
        time.sleep(5)
        """,
        inside=100,
        control=20,
    ),
    attack(
        "memory behind file descriptors",
        """
        held = [os.memfd_create("x") for n in range(60)]
        for one in held: os.write(one, bytes(bound << 20))
        time.sleep(1.5)
        through()
        """,
        inside=3,
        control=1,
        needs=("seccomp", "watched"),
    ),
    attack(
        "decompression bomb",
        """
        packer = zlib.compressobj(9)
        small = b"".join(packer.compress(bytes(1 << 20)) for n in range(bound)) + packer.flush()
        if len(zlib.decompress(small)) == bound << 20: through()
        """,
        inside=400,
        control=300,
    ),
    # ------------------------------------------------------------ disk and output
    attack(
        "one big file",
        """
        with open("big", "wb") as file:
            for n in range(bound): file.write(bytes(1 << 20))
        through()
        """,
        inside=2_000,
        control=20,
    ),
    attack(
        "many big files",
        """
        for n in range(bound):
            with open(f"big{n}", "wb") as file: file.write(b"x" * (3 << 20))
        through()
        """,
        inside=700,
        control=8,
    ),
    attack(
        "files without a name",
        """
        held = []
        for n in range(bound):
            held.append(open("gone", "wb+")); os.unlink("gone"); held[-1].write(b"x" * (1 << 20)); held[-1].flush()
            time.sleep(0.01)
        through()
        """,
        inside=110,
        control=30,
    ),
    attack(
        "a folder closed to those who count",
        """
        os.mkdir("closed"); os.chdir("closed"); os.chmod(".", 0o300)
        for n in range(bound):
            with open(f"big{n}", "wb") as file: file.write(b"x" * (3 << 20))
            time.sleep(0.01)
        through()
        """,
        inside=150,
        control=8,
    ),
    attack(
        "a million small files",
        """
        for n in range(bound): os.close(os.open(f"f{n}", os.O_CREAT | os.O_WRONLY))
        through()
        """,
        inside=1_000_000,
        control=2_000,
    ),
    attack(
        "folders in folders",
        """
        for n in range(bound): os.mkdir("d"); os.chdir("d")
        through()
        """,
        inside=200_000,
        control=300,
    ),
    attack(
        "sparse file",
        "os.truncate(os.open('s', os.O_CREAT | os.O_RDWR), bound << 30); through()",
        inside=500,
        control=5,
    ),
    attack(
        "output without end",
        """
        for n in range(bound): os.write(1, b"x" * (1 << 16))
        through()
        """,
        inside=1_000_000,
        control=100,
    ),
    # ------------------------------------------------------------ what is not its own
    attack("reads /etc/shadow", "if open('/etc/shadow').read(): through()", needs=(*CLOSED, "user")),
    attack(
        "reads a file beside the workspace",
        "if open('../secret').read() or open(outside + '/secret').read(): through()",
        needs=CLOSED,
    ),
    attack(
        "reads what it was told the path of",
        """
        for name in ("secret", "state/events.jsonl", "home/.ssh"):
            with contextlib.suppress(OSError):
                if open(f"{outside}/{name}").read(): through()
        """,
        needs=CLOSED,
    ),
    attack(
        "writes into the workspace and the session",
        """
        for name in ("workspace/main.py", "workspace/new", "state/events.jsonl", "state/new"):
            with contextlib.suppress(OSError): open(f"{outside}/{name}", "a").write("changed")
        """,
        needs=CLOSED,
    ),
    attack(
        "a symlink out of the copy",
        """
        os.symlink(outside, "out")
        with contextlib.suppress(OSError): open("out/secret", "a").write("changed")
        os.link("/proc/self/root" + outside + "/secret", "hard"); open("hard", "a").write("changed")
        """,
        needs=CLOSED,
    ),
    attack(
        "opens up a file of the person",
        "os.chmod(outside + '/secret', 0o777)",
        needs=("namespaces", "uid", "seccomp"),
    ),
    attack(
        "leaves a file where everybody may write",
        "open(shared + '/left', 'w').write('changed')",
        needs=("namespaces", "landlock"),
    ),
    attack(
        "reads the keys in the environment of others",
        """
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if b"KEY-of-the-person-" in open(f"/proc/{name}/environ", "rb").read(): through(); break
        if any("KEY-of" in value for value in os.environ.values()): through()
        """,
        needs=("namespaces", "landlock", "uid"),
    ),
    attack(
        "traces another process",
        """
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.ptrace(16, victim, 0, 0) == 0: through(); libc.ptrace(17, victim, 0, 0)
        """,
        needs=("namespaces", "landlock", "uid", "seccomp"),
    ),
    attack("kills another process", "os.kill(victim, signal.SIGKILL)", needs=("namespaces", "landlock", "uid")),
    # ------------------------------------------------------------ network
    attack(
        "connects to a listener on loopback",
        "socket.create_connection(('127.0.0.1', port), 1).sendall(b'hello'); time.sleep(0.2)",
        needs=("namespaces", "seccomp"),
    ),
    attack(
        "sends a datagram to loopback",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'hello', ('127.0.0.1', port)); time.sleep(0.2)",
        needs=("namespaces", "seccomp"),
    ),
    attack(
        "connects to a socket by its path",
        "socket.socket(socket.AF_UNIX).connect(shared + '/socket'); through()",
        needs=("namespaces", "seccomp"),
    ),
    attack(
        "connects to a socket without a path",
        "socket.socket(socket.AF_UNIX).connect('\\0autocraft-test-' + str(port)); through()",
        needs=("namespaces", "seccomp"),
    ),
]


@dataclass
class Place:
    """A workspace, a session's folder, secrets, a victim process and listeners, all new for each attack."""

    folder: Path
    settings: CodeSettings
    program: str = ""
    token: str = field(default_factory=lambda: f"token-{secrets.token_hex(8)}")

    def __post_init__(self) -> None:
        for name in ("workspace", "state", "home", "shared"):
            (self.folder / name).mkdir(parents=True)
        self.folder.chmod(0o755)
        (self.folder / "shared").chmod(0o1777)
        for name in ("secret", "state/events.jsonl", "home/.ssh"):
            (self.folder / name).write_text("of the person")
            (self.folder / name).chmod(0o600)
        files = FileCommands(Workspace(self.folder / "workspace"), self.folder / "state" / "undo")
        self.family = CodeCommands(files, self.folder / "state" / "runs", self.settings)
        self.commands = {each.name: each for each in commands_of(self.family)}
        self.victim = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.port = self.tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", self.port))
        self.unix, self.abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        self.unix.bind(str(self.folder / "shared" / "socket"))
        (self.folder / "shared" / "socket").chmod(0o777)
        self.abstract.bind(f"\0autocraft-test-{self.port}")
        for each in (self.unix, self.abstract):
            each.listen()
        for each in (self.tcp, self.udp):
            each.setblocking(False)

    def close(self) -> None:
        self.victim.kill()
        self.victim.wait()
        for each in (self.tcp, self.udp, self.unix, self.abstract):
            each.close()
        for pid in self.remaining():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    def arguments(self, bound: int) -> list[str]:
        return [
            self.token, str(bound), str(self.victim.pid), str(self.folder), str(self.port), str(self.folder / "shared")
        ]  # fmt: skip

    def execute(self, program: str, bound: int) -> Result:
        """Run the program as the loop does."""
        self.program = program
        (self.folder / "workspace" / "main.py").write_text(program)
        found = self.commands["execute_python_file"]
        args = {"file": "main.py", "args": self.arguments(bound)}
        call = Call(found, args, found.risk_of(args), id="session:1")
        return asyncio.run(self._run(call))

    async def _run(self, call: Call) -> Result:
        said = await call.command.run(self.family, call, **call.args)
        assert isinstance(said, Result)
        return said

    def control(self, program: str, bound: int) -> str:
        """Run the program as a plain child, inside bounds that only keep this machine safe. Return its stderr."""
        (self.folder / "copy").mkdir()
        (self.folder / "copy" / "main.py").write_text(program)

        def outer_bounds() -> None:
            for number, value in ((resource.RLIMIT_AS, 1 << 30), (resource.RLIMIT_CPU, 20)):
                resource.setrlimit(number, (value, value))

        child = subprocess.Popen(
            [sys.executable, "main.py", *self.arguments(bound)],
            cwd=self.folder / "copy",
            stdout=subprocess.DEVNULL,
            stderr=(error := (self.folder / "stderr").open("w+")),
            preexec_fn=outer_bounds,
            start_new_session=True,
        )
        with error:
            end = time.monotonic() + 60
            while child.poll() is None and time.monotonic() < end:
                time.sleep(0.05)
                if "THROUGH" in (self.folder / "stderr").read_text():
                    break
        return (self.folder / "stderr").read_text()

    def remaining(self) -> list[int]:
        """Return the processes with the token in their command line, without zombies."""
        return [pid for pid in carrying(self.token) if pid != os.getpid()]

    def traces(self) -> list[str]:
        """Return the traces of an attack outside of its copy."""
        found = [f"process {pid}" for pid in self.remaining()]
        for name in ("secret", "state/events.jsonl", "home/.ssh"):
            path = self.folder / name
            if path.read_text() != "of the person" or path.stat().st_mode & 0o777 != 0o600:
                found.append(f"{name} was changed")
        main = self.folder / "workspace" / "main.py"
        if (main.read_text() if main.exists() else "") != self.program:
            found.append("workspace/main.py was changed")
        found += [
            f"{name} was made"
            for name in ("workspace/new", "state/new", "shared/left")
            if (self.folder / name).exists()
        ]
        if self.victim.poll() is not None:
            found.append("the victim is dead")
        for each in (self.tcp, self.udp):
            with contextlib.suppress(BlockingIOError):
                each.accept() if each is self.tcp else each.recv(10)
                found.append("something came through the network")
        return found


def runs_through(place: Place, said: str) -> list[str]:
    return [*(["it says so"] if "THROUGH" in said else []), *place.traces()]


def contained(each: Attack, parts: set[str]) -> bool:
    """Tell whether these parts claim to contain the attack."""
    return not each.needs or bool(set(each.needs) & parts)


def try_inside(way: str, folder: Path, only: str = "") -> dict[str, Any]:
    """Run all attacks under one protection. After each, a harmless program must still run."""
    settings = CodeSettings(**LIMITS, protection=setting_of(way))
    from autocraft.sandbox.protection import find

    try:
        found = find(settings)
    except CommandError as error:
        return {"refused": str(error)}
    parts = {*found.parts, "watched", *(["user"] if os.geteuid() else [])}
    report: dict[str, Any] = {"words": found.in_words, "tried": 0, "through": {}, "broken": {}, "open": [], "said": {}}
    for number, each in enumerate(ATTACKS):
        if only not in each.name:
            continue
        if not contained(each, parts):
            report["open"].append(each.name)
            continue
        place = Place(folder / str(number), settings)
        try:
            started = time.monotonic()
            said = place.execute(each.program, each.inside)
            report["said"][each.name] = [said.text, round(time.monotonic() - started, 2)]
            report["tried"] += 1
            got = runs_through(place, said.text)
            if got:
                report["through"][each.name] = got
            place.family.settings = CodeSettings(protection=setting_of(way))
            after = place.execute("print('still here')", 1)
            if not after.ok or "still here" not in after.text:
                report["broken"][each.name] = after.text
        finally:
            place.close()
    return report


def try_control(folder: Path) -> dict[str, Any]:
    """Run the attacks without protection. All must succeed, or they prove nothing."""
    report: dict[str, Any] = {"tried": 0, "failed": {}}
    for number, each in enumerate(ATTACKS):
        place = Place(folder / str(number), CodeSettings())
        try:
            said = place.control(each.program, each.control)
            report["tried"] += 1
            if not runs_through(place, said):
                report["failed"][each.name] = said
        finally:
            place.close()
    return report


HOLD = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: os.close(1); os.close(2)
time.sleep(60)
"""


def hold(way: str, folder: Path) -> None:
    """Run a program that does not end, with its own daemon."""
    place = Place(folder, CodeSettings(protection=setting_of(way)), token=folder.name)
    place.execute(START + HOLD, 1)


if __name__ == "__main__":
    os.umask(0o022)
    mode, where = sys.argv[1], Path(sys.argv[2])
    refuse(mode.removeprefix("hold:"))
    if mode.startswith("hold:"):
        hold(mode.removeprefix("hold:"), where)
    else:
        print(json.dumps(try_control(where) if mode == "control" else try_inside(mode, where, *sys.argv[3:])))
