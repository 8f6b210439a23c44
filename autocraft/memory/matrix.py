"""The vectors of one memory in one numpy matrix, searched by cosine. Neighbour: `local.py`, which fills it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_DIGITS = 5  # equal texts score equal here, although float32 sums differ with the place of their row


class Matrix:
    """Vectors of length 1 in the order of their keys, which only grow; `last` is the newest key, 0 when empty."""

    def __init__(self, dimension: int) -> None:
        self._vectors: NDArray[np.float32] = np.empty((0, dimension), np.float32)
        self._keys: NDArray[np.int64] = np.empty(0, np.int64)
        self.size = 0

    @property
    def last(self) -> int:
        return int(self._keys[self.size - 1]) if self.size else 0

    def extend(self, rows: Sequence[tuple[int, bytes]]) -> None:
        """Add keys, all newer than `last`, with their little-endian float32 vectors."""
        end = self.size + len(rows)
        if end > len(self._keys):
            room = max(end, 2 * len(self._keys), 64)
            dimension = self._vectors.shape[1]
            vectors, keys = np.empty((room, dimension), np.float32), np.empty(room, np.int64)
            vectors[: self.size], keys[: self.size] = self._vectors[: self.size], self._keys[: self.size]
            self._vectors, self._keys = vectors, keys
        if rows:
            joined = np.frombuffer(b"".join(vector for _, vector in rows), "<f4")
            self._vectors[self.size : end] = joined.reshape(len(rows), -1)
            self._keys[self.size : end] = [key for key, _ in rows]
        self.size = end

    def search(self, vector: bytes, k: int, floor: float) -> list[tuple[int, float]]:
        """The `k` nearest as (key, cosine), none under `floor`; among equals the newest first."""
        scores = np.round(self._vectors[: self.size] @ np.frombuffer(vector, "<f4").astype(np.float32), _DIGITS)
        if 0 < k < self.size:
            floor = max(floor, float(np.partition(scores, self.size - k)[self.size - k]))
        near = np.flatnonzero(scores >= np.float32(floor))
        order = near[np.lexsort((-self._keys[near], -scores[near]))][:k]
        return [(int(self._keys[at]), round(float(scores[at]), _DIGITS)) for at in order]
