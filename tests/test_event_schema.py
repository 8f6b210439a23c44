"""docs/events.schema.json is made from the classes of the events, and every line of a run obeys it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autocraft.protocols import Json
from autocraft.session.reading import Events
from scripts import make_event_schema
from tests.conftest import STONE_PICKAXE, Place
from tests.journals import record

TYPES = {"string": str, "boolean": bool, "object": dict, "array": list, "null": type(None), "integer": int}
SCHEMA = make_event_schema.schema()
EVENTS = {name: made for name, made in SCHEMA["$defs"].items() if "v" in made.get("properties", {})}


def obeys(value: Any, shape: Json) -> bool:
    """Tell whether a value obeys a schema, by the keywords that ours uses."""
    if "$ref" in shape:
        return obeys(value, SCHEMA["$defs"][shape["$ref"].rpartition("/")[2]])
    if "oneOf" in shape:
        return sum(obeys(value, each) for each in shape["oneOf"]) == 1
    if "anyOf" in shape:
        return any(obeys(value, each) for each in shape["anyOf"])
    allowed = [shape["const"]] if "const" in shape else shape.get("enum", [value])
    if not any(value == each and type(value) is type(each) for each in allowed):
        return False
    kinds = shape.get("type", [])
    if kinds and not any(is_a(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return False
    if isinstance(value, dict):
        known = shape.get("properties", {})
        named = all(obeys(each, known.get(name, shape.get("additionalProperties", {}))) for name, each in value.items())
        return named and set(shape.get("required", [])) <= set(value)
    if isinstance(value, list):
        begin = shape.get("prefixItems", [])
        sized = shape.get("minItems", 0) <= len(value) <= shape.get("maxItems", len(value))
        rest = value[len(begin) :]
        return sized and all(map(obeys, value, begin)) and all(obeys(each, shape.get("items", {})) for each in rest)
    return not isinstance(value, int | float) or shape.get("minimum", value) <= value <= shape.get("maximum", value)


def is_a(value: Any, kind: str) -> bool:
    if isinstance(value, bool) or kind != "number":
        return type(value) is TYPES.get(kind)
    return isinstance(value, int | float)


def test_the_file_is_up_to_date() -> None:
    made = make_event_schema.PAGE.read_text(encoding="utf-8")
    assert made == make_event_schema.text(), "run python -m scripts.make_event_schema"


def test_a_risk_is_the_same_word_in_every_event() -> None:
    shapes = {name: made["properties"]["risk"] for name, made in EVENTS.items() if "risk" in made["properties"]}
    assert set(shapes) == {"Question", "Decision", "Intent"}
    word = {"$ref": "#/$defs/Risk"}
    assert all(shape in (word, {"anyOf": [word, {"type": "null"}]}) for shape in shapes.values())
    assert set(SCHEMA["$defs"]["Risk"]["enum"]) == {"look", "change", "destroy"}


@pytest.mark.full
def test_recorded_events_obey_and_damaged_ones_do_not(place: Place) -> None:
    lines = [json.loads(json.dumps(event.to_json())) for event in Events(record(place))]
    assert {"spawn", "message", "permission", "deleted"} <= {line["type"] for line in lines}
    for line in lines:
        assert obeys(line, SCHEMA), line
        assert not obeys(line | {"seq": "1"}, SCHEMA)
        assert not obeys(line | {"type": "unknown"}, SCHEMA)
        assert not obeys({key: value for key, value in line.items() if key != "t"}, SCHEMA)


def test_every_line_of_a_run_obeys(place: Place) -> None:
    done = place.run("run", *STONE_PICKAXE, "--json", stdin="use birch\ny\ny -3\n")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert {"goal", "answer", "reply", "question", "decision", "intent", "result"} <= {line["type"] for line in lines}
    events = [line for line in lines if line["seq"] is not None]  # what is only said is not in the journal
    assert [line for line in [*events, *place.events()] if not obeys(line, SCHEMA)] == []
