"""Write the JSON Schema of the events of a run into docs/events.schema.json, from their own classes.

python -m scripts.make_event_schema
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from pkgutil import resolve_name

import msgspec

from autocraft.features import EVENTS
from autocraft.protocols import Json
from autocraft.session import events
from autocraft.session.event import VERSION
from autocraft.session.fields import DEEPEST

PAGE = Path(__file__).resolve().parent.parent / "docs" / "events.schema.json"


def schema() -> Json:
    """Return the schema of one line of `events.jsonl` and of ``run --json``."""
    for place in EVENTS.values():
        resolve_name(place)
    classes = sorted(_classes(events.Event), key=lambda kind: (str(kind.__struct_config__.tag), kind.__name__))
    references, shapes = msgspec.json.schema_components(classes, ref_template="#/$defs/{name}")
    for kind in classes:
        _complete(kind, shapes[kind.__name__])
    for shape in shapes.values():
        shape["description"] = inspect.cleandoc(shape["description"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An event of a run of autocraft",
        "description": f"One line of events.jsonl and of `run --json`. At most {DEEPEST} levels of lists and objects.",
        "oneOf": list(references),
        "$defs": shapes,
    }


def _classes(kind: type[events.Event]) -> list[type[events.Event]]:
    own = [kind] if kind.__struct_config__.tag else []
    return [*own, *(each for inner in kind.__subclasses__() for each in _classes(inner))]


def _complete(kind: type[events.Event], shape: Json) -> None:
    """Add to the schema of a class what its types do not say: which fields are always written."""
    plain = (msgspec.NODEFAULT, list, dict)
    always = [
        each.encode_name
        for each in msgspec.structs.fields(kind)
        if each.required or (each.default is msgspec.NODEFAULT and each.default_factory not in plain)
    ]
    shape["required"] = ["type", *always]
    shape["properties"]["v"] = {"const": VERSION}
    if kind.__struct_config__.tag == "reply":
        shape["properties"]["ok"] = {"const": kind is events.Reply}


def text() -> str:
    """Return the text of the schema file."""
    return json.dumps(schema(), indent=1) + "\n"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
