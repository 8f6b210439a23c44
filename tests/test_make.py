"""The targets of the Makefile: those that the guides name are there, and `make test` runs both of its halves."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
GUIDES = (
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    ".github/workflows/ci.yml",
    ".github/workflows/release.yml",
    ".pre-commit-config.yaml",
    ".ci/run",
)
TARGET = re.compile(r"(?:^ {4}|^|`|run: |or |&& )make ([a-z][a-z-]*)", re.M)
MEET = """#!/bin/sh
# A tool of .venv that begins, waits until the other half of `make test` has begun, and ends with the code in a file.
echo "$1 begins"
touch "$1.begun"
tries=0
while [ ! -e "$2.begun" ]; do
  tries=$((tries + 1)); [ $tries -lt 600 ] || { echo "$1 is alone"; exit 9; }
  sleep 0.1
done
echo "$1 ends"
exit "$(cat "$1.code")"
"""


def targets() -> set[str]:
    """What `make` can be asked for, as the Makefile's own lines name it."""
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    return {line.split(":")[0] for line in lines if re.match(r"[a-z][a-z-]*:(?!=)", line)}


@pytest.mark.parametrize("guide", GUIDES)
def test_every_target_that_a_guide_names_is_there(guide: str) -> None:
    named = set(TARGET.findall((ROOT / guide).read_text(encoding="utf-8")))
    assert named - targets() == set()


def test_the_table_for_contributors_names_every_target() -> None:
    rows = re.findall(r"^\| `make ([a-z-]+)` \|", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.M)
    assert set(rows) == targets() - {"lint-at-once", "test-llm-at-once"}
    assert len(rows) == len(set(rows))


def test_every_target_is_phony() -> None:
    (phony,) = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert set(phony.split()) == targets()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the Makefile, whose tools are scripts: pytest and mypy wait for each other."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in (
        "requirements.lock",
        "requirements-build.lock",
        "requirements-dev.lock",
        "requirements-plancraft.lock",
        "requirements-minecraft.lock",
    ):
        (tmp_path / name).touch()
    (tmp_path / "pyproject.toml").touch()
    tools = tmp_path / ".venv" / "bin"
    tools.mkdir(parents=True)
    (tmp_path / "meet").write_text(MEET)
    for tool, script in {
        "ruff": "echo 'ruff is pleased'",
        "mypy": "exec sh ./meet mypy pytest",
        "python": "exec sh ./meet pytest mypy",
    }.items():
        (tools / tool).write_text(f"#!/bin/sh\n{script}\n")
        (tools / tool).chmod(0o755)
    for mark in (".installed", ".node", ".dev"):
        (tmp_path / ".venv" / mark).touch()
    return tmp_path


@pytest.mark.parametrize(("code", "ends"), [(0, 0), (4, 0), (2, 2)])
def test_make_run_calls_it_no_error_that_the_person_ends_the_run(checkout: Path, code: int, ends: int) -> None:
    program = checkout / ".venv" / "bin" / "autocraft"
    program.write_text(f'#!/bin/sh\necho "$*"\nexit {code}\n')
    program.chmod(0o755)
    command = ["make", "--no-print-directory", "run", "GOAL=craft 1 stick"]
    done = subprocess.run(command, cwd=checkout, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode == ends and ("Error" in done.stderr) == bool(ends)
    assert done.stdout.splitlines()[0] == "run --goal craft 1 stick --continuous"


@pytest.mark.parametrize("pytest_code", [0, 1])
@pytest.mark.parametrize("mypy_code", [0, 1])
def test_make_test_runs_tests_and_lint_at_the_same_time_and_both_to_their_end(
    checkout: Path, pytest_code: int, mypy_code: int
) -> None:
    (checkout / "pytest.code").write_text(str(pytest_code))
    (checkout / "mypy.code").write_text(str(mypy_code))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(["make", "test"], cwd=checkout, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.returncode != 0) == bool(pytest_code or mypy_code)
    said = done.stdout.splitlines()
    assert {"pytest begins", "pytest ends", "mypy begins", "mypy ends"} <= set(said)
    lint = [said.index(line) for line in ("ruff is pleased", "mypy begins", "mypy ends")]
    assert "pytest begins" not in said[lint[0] : lint[-1]]
    assert "pytest ends" not in said[lint[0] : lint[-1]]
    assert ("tests]" in done.stderr) == bool(pytest_code)
    assert ("lint-at-once]" in done.stderr) == bool(mypy_code)
