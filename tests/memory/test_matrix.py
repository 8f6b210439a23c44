"""The search by signs finds what the comparison of all finds, for vectors of every make."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from autocraft.memory.lexical import LexicalEmbedder
from autocraft.memory.matrix import Matrix

Vectors = NDArray[np.float32]


def normed(vectors: Vectors) -> Vectors:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.maximum(length, 1e-9)).astype(np.float32)


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


def matrix_of(vectors: Vectors, scanned: int) -> Matrix:
    matrix = Matrix(vectors.shape[1], scanned=scanned)
    for start in range(0, len(vectors), 1000):
        part = vectors[start : start + 1000]
        matrix.extend([(start + n + 1, row.astype("<f4").tobytes()) for n, row in enumerate(part)])
    return matrix


@pytest.mark.parametrize(
    "vectors",
    [at_random(12_000, 384), at_random(12_000, 100), clustered(12_000, 384, 100), texts(6_000)],
    ids=["random", "an odd dimension", "clustered", "texts"],
)
def test_recall_at_ten(vectors: Vectors) -> None:
    """The same queries by signs and by comparing all; half are near a row, half are not."""
    matrix = matrix_of(vectors, scanned=5_000)
    rng = np.random.default_rng(4)
    near = normed(vectors[::100][:50] + 0.2 * at_random(len(vectors[::100][:50]), vectors.shape[1], 5))
    found = wanted = 0
    for query in [*near, *at_random(50, vectors.shape[1], int(rng.integers(9)))]:
        data = query.astype("<f4").tobytes()
        exact = matrix.search(data, 10, -1.0, exact=True)
        filtered = matrix.search(data, 10, -1.0)
        wanted += len(exact)
        found += len({key for key, _ in exact} & {key for key, _ in filtered})
    assert wanted == 1000
    assert found / wanted >= 0.999


def test_signs_are_really_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted: how many rows are compared in full for a query near to a cluster."""
    vectors = clustered(40_000, 384, 200)
    matrix = matrix_of(vectors, scanned=10_000)
    compared: list[int] = []
    best = matrix._best

    def counted(rows: NDArray[np.intp] | None, *rest: object) -> list[tuple[int, float]]:
        compared.append(40_000 if rows is None else len(rows))
        return best(rows, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(matrix, "_best", counted)
    for query in vectors[:20]:
        matrix.search(query.tobytes(), 10, 0.2)
    assert sum(compared) < 20 * 40_000 // 8


def test_what_is_added_later_is_found_by_signs_too() -> None:
    vectors = clustered(12_000, 64, 50)
    matrix = matrix_of(vectors[:11_000], scanned=5_000)
    assert matrix.search(vectors[0].tobytes(), 1, 0.2)[0] == (1, 1.0)
    matrix.extend([(20_000 + n, row.tobytes()) for n, row in enumerate(vectors[11_000:])])
    for n in (0, 500, 999):
        assert matrix.search(vectors[11_000 + n].tobytes(), 1, 0.2)[0] == (20_000 + n, 1.0)


def test_floor_k_and_only() -> None:
    vectors = clustered(12_000, 64, 50)
    matrix = matrix_of(vectors, scanned=5_000)
    query = vectors[5].tobytes()
    for options in ({}, {"exact": True}):
        found = matrix.search(query, 20, 0.5, **options)  # type: ignore[arg-type]
        assert all(score >= 0.5 for _, score in found)
        assert all(one[1] >= other[1] for one, other in pairwise(found))
        assert matrix.search(query, 20, 1.1, **options) == []  # type: ignore[arg-type]
    assert matrix.search(query, 3, -1.0, only=[6, 7, 99_999])[0] == (6, 1.0)
    assert {key for key, _ in matrix.search(query, 3, -1.0, only=[6, 7, 99_999])} == {6, 7}
    assert matrix.search(query, 3, -1.0, only=[]) == []
    assert len(matrix.search(query, 50_000, -1.0)) == 12_000
