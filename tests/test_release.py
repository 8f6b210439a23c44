"""The release script, on a copy of this checkout with a history of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scripts import release
from tests.conftest import ROOT

VERSION = release.version_here()
_NOW = datetime.now(UTC)
_EAST = 12 - _NOW.hour
TODAY = (_NOW + timedelta(hours=_EAST)).date()
NOON = {"TZ": f"NOON{-_EAST:+d}"}
"""The time zone in which it is noon now: no midnight comes between a changelog and its check."""
SECTION = f"## [{VERSION}] - {TODAY}"


class Checkout:
    """A copy of the files that git knows here, committed in a repository of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for name in filter(None, names.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, folder / name)
        self.edit("CHANGELOG.md", lambda text: re.sub(r"(?m)^## .*$", f"## [{VERSION}] - {TODAY}", text, count=1))
        self.git("init", "--quiet")
        self.commit()

    def git(self, *arguments: str) -> str:
        own = {f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        environment = os.environ | own | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout

    def edit(self, name: str, change: Callable[[str], str]) -> None:
        path = self.folder / name
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")

    def commit(self) -> None:
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--message", "a change")

    def release(self, *arguments: str) -> tuple[int, str, list[str]]:
        """Exit code, standard output and the lines of standard error."""
        own = {"GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.org"}
        environment = os.environ | own | NOON
        command = [sys.executable, "-m", "scripts.release", *arguments]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr.splitlines()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.mark.full
def test_a_dry_run_checks_and_the_tag_is_set_once_when_asked_for(checkout: Checkout) -> None:
    code, said, problems = checkout.release()
    assert (problems, code) == ([], 0)
    assert said.splitlines()[-1] == f"autocraft {VERSION} can be released: make release TAG=yes sets the tag v{VERSION}"
    assert checkout.git("tag") == ""
    assert checkout.git("status", "--porcelain") == ""
    assert len(list((checkout.folder / "dist").iterdir())) == 2

    code, said, problems = checkout.release("--tag")
    assert (problems, code) == ([], 0)
    assert checkout.git("tag").split() == [f"v{VERSION}"]
    assert checkout.git("rev-parse", f"v{VERSION}^{{commit}}") == checkout.git("rev-parse", "HEAD")

    code, _, problems = checkout.release("--tag")
    assert code == 1
    assert problems == [
        f"release: the tag v{VERSION} is there already: set a higher __version__ in autocraft/__init__.py"
    ]

    code, said, problems = checkout.release("--tagged")
    assert (problems, code) == ([], 0) and "is ready to be published" in said
    checkout.edit("README.md", lambda text: text + "\nMore words.\n")
    checkout.commit()
    code, _, problems = checkout.release("--tagged")
    line = f"release: this commit has not the tag of its version: make release TAG=yes sets v{VERSION}"
    assert (problems, code) == ([line], 1)


@pytest.mark.full
def test_all_that_is_wrong_is_said_at_once_and_no_tag_is_set(checkout: Checkout) -> None:
    checkout.edit("CHANGELOG.md", lambda text: text.replace(str(TODAY), "2020-01-01", 1))
    checkout.edit("README.md", lambda text: text + "\n![a picture](docs/img/session.svg)\n")
    (checkout.folder / "autocraft" / "tests").mkdir()
    (checkout.folder / "autocraft" / "tests" / "test_it.py").touch()
    (checkout.folder / "autocraft" / "py.typed").unlink()
    checkout.commit()
    (checkout.folder / "left_over.py").touch()
    code, _, problems = checkout.release("--tag")
    assert code == 1
    assert problems == [
        "release: 1 files are not committed, such as left_over.py: commit them",
        f"release: CHANGELOG.md must begin with the section {SECTION}; it begins with ## [{VERSION}] - 2020-01-01",
        "release: the wheel lacks autocraft/py.typed",
        "release: the wheel holds autocraft/tests/test_it.py, which is not part of the program",
        "release: the page on the index would have a broken link to docs/img/session.svg",
    ]
    assert checkout.git("tag") == ""


@pytest.mark.full
def test_what_cannot_be_built_is_no_release(checkout: Checkout) -> None:
    checkout.edit("pyproject.toml", lambda text: text.replace('license = "MIT"', 'license = "no such licence"'))
    checkout.commit()
    code, _, problems = checkout.release()
    assert code == 1
    assert problems[0] == "release: the packages cannot be built:"


def test_a_file_that_the_wheel_should_hold_is_missed() -> None:
    folder = "autocraft_agent-0.2.0.dist-info"
    names = [*release.REQUIRED, f"{folder}/METADATA", f"{folder}/sboms/{release.SBOM}"]
    assert list(release.wrong_in_wheel(names, set())) == []
    assert list(release.wrong_in_wheel(names, {"autocraft/new.js"})) == ["the wheel lacks autocraft/new.js"]
    assert list(release.wrong_in_wheel(names[1:], set())) == [f"the wheel lacks {names[0]}"]
    assert list(release.wrong_in_wheel(names[:-1], set())) == [
        f"the wheel lacks {release.SBOM}, the list of its components"
    ]
