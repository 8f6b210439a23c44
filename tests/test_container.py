"""The Dockerfile passes its linter and copies what its steps need. It is built where Docker exists."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")
LINTER = Path(sys.executable).with_name("hadolint")
COPIED = [name for line in re.findall(r"^COPY (.+) \S+$", TEXT, re.M) for name in line.split()]


@pytest.mark.skipif(not LINTER.exists() and sys.platform == "win32", reason="the linter has no Windows version")
def test_the_dockerfile_passes_its_linter() -> None:
    done = subprocess.run([LINTER, ROOT / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_it_copies_what_is_there_and_what_the_list_of_the_context_admits() -> None:
    admitted = {
        line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] == "!"
    }
    assert admitted == set(COPIED)
    assert [name for name in COPIED if not (ROOT / name).exists()] == []


@pytest.mark.full
def test_the_wheel_is_built_from_what_is_copied(tmp_path: Path) -> None:
    for name in COPIED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        f"{tmp_path}/dist",
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert len(list((tmp_path / "dist").glob("autocraft_agent-*.whl"))) == 1


def test_the_development_container_installs_by_targets_of_the_makefile() -> None:
    made = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    tool, *targets = made["postCreateCommand"].split()
    rules = re.findall(r"^(\S[^:=\n]*):(?!=)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert tool == "make" and set(targets) <= {name for rule in rules for name in rule.split()}
