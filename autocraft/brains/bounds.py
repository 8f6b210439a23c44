"""An answer that never ends must not fill the memory: each body is read up to a cap, an error's body too.

Neighbours: `endpoint.py` hangs `bound` into the client, `stream.py` caps the text of an answer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

MOST_BYTES = 16_000_000
"""Bytes without a piece of an answer among them, after which an endpoint is not listened to any longer."""


class TooMuch(Exception):
    """The endpoint sent more than MOST_BYTES; told to the person by `faults.py`, never raised further."""


async def bound(response: Any) -> None:
    """An httpx2 event hook: puts a counter between the connection and whoever reads the body."""
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        def __init__(self, inner: Any) -> None:
            self.inner = inner
            self.taken = 0

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for chunk in self.inner:
                self.taken += len(chunk)
                if self.taken > MOST_BYTES:
                    raise TooMuch
                yield chunk

        async def aclose(self) -> None:
            await self.inner.aclose()

    response.stream = Bounded(response.stream)


def piece_came(response: Any) -> None:
    """Count anew: what came until now was part of an answer."""
    response.stream.taken = 0
