"""The vectors of one memory in a numpy matrix, which is searched by cosine. `local.py` fills it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_DIGITS = 5
"""Digits of a score. With more, equal texts would differ, since float32 sums depend on the place of a row."""
_SLACK = 2e-5


class Matrix:
    """Vectors of length 1 in the order of their ascending keys."""

    def __init__(self, dimension: int) -> None:
        self._vectors: NDArray[np.float32] = np.empty((0, dimension), np.float32)
        self._keys: NDArray[np.int64] = np.empty(0, np.int64)
        self.size = 0

    @property
    def last(self) -> int:
        """Return the highest key. Return 0 for an empty matrix."""
        return int(self._keys[self.size - 1]) if self.size else 0

    def reserve(self, rows: int) -> None:
        """Allocate memory for so many more rows at once."""
        capacity = self.size + rows
        if capacity > len(self._keys):
            vectors, keys = np.empty((capacity, self._vectors.shape[1]), np.float32), np.empty(capacity, np.int64)
            vectors[: self.size], keys[: self.size] = self._vectors[: self.size], self._keys[: self.size]
            self._vectors, self._keys = vectors, keys

    def extend(self, rows: Sequence[tuple[int, bytes]]) -> None:
        """Add keys, all newer than `last`, with their little-endian float32 vectors."""
        end = self.size + len(rows)
        if end > len(self._keys):
            self.reserve(max(len(rows), self.size, 64))
        if rows:
            data = np.frombuffer(b"".join(vector for _, vector in rows), "<f4")
            self._vectors[self.size : end] = data.reshape(len(rows), -1)
            self._keys[self.size : end] = [key for key, _ in rows]
        self.size = end

    def search(self, vector: bytes, k: int, floor: float, only: Sequence[int] | None = None) -> list[tuple[int, float]]:
        """Return the `k` nearest rows as (key, cosine), of those with a cosine of at least `floor`.

        Among equals, the newest is first. `only` has the keys that may be returned. None allows all.
        """
        query = np.frombuffer(vector, "<f4").astype(np.float32)
        keys, vectors = self._keys[: self.size], self._vectors[: self.size]
        if only is not None:
            mask = np.isin(keys, np.asarray(only, np.int64))
            keys, vectors = keys[mask], vectors[mask]
        with np.errstate(invalid="ignore", over="ignore"):  # for damaged vectors
            scores = vectors @ query
        least = floor
        if 0 < k < len(scores):
            least = max(floor, float(np.partition(scores, len(scores) - k)[len(scores) - k]))
        near = np.flatnonzero(scores >= np.float32(least - _SLACK))
        values = np.round(scores[near], _DIGITS)
        order = np.lexsort((-keys[near], -values))[:k]
        hits = [(int(keys[near[at]]), round(float(values[at]), _DIGITS)) for at in order]
        return [(key, score) for key, score in hits if score >= round(floor, _DIGITS)]
