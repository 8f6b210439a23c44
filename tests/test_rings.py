"""The inner ring imports nothing of the outer one, and the crafting engine imports only errors and values."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "autocraft"
INNER = {
    *("agent", "brains", "building", "commands", "console", "crafting", "json_fix", "memory", "protocols", "sandbox"),
    *("session", "settings", "skills", "text", "worlds"),
    *("app", "children", "errors", "extensions", "features", "frozen", "goals", "http_client", "installation"),
    *("network", "node", "python_api", "unpacking", "usage"),
}
OUTER = {"learning", "evaluation", "mcp", "web", "report", "page", "cli"}
JOINTS = {"__init__", "__main__", "features"}
"""The public names, the program, and the table by which the outer ring joins: they name both rings."""
ENGINE_MAY = {"crafting", "errors", "goals", "installation", "protocols", "text"}
NAMED = re.compile(r"^autocraft\.([a-z_]+)[.:\w]*$")


def room_of(path: Path) -> str:
    """Return the package or the module at the root that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def named_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield (line, room) for each room of autocraft that a module imports or names in a text of its own."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module == "autocraft":
            names = [f"autocraft.{each.name}" for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        elif isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = [node.value]
        else:
            continue
        for name in names:
            if found := NAMED.match(name):
                yield node.lineno, found[1]


MODULES = [path for path in sorted(PACKAGE.rglob("*.py")) if "node_modules" not in path.parts]


def test_every_room_is_in_one_ring() -> None:
    assert {room_of(path) for path in MODULES} == INNER | OUTER | JOINTS
    assert not INNER & OUTER


def test_the_inner_ring_names_nothing_of_the_outer_one() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} {room}"
        for path in MODULES
        if room_of(path) in INNER - JOINTS
        for line, room in named_in(path.read_text(encoding="utf-8"))
        if room in OUTER
    ]
    assert wrong == []


def test_the_crafting_engine_imports_only_errors_and_values() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} {room}"
        for path in MODULES
        if room_of(path) == "crafting"
        for line, room in named_in(path.read_text(encoding="utf-8"))
        if room not in ENGINE_MAY
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "text",
    [
        "from autocraft.learning.oracle import OracleBrain",
        "def late():\n    import autocraft.learning",
        "from autocraft import learning",
        'NAME = "autocraft.learning.oracle:OracleBrain"',
    ],
)
def test_each_way_to_name_a_room_is_seen(text: str) -> None:
    assert [room for _, room in named_in(text)] == ["learning"]
    assert list(named_in("from autocraft import __version__\nimport json")) == [(1, "__version__")]


def test_the_public_names_import_nothing_before_they_are_used() -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            imports = [each for each in ast.walk(node) if isinstance(each, ast.Import | ast.ImportFrom)]
            assert not [each for each in imports if "autocraft" in ast.unparse(each)]


def test_nobody_but_the_journal_reads_an_event_as_a_dictionary() -> None:
    """The wire of the Minecraft bot has messages of its own, which are called events there."""
    subscript = re.compile(r"\bevent(\[|\.get\()")
    files = [path.relative_to(PACKAGE) for path in MODULES]
    others = [each for each in files if each.parts[:2] != ("worlds", "minecraft") and each.parts[0] != "session"]
    assert [str(each) for each in others if subscript.search((PACKAGE / each).read_text(encoding="utf-8"))] == []
