"""What an endpoint and model can do, found by trying and remembered: the form of answers, the parameters it takes.

A refused parameter costs one failed call. It is learned when the next call goes through without it, kept in memory
and, where a file is given, for later runs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from autocraft.brains.faults import Said
from autocraft.protocols import Json
from autocraft.session.atomic import write_atomic

FORMS = ("strict", "json_schema", "json_object with schema", "json_object", "plain")
"""How an answer is held to a schema, from the surest to none."""
PARAMETERS = ("images", "stream_options", "temperature", "stop", "max_tokens", "max_completion_tokens", "stream")
_NAMED = {
    "form": re.compile(r"response_?format|json_?schema|json_?object|structured.?output|grammar|invalid schema", re.I),
    "images": re.compile(r"\bimages?\b|image_url|image input|vision|multi-?modal|mmproj|content.{0,40}string", re.I),
    "stream_options": re.compile(r"stream_options|include_usage"),
    "temperature": re.compile(r"temperature"),
    "stop": re.compile(r"\bstop\b"),
    "max_tokens": re.compile(r"\bmax_tokens"),
    "max_completion_tokens": re.compile(r"max_completion_tokens"),
    "stream": re.compile(r"\bstream(?:ing)?\b"),
}
_REFUSING = re.compile(
    r"unsupported|not support|n[o']t allowed|unknown|unrecogni[sz]ed|unexpected|not permitted|extra[_ ]|not available"
    r"|unavailable|only the default|deprecated|not implemented|incompatible|invalid param|must be verified|disabled",
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
    """One endpoint and model. `form` is the first of FORMS that is not known to be refused."""

    form: str = "json_schema"
    refused: frozenset[str] = frozenset()

    def takes(self, name: str) -> bool:
        return name not in self.refused

    def lower_form(self) -> Abilities:
        return replace(self, form=FORMS[FORMS.index(self.form) + 1])

    def without(self, name: str) -> Abilities:
        """What is left when `name`, a parameter or ``form``, is refused."""
        return self.lower_form() if name == "form" else replace(self, refused=self.refused | {name})

    def after(self, said: Said, sent: Json, proven: frozenset[str]) -> Abilities | None:
        """What to try next when a call that sent these parameters failed; None when no parameter is to blame.

        A refusal that names a parameter blames that one; one that names none may be meant for any that was never
        accepted (`proven` are those that were).
        """
        names = names_in(sent)
        words = f"{said.param} {said.text}"
        for name in names:
            if _NAMED[name].search(words) and (name == "form" or _REFUSING.search(f"{said.code} {words}")):
                return self.without(name)
        vague = said.status in _MAYBE and (_VAGUE.search(said.line) or (not said.line and said.status != 404))
        if not vague or any(pattern.search(words) for pattern in _NAMED.values()):
            return None
        return next((self.without(name) for name in _doubted(names, proven)), None)

    def after_server_errors(self, sent: Json, proven: frozenset[str]) -> Abilities | None:
        """Some servers break (status 500) on a schema that they do not know: the next form is the last try."""
        return self.lower_form() if "form" in names_in(sent) and "form" not in proven else None


def names_in(sent: Json) -> list[str]:
    """Which abilities a request needs, the ones most often refused first."""
    has_images = any(isinstance(message["content"], list) for message in sent.get("messages", []))
    needed = {*sent, *(["images"] if has_images else [])}
    return [*(["form"] if "response_format" in sent else []), *(name for name in PARAMETERS if name in needed)]


def _doubted(names: Sequence[str], proven: frozenset[str]) -> list[str]:
    """The unproven, cheapest loss first: an answer without usage is better than one without its schema."""
    order = [*(name for name in names if name not in ("form", "stream")), "form", "stream"]
    return [name for name in order if name in names and name not in proven]


def response_format(form: str, schema: Json) -> Json | None:
    """The parameter of this name for a form; None for plain."""
    if form in ("strict", "json_schema"):
        strict = form == "strict"
        held: Json = {"name": "command", "schema": strict_schema(schema) if strict else _repeatable(schema)}
        return {"type": "json_schema", "json_schema": held | {"strict": True} if strict else held}
    if form == "json_object with schema":
        return {"type": "json_object", "schema": _repeatable(schema)}
    return {"type": "json_object"} if form == "json_object" else None


_MOST_REPEATED = 2_000
"""llama.cpp refuses a grammar in which anything is repeated more often, and takes one without a bound."""


def _repeatable(schema: Any) -> Any:
    """The same schema without those bounds of texts; there only the answer's own length ends a text."""
    if isinstance(schema, list):
        return [_repeatable(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: _repeatable(value) for name, value in schema.items()}
    longest = made.get("maxLength")
    if isinstance(longest, int) and longest > _MOST_REPEATED:
        del made["maxLength"]
    return made


_NOT_STRICT = {"default", "maxLength", "minLength", "title"}
"""Keywords that OpenAI's strict mode does not list; its models keep answers short without them."""


def strict_schema(schema: Any) -> Any:
    """The same schema as strict mode wants it: every property required, no keyword that it does not list."""
    if isinstance(schema, list):
        return [strict_schema(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: strict_schema(value) for name, value in schema.items() if name not in _NOT_STRICT}
    if isinstance(schema.get("properties"), dict):  # names of properties are no keywords
        made["properties"] = {name: strict_schema(value) for name, value in schema["properties"].items()}
        made["required"] = list(schema["properties"])
        made["additionalProperties"] = False
    return made


@dataclass(slots=True)
class AbilityStore:
    """Abilities by endpoint and model, in memory and in a small JSON file; a damaged file counts as none."""

    file: Path | None = None
    _known: dict[str, Abilities] = field(default_factory=dict)
    _proven: dict[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._known.update(_read(self.file))

    def get(self, address: str, model: str, *, official: bool = False) -> Abilities:
        known = self._known.get(f"{address} {model}")
        return known or (Abilities("strict", frozenset({"max_tokens"})) if official else Abilities())

    def proven(self, address: str, model: str) -> frozenset[str]:
        """What this endpoint accepted since the program started."""
        return self._proven.get(f"{address} {model}", frozenset())

    def learn(self, address: str, model: str, abilities: Abilities, sent: Json, *, changed: bool) -> None:
        """A call with these abilities went through. A file that cannot be written is done without."""
        key = f"{address} {model}"
        self._proven[key] = self.proven(address, model) | set(names_in(sent))
        if not changed or self._known.get(key) == abilities:
            return
        self._known[key] = abilities
        if self.file is not None:
            known = _read(self.file) | self._known  # another run may have written meanwhile
            rows = {name: {"form": each.form, "refused": sorted(each.refused)} for name, each in known.items()}
            try:
                self.file.parent.mkdir(parents=True, exist_ok=True)
                write_atomic(self.file, json.dumps({"v": 1, "abilities": rows}, indent=1).encode(), sync=False)
            except OSError:
                return


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
