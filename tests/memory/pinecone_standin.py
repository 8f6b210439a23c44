"""A stand-in for Pinecone, written after the requests of the SDK and the limits in docs.pinecone.io.

It is not Pinecone. It shows that autocraft keeps its side of the contract: it checks the limits (1,000 vectors or 2 MB
an upsert, 40 KB of metadata, top_k of 10,000, dimension, no zero vector, plain ASCII ids), and answers 401, 404, 409
and 400 as Pinecone does. It shows no writes from the `hidden`th on, and fails as often as `failures` says.
"""

from __future__ import annotations

import json
import math
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

KEY = "pc-test-key"


@dataclass
class Standin:
    """The server. `calls` are (method, path, bytes of the body) in order."""

    hidden: int | None = None
    """From which write on nothing is shown yet, as where Pinecone is behind; None shows all."""
    indexes: dict[str, dict[str, Any]] = field(default_factory=dict)
    writes: list[tuple[str, str, Any]] = field(default_factory=list)
    calls: list[tuple[str, str, int]] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    """Paths that always fail."""
    race: bool = False
    url: str = ""

    def __enter__(self) -> Standin:
        standin = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: Any) -> None:
                pass

            def handle_any(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                status, answer = standin.answer(self.command, self.path, body, self.headers.get("api-key", ""))
                data = json.dumps(answer).encode()
                head = f"HTTP/1.1 {status} x\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n"
                if status == 429:
                    head += "retry-after: 0.05\r\n"
                self.wfile.write(head.encode() + b"\r\n" + data)

            do_GET = do_POST = do_DELETE = handle_any

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *rest: Any) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, method: str, path: str, body: bytes, key: str) -> tuple[int, Any]:
        self.calls.append((method, path, len(body)))
        if key != KEY:
            return fault(401, "UNAUTHENTICATED", "Invalid API Key")
        if self.failures:
            return fault(self.failures.pop(0), "INTERNAL", "failing as asked")
        where = urlsplit(path)
        if where.path in self.broken:
            return fault(503, "UNAVAILABLE", "broken as asked")
        given = json.loads(body) if body else {}
        if where.path.startswith("/indexes"):
            return self._control(method, where.path.removeprefix("/indexes").strip("/"), given)
        if not self.indexes:
            return fault(404, "NOT_FOUND", "no such index")
        act = {
            "/vectors/upsert": self._upsert,
            "/query": self._query,
            "/vectors/delete": self._delete,
            "/describe_index_stats": self._stats,
        }.get(where.path)
        if act is not None:
            return act(given, len(body))
        query = parse_qs(where.query)
        if where.path == "/vectors/fetch":
            return self._fetch(query)
        return self._list(query) if where.path == "/vectors/list" else fault(404, "NOT_FOUND", where.path)

    def _control(self, method: str, name: str, given: dict[str, Any]) -> tuple[int, Any]:
        if method == "POST":
            name = given["name"]
            if self.race or name in self.indexes:
                self.race = False
                self.indexes.setdefault(name, self._index(name, given))
                return fault(409, "ALREADY_EXISTS", f"Index {name} already exists")
            self.indexes[name] = self._index(name, given)
            return 201, self.indexes[name]
        if name not in self.indexes:
            return fault(404, "NOT_FOUND", f"Resource {name} not found")
        return 200, self.indexes[name]

    def _index(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        return {
            "name": name,
            "host": self.url,
            "schema": given["schema"],
            "deployment": {**given["deployment"], "environment": "test"},
            "status": {"ready": True, "state": "Ready"},
            "deletion_protection": "disabled",
            "read_capacity": {"mode": "OnDemand", "status": {"state": "Ready"}},
        }

    @property
    def dimension(self) -> int:
        (index,) = self.indexes.values()
        return int(next(iter(index["schema"]["fields"].values()))["dimension"])

    def visible(self, namespace: str) -> dict[str, dict[str, Any]]:
        """Return the rows that are visible."""
        rows: dict[str, dict[str, Any]] = {}
        for where, id, value in self.writes[: self.hidden]:
            if where != namespace:
                continue
            if id == "*":
                rows.clear()
            elif value is None:
                rows.pop(id, None)
            else:
                rows[id] = value
        return rows

    def _upsert(self, given: dict[str, Any], size: int) -> tuple[int, Any]:
        vectors = given["vectors"]
        if size > 2 * 1024 * 1024 or len(vectors) > 1000:
            return fault(400, "INVALID_ARGUMENT", f"{len(vectors)} vectors in {size} bytes are too many")
        for each in vectors:
            if len(each["values"]) != self.dimension:
                return fault(400, "INVALID_ARGUMENT", f"Vector dimension {len(each['values'])} does not match")
            if not any(each["values"]) or not all(math.isfinite(value) for value in each["values"]):
                return fault(400, "INVALID_ARGUMENT", "Dense vectors must contain at least one non-zero value")
            if not each["id"].isascii() or not 0 < len(each["id"]) <= 512:
                return fault(400, "INVALID_ARGUMENT", "Vector ID must be ASCII")
            if len(json.dumps(each["metadata"], ensure_ascii=False).encode()) > 40_960:
                return fault(400, "INVALID_ARGUMENT", "metadata size exceeds the limit of 40960 bytes per vector")
            if any(not isinstance(v, (str, int, float, bool, list)) for v in each["metadata"].values()):
                return fault(400, "INVALID_ARGUMENT", "metadata values must be flat")
        self.writes += [(given.get("namespace", ""), each["id"], each) for each in vectors]
        return 200, {"upsertedCount": len(vectors)}

    def _query(self, given: dict[str, Any], size: int) -> tuple[int, Any]:
        if not 0 < given["topK"] <= (1000 if given.get("includeMetadata") else 10_000):
            return fault(400, "INVALID_ARGUMENT", "topK is out of range")
        if len(given["vector"]) != self.dimension:
            return fault(400, "INVALID_ARGUMENT", "Vector dimension does not match")
        matches = []
        for id, row in self.visible(given.get("namespace", "")).items():
            if all(row["metadata"].get(key) == want["$eq"] for key, want in (given.get("filter") or {}).items()):
                lengths = math.hypot(*row["values"]) * math.hypot(*given["vector"])
                score = sum(a * b for a, b in zip(row["values"], given["vector"], strict=True)) / (lengths or 1.0)
                matches.append({"id": id, "score": score, "values": [], "metadata": row["metadata"]})
        matches.sort(key=lambda match: -match["score"])
        return 200, {"matches": matches[: given["topK"]], "namespace": "", "usage": {"readUnits": 1}}

    def _delete(self, given: dict[str, Any], size: int) -> tuple[int, Any]:
        namespace = given.get("namespace", "")
        if namespace not in {where for where, _, _ in self.writes}:
            return fault(404, "NOT_FOUND", "Namespace not found")
        ids = ["*"] if given.get("deleteAll") else given["ids"]
        self.writes += [(namespace, id, None) for id in ids]
        return 200, {}

    def _stats(self, given: dict[str, Any], size: int) -> tuple[int, Any]:
        names = {where for where, _, _ in self.writes}
        counts = {name: {"vectorCount": len(self.visible(name))} for name in names}
        total = sum(each["vectorCount"] for each in counts.values())
        return 200, {"namespaces": counts, "dimension": self.dimension, "indexFullness": 0, "totalVectorCount": total}

    def _fetch(self, query: dict[str, list[str]]) -> tuple[int, Any]:
        rows = self.visible(query.get("namespace", [""])[0])
        return 200, {"vectors": {id: rows[id] for id in query.get("ids", []) if id in rows}, "namespace": ""}

    def _list(self, query: dict[str, list[str]]) -> tuple[int, Any]:
        ids = sorted(self.visible(query.get("namespace", [""])[0]))
        limit, start = int(query.get("limit", ["100"])[0]), int(query.get("paginationToken", ["0"])[0])
        if limit > 100:
            return fault(400, "INVALID_ARGUMENT", "limit is out of range")
        answer: dict[str, Any] = {"vectors": [{"id": id} for id in ids[start : start + limit]], "namespace": ""}
        if start + limit < len(ids):
            answer["pagination"] = {"next": str(start + limit)}
        return 200, answer


def fault(status: int, code: str, message: str) -> tuple[int, Any]:
    return status, {"status": status, "error": {"code": code, "message": message}}
