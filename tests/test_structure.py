"""The package has no circles of imports and one wiring of an agent, and the report counts what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.structure import FIGURES, Structure


def test_each_figure_is_within_its_bound() -> None:
    package = Structure()
    found = {each: each.places(package) for each in FIGURES if each.most is not None}
    assert {each.title: places for each, places in found.items() if len(places) > (each.most or 0)} == {}


BAD = {
    "__init__.py": "",
    "app.py": "def open_run(x):\n    return Agent(lambda: late, lambda: 1, lambda delta: delta), late, Gate(x)\n",
    "brains/planner.py": 'class Planner:\n    name = "planner"\n    same = name == "planner"\n',
    "agent/gate.py": "class Gate:\n    def __init__(self, a, b, c, *, d):\n        pass\nclass Own(Gate):\n    pass\n",
    "agent/state.py": 'from package.agent import fold\n\ndef apply(event):\n    return event["type"], event.get("v")\n',
    "agent/fold.py": "def later():\n    from package.agent.state import apply\n    return apply, Own(1)\n",
    "agent/values.py": "@dataclass(frozen=True)\nclass V:\n    a: int\n    b: int\n    c: int\n    d: int\n    e: int",
    "session/events.py": 'kind = event["type"]\n',
    "console/show.py": 'def show(brain, mode):\n    return brain.name == "planner", mode == "planner"\n',
}
EXPECTED = {
    "modules at the root": ["__init__.py", "app.py"],
    "late-binding lambdas in the assembly": ["app:2"],
    "places that wire an agent": ["agent.fold:1 later", "app:1 open_run"],
    "largest constructor, in fields": ["4 agent.gate:1 Gate"],
    "lines that open a run": ["app:1", "app:2"],
    'event["…"] outside session/': ["agent.state:4"],
    "comparisons with names of brains, memories and worlds": ["console.show:2 brain.name == 'planner'"],
    "circles of imports": ["agent.fold agent.state"],
}


@pytest.mark.parametrize("title", EXPECTED)
def test_each_figure_finds_what_it_counts_and_nothing_else(tmp_path: Path, title: str) -> None:
    for name, text in BAD.items():
        (tmp_path / "package" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "package" / name).write_text(text)
    (figure,) = [each for each in FIGURES if each.title == title]
    assert figure.places(Structure(tmp_path / "package")) == EXPECTED[title]
