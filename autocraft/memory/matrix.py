"""The vectors of one memory in one numpy matrix, searched by cosine. Neighbour: `local.py`, which fills it.

Up to `SCANNED` rows every vector is compared. Above, the signs of the components choose whom to compare: two vectors
at an angle a differ in about a/pi of their signs, so a look at one bit a component leaves few rows to be compared
in full. How many is not fixed: the worst hit found so far says how near a row must be to matter, hence in how many
signs it may differ, with `CARE` standard deviations of allowance. Where that leaves too many (vectors without any
structure), all are compared; so are vectors with many zeros, as the lexical embedder's, whose signs say little.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

SCANNED = 200_000
CARE = 3.5
_FIRST = 2_000  # rows that are compared first, to learn how near the hits are
_SAMPLE = 16_000  # rows that tell how many differing signs those are
_MOST = 16  # above one row in 16, comparing all is as fast as picking them out
_DIGITS = 5  # equal texts score equal here, although float32 sums differ with the place of their row
_SLACK = 2e-5
_CHUNK = 50_000
_DENSE = 0.95  # the share of components that must not be zero


class Matrix:
    """Vectors of length 1 in the order of their keys, which only grow; `last` is the newest key, 0 when empty."""

    def __init__(self, dimension: int, *, scanned: int = SCANNED) -> None:
        self._vectors: NDArray[np.float32] = np.empty((0, dimension), np.float32)
        self._keys: NDArray[np.int64] = np.empty(0, np.int64)
        self._signs: NDArray[np.uint64] = np.empty((-(-dimension // 64), 0), np.uint64)
        self._signed = 0
        self.scanned = scanned
        self.size = 0

    @property
    def last(self) -> int:
        return int(self._keys[self.size - 1]) if self.size else 0

    def reserve(self, rows: int) -> None:
        """Make room for so many more rows at once."""
        room = self.size + rows
        if room > len(self._keys):
            vectors, keys = np.empty((room, self._vectors.shape[1]), np.float32), np.empty(room, np.int64)
            vectors[: self.size], keys[: self.size] = self._vectors[: self.size], self._keys[: self.size]
            self._vectors, self._keys = vectors, keys

    def extend(self, rows: Sequence[tuple[int, bytes]]) -> None:
        """Add keys, all newer than `last`, with their little-endian float32 vectors."""
        end = self.size + len(rows)
        if end > len(self._keys):
            self.reserve(max(len(rows), self.size, 64))
        if rows:
            joined = np.frombuffer(b"".join(vector for _, vector in rows), "<f4")
            self._vectors[self.size : end] = joined.reshape(len(rows), -1)
            self._keys[self.size : end] = [key for key, _ in rows]
        self.size = end

    def search(
        self, vector: bytes, k: int, floor: float, *, exact: bool = False, only: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """The `k` nearest as (key, cosine), none under `floor`; among equals the newest first.

        `only` are the keys that may be found; `exact` compares every row whatever their number.
        """
        with np.errstate(invalid="ignore", over="ignore"):  # of a damaged vector
            return self._found(np.frombuffer(vector, "<f4").astype(np.float32), k, floor, exact, only)

    def _found(
        self, query: NDArray[np.float32], k: int, floor: float, exact: bool, only: Sequence[int] | None
    ) -> list[tuple[int, float]]:
        if only is not None:
            rows = np.flatnonzero(np.isin(self._keys[: self.size], np.asarray(only, np.int64)))
            return self._best(rows, self._vectors[rows] @ query, k, floor)
        if not exact and self.size > self.scanned and k < _FIRST:
            found = self._filtered(query, k, floor)
            if found is not None:
                return found
        return self._best(None, self._vectors[: self.size] @ query, k, floor)

    def _best(
        self, rows: NDArray[np.intp] | None, scores: NDArray[np.float32], k: int, floor: float
    ) -> list[tuple[int, float]]:
        """The best `k` of `rows` (of all, where None) by their `scores`."""
        least = floor
        if 0 < k < len(scores):
            least = max(floor, float(np.partition(scores, len(scores) - k)[len(scores) - k]))
        near = np.flatnonzero(scores >= np.float32(least - _SLACK))
        rounded = np.round(scores[near], _DIGITS)
        keys = self._keys[near if rows is None else rows[near]]
        order = np.lexsort((-keys, -rounded))[:k]
        found = [(int(keys[at]), round(float(rounded[at]), _DIGITS)) for at in order]
        return [(key, score) for key, score in found if score >= round(floor, _DIGITS)]

    def _filtered(self, query: NDArray[np.float32], k: int, floor: float) -> list[tuple[int, float]] | None:
        """What `search` finds, by way of the signs; None where they leave too many."""
        if np.count_nonzero(self._vectors[:_FIRST]) < _DENSE * self._vectors[:_FIRST].size:
            return None
        apart = self._differing_signs(query)
        sample = apart[:: max(1, self.size // _SAMPLE)]
        place = min(len(sample) - 1, len(sample) * _FIRST // self.size + k)
        allowed = int(np.partition(sample, place)[place])
        rows = np.flatnonzero(apart <= allowed)
        found = self._best(rows, self._vectors[rows] @ query, k, floor)
        near = max(found[-1][1] if len(found) == k else floor, floor, -1.0)
        dimension = self._vectors.shape[1]
        share = math.acos(min(1.0, near)) / math.pi
        matters = math.ceil(dimension * share + CARE * math.sqrt(dimension * share * (1 - share)))
        if matters <= allowed:
            return found
        rows = np.flatnonzero(apart <= matters)
        if len(rows) > self.size // _MOST:
            return None
        return self._best(rows, self._vectors[rows] @ query, k, floor)

    def _differing_signs(self, query: NDArray[np.float32]) -> NDArray[np.uint16]:
        """In how many signs each row differs from `query`."""
        self._read_signs()
        (wanted,) = _signs(query[None, :]).T
        apart = np.zeros(self.size, np.uint16)
        for word, bits in zip(wanted, self._signs, strict=True):
            apart += np.bitwise_count(bits[: self.size] ^ word)
        return apart

    def _read_signs(self) -> None:
        """The signs of the rows that are new since the last time."""
        if self._signs.shape[1] < self.size:
            signs = np.empty((self._signs.shape[0], len(self._keys)), np.uint64)
            signs[:, : self._signed] = self._signs[:, : self._signed]
            self._signs = signs
        for start in range(self._signed, self.size, _CHUNK):
            end = min(start + _CHUNK, self.size)
            self._signs[:, start:end] = _signs(self._vectors[start:end])
        self._signed = self.size


def _signs(vectors: NDArray[np.float32]) -> NDArray[np.uint64]:
    """One bit a component, 64 to a word: (words, rows)."""
    packed = np.packbits(vectors > 0, axis=1)
    missing = -packed.shape[1] % 8
    if missing:
        packed = np.pad(packed, ((0, 0), (0, missing)))
    return np.ascontiguousarray(packed.view(np.uint64).T)
