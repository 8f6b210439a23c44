"""The search finds what a comparison of all rows, done here by hand, finds, for vectors of every make."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from autocraft.memory.lexical import LexicalEmbedder
from autocraft.memory.matrix import Matrix

Vectors = NDArray[np.float32]


def normed(vectors: Vectors) -> Vectors:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = (vectors / np.maximum(length, 1e-9)).astype(np.float32)
    return unit


def at_random(rows: int, dimension: int, seed: int = 1) -> Vectors:
    return normed(np.random.default_rng(seed).standard_normal((rows, dimension), np.float32))


def clustered(rows: int, dimension: int, clusters: int) -> Vectors:
    rng = np.random.default_rng(2)
    centres = at_random(clusters, dimension)
    spread = 0.6 * rng.standard_normal((rows, dimension), np.float32) / np.sqrt(dimension)
    return normed(centres[rng.integers(clusters, size=rows)] + spread.astype(np.float32))


def texts(rows: int) -> Vectors:
    rng = np.random.default_rng(3)
    words = [f"{a}{b}" for a in ("oak", "iron", "stone", "gold", "red", "nether") for b in ("", "_log", "_axe", "_ore")]
    said = [" ".join(words[at] for at in rng.integers(len(words), size=5)) + f" {n}" for n in range(rows)]
    return np.frombuffer(b"".join(LexicalEmbedder().embed(said)), "<f4").reshape(rows, -1)


def matrix_of(vectors: Vectors) -> Matrix:
    matrix = Matrix(vectors.shape[1])
    for start in range(0, len(vectors), 1000):
        part = vectors[start : start + 1000]
        matrix.extend([(start + n + 1, row.astype("<f4").tobytes()) for n, row in enumerate(part)])
    return matrix


@pytest.mark.parametrize(
    ("make", "size"),
    [(at_random, (12_000, 384)), (at_random, (12_000, 100)), (clustered, (12_000, 384, 100)), (texts, (6_000,))],
    ids=["random", "an odd dimension", "clustered", "texts"],
)
@pytest.mark.full
def test_the_ten_nearest_are_found(make: Callable[..., Vectors], size: tuple[int, ...]) -> None:
    """Half of the queries are near a row, half are not. Rows whose cosines agree to five digits may change places."""
    vectors = make(*size)
    matrix = matrix_of(vectors)
    near = normed(vectors[::100][:50] + 0.2 * at_random(len(vectors[::100][:50]), vectors.shape[1], 5))
    for query in [*near, *at_random(50, vectors.shape[1], 6)]:
        scores = vectors.astype(np.float64) @ query.astype(np.float64)
        found = matrix.search(query.astype("<f4").tobytes(), 10, -1.0)
        assert [score for _, score in found] == pytest.approx(np.sort(scores)[::-1][:10], abs=1.5e-5)
        assert [score for _, score in found] == pytest.approx([scores[key - 1] for key, _ in found], abs=1.5e-5)
        assert len({key for key, _ in found}) == 10


def test_what_is_added_later_is_found_too() -> None:
    vectors = clustered(12_000, 64, 50)
    matrix = matrix_of(vectors[:11_000])
    assert matrix.search(vectors[0].tobytes(), 1, 0.2)[0] == (1, 1.0)
    matrix.extend([(20_000 + n, row.tobytes()) for n, row in enumerate(vectors[11_000:])])
    for n in (0, 500, 999):
        assert matrix.search(vectors[11_000 + n].tobytes(), 1, 0.2)[0] == (20_000 + n, 1.0)


def test_of_equals_the_newest_comes_first() -> None:
    vectors = np.repeat(at_random(1, 64), 500, axis=0)
    found = matrix_of(vectors).search(vectors[0].tobytes(), 3, 0.2)
    assert found == [(500, 1.0), (499, 1.0), (498, 1.0)]


def test_floor_k_and_only() -> None:
    vectors = clustered(12_000, 64, 50)
    matrix = matrix_of(vectors)
    query = vectors[5].tobytes()
    found = matrix.search(query, 20, 0.5)
    assert all(score >= 0.5 for _, score in found)
    assert all(one[1] >= other[1] for one, other in pairwise(found))
    assert matrix.search(query, 20, 1.1) == []
    assert matrix.search(query, 3, -1.0, only=[6, 7, 99_999])[0] == (6, 1.0)
    assert {key for key, _ in matrix.search(query, 3, -1.0, only=[6, 7, 99_999])} == {6, 7}
    assert matrix.search(query, 3, -1.0, only=[]) == []
    assert len(matrix.search(query, 50_000, -1.0)) == 12_000
