"""A model's server on loopback that streams at a fixed pace: ``python -m benchmarks.endpoint`` prints its address.

The model's name says what it sends: ``stream-2000`` an answer of 2,000 tokens, ``silent-30`` nothing for 30 seconds.
The server ends when its standard input closes, so it never outlives the benchmark.
"""

from __future__ import annotations

import itertools
import json
import random
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

RATE = 200
"""Tokens a second."""
MOST = 20_000
FIRST_WORD = "Beginning"
LAST_WORDS = '"oak_planks"}}}'
TEXT = """the table needs four planks and a log gives me those so I make them first then sticks from two of what is left
because without a pickaxe nothing else can be mined which costs another step"""
SHARES = {"text": 0.5, "reasoning": 0.3, "criticism": 0.2}
"""The shares of the tokens in the parts of the thoughts."""


def pieces(tokens: int) -> Iterator[str]:
    """Return an answer in the form that the prompt asks for, a word a token. Equal lengths give equal answers."""
    dice, words = random.Random(tokens), TEXT.split()
    yield '{"thoughts": {"text": "'
    yield FIRST_WORD
    for name, share in SHARES.items():
        if name != "text":
            yield f'", "{name}": "'
        for _ in range(int(tokens * share) - 2):
            yield " " + dice.choice(words)
    yield '", "plan": ["planks", "sticks"], "speak": ""}'
    yield ', "command": {"name": "craft_item", "args": {"name": ' + LAST_WORDS


def event(value: Any) -> bytes:
    """Return one server-sent event as a chunk of HTTP."""
    data = b"data: " + (value if isinstance(value, bytes) else json.dumps(value).encode()) + b"\n\n"
    return b"%x\r\n%s\r\n" % (len(data), data)


def chunk(model: str, delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    made = {"id": "chatcmpl-benchmark", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": model}
    return made | {"system_fingerprint": "fp_benchmark", "choices": [choice]}


def usage(model: str, tokens: int) -> dict[str, Any]:
    counts = {"prompt_tokens": 1_000, "completion_tokens": tokens, "total_tokens": 1_000 + tokens}
    return chunk(model, {}) | {"choices": [], "usage": counts}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        kind, _, count = request["model"].partition("-")
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        try:
            if kind == "silent":
                time.sleep(min(int(count), 60))
            self._stream(request["model"], min(int(count), MOST) if kind == "stream" else 10)
        except OSError:  # the client has closed the connection
            self.close_connection = True

    def _stream(self, model: str, tokens: int) -> None:
        """Send each piece at its own time after the first, so a late one does not delay the others."""
        begun = time.perf_counter()
        sent = itertools.count()
        for piece in pieces(tokens):
            time.sleep(max(0.0, begun + next(sent) / RATE - time.perf_counter()))
            self.wfile.write(event(chunk(model, {"content": piece})))
        self.wfile.write(event(chunk(model, {}, "stop")) + event(usage(model, next(sent))) + event(b"[DONE]"))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: Any) -> None:
        return


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
