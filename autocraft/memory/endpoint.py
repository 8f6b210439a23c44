"""Embedder that asks an OpenAI-compatible server. It is used only if it is named, since all texts are sent there."""

from __future__ import annotations

import asyncio
import math
import struct
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

from autocraft import http_client
from autocraft.brains.profiles import OPENAI_URL
from autocraft.errors import MemoryFault, UsageError
from autocraft.text.sanitize import clean_line

MODEL = "text-embedding-3-small"
T = TypeVar("T")
_INSTEAD = "set MEMORY_EMBEDDER=minilm"
_NEXT = f"check OPENAI_BASE_URL and MEMORY_EMBEDDING_MODEL, or {_INSTEAD}"
_BATCH = 100
_CHARACTERS = 8_000
"""Most characters of a text that are sent. Such models read about 8,000 tokens, and few characters are two tokens."""
_MOST_BYTES = 64_000_000
"""Most bytes of an answer: 100 vectors of 16,384 numbers, each written with 25 characters, are 41 MB."""
_LONGEST_VECTOR = 65_536


class EndpointEmbedder:
    """Asks a server for vectors. `floor` depends on the model. The default is for text-embedding-3-small.

    The dimension is that of the first answer. If it is needed earlier, a short text is sent.
    """

    def __init__(
        self,
        *,
        model: str = "",
        base_url: str | None = None,
        api_key: str = "",
        floor: float | None = None,
        timeout: float = 30.0,
    ) -> None:
        """Raises UsageError if there is neither a key nor an address."""
        if not api_key and not base_url:
            raise UsageError("the embedder openai needs OPENAI_API_KEY or OPENAI_BASE_URL; minilm needs neither")
        self.model = model or MODEL
        self.name = f"openai:{self.model}"
        self.floor = 0.3 if floor is None else floor
        self._client_options: dict[str, Any] = {"api_key": api_key or "none", "base_url": base_url or None}
        self._timeout = timeout
        self._dimension = 0

    @property
    def dimension(self) -> int:
        if not self._dimension:
            self.embed(["dimension"])
        return self._dimension

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector for each text. Raises MemoryFault if the server cannot be reached, or has no vectors."""
        return _run(self._embed_all(texts)) if texts else []

    async def _embed_all(self, texts: Sequence[str]) -> list[bytes]:
        import openai

        url = self._client_options["base_url"] or OPENAI_URL
        client = http_client.open_client(url, openai.Timeout(self._timeout), most=_MOST_BYTES)
        vectors: list[bytes] = []
        async with openai.AsyncOpenAI(**self._client_options, http_client=client) as openai_client:
            for start in range(0, len(texts), _BATCH):
                batch = [text[:_CHARACTERS] if text.strip() else "(empty)" for text in texts[start : start + _BATCH]]
                vectors += [self._pack(vector) for vector in await self._request(openai_client, batch)]
        return vectors

    async def _request(self, client: Any, texts: list[str]) -> list[list[float]]:
        import openai

        try:
            answer = await client.embeddings.create(model=self.model, input=texts, encoding_format="float")
            vectors = {item.index: item.embedding for item in answer.data}
            return [vectors[at] for at in range(len(texts))]
        except openai.OpenAIError as error:
            why = clean_line(" ".join(str(error)[:4000].split()))[:200]
            raise MemoryFault(f"the embeddings of {self.model} cannot be fetched: {why}; {_NEXT}") from None
        except http_client.Refusal as error:
            raise MemoryFault(f"the server that embeds with {self.model} {error}, or {_INSTEAD}") from None
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
            raise MemoryFault(f"the server answered no embeddings for {self.model}; {_NEXT}") from None

    def _pack(self, vector: list[float]) -> bytes:
        """Return the vector with length 1 as bytes. Raises MemoryFault if it is not a list of numbers."""
        try:
            if len(vector) > _LONGEST_VECTOR:
                raise ValueError
            length = math.sqrt(sum(value * value for value in vector))
            if not math.isfinite(length) or not vector:
                raise ValueError
            if self._dimension and len(vector) != self._dimension:
                numbers = f"{len(vector)} numbers after {self._dimension} before"
                raise MemoryFault(f"{self.model} gave {numbers}; ask one model only")
            self._dimension = len(vector)
            return struct.pack(f"<{len(vector)}f", *(value / (length or 1.0) for value in vector))
        except (TypeError, ValueError, OverflowError, struct.error):
            raise MemoryFault(f"the server answered no numbers as embeddings for {self.model}; {_NEXT}") from None


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` in a thread of its own, since the caller's may have an event loop. Ctrl-C does not wait for it."""
    result: Future[T] = Future()

    def run() -> None:
        try:
            result.set_result(asyncio.run(work))
        except BaseException as error:  # noqa: BLE001 - the caller gets it
            result.set_exception(error)

    threading.Thread(target=run, daemon=True, name="embed").start()
    return result.result()
