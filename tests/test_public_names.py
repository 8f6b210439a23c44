"""`autocraft` lists what other programs may use; the examples of the guides use nothing else."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import autocraft
from tests.conftest import ROOT, Place, python_examples, unmeasured
from tests.test_start import HEAVY

GUIDES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXTRAS = {"gymnasium", "mcp"}
"""What an example may import besides, because the example is about it."""
PROMISED = {
    *("command", "Call", "Result", "Risk", "CommandError", "open_run", "LiveRun", "Config", "Evaluator", "Model"),
    *("open_memory", "parse_command", "Brain", "World"),
}


def examples() -> list[tuple[str, str]]:
    """Return the Python examples of the guides, each with the name of its page."""
    return [(page.name, code) for page in GUIDES for code in python_examples(page)]


def foreign(code: str) -> list[str]:
    """Return what an example imports that is neither public nor of the standard library."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
            found += [name for name in names if name.split(".")[0] not in {*sys.stdlib_module_names, *EXTRAS}]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module == "autocraft":
                found += [each.name for each in node.names if each.name not in autocraft.__all__]
            elif module.split(".")[0] not in sys.stdlib_module_names:
                found.append(module)
    return found


def test_every_name_resolves_to_what_it_is_called() -> None:
    assert set(autocraft.__all__) >= PROMISED
    assert len(autocraft.__all__) == len(set(autocraft.__all__))
    for name in autocraft.__all__:
        value = getattr(autocraft, name)
        assert name == "__version__" or value.__name__.split(".")[-1] == name
    assert set(autocraft.__all__) <= set(dir(autocraft))


def test_a_checker_of_types_sees_the_same_names() -> None:
    tree = ast.parse(Path(autocraft.__file__).read_text(encoding="utf-8"))
    seen: dict[str | None, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("autocraft."):
            seen |= {each.asname: (node.module or "").removeprefix("autocraft.") for each in node.names}
    assert seen == autocraft._HOMES


def test_any_other_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="module 'autocraft' has no attribute 'no_such_name'"):
        autocraft.no_such_name  # noqa: B018


def test_importing_the_package_does_no_work(place: Place) -> None:
    code = "import sys; before = set(sys.modules); import autocraft, json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=unmeasured(place.environment), capture_output=True, text=True, timeout=60
    )
    modules = json.loads(done.stdout)
    assert [name for name in modules if name.split(".")[0] == "autocraft"] == ["autocraft"]
    assert [name for name in HEAVY if name in modules] == []


@pytest.mark.parametrize("name", ["Call", "CommandError", "Goal"])
def test_a_plain_name_brings_nothing_heavy(place: Place, name: str) -> None:
    code = f"import sys, json; from autocraft import {name}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=unmeasured(place.environment), capture_output=True, text=True, timeout=60
    )
    modules = json.loads(done.stdout)
    assert [heavy for heavy in HEAVY if heavy in modules] == []


def test_the_examples_of_the_guides_import_only_public_names() -> None:
    pages = {page for page, _ in examples()}
    assert {"own_commands.md", "evaluation.md", "crafting.md", "memory.md", "python_api.md"} <= pages
    assert [(page, name) for page, code in examples() for name in foreign(code)] == []
    control = "import yaml\nfrom autocraft.protocols import Call\nfrom autocraft import Call, Session\n"
    assert foreign(control) == ["yaml", "autocraft.protocols", "Session"]


@pytest.mark.full
def test_the_examples_of_runs_and_memory_run(place: Place) -> None:
    codes = [code for page, code in examples() if page in ("python_api.md", "memory.md")]
    assert len(codes) == 9
    for code in codes:
        expected = re.findall(r"# prints (.*)", code)
        done = place.python("-c", code)
        assert done.returncode == 0, done.stderr
        assert expected, "an example says what it prints"
        for line in expected:
            assert line.strip() in done.stdout, done.stdout
