"""Memory side by side: our local store, plain numpy, sqlite-vec and chromadb with the same given vectors.

``python -m benchmarks memory`` measures 1,000 and 100,000 rows. ``python -m benchmarks.memory 1000000`` measures that
many; above 100,000, only our store and numpy. No figure includes embedding. Each store runs in a process of its own,
the peers in `.venv-bench` or in the environment that ``AUTOCRAFT_BENCH_PYTHON`` names.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
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
Vectors = NDArray[np.float32]


def main(sizes: list[int]) -> None:
    about = machine()
    rows: dict[str, Any] = {}
    for size in sizes:
        for name, figures in side_by_side(size).items():
            rows[f"{name} {size}"] = figures
    print_machine(about)
    for size in sizes:
        body = [_cells(name, figures) for name, figures in rows.items() if name.endswith(f" {size}")]
        print_table(f"{size:,} clustered vectors of {DIMENSION} dimensions", ("store", *COLUMNS), body)
    keep("memory" if sizes == list(SIZES) else f"memory_{max(sizes)}", about, rows)


def side_by_side(size: int) -> dict[str, Json | None]:
    """Measure each store with the same clustered vectors. A peer that is not installed gives None."""
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


# ------------------------------------------------------------ vectors


def _normed(vectors: NDArray[Any]) -> Vectors:
    vectors /= np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return vectors.astype(np.float32, copy=False)


def clustered(rows: int, seed: int = 1) -> Vectors:
    """Return vectors around 500 centres, at a cosine of about 0.7 to them, like texts of one topic."""
    rng = np.random.default_rng(seed)
    centres = _normed(np.random.default_rng(5).standard_normal((500, DIMENSION), np.float32))
    noise = rng.standard_normal((rows, DIMENSION), np.float32)
    noise /= np.float32(DIMENSION**0.5)
    noise += centres[rng.integers(500, size=rows)]
    return _normed(noise)


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
    if column == "recall@10":
        return f"{value:.4f}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:] if each.isdigit()] or list(SIZES))
