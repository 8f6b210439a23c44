"""The table `features.py`: each of its entries is there, and nothing of the outer ring joins beside it."""

from __future__ import annotations

import ast
import dataclasses
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name

import pytest

from autocraft import features
from autocraft.agent.state import State
from autocraft.errors import SessionError
from autocraft.learning.events import Task
from autocraft.session.event import read_line
from autocraft.session.events import Aim, Event
from autocraft.settings.fields import SECTIONS
from autocraft.settings.recorded import RecordedSettings
from tests.conftest import unmeasured
from tests.test_rings import INNER, MODULES, PACKAGE, room_of

HEAD = {"v": 4, "seq": 2, "t": 0, "agent": "main", "turn": 0, "text": "Task: x"}
TASK = {**HEAD, "type": "task", "goals": [{"text": "craft 1 stick", "items": []}], "remaining": [], "by": "rule"}


def tagged(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (type, place) for each class of events that a module declares."""
    name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef):
            for word in node.keywords:
                if word.arg == "tag" and isinstance(word.value, ast.Constant):
                    yield str(word.value.value), f"{name}:{node.name}"


@pytest.mark.parametrize("name", features.VERBS)
def test_a_verb_is_a_module_of_its_name(name: str) -> None:
    module, _, app = features.VERBS[name].app.partition(":")
    assert (module, app) == (f"autocraft.cli.{name.replace('-', '_')}", "app")
    assert callable(resolve_name(features.VERBS[name].app))


@pytest.mark.parametrize("name", features.SECTIONS)
def test_a_section_is_a_dataclass_of_the_outer_ring(name: str) -> None:
    assert SECTIONS[name] == features.SECTIONS[name]
    assert dataclasses.is_dataclass(resolve_name(features.SECTIONS[name]))
    assert features.SECTIONS[name].split(".")[1] not in INNER


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, parts in features.PARTS.items() for name in parts])
def test_a_part_can_be_made(kind: str, name: str) -> None:
    part = resolve_name(features.PARTS[kind][name])
    assert callable(part if kind == "memory" else part.for_run)


@pytest.mark.parametrize("name", features.MODES)
def test_a_mode_has_a_verb_a_brain_and_settings_of_its_own(name: str) -> None:
    mode = features.MODES[name]
    assert name in features.VERBS and mode.brain in features.PARTS["brain"]
    assert all(section in SECTIONS for section in mode.defaults)
    assert not mode.agent or (callable(resolve_name(mode.agent)) and name in SECTIONS)
    assert not mode.page or callable(resolve_name(mode.page)().to_json)


def test_what_opens_servers_is_there() -> None:
    assert all(map(callable, map(resolve_name, (features.MCP.read_servers, features.MCP.open_servers))))


def test_no_name_is_declared_twice() -> None:
    for entries in ("verbs", "sections", "events", "brains"):
        names = [name for feature in features.FEATURES for name in getattr(feature, entries)]
        assert len(names) == len(set(names)), entries


def test_every_event_of_the_outer_ring_is_in_the_table_and_no_other() -> None:
    found = [(room_of(path) in INNER, each) for path in MODULES for each in tagged(path)]
    assert {type: place for inner, (type, place) in found if not inner} == features.EVENTS
    assert not {type for inner, (type, _) in found if inner} & set(features.EVENTS)
    for type, place in features.EVENTS.items():
        kind = resolve_name(place)
        assert issubclass(kind, Event) and kind.__struct_config__.tag == type


READ = """
import json, sys
from autocraft.session.event import read_line
first = "autocraft.learning" in sys.modules
event = read_line(sys.stdin.buffer.read())
print(json.dumps([first, event.type, event.goals[0].text]))
"""


def test_a_line_of_a_feature_is_read_without_importing_the_feature_before() -> None:
    done = subprocess.run([sys.executable, "-c", READ], input=json.dumps(TASK), env=unmeasured({}), text=True,
                          cwd=PACKAGE.parent, capture_output=True, timeout=60)  # fmt: skip
    assert json.loads(done.stdout or "[]") == [False, "task", "craft 1 stick"], done.stderr


@pytest.mark.parametrize("type", ["", "tasks", "learning", "Task", "aim"])
def test_an_event_that_no_feature_declares_is_refused(type: str) -> None:
    with pytest.raises(ValueError, match=r"^it is of no known type$"):
        read_line(json.dumps(TASK | {"type": type}).encode())


def test_the_state_takes_the_goals_of_an_event_of_a_feature() -> None:
    state, task = State(), read_line(json.dumps(TASK).encode())
    assert isinstance(task, Task) and isinstance(task, Aim)
    state.apply(task)
    assert state.goal_text == "craft 1 stick"


def test_the_first_event_names_its_mode_and_no_old_or_unknown_one_is_misread() -> None:
    goal = HEAD | {"type": "goal", "goals": [], "session": "s"}

    def options(**values: object) -> bytes:
        return json.dumps(goal | {"options": values}).encode()

    assert [RecordedSettings({"mode": name}).mode.verb for name in features.MODES] == ["run", "learn"]
    with pytest.raises(SessionError, match="this session is in the mode 'dream', which is unknown: update autocraft"):
        _ = RecordedSettings({"mode": "dream"}).mode
    with pytest.raises(ValueError, match=r"^goal: its options are from a build before the first release$"):
        read_line(options(learn=True))
    with pytest.raises(ValueError, match=r"^goal: its option mode is not text$"):
        read_line(options(mode=1))
