"""Every attack of `attacks.py`, as root and as a normal user, under the automatic protection and under two others.

The commit draws the others. The attacks run in a process of their own whose environment holds a key, so that there is
something to steal.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.processes import carrying
from tests.sampling import drawn
from tests.security.attacks import ATTACKS as PROGRAMS
from tests.security.attacks import KEY
from tests.security.count import ATTACKS, counted
from tests.waiting import until

pytestmark = pytest.mark.sampled(1)

ROOT = Path(__file__).parents[2]
NOBODY = 61_234
"""The user id of the tests that need no root."""
AS_ROOT = ("auto", "no-landlock", "no-namespaces", "no-namespaces,no-landlock", "none")
AS_USER = ("auto", "no-landlock", "none")
"""The ways to run a program: the setting, or what `refusing.py` takes from the automatic choice."""
PATHS = os.pathsep.join([str(ROOT), sysconfig.get_path("purelib")])
"""This checkout, and the packages that it needs, also for an interpreter that has none of them."""
START = "import autocraft.commands.code, sys; sys.exit(sys.version_info < (3, 11))"


@cache
def python_for_everybody() -> str:
    """An interpreter that a normal user can start, with this checkout; empty where there is none."""
    for python in (sys.executable, "/usr/local/bin/python3", "/usr/bin/python3"):
        with contextlib.suppress(OSError):
            command = [python, "-B", "-c", START]
            environment = {"PYTHONPATH": PATHS}
            tried = subprocess.run(command, env=environment, cwd="/", capture_output=True, **nobody())
            if tried.returncode == 0:
                return python
    return ""


def nobody() -> dict[str, Any]:
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []}


def ways() -> list[Any]:
    """(who, way): the automatic choice for each user that can be tried here, and two others."""
    found = [("me", each) for each in (AS_ROOT if os.geteuid() == 0 else AS_USER)]
    if os.geteuid() == 0:
        found += [("a user", each) for each in AS_USER]
    automatic = [each for each in found if each[1] == "auto"]
    others = drawn([each for each in found if each not in automatic], 2)
    return [pytest.param(who, way, id=f"{who}-{way}") for who, way in (*automatic, *others)]


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that a normal user can reach, which pytest's own are not."""
    path = Path(tempfile.mkdtemp(prefix="autocraft-attacks-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


def start(
    who: str, mode: str, folder: Path, *more: str, module: str = "tests.security.attacks"
) -> subprocess.Popen[str]:
    python, identity = sys.executable, {}
    if who != "me":
        python, identity = python_for_everybody(), nobody()
        if not python:
            pytest.skip("a normal user can start no Python here")
        os.chown(folder, NOBODY, NOBODY)
    (folder / "tmp").mkdir(exist_ok=True)
    (folder / "tmp").chmod(0o1777)
    folder.chmod(0o755)
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": PATHS}
    environment |= {"OPENAI_API_KEY": KEY + secrets.token_hex(8), "TMPDIR": str(folder / "tmp")}
    return subprocess.Popen(
        [python, "-B", "-m", module, mode, *more],
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **identity,
    )


def report_of(who: str, mode: str, folder: Path) -> dict[str, Any]:
    out, errors = start(who, mode, folder, str(folder / "place")).communicate(timeout=900)
    assert out, errors
    found: dict[str, Any] = json.loads(out)
    assert [each.name for each in (folder / "tmp").iterdir()] == []
    return found


@pytest.mark.parametrize(("who", "way"), ways())
@pytest.mark.full
def test_no_attack_gets_through_and_the_next_program_runs(
    who: str, way: str, folder: Path, record_property: Callable[[str, object], None]
) -> None:
    report = report_of(who, way, folder)
    if "refused" in report:
        assert os.geteuid() or who == "a user", "root can always have another user id"
        pytest.skip(report["refused"])
    through, tried = report["through"], report["tried"]
    print(f"{way} as {who}: {tried} attacks tried, {len(through)} let through; not covered: {report['open'] or 'none'}")
    names = [each.name for each in PROGRAMS if each.name not in report["open"]]
    record_property(ATTACKS, counted("programs", names, len(through)))
    assert not through, f"{len(through)} of {tried} attacks let through under {report['words']}: {through}"
    assert not report["broken"], f"after these, the next program did not run: {report['broken']}"
    assert tried + len(report["open"]) == len(PROGRAMS)
    if way != "none":
        assert not report["open"] or "everybody may" in report["words"]


def test_where_namespaces_are_refused_a_user_runs_no_program(folder: Path) -> None:
    report = report_of("a user" if os.geteuid() == 0 else "me", "no-namespaces", folder)
    assert "nothing here keeps it from your files" in report["refused"]


@pytest.mark.full
def test_every_attack_succeeds_where_nothing_stands_against_it(folder: Path) -> None:
    report = report_of("me", "control", folder)
    assert report["tried"] == len(PROGRAMS)
    assert not report["failed"], f"these prove nothing: {report['failed']}"


@pytest.mark.parametrize("way", ["auto", "none", *(["no-namespaces"] if os.geteuid() == 0 else [])])
def test_kill_9_of_autocraft_ends_the_program_and_the_next_start_clears_up(way: str, folder: Path) -> None:
    runner = start("me", f"hold:{way}", folder, str(folder / "place"))
    token = str(folder / "place" / "shared")
    try:
        until(lambda: len(carrying(token)) >= 4, "the start of keeper, program and its two")
        left = [path for path in (folder / "tmp").iterdir() if path.name.startswith("autocraft-run-")]
        assert len(left) == 1
        assert sweep(folder) == "0", "a folder in use was removed"
        assert left[0].exists()
    finally:
        runner.send_signal(signal.SIGKILL)
        runner.wait()
    until(lambda: not carrying(token), "the end of the program")
    assert left[0].exists()
    assert sweep(folder) == "1"
    assert not left[0].exists()


def sweep(folder: Path) -> str:
    """What the next start does, in a process of its own."""
    code = "from autocraft.sandbox.folder import sweep; print(sweep())"
    environment = {"TMPDIR": str(folder / "tmp"), "PYTHONPATH": str(ROOT)}
    return subprocess.check_output([sys.executable, "-c", code], env=environment, text=True).strip()
