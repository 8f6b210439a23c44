"""The context window that a local server really has: each kind of server tells it in a way of its own."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from autocraft.brains.endpoint import first_count, row_of, window_in
from autocraft.protocols import Json

Patiently = Callable[[Callable[[], Awaitable[Any]]], Awaitable[Any]]

OLLAMA_DEFAULT = 4096
"""The window of a model that Ollama has not loaded yet, where neither the model nor the server sets one."""
_NUM_CTX = re.compile(r"^num_ctx\s+(\d{1,9})\s*$", re.MULTILINE)


async def window_at(
    client: Any, url: str, kind: str, model: str, patiently: Patiently = lambda ask: ask()
) -> tuple[int, str]:
    """Return the window of a model in tokens, and where the figure is from. Return 0 and '' if it is unknown.

    `kind` is the name of a profile. If it is empty, the list of models tells the kind of server, where it can.
    `patiently` asks a question again if the endpoint is busy. Raises the SDK's errors.
    """
    parts = urlsplit(url)
    root = f"{parts.scheme}://{parts.netloc}"
    kinds, row = [kind], None
    if not kind:
        with suppress(Exception):  # some servers list no models
            row = await patiently(lambda: row_of(client, model))
        kinds = _OWNERS.get(str((row or {}).get("owned_by")), list(_PROBES))
    for probe in (_PROBES[name] for name in kinds if name in _PROBES):
        tokens = 0
        with suppress(Exception):  # a server of another kind answers anything
            tokens = await patiently(lambda probe=probe: probe.ask(client, root, model))  # type: ignore[misc]
        if tokens:
            return tokens, f"{probe.title} says"
    tokens = window_in(await patiently(lambda: row_of(client, model)) if row is None else row)
    return tokens, "the list of models says" if tokens else ""


async def _llamacpp(client: Any, root: str, model: str) -> int:
    props = await _get(client, f"{root}/props")
    settings = props.get("default_generation_settings")
    return first_count([settings.get("n_ctx") if isinstance(settings, dict) else None, props.get("n_ctx")])


async def _lmstudio(client: Any, root: str, model: str) -> int:
    row = await _get(client, f"{root}/api/v0/models/{quote(model, safe='')}")
    return first_count([row.get("loaded_context_length"), row.get("max_context_length")])


async def _ollama(client: Any, root: str, model: str) -> int:
    """Return the window of the loaded model, else what the model sets, else Ollama's default."""
    loaded = (await _get(client, f"{root}/api/ps")).get("models")
    if not isinstance(loaded, list):
        return 0
    rows = [row for row in loaded if isinstance(row, dict)]
    named = [row.get("context_length") for row in rows if model in (row.get("name"), row.get("model"))]
    if tokens := first_count(named):
        return tokens
    shown = await client.post(f"{root}/api/show", body={"model": model}, cast_to=object)
    if not isinstance(shown, dict) or "model_info" not in shown:
        return 0
    info = shown.get("model_info")
    facts = info if isinstance(info, dict) else {}
    trained = [value for name, value in facts.items() if name.endswith(".context_length")]
    if match := _NUM_CTX.search(str(shown.get("parameters") or "")):
        return int(match[1])
    return min(OLLAMA_DEFAULT, first_count(trained) or OLLAMA_DEFAULT)


async def _litellm(client: Any, root: str, model: str) -> int:
    rows = (await _get(client, f"{root}/model/info")).get("data")
    named = [row for row in rows if row.get("model_name") == model] if isinstance(rows, list) else []
    return first_count([row["model_info"].get("max_input_tokens") for row in named])


async def _get(client: Any, url: str) -> Json:
    """Return the JSON object at this address. Raises ValueError for anything else."""
    body = await client.get(url, cast_to=object)
    if not isinstance(body, dict):
        raise ValueError("no object")
    return body


class _Probe(NamedTuple):
    """How one kind of server is asked: with the client, the address of the server, and the name of the model."""

    title: str
    ask: Callable[[Any, str, str], Awaitable[int]]


_PROBES: Mapping[str, _Probe] = {
    "llamacpp": _Probe("llama.cpp", _llamacpp),
    "ollama": _Probe("Ollama", _ollama),
    "lmstudio": _Probe("LM Studio", _lmstudio),
    "litellm": _Probe("LiteLLM", _litellm),
}
_OWNERS: Mapping[str, list[str]] = {
    "llamacpp": ["llamacpp"],
    "library": ["ollama"],
    "organization_owner": ["lmstudio"],
    "openai": ["litellm"],
    "vllm": [],
}
"""The owner of the models, as a list of models names it -> the kinds of server that name it so."""
