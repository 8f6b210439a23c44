"""Which protection is found, what it says of itself, and what a program sees under it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autocraft.errors import CommandError, UsageError
from autocraft.sandbox import child
from autocraft.sandbox.child import Outcome, Printed
from autocraft.sandbox.folder import RunFolder
from autocraft.sandbox.protection import find
from autocraft.sandbox.settings import CodeSettings
from autocraft.sandbox.start import Protection

ROOT = Path(__file__).parents[2]


def run(program: str, *args: str, **settings: object) -> Outcome:
    """A program in the strongest sandbox that this system has."""
    chosen = CodeSettings(**settings)  # type: ignore[arg-type]
    with RunFolder(chosen) as folder:
        folder.put("main.py", program.encode())
        folder.put("helper.py", b"word = 'from beside it'")
        return asyncio.run(child.run(find(chosen), folder, ["main.py", *args], chosen))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seconds", 0),
        ("seconds", float("nan")),
        ("seconds", float("inf")),
        ("memory_mb", -1),
        ("processes", 0),
        ("files", 10**9),
        ("protection", "walls"),
        ("protection", "none,uid"),
        ("protection", "auto,uid"),
    ],
)
def test_nonsense_settings_are_refused(name: str, value: object) -> None:
    with pytest.raises(UsageError, match=f"code.{name}"):
        CodeSettings(**{name: value})  # type: ignore[arg-type]


def test_parts_are_put_in_the_order_in_which_they_go_on() -> None:
    assert CodeSettings(protection=" Seccomp, uid,").parts == ("uid", "seccomp")
    assert CodeSettings(protection="none").parts == ()
    assert CodeSettings().parts is None


@pytest.mark.parametrize(
    ("parts", "network", "words"),
    [
        (("namespaces", "uid", "seccomp"), False, ["sees only its copy", "network: blocked", "ended as a whole"]),
        (("uid",), False, ["everybody may read", "network: NOT blocked", "ended as a whole"]),
        (("landlock", "seccomp"), False, ["can open only its copy", "network: blocked", "as far as they are found"]),
        ((), False, ["limits only", "NOT protected", "network: NOT blocked", "it can end yours"]),
        (("namespaces", "seccomp"), True, ["network: allowed"]),
    ],
)
def test_it_says_in_one_line_what_is_in_force(parts: tuple[str, ...], network: bool, words: list[str]) -> None:
    said = Protection(parts, Path("python"), network).in_words
    assert "\n" not in said
    for each in words:
        assert each in said


def test_a_part_that_does_not_belong_to_this_user_is_refused_with_the_way_out() -> None:
    wrong = "namespaces" if os.geteuid() == 0 else "uid"
    with pytest.raises(CommandError, match=r"add it|leave it out"):
        find(CodeSettings(protection=wrong))


def test_where_namespaces_are_refused_the_next_best_is_found() -> None:
    """Our own filter refuses them, so this is tried from inside of it."""
    code = (
        "from autocraft.sandbox import linux, seccomp\n"
        "from autocraft.sandbox.protection import find\n"
        "from autocraft.sandbox.settings import CodeSettings\n"
        "linux.give_up_privileges(); seccomp.apply([], keep_modes=False)\n"
        "print(','.join(find(CodeSettings()).parts))\n"
        "try: find(CodeSettings(protection='namespaces,uid' if __import__('os').geteuid() == 0 else 'namespaces'))\n"
        "except Exception as error: print(error)\n"
    )
    said = subprocess.check_output([sys.executable, "-c", code], env={"PYTHONPATH": str(ROOT)}, text=True).splitlines()
    assert "namespaces" not in said[0]
    assert said[0].split(",")[0] == ("uid" if os.geteuid() == 0 else "landlock")
    assert "does not work here" in said[1]


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
        printed = Printed(10)
        for piece in pieces:
            printed.add(piece)
        assert printed.text == b"".join(pieces).decode()
    printed = Printed(10)
    for n in range(1000):
        printed.add(f"{n:03} ".encode())
        assert len(printed.head) + len(printed.tail) <= 30
    assert printed.text == "000 0\n[3,990 bytes are left out.]\n 999 "
