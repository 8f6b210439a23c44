"""Measures one vector store in a process of its own: ``vectors.py build|query STORE FOLDER``.

FOLDER holds `rows.npy` and `queries.npy` (float32, length 1). `build` adds all rows in batches. `query` opens the
store, asks once to warm up, then asks each query by itself. Both print one line of JSON. autocraft and numpy run in our
own Python, the others in that of `.venv-bench`.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

BATCH, K, ALONE = 1000, 10, 300


class Given:
    """An embedder of texts that are numbers: of a row, or of a query if the number is below zero."""

    name, floor = "given", -1.0

    def __init__(self, folder: Path) -> None:
        self.rows, self.queries = np.load(folder / "rows.npy", mmap_mode="r"), np.load(folder / "queries.npy")
        self.dimension = int(self.rows.shape[1])

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        numbers = [int(text) for text in texts]
        return [(self.rows[n] if n >= 0 else self.queries[-1 - n]).tobytes() for n in numbers]


class Autocraft:
    def __init__(self, folder: Path, rows: Any) -> None:
        from autocraft.memory import open_memory

        self.memory = open_memory("local", path=folder / "store", embedder=Given(folder))

    def add(self, start: int, vectors: Any) -> None:
        from autocraft.protocols import MemoryRecord

        self.memory.add_many([MemoryRecord(str(start + n), str(start + n), {}) for n in range(len(vectors))])

    def alone(self, number: int, vector: Any) -> None:
        self.memory.add(str(number), id=f"alone {number}")

    def ask(self, number: int, query: Any) -> list[str]:
        return [row.id for row in self.memory.get_relevant(str(-1 - number), K)]


class Numpy:
    """Compares all vectors of a file. It has no text and no metadata, and a crash while writing loses it."""

    def __init__(self, folder: Path, rows: Any) -> None:
        self.file = folder / "vectors.bin"
        self.rows = np.fromfile(self.file, np.float32).reshape(-1, rows.shape[1]) if self.file.exists() else None

    def add(self, start: int, vectors: Any) -> None:
        with self.file.open("ab") as file:
            vectors.tofile(file)

    def alone(self, number: int, vector: Any) -> None:
        self.add(number, vector[None, :])

    def ask(self, number: int, query: Any) -> list[str]:
        scores = self.rows @ query
        near = np.argpartition(scores, -K)[-K:]
        return [str(at) for at in near[np.argsort(-scores[near])]]


class SqliteVec:
    def __init__(self, folder: Path, rows: Any) -> None:
        import apsw
        import sqlite_vec

        self.database = apsw.Connection(str(folder / "vec.sqlite3"))
        self.database.enable_load_extension(True)
        self.database.load_extension(sqlite_vec.loadable_path())
        self.database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        self.database.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS v USING vec0(e float[{rows.shape[1]}] distance_metric=cosine)"
        )

    def add(self, start: int, vectors: Any) -> None:
        with self.database:
            values = [(start + n + 1, vector.tobytes()) for n, vector in enumerate(vectors)]
            self.database.executemany("INSERT INTO v(rowid, e) VALUES (?, ?)", values)

    def alone(self, number: int, vector: Any) -> None:
        self.add(10_000_000 + number, vector[None, :])

    def ask(self, number: int, query: Any) -> list[str]:
        found = self.database.execute(
            "SELECT rowid FROM v WHERE e MATCH ? AND k = ? ORDER BY distance", (query.tobytes(), K)
        )
        return [str(row - 1) for (row,) in found]


class Chroma:
    def __init__(self, folder: Path, rows: Any) -> None:
        import chromadb
        from chromadb.config import Settings

        client = chromadb.PersistentClient(str(folder / "chroma"), Settings(anonymized_telemetry=False))
        self.collection = client.get_or_create_collection(
            "rows", metadata={"hnsw:space": "cosine"}, embedding_function=None
        )

    def add(self, start: int, vectors: Any) -> None:
        self.collection.add(ids=[str(start + n) for n in range(len(vectors))], embeddings=vectors)

    def alone(self, number: int, vector: Any) -> None:
        self.collection.add(ids=[f"alone {number}"], embeddings=vector[None, :])

    def ask(self, number: int, query: Any) -> list[str]:
        return list(self.collection.query(query_embeddings=[query], n_results=K, include=[])["ids"][0])


STORES: dict[str, Callable[[Path, Any], Any]] = {
    "autocraft": Autocraft,
    "numpy": Numpy,
    "sqlite-vec": SqliteVec,
    "chromadb": Chroma,
}


def build(store: str, folder: Path) -> dict[str, Any]:
    rows = np.load(folder / "rows.npy", mmap_mode="r")
    opened = STORES[store](folder, rows)
    began = time.perf_counter()
    for start in range(0, len(rows), BATCH):
        opened.add(start, np.array(rows[start : start + BATCH]))
    seconds = time.perf_counter() - began
    size = sum(each.stat().st_size for each in folder.rglob("*") if each.is_file() and each.suffix != ".npy")
    return {"rows a second": len(rows) / seconds, "disk MB": size / 1e6}


def query(store: str, folder: Path) -> dict[str, Any]:
    rows, queries = np.load(folder / "rows.npy", mmap_mode="r"), np.load(folder / "queries.npy")
    began = time.perf_counter()
    opened = STORES[store](folder, rows)
    opened.ask(0, queries[0])
    first = time.perf_counter() - began
    times, found = [], []
    for number, each in enumerate(queries):
        began = time.perf_counter()
        found.append(opened.ask(number, each))
        times.append(time.perf_counter() - began)
    memory = peak_memory()
    began = time.perf_counter()
    for number in range(ALONE):
        opened.alone(number, queries[number % len(queries)])
    alone = ALONE / (time.perf_counter() - began)
    times.sort()
    return {
        "first query ms": first * 1000,
        "query p50 ms": times[len(times) // 2] * 1000,
        "query p95 ms": times[len(times) * 95 // 100] * 1000,
        "memory MB": memory,
        "alone a second": alone,
        "found": found,
    }


def peak_memory() -> float:
    """Return the peak memory of this process in MB. On Linux, ru_maxrss includes that of the parent before."""
    try:
        (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
        return int(line.split()[1]) / 1000
    except (OSError, ValueError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


if __name__ == "__main__":
    what, name, where = sys.argv[1:4]
    print(json.dumps({"build": build, "query": query}[what](name, Path(where))))
