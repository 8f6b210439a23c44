"""Coverage by package: what is counted, where a floor fails, and that every process of a test is measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from coverage import CoverageData

from autocraft.sandbox import confine, start
from scripts.coverage_floors import by_package, failures, main, table
from tests import measured
from tests.conftest import ROOT, unmeasured

CODE = "import sys; sys.path.append({root!r}); from MODULE import main; main(sys.argv[1])"
"""How such a process begins when `make coverage` has not laid anything around it."""
IN_CHILDREN = """
import os, subprocess, sys
subprocess.run([sys.executable, "-c", "import autocraft.goals"], check=True, cwd="/")
child = os.fork()
if not child:
    import autocraft.agent.limits
    os._exit(0)
os.waitpid(child, 0)
"""


def file(lines: int, all_lines: int, branches: int, all_branches: int) -> dict[str, Any]:
    """The part of a report that is read."""
    counts = (lines, all_lines, branches, all_branches)
    names = ("covered_lines", "num_statements", "covered_branches", "num_branches")
    return {"summary": dict(zip(names, counts, strict=True))}


FILES = {
    "autocraft/usage.py": file(8, 10, 1, 2),
    "autocraft/brains/openai.py": file(50, 60, 10, 20),
    "autocraft/brains/planner.py": file(20, 20, 0, 0),
    "autocraft/worlds/crafting.py": file(1, 2, 0, 0),
    "autocraft/worlds/__init__.py": file(0, 0, 0, 0),
    "/tmp/copy/autocraft/usage.py": file(0, 10, 0, 2),
}


@pytest.fixture
def report(tmp_path: Path) -> str:
    path = tmp_path / "coverage.json"
    path.write_text(json.dumps({"files": FILES}))
    return str(path)


def test_files_are_counted_by_package_lines_and_branches_together() -> None:
    found = by_package(FILES)
    assert {name: one.percent for name, one in found.items()} == {"autocraft": 75.0, "brains": 80.0, "worlds": 50.0}
    assert [line.split() for line in table(found, {"brains": 79.5})] == [
        ["package", "covered", "floor", "lines", "branches"],
        ["autocraft", "75.0%", "-", "8/10", "1/2"],
        ["brains", "80.0%", "79.5", "70/80", "10/20"],
        ["worlds", "50.0%", "-", "1/2", "0/0"],
        ["all", "78.9%", "-", "79/92", "11/22"],
    ]


@pytest.mark.parametrize(
    ("floors", "failed"),
    [
        ({}, []),
        ({"brains": 80, "autocraft": 75}, []),
        ({"brains": 80.1}, ["brains has 80.0 % and needs 80.1 %: add tests for it"]),
        (
            {"brain": 10},
            ["brain has a floor and is no package: correct [tool.autocraft.coverage] in pyproject.toml"],
        ),
    ],
)
def test_a_floor_that_is_not_met_fails(floors: dict[str, float], failed: list[str]) -> None:
    assert failures(by_package(FILES), floors) == failed


def test_the_script_fails_with_the_floors_of_the_project(
    report: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "pyproject.toml"
    monkeypatch.setattr("scripts.coverage_floors.PROJECT", project)
    project.write_text("[tool.autocraft.coverage]\nworlds = 50\n")
    assert main([report]) == 0
    project.write_text("[tool.autocraft.coverage]\nworlds = 51\n")
    assert main([report]) == 1
    assert capsys.readouterr().err == "coverage_floors: worlds has 50.0 % and needs 51 %: add tests for it\n"


@pytest.mark.parametrize("content", ["", "{}", '{"files": {"autocraft/a.py": {"summary": {"covered_lines": 1}}}}'])
def test_what_is_no_report_ends_in_one_line(content: str, report: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(report).write_text(content)
    assert main([report]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_every_package_has_a_floor_which_is_a_percentage() -> None:
    floors = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["autocraft"]["coverage"]
    packages = {path.parent.name for path in (ROOT / "autocraft").glob("*/*.py")} | {"autocraft"}
    assert set(floors) == packages
    assert all(0 < floor <= 100 for floor in floors.values())


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is confined there")
def test_a_confined_process_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may write no file by the time at which it becomes another program, and its own file must stay small."""
    for module in (confine, start):
        monkeypatch.setattr(module, "_CODE", CODE.replace("MODULE", module.__name__))
    file = str(tmp_path / "data")
    measured.measure(file)
    for _ in range(2):
        subprocess.run(confine.confined(["/bin/true"], [Path("/bin"), Path("/usr")], 60), check=True)
    assert len(list(tmp_path.iterdir())) == 2
    measured.collect(file)
    (written,) = tmp_path.iterdir()
    data = CoverageData(str(written))
    data.read()
    lines = {line for name in data.measured_files() if name.endswith("confine.py") for line in data.lines(name) or []}
    source = (ROOT / "autocraft" / "sandbox" / "confine.py").read_text(encoding="utf-8").splitlines()
    assert next(n for n, line in enumerate(source, 1) if "os.execve(" in line) in lines


@pytest.mark.skipif(sys.platform == "win32", reason="coverage cannot follow a fork there, and there is none")
@pytest.mark.full
def test_subprocesses_and_forked_processes_are_measured(tmp_path: Path) -> None:
    """The first process imports nothing of autocraft, so what is covered was run by its children."""
    environment = unmeasured(os.environ) | {"COVERAGE_FILE": str(tmp_path / "data"), "PYTHONPATH": str(ROOT)}
    (tmp_path / "program.py").write_text(IN_CHILDREN)
    for arguments in (
        ["run", str(tmp_path / "program.py")],
        ["combine", "--quiet"],
        ["json", "--quiet", "-o", str(tmp_path / "coverage.json")],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "coverage", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    files = json.loads((tmp_path / "coverage.json").read_text())["files"]
    run = {name for name, found in files.items() if found["summary"]["covered_lines"]}
    assert {"autocraft/goals/goal.py", "autocraft/agent/limits.py"} <= run
    assert "autocraft/agent/loop.py" in set(files) - run
