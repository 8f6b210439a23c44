"""What an endpoint and model can do: the forms of answers and the parameters that they accept, learned by trying.

A refused parameter costs one failed call. It is learned when the next call succeeds without it. The result is stored in
memory and, if a file is given, for later runs.
"""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from autocraft.brains.faults import ErrorReport
from autocraft.protocols import Answer, Json
from autocraft.session.atomic import write_atomic

FORMS = ("strict", "json_schema", "json_object with schema", "json_object", "plain")
"""How an answer is made to fit a schema, from the surest form to none."""
PARAMETERS = (
    *(
        "system",
        "developer",
        "images",
        "tools",
        "reasoning_effort",
        "verbosity",
        "stream_options",
        "temperature",
        "stop",
    ),
    *("max_tokens", "max_completion_tokens", "prompt_cache_key", "stream"),
)
_ROLES = frozenset(("system", "developer"))
_NAMED = {
    "form": re.compile(
        r"response_?format|text\.format|json_?schema|json_?object|structured.?output|grammar|invalid schema", re.I
    ),
    "system": re.compile(r"\bsystem\b|developer (?:role|instruction|message)|messages?\[0\]\.?(?:\[?.?role)", re.I),
    "developer": re.compile(r"\bdeveloper\b|messages?\[0\]\.?(?:\[?.?role)|\broles?\b", re.I),
    "images": re.compile(r"\bimages?\b|image_url|image input|vision|multi-?modal|mmproj|content.{0,40}string", re.I),
    "tools": re.compile(r"\btools?\b|tool_choice|tool_calls|function.?call", re.I),
    "reasoning_effort": re.compile(r"reasoning.?effort|\bthink(?:ing)?\b", re.I),
    "verbosity": re.compile(r"verbosity", re.I),
    "stream_options": re.compile(r"stream_options|include_usage"),
    "temperature": re.compile(r"temperature"),
    "stop": re.compile(r"\bstop\b"),
    "max_tokens": re.compile(r"\bmax_(?:output_)?tokens"),
    "prompt_cache_key": re.compile(r"prompt_cache_key"),
    "max_completion_tokens": re.compile(r"max_(?:completion|output)_tokens"),
    "stream": re.compile(r"\bstream(?:ing)?\b"),
}
_REFUSING = re.compile(
    r"unsupported|not support|n[o']t allowed|unknown|unrecogni[sz]ed|unexpected|not permitted|extra[_ ]|not available"
    r"|unavailable|only the default|deprecated|not implemented|incompatible|invalid param|must be verified|disabled"
    r"|not enabled|must alternate|invalid role|(?:does|do) not take",
    re.IGNORECASE,
)
_MAYBE = (400, 404, 415, 422, 501)
_VAGUE = re.compile(
    r"^\W*(?:(?:the )?(?:bad|invalid|malformed) (?:request|input|payload|body)|error|unprocessable(?: entity| content)?"
    r"|not implemented|validation error)\b.{0,20}$|param|argument|field|unsupported|not support|extra_",
    re.IGNORECASE,
)
"""Statuses and words of a refusal that does not say what is refused."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What one endpoint and model accept. `form` is the first of FORMS that is not known to be refused."""

    form: str = "json_schema"
    refused: frozenset[str] = frozenset()

    def takes(self, name: str) -> bool:
        return name not in self.refused

    @property
    def system(self) -> str:
        """Return the role of the system text. Return '' if the model takes none."""
        return next((role for role in ("system", "developer") if self.takes(role)), "")

    def lower_form(self) -> Abilities:
        return replace(self, form=FORMS[FORMS.index(self.form) + 1])

    def without(self, name: str) -> Abilities:
        """Return the abilities without `name`, which is a parameter or ``form``."""
        return self.lower_form() if name == "form" else replace(self, refused=self.refused | {name})

    def after(self, report: ErrorReport, request: Json, proven: frozenset[str]) -> Abilities | None:
        """Return what to try next after a call with these parameters failed. Return None if no parameter is to blame.

        A refusal that names a parameter blames that one. If it names none, any parameter that was never accepted may be
        meant; `proven` are those that were accepted.
        """
        names = sorted(names_in(request), key=lambda name: name != report.param)
        words = f"{report.param} {report.text}"
        for name in names:
            if _NAMED[name].search(words) and (name == "form" or _REFUSING.search(f"{report.code} {words}")):
                return self.without(name)
        vague = report.status in _MAYBE and (_VAGUE.search(report.line) or (not report.line and report.status != 404))
        if not vague or any(pattern.search(words) for pattern in _NAMED.values()):
            return None
        unproven = [name for name in names if name not in proven and name not in _ROLES]
        late = ("form", "stream")  # it is better to lack the usage than a form
        unproven.sort(key=lambda name: late.index(name) if name in late else -1)
        return self.without(unproven[0]) if unproven else None


def names_in(request: Json) -> list[str]:
    """Return the abilities that a request needs, those most often refused first."""
    messages = request.get("messages", [])
    contents = [message["content"] for message in messages]
    has_images = any(part["type"] == "image_url" for parts in contents if isinstance(parts, list) for part in parts)
    roles = {message["role"] for message in messages} & _ROLES
    parts = {*request, *roles, *(["images"] if has_images else [])}
    return [*(["form"] if "response_format" in request else []), *(name for name in PARAMETERS if name in parts)]


def ignored_in(request: Json, answer: Answer) -> str:
    """Return what the request asked for, and the answer does not have: ``form``, ``tools``, or '' for nothing."""
    if answer.finish_reason != "stop" or answer.refusal or "stop" in request:
        return ""
    if request.get("tool_choice") == "required" and not answer.tool_calls:
        return "tools"
    if "response_format" not in request:
        return ""
    form = request["response_format"]
    try:
        value = json.loads(answer.text.rpartition("</think>")[2])
        return "" if _fits(value, form.get("json_schema", form).get("schema", {"type": "object"})) else "form"
    except (ValueError, RecursionError):
        return "form"


def _fits(value: Any, schema: Json) -> bool:
    """Return whether a value has the objects, required names and constants of a schema. The rest is not compared."""
    if "anyOf" in schema:
        return any(_fits(value, each) for each in schema["anyOf"])
    if "const" in schema:
        return bool(value == schema["const"])
    if schema.get("type") != "object":
        return True
    inner = schema.get("properties", {})
    if not isinstance(value, dict) or not all(name in value for name in schema.get("required", ())):
        return False
    return all(_fits(value[name], each) for name, each in inner.items() if name in value)


def response_format(form: str, schema: Json) -> Json | None:
    """Return the parameter `response_format` for a form. Return None for plain."""
    if form in ("strict", "json_schema"):
        strict = form == "strict"
        form_schema: Json = {"name": "command", "schema": strict_schema(schema) if strict else _repeatable(schema)}
        return {"type": "json_schema", "json_schema": form_schema | {"strict": True} if strict else form_schema}
    if form == "json_object with schema":
        return {"type": "json_object", "schema": _repeatable(schema)}
    return {"type": "json_object"} if form == "json_object" else None


_MOST_REPEATED = 2_000
"""llama.cpp refuses a grammar with a larger bound of a repetition, but accepts one without a bound."""


def _repeatable(schema: Any) -> Any:
    """Return the schema without such bounds of texts. Then only the length of the answer ends a text."""
    if isinstance(schema, list):
        return [_repeatable(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {name: _repeatable(value) for name, value in schema.items()}
    longest = copy.get("maxLength")
    if isinstance(longest, int) and longest > _MOST_REPEATED:
        del copy["maxLength"]
    return copy


_NOT_STRICT = {"default", "maxLength", "minLength", "title"}
"""Keywords that OpenAI's strict mode does not list. Its models give short answers without them."""


def strict_schema(schema: Any) -> Any:
    """Return the schema as strict mode wants it: every property required, no keyword that it does not list."""
    if isinstance(schema, list):
        return [strict_schema(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {name: strict_schema(value) for name, value in schema.items() if name not in _NOT_STRICT}
    if isinstance(schema.get("properties"), dict):  # names of properties are no keywords
        copy["properties"] = {name: strict_schema(value) for name, value in schema["properties"].items()}
        copy["required"] = list(schema["properties"])
        copy["additionalProperties"] = False
    return copy


@dataclass(slots=True)
class AbilityStore:
    """Abilities by endpoint and model, in memory and in a small JSON file. A damaged file counts as empty."""

    file: Path | None = None
    _abilities: dict[str, Abilities] = field(default_factory=dict)
    _proven: dict[str, frozenset[str]] = field(default_factory=dict)
    _ignored: dict[str, str] = field(default_factory=dict)
    """What the last answer did not keep to, though it was accepted."""
    _told: set[tuple[str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._abilities.update(_read(self.file))

    def get(self, address: str, model: str, *, official: bool = False) -> Abilities:
        abilities = self._abilities.get(f"{address} {model}")
        return abilities or (Abilities("strict", frozenset({"max_tokens"})) if official else Abilities())

    def proven(self, address: str, model: str) -> frozenset[str]:
        """Return what this endpoint accepted since the program started."""
        return self._proven.get(f"{address} {model}", frozenset())

    def notice(self, address: str, model: str, abilities: Abilities, request: Json, answer: Answer) -> str:
        """Return what the endpoint ignores, once, if two answers in a row did not keep to it. Return '' otherwise.

        Then the next lower form is tried, as after a refusal.
        """
        key = f"{address} {model}"
        broken = ignored_in(request, answer)
        before, self._ignored[key] = self._ignored.get(key, ""), broken
        if not broken or broken != before:
            return ""
        self._ignored[key] = ""
        self._store(key, abilities.without(broken))
        told = (key, broken) in self._told
        self._told.add((key, broken))
        return "" if told else broken

    def learn(self, address: str, model: str, abilities: Abilities, request: Json, *, changed: bool) -> None:
        """Record that a call with these abilities succeeded. A file that cannot be written is ignored."""
        key = f"{address} {model}"
        self._proven[key] = self.proven(address, model) | set(names_in(request))
        if not changed or self._abilities.get(key) == abilities:
            return
        self._store(key, abilities)

    def _store(self, key: str, abilities: Abilities) -> None:
        self._abilities[key] = abilities
        if self.file is not None:
            known = _read(self.file) | {key: abilities}  # another run may have written meanwhile
            rows = {name: {"form": row.form, "refused": sorted(row.refused)} for name, row in known.items()}
            with contextlib.suppress(OSError):
                self.file.parent.mkdir(parents=True, exist_ok=True)
                write_atomic(self.file, json.dumps({"v": 1, "abilities": rows}, indent=1).encode(), sync=False)


def _read(file: Path | None) -> dict[str, Abilities]:
    if file is None:
        return {}
    try:
        rows = json.loads(file.read_bytes())["abilities"]
        return {
            str(key): Abilities(row["form"], frozenset(row["refused"]) & frozenset(PARAMETERS))
            for key, row in rows.items()
            if row["form"] in FORMS
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}
