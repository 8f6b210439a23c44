"""Runs programs that fill the disk, and reports how each of them ended.

    python -m tests.security.filling WAY                     one line of JSON: name -> how it ended
    python -m tests.security.filling none uncounted          the same where nothing is counted: each must reach its end
    python -m tests.security.filling WAY writable            its interpreter's folder mounted writable and left out of
                                                             the count, as it once was: that one must reach its end

Each program takes more than `TOTAL`, prints FULL, and does not end. The protection worked if the limit of the disk
ended the program, or if the program could not write. So no verdict depends on the speed of the machine.
"""

from __future__ import annotations

import asyncio
import json
import sys
import textwrap
from typing import Any

from autocraft.errors import CommandError
from autocraft.sandbox import child, folder, processes, start
from autocraft.sandbox.folder import PLACES, PYTHON, DiskUsage, SandboxFolder
from autocraft.sandbox.protection import find
from autocraft.sandbox.settings import CodeSettings
from tests.security.refusing import refuse, setting_of

TOTAL = 16
"""Megabytes."""
FULL = "it took all that it wanted"
HELD = "the limit of the disk", "it could not write"
START = f"""
import ctypes, mmap, os, socket, sys, time
PIECE = bytes(4 << 20)
TIMES = {TOTAL * 2 // 4}
def stay():
    print("FULL", flush=True)
    if "leave" not in sys.argv: time.sleep(1000)
    os._exit(0)
def closed(why):
    print("CLOSED", why, flush=True)
    os._exit(0)
def write(name):
    with open(name, "wb") as file: file.write(PIECE)
def fill(folder):
    try:
        for n in range(TIMES): write(f"{{folder}}/big{{n}}")
    except OSError as error:
        closed(error)
    stay()
"""
FOLDERS = {
    "the copy": "fill('.')",
    "the temporary folder": "fill(os.environ['TMPDIR'])",
    "its own interpreter's folder": "fill(sys.prefix)",
    "a folder inside of that": "fill(sys.prefix + '/bin')",
    "the folder above the copy": "fill('..')",
}
WAYS = {
    "folders of many names": """
        for n in range(700):
            os.mkdir(f"{n:0250}")
            for m in range(10): os.mkdir(f"{n:0250}/{m}")
        stay()
    """,
    "files without a name": """
        held = []
        for n in range(TIMES):
            held.append(open("gone", "wb+", 0)); os.unlink("gone"); held[-1].write(PIECE)
        stay()
    """,
    "files without a name, hidden from others": """
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
        held = []
        for n in range(TIMES):
            held.append(open("gone", "wb+", 0)); os.unlink("gone"); held[-1].write(PIECE)
        stay()
    """,
    "files without a name, of which one page is mapped": """
        libc = ctypes.CDLL(None)
        for n in range(TIMES):
            with open("gone", "wb+", 0) as file:
                file.write(PIECE)
                libc.mmap(None, ctypes.c_size_t(4096), 1, 1, file.fileno(), ctypes.c_long(0))
                os.unlink("gone")
        stay()
    """,
    "files without a name, on their way through a socket": """
        held = socket.socketpair(socket.AF_UNIX)
        for n in range(TIMES):
            with open("gone", "wb+", 0) as file:
                file.write(PIECE)
                socket.send_fds(held[0], [b"x"], [file.fileno()])
                os.unlink("gone")
        stay()
    """,
    "files without a name, in a process whose first thread has ended": """
        import threading
        def work():
            held = []
            for n in range(TIMES):
                held.append(open("gone", "wb+", 0)); os.unlink("gone"); held[-1].write(PIECE)
            stay()
        child = os.fork()
        if child == 0:
            threading.Thread(target=work).start()
            ctypes.CDLL(None).pthread_exit(None)
        os.waitpid(child, 0)
    """,
    "files that change their names all the time": """
        for n in range(TIMES): write(f"big{n}.0")
        names = [[f"big{n}.{m}" for m in range(2)] for n in range(TIMES)]
        for each in range(3):
            if os.fork() == 0: names = names[each::3]; break
        else: stay()
        while True:
            for one in names: os.rename(one[0], one[1]); one.reverse()
    """,
    "a file of holes that is filled through memory": """
        with open("holes", "wb+") as file:
            file.truncate(len(PIECE) * TIMES // 8)
            for n in range(8):
                with open(f"holes{n}", "wb+") as file:
                    file.truncate(len(PIECE))
                    with mmap.mmap(file.fileno(), len(PIECE)) as seen: seen[:] = b"x" * len(PIECE)
        stay()
    """,
    "room that is kept for a file": """
        fallocate, long = ctypes.CDLL(None).fallocate, ctypes.c_long
        for n in range(TIMES):
            with open(f"kept{n}", "wb") as file: fallocate(file.fileno(), 1, long(0), long(len(PIECE)))
        stay()
    """,
    "attributes of files": """
        for n in range(4500):
            open(f"f{n}", "w").close()
            for m in range(16):
                try: os.setxattr(f"f{n}", f"user.a{m}", bytes(3000))
                except OSError: break
            if not os.listxattr(f"f{n}"): closed("no attribute is kept")
        stay()
    """,
}


ATTACKS = {name: START + textwrap.dedent(text) for name, text in {**FOLDERS, **WAYS}.items()}


def ended(protection: start.Protection, program: str, settings: CodeSettings, *args: str) -> str:
    """Return how one program ended, in few words."""
    with SandboxFolder(settings) as private:
        private.put("main.py", program.encode())
        outcome = asyncio.run(child.run(protection, private, ["main.py", *args], settings))
    if outcome.disk:
        return HELD[0]
    if "CLOSED" in outcome.stdout:
        return HELD[1]
    if "FULL" in outcome.stdout:
        return FULL
    return f"{outcome.limit}, code {outcome.code}, signal {outcome.signal}: {outcome.stdout}{outcome.stderr}"


def main(way: str, how: str = "") -> dict[str, Any]:
    refuse(way)
    limits: dict[str, Any] = {"total_mb": TOTAL, "file_mb": TOTAL, "files": 5_000, "memory_mb": 256, "seconds": 60}
    settings = CodeSettings(**limits, protection=setting_of(way))
    try:
        protection = find(settings)
    except CommandError as error:
        return {"refused": str(error)}
    attacks, args = ATTACKS, ["leave"] if how else []
    if how == "uncounted":
        _count_nothing()
    elif how == "writable":
        _mount_python_writable()
        attacks = {name: text for name, text in ATTACKS.items() if "interpreter" in name}
    return {name: ended(protection, text, settings, *args) for name, text in attacks.items()}


def _count_nothing() -> None:
    SandboxFolder.usage = lambda self: DiskUsage(0, 0, 0, True)  # type: ignore[method-assign]
    processes.nameless_files = lambda group: (0, True)


def _mount_python_writable() -> None:
    """Restore an earlier fault: the folder is mounted writable, but is missing in the list that counts."""
    start.PLACES = tuple(each._replace(writable=True) for each in PLACES)  # type: ignore[attr-defined, assignment]
    walk = folder._walk

    def without_python(top: Any, depth: int = 0) -> Any:
        return (each for each in walk(top, depth) if not each[0].startswith(f"{PYTHON.name}/"))

    folder._walk = without_python


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
