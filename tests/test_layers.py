"""Each room imports only what stands above it: the table of docs/architecture.md, enforced."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "autocraft"
LAYERS = {
    1: [
        *("errors", "text", "usage", "goals", "protocols", "masking", "sources", "settings", "durable", "node"),
        *("prompting", "clean", "http_client", "threads"),
    ],
    2: [
        *("json_fix", "limits", "shapes", "events", "journal", "snapshot", "session", "state", "memory", "skills"),
        *("sandbox", "worlds", "trust"),
    ],
    3: ["brains", "commands"],
    4: ["policy", "gate", "transcript", "thinker", "effects", "ending", "forecast"],
    5: ["loop", "rehearsal", "granted"],
    6: ["helpers", "agents", "evaluation"],
    7: ["console"],
    8: ["sections", "parts", "kit", "assemble", "cli", "__main__"],
}
LAYER = {room: layer for layer, rooms in LAYERS.items() for room in rooms}
WITHIN = {
    # layer 1 and 8 are single modules that build on each other, in the order in which they are listed
    **{room: set(LAYERS[1][: LAYERS[1].index(room)]) for room in LAYERS[1]},
    **{room: set(LAYERS[8][: LAYERS[8].index(room)]) for room in LAYERS[8]},
    "events": {"shapes"},
    "journal": {"shapes", "events"},
    "snapshot": {"events", "journal"},
    "session": {"events"},
    "trust": {"session"},
    "agents": {"helpers"},
    "skills": {"memory"},
    "state": {"limits"},
    "worlds": {"sandbox"},
    "thinker": {"transcript"},
    "gate": {"policy"},
    "forecast": {"thinker"},
}
MODULES = sorted(PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """The rooms of autocraft that a module imports, anywhere in it."""
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] if node.module != "autocraft" else [f"autocraft.{each.name}" for each in node.names]
        elif isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        else:
            continue
        rooms |= {name.split(".")[1] for name in names if name.startswith("autocraft.")}
    return rooms - {"__version__"}


def wrong_in(path: Path) -> list[str]:
    """What a module imports and may not."""
    room = room_of(path)
    if room == "__init__":
        return [f"{path.relative_to(PACKAGE)} imports {other}" for other in imported(path)]
    return [
        f"{path.relative_to(PACKAGE)} (layer {LAYER[room]}) imports {other} (layer {LAYER[other]})"
        for other in imported(path) - {room}
        if LAYER[other] >= LAYER[room] and other not in WITHIN.get(room, set())
    ]


def test_a_room_imports_only_what_stands_above_it() -> None:
    assert [each for path in MODULES for each in wrong_in(path)] == []


def test_every_room_has_a_layer_and_every_layer_its_rooms() -> None:
    assert set(LAYER) == {room_of(path) for path in MODULES} - {"__init__"}
