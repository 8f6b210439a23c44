"""The guides: every page is linked from README.md, every link leads somewhere, every file they name exists."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

from autocraft.agent.context import RunContext
from autocraft.agent.ending import EXITS
from autocraft.agent.loop import Agent
from autocraft.settings.fields import SECTIONS, kinds
from scripts import make_settings_list
from tests.conftest import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
FOLDERS = ("autocraft", "benchmarks", "scripts", "tests", "docs", "prompts")
FILE = re.compile(r"`(?:\./)?((?:[\w.*-]+/)*[\w*-]+\.(?:py|js|ts|mjs|cjs|md|j2))`")
DOCSTRING = re.compile(r'(?:#.*\n|\n)*r?"""(.*?)"""', re.DOTALL)
LINK = re.compile(r"\]\((?!https?://|#|mailto:)([^)#\s]+)(?:#[^)\s]*)?\)")
THEIRS = {"code/NAME.js", "code/NAMEV2.js", "examples.py"}
"""Files of others that our texts name, and the second of two names with one folder."""
LISTED = ("agent", "brains", "cli", "commands", "console", "session", "settings", "text")
"""Folders whose README is a table of their files."""
RECIPES = {"autocraft/commands/light.py", "autocraft/brains/ladder.py", "autocraft/worlds/garden.py"}


@cache
def files() -> frozenset[str]:
    """Return the paths of the project, relative to its root."""
    paths = [path for name in FOLDERS for path in (ROOT / name).rglob("*")] + list(ROOT.glob("*"))
    return frozenset(
        str(path.relative_to(ROOT)) for path in paths if path.is_file() and "node_modules" not in path.parts
    )


def readmes() -> list[Path]:
    found = [path for name in FOLDERS for path in (ROOT / name).rglob("README.md")]
    return sorted(path for path in found if "node_modules" not in path.parts)


def texts() -> Iterator[tuple[Path, str]]:
    """Yield the guides, and the docstrings of modules, each with its file."""
    for path in [*PAGES, *readmes()]:
        if path.name not in ("CHANGELOG.md", "tour.md"):  # what was once, and what a run printed
            yield path, path.read_text(encoding="utf-8")
    for name in ("autocraft", "benchmarks", "scripts", "tests"):
        for path in sorted((ROOT / name).rglob("*.py")):
            if "node_modules" not in path.parts:
                found = DOCSTRING.match(path.read_text(encoding="utf-8"))
                yield path, found[1] if found else ""


def exists(name: str, source: Path) -> bool:
    """Tell whether a path that `source` names is one of ours: from the root, the package, or a folder of `source`.

    A bare name may also be that of a file below the folder of `source`, and that of a test may lie anywhere in tests/.
    """
    if "*" in name or name in THEIRS:
        return True
    if re.fullmatch(r"test_\w+\.py", name):
        return any(each.startswith("tests/") and each.endswith(f"/{name}") for each in files())
    folders = [source.parent, *source.parent.parents]
    places = [folder for folder in folders if folder.is_relative_to(ROOT)] + [ROOT / "autocraft"]
    if any((place / name).is_file() for place in places):
        return True
    below = str(source.parent.relative_to(ROOT))
    return any(each.startswith(f"{below}/") and each.endswith(f"/{name}") for each in files())


def test_every_file_that_a_text_names_exists() -> None:
    missing = [
        f"{source.relative_to(ROOT)}: {name}"
        for source, text in texts()
        for name in FILE.findall(text)
        if not exists(name, source) and name not in RECIPES
    ]
    assert missing == []
    assert not exists("no_such_file.py", ROOT / "README.md"), "the control"
    assert exists("agent/loop.py", ROOT / "docs" / "architecture.md")


@pytest.mark.parametrize("page", [*PAGES, *readmes()], ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_to_a_file(page: Path) -> None:
    links = LINK.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_readme_links_every_page_and_is_short() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pages = {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")}
    assert pages - set(LINK.findall(readme)) == set()
    assert len(readme.encode()) <= 6_500


def test_every_package_says_what_it_is() -> None:
    packages = (ROOT / "autocraft").rglob("__init__.py")
    assert [path for path in packages if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))] == []


@pytest.mark.parametrize("folder", LISTED)
def test_the_readme_of_a_folder_names_each_of_its_modules(folder: str) -> None:
    text = (ROOT / "autocraft" / folder / "README.md").read_text(encoding="utf-8")
    modules = {path.name for path in (ROOT / "autocraft" / folder).glob("*.py")} - {"__init__.py"}
    assert {name for name in modules if f"`{name}`" not in text} == set()


def test_the_picture_of_a_run_names_what_its_objects_have() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    picture = text.split("## The objects of a run")[1].split("```")[1]
    context, agent = picture.split("   RunContext ")[1].split("   Agent(")
    shown = set(re.findall(r"[├└]── (\w+)", context))
    assert shown == {field.name for field in fields(RunContext)} - {"stop_cause"}
    made = ast.unparse(ast.parse(inspect.getsource(Agent)))
    assert set(re.findall(r"[├└]── (\w+)", agent.split("   HumanApprover ")[0])) == set(
        re.findall(r"self\.([a-z]\w+) = ", made)
    ) - {"context"}


def test_the_list_of_settings_is_up_to_date() -> None:
    text = make_settings_list.PAGE.read_text(encoding="utf-8")
    assert make_settings_list.with_list(text) == text, "run python -m scripts.make_settings_list"
    wanted = text.partition("## Find a setting by what you want")[2].partition("## All settings")[0]
    names = set(re.findall(r"`([\w.]+)`", wanted))
    assert len(names) > 60 and [name for name in names if f"| `{name}`" not in text] == []
    assert "| `limits.max_steps` | `--max-steps` | `AUTOCRAFT_MAX_STEPS` |" in text
    assert "| `run.memory` * | `--memory` | `MEMORY_BACKEND` |" in text
    for section, kind in kinds(SECTIONS).items():
        name = make_settings_list.section_name(section)
        assert all(f"`{name}.{field.name}`" in text for field in fields(kind))
    with pytest.raises(ValueError, match="must hold"):
        make_settings_list.with_list("a page without markers")


def test_each_end_of_a_run_has_an_exit_code_that_the_guide_explains() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "autocraft").rglob("*.py"))
    raised = set(re.findall(r'\bRunEnded\(\s*"(\w+)"', code)) | set(re.findall(r'\bResult\([^()]*\bend="(\w+)"', code))
    assert raised == EXITS.keys()
    table = (ROOT / "docs" / "runs.md").read_text(encoding="utf-8")
    assert {str(code) for code in EXITS.values()} <= set(re.findall(r"^\| (\d+) \|", table, re.MULTILINE))
