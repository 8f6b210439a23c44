"""Each room imports only what stands above it: the table of docs/architecture.md, enforced."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "autocraft"
SPLIT = ("agent", "mcp", "session", "settings", "text")
"""Packages whose modules have layers of their own."""
LAYERS = {
    1: [
        *(
            "frozen",
            "errors",
            "text.characters",
            "text.phrases",
            "session.atomic",
            "usage",
            "goals",
            "protocols",
            "text.redact",
            "settings.fields",
            "settings.sources",
            "settings.settings",
            "settings.config",
            "settings.run",
            "settings.roles",
            "session.fields",
            "session.event",
            "session.events",
            "node",
        ),
        *("text.prompts", "text.sanitize", "http_client", "agent.threads", "agent.signals", "mcp.settings"),
    ],
    2: [
        *(
            "json_fix",
            "agent.limits",
            "session.reading",
            "session.journal",
            "session.snapshot",
            "session.folder",
            "session.upkeep",
            "agent.cycles",
            "agent.state",
            "memory",
            "skills",
        ),
        *("sandbox", "worlds", "page", "settings.recorded", "settings.trust"),
    ],
    3: ["brains", "commands", "mcp.client"],
    4: [
        *("agent.clock", "agent.policy", "agent.history", "agent.transcript", "agent.account", "agent.options"),
        *("agent.spec", "agent.helper_states", "agent.executor", "agent.context", "agent.recollection"),
    ],
    5: [
        *("agent.ending", "agent.gate", "agent.thinker", "agent.loop"),
        *("agent.dry_run", "agent.programs"),
    ],
    6: ["agent.helpers", "agent.families", "evaluation", "learning"],
    7: ["console"],
    8: [
        *("sections", "report", "mcp.opening", "app", "web", "mcp.pending", "mcp.tools", "mcp.resources"),
        *("mcp.approver", "mcp.attach", "mcp.caller", "mcp.server", "mcp.stdio", "mcp.http", "mcp.serve"),
        *("cli", "__main__"),
    ],
}
LAYER = {room: layer for layer, rooms in LAYERS.items() for room in rooms}
WITHIN = {
    # the modules of these layers build on each other, in the order in which they are listed
    **{room: set(LAYERS[layer][: LAYERS[layer].index(room)]) for layer in (1, 4, 5, 8) for room in LAYERS[layer]},
    "session.journal": {"session.reading"},
    "session.snapshot": {"session.reading", "session.journal"},
    "session.folder": {"session.reading"},
    "session.upkeep": {"session.reading", "session.journal", "session.folder"},
    "settings.recorded": {"session.folder"},
    "settings.trust": {"session.folder"},
    "agent.families": {"agent.helpers"},
    "mcp.client": {"commands"},
    "skills": {"memory"},
    "agent.state": {"agent.limits", "agent.cycles"},
    "worlds": {"sandbox"},
}
TYPED = ("settings.config",)
"""Rooms that name the classes of other rooms for a type checker alone."""
MODULES = sorted(PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str:
    return room(path.relative_to(PACKAGE).with_suffix("").parts)


def room(parts: Sequence[str]) -> str:
    """Name the room of a module: its package, or its package and itself."""
    return ".".join(parts[: 2 if parts[0] in SPLIT else 1])


def imported(path: Path) -> set[str]:
    """The rooms of autocraft that a module imports, anywhere in it."""
    rooms, tree = set(), ast.parse(path.read_text(encoding="utf-8"))
    for node in at_run(tree) if room_of(path) in TYPED else ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            whole = node.module.removeprefix("autocraft.") in (*SPLIT, "autocraft")
            names = [f"{node.module}.{each.name}" for each in node.names] if whole else [node.module]
        elif isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        else:
            continue
        rooms |= {room(name.split(".")[1:]) for name in names if name.startswith("autocraft.")}
    return rooms - {"__version__"}


def at_run(tree: ast.Module) -> list[ast.AST]:
    """Return the nodes of a module without those that only a type checker reads."""
    nodes = [each for each in tree.body if not (isinstance(each, ast.If) and ast.unparse(each.test) == "TYPE_CHECKING")]
    return [each for node in nodes for each in ast.walk(node)]


def at_import(tree: ast.Module) -> list[int]:
    """Return the lines where a module imports something of autocraft as soon as it is imported."""
    imports = [each for each in at_run(tree) if isinstance(each, ast.Import | ast.ImportFrom)]
    return [each.lineno for each in imports if "autocraft" in ast.unparse(each)]


def wrong_in(path: Path) -> list[str]:
    """What a module imports and may not."""
    own = room_of(path)
    if own == "__init__":  # the public names, for a checker of types; tests/test_public_names.py looks at a real import
        return [f"{path.name} imports at line {line}" for line in at_import(ast.parse(path.read_text("utf-8")))]
    if own.endswith("__init__"):
        return [f"{path.relative_to(PACKAGE)} imports {other}" for other in imported(path)]
    return [
        f"{path.relative_to(PACKAGE)} (layer {LAYER[own]}) imports {other} (layer {LAYER[other]})"
        for other in imported(path) - {own}
        if LAYER[other] >= LAYER[own] and other not in WITHIN.get(own, set())
    ]


def test_a_room_imports_only_what_stands_above_it() -> None:
    assert [each for path in MODULES for each in wrong_in(path)] == []


def test_the_public_names_import_nothing() -> None:
    control = "from typing import Any\nif TYPE_CHECKING:\n    from autocraft.app import Run\nimport autocraft.errors\n"
    assert at_import(ast.parse(control)) == [4]


def test_the_table_of_the_guide_is_this_one() -> None:
    text = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([0-9]) \| (`.*`) \|$", text, re.MULTILINE)
    assert {int(layer): re.findall(r"`([^`]+)`", names) for layer, names in rows} == LAYERS


def test_every_room_has_a_layer_and_every_layer_its_rooms() -> None:
    assert set(LAYER) == {room_of(path) for path in MODULES} - {"__init__", *(f"{each}.__init__" for each in SPLIT)}


def test_nobody_but_the_journal_reads_an_event_as_a_dictionary() -> None:
    """The wire of the Minecraft bot has messages of its own, which are called events there."""
    subscript = re.compile(r"\bevent(\[|\.get\()")
    others = [path for path in MODULES if path.relative_to(PACKAGE).parts[:2] != ("worlds", "minecraft")]
    outside = [path for path in others if room_of(path) not in ("session.journal", "session.reading")]
    texts = {path.relative_to(PACKAGE): path.read_text(encoding="utf-8") for path in outside}
    found = [f"{path}: {match[0]}" for path, text in texts.items() for match in subscript.finditer(text)]
    assert found == []
