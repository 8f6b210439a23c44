"""Adds rows to a memory in a process of its own, and prints the ids of each batch in one line."""

from __future__ import annotations

import hashlib
import json
import math
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from autocraft.memory import open_memory
from autocraft.protocols import MemoryRecord


class Short:
    """Sixteen numbers a text, so that ten thousand rows are indexed within seconds. Every row is near enough."""

    name, dimension, floor = "short", 16, -1.0

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        digests = [hashlib.sha256(text.encode()).digest()[:16] for text in texts]
        return [struct.pack("<16f", *(byte / math.hypot(*digest) for byte in digest)) for digest in digests]


def writer(backend: str, options: Mapping[str, Any], name: str, size: int, count: int) -> subprocess.Popen[str]:
    """Start a process that adds the rows `name`:0 to `name`:`count` - 1 in batches of `size`."""
    command = [sys.executable, "-m", __name__, backend, json.dumps(options), name, str(size), str(count)]
    folder = Path(__file__).parents[2]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def main(backend: str, options: str, name: str, size: int, count: int) -> None:
    memory = open_memory(backend, **{"embedder": Short(), **json.loads(options)})
    for start in range(0, count, size):
        ids = [f"{name}:{n}" for n in range(start, start + size)]
        if size == 1:
            memory.add("stone " + ids[0], id=ids[0])
        else:
            memory.add_many([MemoryRecord(id, "stone " + id, {}) for id in ids])
        print(*ids, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
