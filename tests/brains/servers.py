"""What each kind of endpoint takes, as its makers publish it, and the table of docs/settings.md that follows from it.

`python -m tests.brains.servers` writes the table. `test_servers.py` checks it. Each profile asks a stand-in that keeps
to these rules. The last column also names the real servers that were asked.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from autocraft.brains.call import Caller
from autocraft.brains.openai import OpenAIBrain, OpenAISettings
from autocraft.brains.profiles import PROFILES
from autocraft.protocols import Json, Message
from autocraft.usage import window_of
from scripts.marked import with_part
from tests.brains.stand_in import COMMAND, Reply, StandIn, fault, streamed

PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"
BEGIN, END = "<!-- servers: made by tests/brains/servers.py -->", "<!-- end of servers -->"
QUESTIONS = 8
"""So many that every lower form can be learned, two answers each."""
SCHEMA: Json = {
    "type": "object",
    "properties": {
        "thoughts": {"type": "object", "properties": {"text": {"type": "string"}}},
        "command": {"anyOf": [{"type": "object", "properties": {"name": {"const": "craft_item"}}}]},
    },
    "required": ["command"],
    "additionalProperties": False,
}
DIALOGUE = [
    Message("system", "You answer with JSON."),
    Message("user", "Begin."),
    Message("assistant", COMMAND),
    Message("user", "It was crafted."),
    Message("user", "What is next?"),
]
_NAMES = """model messages stream stream_options temperature stop response_format tools tool_choice
parallel_tool_calls max_completion_tokens prompt_cache_key reasoning_effort verbosity"""
_OPENAI = frozenset(_NAMES.split())
_GEMINI = _OPENAI - {"prompt_cache_key", "verbosity"} | {"max_tokens"}
_MISTRAL = _GEMINI - {"stream_options", "max_completion_tokens"}
Rule = Callable[[Json], Reply | None]


@dataclass(frozen=True)
class Kind:
    """One kind of endpoint: what it refuses and ignores, and how it tells its models and their windows."""

    model: str
    refuses: Rule = lambda request: None
    ignores_form: bool = False
    rows: Sequence[Json] = ()
    """The list of its models, where that says more than names."""
    pages: Mapping[str, Json] = field(default_factory=dict)
    tried: str = ""
    """The real servers that were asked beside the stand-in."""


def _openai(request: Json) -> Reply | None:
    """Refuse unknown parameters, `max_tokens`, and a schema that strict mode does not take."""
    if "max_tokens" in request:
        text = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'."
        return fault(400, text, type="invalid_request_error", param="max_tokens", code="unsupported_parameter")
    if unknown := set(request) - _OPENAI:
        return fault(400, f"Unknown parameter: '{min(unknown)}'.", param=min(unknown), code="unknown_parameter")
    schema = _schema_of(request)
    if schema.get("strict") and not _is_strict(schema["schema"]):
        return fault(400, "Invalid schema for response_format 'command'", param="response_format")
    return None


def _schema_of(request: Json) -> Json:
    schema: Json = request.get("response_format", {}).get("json_schema", {})
    return schema


def _is_strict(schema: Any) -> bool:
    """Return whether every object requires all of its properties and allows no others."""
    if isinstance(schema, list):
        return all(_is_strict(each) for each in schema)
    if not isinstance(schema, dict):
        return True
    own = schema.get("properties", {})
    closed = schema.get("type") != "object" or (
        schema.get("additionalProperties") is False and list(own) == schema.get("required")
    )
    return closed and all(_is_strict(each) for each in (*own.values(), schema.get("anyOf")))


def _gemini(request: Json) -> Reply | None:
    """Refuse unknown names as Google does: an error within a list."""
    if unknown := set(request) - _GEMINI:
        text = f'Invalid JSON payload received. Unknown name "{min(unknown)}": Cannot find field.'
        error = {"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}}
        return Reply(400, [json.dumps([error]).encode()])
    return None


def _mistral(request: Json) -> Reply | None:
    """Refuse unknown names as pydantic does, and a history that does not end with the user."""
    if unknown := set(request) - _MISTRAL:
        row = {"type": "extra_forbidden", "loc": ["body", min(unknown)], "msg": "Extra inputs are not permitted"}
        return Reply(422, [json.dumps({"object": "error", "message": {"detail": [row]}}).encode()])
    if request["messages"][-1]["role"] != "user":
        return fault(400, "Expected last role User or Tool (or Assistant with prefix True) for serving")
    return None


def _deepseek(request: Json) -> Reply | None:
    """Refuse schemas, and JSON without the word in the prompt."""
    form = request.get("response_format", {}).get("type")
    if form == "json_schema":
        return fault(400, "This response_format type is unavailable now", type="invalid_request_error")
    if form == "json_object" and "json" not in json.dumps(request["messages"]).lower():
        return fault(400, "Prompt must contain the word 'json' in some form to use 'response_format'")
    if any(row["role"] == "developer" for row in request["messages"]):
        return fault(422, "unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`")
    return None


def _lmstudio(request: Json) -> Reply | None:
    """Refuse JSON without a schema."""
    if request.get("response_format", {}).get("type") == "json_object":
        return Reply(400, [b"{\"error\": \"'response_format.type' must be 'json_schema' or 'text'\"}"])
    return None


KINDS: Mapping[str, Kind] = {
    "ollama": Kind(
        "qwen3:4b",
        pages={"/api/ps": {"models": [{"name": "qwen3:4b", "model": "qwen3:4b", "context_length": 8_192}]}},
    ),
    "llamacpp": Kind(
        "model.gguf",
        pages={"/props": {"default_generation_settings": {"n_ctx": 4_096}}},
        tried="stand-in; llama.cpp (xllamacpp 2026.10) with a model",
    ),
    "vllm": Kind("qwen", rows=[{"id": "qwen", "max_model_len": 32_768}]),
    "lmstudio": Kind("qwen", _lmstudio, pages={"/api/v0/models/qwen": {"id": "qwen", "loaded_context_length": 16_384}}),
    "litellm": Kind(
        "small",
        pages={"/model/info": {"data": [{"model_name": "small", "model_info": {"max_input_tokens": 8_192}}]}},
        tried="stand-in; LiteLLM 1.108 before a stand-in",
    ),
    "openrouter": Kind("qwen/qwen3-8b", rows=[{"id": "qwen/qwen3-8b", "context_length": 40_960}]),
    "anthropic": Kind("claude-sonnet-4-5", ignores_form=True),
    "gemini": Kind("gemini-2.5-flash", _gemini),
    "xai": Kind("grok-4"),
    "deepseek": Kind("deepseek-v4-flash", _deepseek),
    "mistral": Kind(
        "mistral-small-latest", _mistral, rows=[{"id": "mistral-small-latest", "max_context_length": 131_072}]
    ),
    "azure": Kind("gpt-5-mini", _openai),
    "openai": Kind(
        "gpt-5-mini",
        _openai,
        tried="stand-in; llmock 0.2.2, a judge of clients; Portkey 1.15, which breaks its own stream",
    ),
}


@dataclass
class Settled:
    """What one profile sent in its last question, and what it knows by then."""

    settings: OpenAISettings
    requests: list[Json]
    texts: list[str]
    window: int
    source: str
    notices: list[str]

    @property
    def last(self) -> Json:
        return self.requests[-1]


@cache
def ask(name: str) -> Settled:
    """Ask a stand-in with the rules of this profile, until nothing more can be learned."""
    kind, profile, stand_in = KINDS[name], PROFILES[name], StandIn()
    stand_in.refuse = lambda request: kind.refuses(request) or _answer(request, kind)
    stand_in.models = Reply(chunks=[json.dumps({"data": list(kind.rows) or [{"id": kind.model}]}).encode()])
    stand_in.pages = {path: Reply(chunks=[json.dumps(value).encode()]) for path, value in kind.pages.items()}
    own: dict[str, Any] = {} if profile.local else {"api_key" if name == "openai" else f"{name}_key": "k"}
    azure = name == "azure"
    own |= {"azure_endpoint": stand_in.url.removesuffix("/v1")} if azure else {"base_url": stand_in.url}
    model = "" if profile.local or name == "openai" else kind.model
    settings = OpenAISettings(provider=name, smart_model=model, retries=0, **own)

    async def go() -> tuple[list[str], int, str, list[str]]:
        brain, caller = OpenAIBrain(settings), Caller(settings)
        try:
            texts = [(await brain.think(DIALOGUE, schema=SCHEMA, max_tokens=50)).text for _ in range(QUESTIONS)]
            listed = 0 if settings.free else window_of(kind.model)
            source = "autocraft's list says" if listed else (await caller.find_window(kind.model))[1]
            return texts, await brain.window("smart"), source, brain.notices
        finally:
            await brain.close()
            await caller.close()

    try:
        return Settled(settings, stand_in.requests, *asyncio.run(go()))
    finally:
        stand_in.close()


def _answer(request: Json, kind: Kind) -> Reply:
    return streamed(f"I craft planks.\n```json\n{COMMAND}\n```" if kind.ignores_form else COMMAND)


def table() -> str:
    """Return the table of all profiles."""
    lines = [
        "| profile | what is sent | system text | window | model for `fast` | asked |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *(f"| {' | '.join(row(name, ask(name)))} |" for name in KINDS)])


def row(name: str, settled: Settled) -> list[str]:
    """Return the cells of one profile."""
    last, kind = settled.last, KINDS[name]
    form = last.get("response_format", {})
    none = "no form, since it is ignored" if kind.ignores_form else "no form"
    forms = {"json_schema": "JSON schema", "json_object": "JSON object", None: none}
    sent = [("strict " if _schema_of(last).get("strict") else "") + forms[form.get("type")]]
    sent[0] += " with its schema" if "schema" in form else ""
    sent += [f"`{each}`" for each in ("max_tokens", "max_completion_tokens", "prompt_cache_key") if each in last]
    sent += ["`x-grok-conv-id`"] if last.get("x-grok-conv-id") else []
    sent += ["`cache_control`"] if "cache_control" in json.dumps(last["messages"]) else []
    sent += [] if "stream_options" in last else ["no `stream_options`"]
    roles = settled.settings.roles()
    fast = f"`{roles['fast'].model}`" if roles["fast"].model != roles["smart"].model else "the smart one"
    said = f"{settled.window:,}: {settled.source}"
    return [f"`{name}`", ", ".join(sent), f"`{last['messages'][0]['role']}`", said, fast, kind.tried or "stand-in"]


def with_table(page: str) -> str:
    """Return the page with the present table."""
    return with_part(page, "docs/settings.md", BEGIN, END, table())


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
