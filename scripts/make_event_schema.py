"""Write the JSON Schema of the events of a run into docs/events.schema.json, from their own classes.

python -m scripts.make_event_schema
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from autocraft.protocols import Json, Risk
from autocraft.session import events
from autocraft.session.fields import DEEPEST, LAST_SECOND, MOST, Check, Kind, date
from autocraft.session.formats import VERSION

PAGE = Path(__file__).resolve().parent.parent / "docs" / "events.schema.json"
_NAMED: Mapping[Check, Json] = {
    date: {"type": "number", "minimum": 0, "maximum": LAST_SECOND},
}
_RISK: Json = {
    "enum": [risk.label for risk in Risk],
    "description": "How much a command can change. A command that reaches the network counts as destroy.",
}
_COUNTS: Json = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0, "maximum": MOST}}
_ITEM: Json = {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer", "minimum": 0}]}
_DEED: Json = {"type": "array", "description": "verb, thing, how often, and how often it had been done before"}
_GOAL: Json = {
    "type": "object",
    "required": ["text", "items"],
    "properties": {
        "text": {"type": "string"},
        "items": {"type": "array", "items": _ITEM},
        "deeds": {"type": "array", "items": _DEED},
        "words": {"type": "string"},
    },
}
_ROW: Json = {
    "type": "object",
    "required": ["id", "text", "score"],
    "properties": {"id": {"type": "string"}, "text": {"type": "string"}, "score": {"type": ["number", "null"]}},
}
_USAGE: Json = {"type": "array", "minItems": 3, "maxItems": 4}
_USAGE["description"] = "sent, received, whether estimated, and how many of those sent were cached if there were any"
_TYPES: Mapping[Any, Json] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    dict: {"type": "object"},
    int: {"type": "integer", "minimum": 0, "maximum": MOST},
    float: {"type": "number"},
    Any: {},
}
_ALIASES: Mapping[Any, Json] = {
    events.GoalList: {"type": "array", "items": _GOAL},
    events.Tokens: _USAGE,
    events.Rows: {"type": "array", "items": _ROW},
    events.RiskWord: {"$ref": "#/$defs/Risk"},
    events.PossibleRisk: {"anyOf": [{"$ref": "#/$defs/Risk"}, {"type": "null"}]},
}


def schema() -> Json:
    """Return the schema of one line of `events.jsonl` and of ``run --json``."""
    classes = sorted(_classes(events.Event), key=lambda kind: (kind.type, kind.__name__))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An event of a run of autocraft",
        "description": f"One line of events.jsonl and of `run --json`. At most {DEEPEST} levels of lists and objects.",
        "oneOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in classes],
        "$defs": {"Risk": _RISK, **{kind.__name__: _event(kind) for kind in classes}},
    }


def _classes(kind: type[events.Event]) -> list[type[events.Event]]:
    own = [kind] if "type" in vars(kind) and kind.type else []
    return [*own, *(each for inner in kind.__subclasses__() for each in _classes(inner))]


def _event(kind: type[events.Event]) -> Json:
    hints = get_type_hints(kind, include_extras=True)
    shapes: Json = {"v": {"const": VERSION}, "type": {"const": kind.type}}
    required = ["v", "type"]
    for field in fields(kind):
        key = field.metadata.get("key", field.name)
        shapes[key] = _shape(hints[field.name])
        if field.name == "ok" and kind.type == "reply":
            shapes[key] = {"const": field.default}
        required += [key] if _always(field) else []
    return {"description": kind.__doc__, "type": "object", "required": required, "properties": shapes}


def _always(field: Field[Any]) -> bool:
    plain = field.default is MISSING and field.default_factory is MISSING
    return bool(field.metadata.get("required", plain))


def _shape(hint: Any) -> Json:
    """Return the schema of a field. Raises KeyError for a type without a schema here."""
    if hint in _ALIASES:
        return _ALIASES[hint]
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        check = inner[1].check if isinstance(inner[1], Kind) else inner[1]
        return _NAMED.get(check) or (_COUNTS if inner[0] == dict[str, int] else _shape(inner[0]))
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, UnionType):
        return {"anyOf": [_shape(each) for each in inner if each is not NoneType] + [{"type": "null"}]}
    if origin is list:
        return {"type": "array", "items": _shape(inner[0])}
    return _TYPES[origin or hint]


def text() -> str:
    """Return the text of the schema file."""
    return json.dumps(schema(), indent=1) + "\n"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
