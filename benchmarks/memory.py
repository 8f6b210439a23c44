"""Memory side by side: our local store, plain numpy, sqlite-vec and chromadb with the same given vectors.

``python -m benchmarks memory`` measures 1,000 and 100,000 rows; ``python -m benchmarks.memory 1000000`` as many as are
named (above 100,000 our store and numpy alone). Embedding is in no figure. Each store runs in a process of its own,
the peers in `.venv-bench` or the environment that ``AUTOCRAFT_BENCH_PYTHON`` names. A second table shows what the
search by signs finds, for clustered, real and random vectors. Neighbours: `peers/vectors.py` is one store, measured;
`measure.py` keeps and prints.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import MISSING, PEERS, ROOT, Json, keep, machine, print_machine, print_table

SIZES = (1_000, 100_000)
OURS = ("autocraft", "numpy")
PEER_PACKAGES = {"sqlite-vec": "apsw, sqlite_vec", "chromadb": "chromadb"}
PEERS_UP_TO = 100_000
DIMENSION, QUERIES, K = 384, 200, 10
COLUMNS = (
    *("rows a second", "alone a second", "query p50 ms", "query p95 ms"),
    *("first query ms", "recall@10", "disk MB", "memory MB"),
)
SIGNS_FROM = 20_000
Vectors = NDArray[np.float32]


def main(sizes: list[int]) -> None:
    about = machine()
    rows: dict[str, Any] = {}
    for size in sizes:
        for name, figures in side_by_side(size).items():
            rows[f"{name} {size}"] = figures
    signs = {f"{kind} {size}": figures for size in sizes for kind, figures in by_signs(max(size, SIGNS_FROM)).items()}
    print_machine(about)
    for size in sizes:
        body = [_cells(name, figures) for name, figures in rows.items() if name.endswith(f" {size}")]
        print_table(f"{size:,} clustered vectors of {DIMENSION} dimensions", ("store", *COLUMNS), body)
    head = ("vectors", "rows", "recall@10", "p50 ms", "p50 ms of comparing all", "compared in full")
    body = [
        (name.partition(" ")[0], *(_shown(figures, column) for column in head[1:])) for name, figures in signs.items()
    ]
    print_table("The search by signs", head, body)
    keep("memory" if sizes == list(SIZES) else f"memory_{max(sizes)}", about, {**rows, **signs})


def side_by_side(size: int) -> dict[str, Json | None]:
    """Each store with the same clustered vectors; None where a peer is not installed."""
    vectors, queries = clustered(size), clustered(QUERIES, seed=7)
    exact = [[str(at) for at in np.argpartition(-(vectors @ query), K)[:K]] for query in queries]
    found: dict[str, Json | None] = {}
    for store in (*OURS, *(PEER_PACKAGES if size <= PEERS_UP_TO else ())):
        with tempfile.TemporaryDirectory(dir=_build(), prefix="memory-") as name:
            np.save(Path(name) / "rows.npy", vectors)
            np.save(Path(name) / "queries.npy", queries)
            found[store] = measured(store, name, exact)
    return found


def measured(store: str, folder: str, exact: list[list[str]]) -> Json | None:
    python = sys.executable if store in OURS else os.environ.get("AUTOCRAFT_BENCH_PYTHON", str(PEERS / "python"))
    packages = PEER_PACKAGES.get(store, "numpy")
    try:
        there = subprocess.run([python, "-c", f"import {packages}"], capture_output=True)
    except OSError:
        return None
    if there.returncode:
        return None
    figures: Json = {}
    script = str(Path(__file__).parent / "peers" / "vectors.py")
    for what in ("build", "query"):
        environment = {**os.environ, "PYTHONPATH": str(ROOT)} if store in OURS else dict(os.environ)
        done = subprocess.run([python, script, what, store, folder], capture_output=True, text=True, env=environment)
        if done.returncode:
            raise SystemExit(f"benchmarks: {store} {what}: {done.stderr.strip()[-800:]}")
        figures |= json.loads(done.stdout.splitlines()[-1])
    hits = [len(set(one) & set(other)) for one, other in zip(figures.pop("found"), exact, strict=True)]
    return {**figures, "recall@10": sum(hits) / (K * len(exact))}


# ------------------------------------------------------------ the search by signs


def by_signs(size: int) -> dict[str, Json]:
    """Recall and time of the search by signs against comparing all, for three makes of vectors."""
    make = {
        "clustered": lambda: clustered(size + QUERIES),
        "random": lambda: at_random(size + QUERIES),
        "real": lambda: real(SIGNS_FROM),
    }
    return {kind: _signs(make[kind]()) for kind in make}  # one at a time: a million take 1.5 GB


def _signs(vectors: Vectors) -> Json:
    from autocraft.memory.matrix import Matrix

    vectors, queries = vectors[:-QUERIES], vectors[-QUERIES:]
    matrix = Matrix(vectors.shape[1], scanned=min(len(vectors) - 1, 200_000))
    matrix.reserve(len(vectors))
    for start in range(0, len(vectors), 1000):
        matrix.extend([(start + n + 1, row.tobytes()) for n, row in enumerate(vectors[start : start + 1000])])
    matrix.search(queries[0].tobytes(), K, -1.0)
    compared: list[int] = []
    best = matrix._best

    def counting(rows: Any, *rest: Any) -> Any:
        compared.append(matrix.size if rows is None else len(rows))
        return best(rows, *rest)

    matrix._best = counting  # type: ignore[method-assign]
    times: dict[bool, list[float]] = {True: [], False: []}
    hits = wanted = 0
    for query in queries:
        found = {}
        for exact in (True, False):
            began = time.perf_counter()
            found[exact] = {key for key, _ in matrix.search(query.tobytes(), K, -1.0, exact=exact)}
            times[exact].append((time.perf_counter() - began) * 1000)
        hits, wanted = hits + len(found[True] & found[False]), wanted + len(found[True])
    by_sign = sum(compared) - matrix.size * len(queries)
    return {
        "rows": len(vectors),
        "recall@10": hits / wanted,
        "p50 ms": statistics.median(times[False]),
        "p50 ms of comparing all": statistics.median(times[True]),
        "compared in full": by_sign / len(queries) / matrix.size,
    }


# ------------------------------------------------------------ vectors


def _normed(vectors: NDArray[Any]) -> Vectors:
    vectors /= np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return vectors.astype(np.float32, copy=False)


def at_random(rows: int, seed: int = 1) -> Vectors:
    return _normed(np.random.default_rng(seed).standard_normal((rows, DIMENSION), np.float32))


def clustered(rows: int, seed: int = 1) -> Vectors:
    """Around 500 centres, at a cosine of about 0.7 to them, as texts of one topic have."""
    rng = np.random.default_rng(seed)
    centres = _normed(np.random.default_rng(5).standard_normal((500, DIMENSION), np.float32))
    noise = rng.standard_normal((rows, DIMENSION), np.float32)
    noise /= np.float32(DIMENSION**0.5)
    noise += centres[rng.integers(500, size=rows)]
    return _normed(noise)


def real(rows: int) -> Vectors:
    """Lines of this project's own texts, embedded by MiniLM; made once and kept in `build/`."""
    file = _build() / "memory_real.npy"
    if file.exists():
        return np.load(file)[: rows + QUERIES]
    from autocraft.memory.minilm import MiniLMEmbedder

    texts = sorted({
        line.strip()
        for pattern in ("autocraft/**/*.py", "tests/**/*.py", "docs/*.md", "prompts/*.j2")
        for path in sorted(ROOT.glob(pattern))
        for line in path.read_text(encoding="utf-8").splitlines()
        if 25 < len(line.strip()) < 120
    })  # fmt: skip
    np.random.default_rng(3).shuffle(texts)
    vectors = np.frombuffer(b"".join(MiniLMEmbedder().embed(texts[: rows + QUERIES])), "<f4").reshape(-1, DIMENSION)
    np.save(file, vectors)
    return vectors


def _build() -> Path:
    folder = ROOT / "build"
    folder.mkdir(exist_ok=True)
    return folder


def _cells(name: str, figures: Json | None) -> list[str]:
    cells = [_shown(figures, column) for column in COLUMNS]
    return [name.rpartition(" ")[0], *(cells if figures else [MISSING, *cells[1:]])]


def _shown(figures: Json | None, column: str) -> str:
    if not figures or column not in figures:
        return "-"
    value = figures[column]
    if column in ("recall@10", "compared in full"):
        return f"{value:.4f}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:] if each.isdigit()] or list(SIZES))
