"""The context window that a local server really has: each kind of server tells it in a way of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote, urlsplit

from autocraft.brains.endpoint import find_window, first_count
from autocraft.protocols import Json

OLLAMA_DEFAULT = 4096
"""The window of a model that Ollama has not loaded yet, where neither the model nor the server sets one."""
_NUM_CTX = re.compile(r"^num_ctx\s+(\d{1,9})\s*$", re.MULTILINE)


async def window_at(client: Any, url: str, kind: str, model: str) -> tuple[int, str]:
    """Return the window of a model in tokens, and where the figure is from. Return 0 and '' if it is unknown.

    `kind` is the name of a profile, empty for a server of an unknown kind. Raises the SDK's errors.
    """
    parts = urlsplit(url)
    root = f"{parts.scheme}://{parts.netloc}"
    for name, probe in _PROBES.items():
        if kind not in ("", name):
            continue
        tokens = 0
        with suppress(Exception):  # a server of another kind answers anything
            tokens = await probe(client, root, model)
        if tokens:
            return tokens, f"{_TITLES[name]} says"
    tokens = await find_window(client, model)
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


async def _get(client: Any, url: str) -> Json:
    """Return the JSON object at this address. Raises ValueError for anything else."""
    body = await client.get(url, cast_to=object)
    if not isinstance(body, dict):
        raise ValueError("no object")
    return body


_PROBES: Mapping[str, Any] = {"llamacpp": _llamacpp, "ollama": _ollama, "lmstudio": _lmstudio}
_TITLES = {"llamacpp": "llama.cpp", "ollama": "Ollama", "lmstudio": "LM Studio"}
