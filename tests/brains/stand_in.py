"""A stand-in for a model's server on loopback: it sends real chat completions, and every fault on demand.

The real SDK asks it over a real socket. Tests queue `Reply` values; without one, it sends a good answer. `refuse`
makes it refuse parameters, with the messages of real servers.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COMMAND = '{"thoughts": {"text": "planks"}, "command": {"name": "craft_item", "args": {"name": "oak_planks"}}}'
USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


@dataclass
class Reply:
    """One answer of the server. It sends `chunks` one by one. `end` says how the connection ends after them."""

    status: int = 200
    chunks: Iterable[bytes] = ()
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    end: str = "proper"
    """proper, cut (closed in the middle), reset (by TCP), open (nothing more comes for a while)"""


def whole(text: str | None, finish: str | None = "stop", usage: bool = True, **message: Any) -> Reply:
    """Return a completion in one piece."""
    made: dict[str, Any] = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
    full = {"role": "assistant", "content": text, **message}
    made["choices"] = [{"index": 0, "message": full, "finish_reason": finish}]
    return Reply(chunks=[json.dumps(made | ({"usage": USAGE} if usage else {})).encode()])


def event(value: Any) -> bytes:
    """Return a server-sent event."""
    return b"data: " + (value if isinstance(value, bytes) else json.dumps(value).encode()) + b"\n\n"


def piece(finish: str | None = None, **delta: Any) -> bytes:
    """Return a chunk of a stream."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return event({"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]})


def streamed(*texts: str, finish: str | None = "stop", usage: bool = True, before: Iterable[bytes] = ()) -> Reply:
    """Return a stream of pieces of text. Without `finish` it is cut off."""
    chunks = [piece(role="assistant", content=""), *before, *(piece(content=text) for text in texts)]
    if finish is not None:
        chunks.append(piece(finish))
        if usage:
            chunks.append(event({"id": "x", "object": "chat.completion.chunk", "choices": [], "usage": USAGE}))
        chunks.append(event(b"[DONE]"))
    return Reply(chunks=chunks, kind="text/event-stream")


def fault(status: int, message: str = "", **more: Any) -> Reply:
    """Return an error in OpenAI's form, with these `headers`."""
    headers = more.pop("headers", {})
    return Reply(status, [json.dumps({"error": {"message": message, **more}}).encode()], headers=headers)


class StandIn:
    """The server, on a free port. `requests` are the bodies of the chat calls so far."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.replies: list[Reply] = []
        self.models: Reply = Reply(chunks=[b'{"object": "list", "data": []}'])
        self.refuse: Callable[[dict[str, Any]], Reply | None] = lambda request: None
        self.pages: dict[str, Reply] = {}
        """Path -> the answer there, beside those of the model interface."""
        self.visited: list[str] = []
        """The paths of the questions that are no calls of a model."""
        self.busy: Callable[[], Reply | None] = lambda: None
        """What such a question is answered in place of its page."""
        self.asked = threading.Event()
        self.left = threading.Event()
        """Set when a client goes away in the middle of an answer."""
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                key = self.headers["authorization"] or self.headers["api-key"]
                more = {name: self.headers[name] for name in ("accept-encoding", "x-grok-conv-id")}
                seen = {"path": self.path, "key": key, **more}
                if self.path in stand_in.pages:
                    stand_in._send(self, stand_in.pages[self.path])
                    return
                stand_in.requests.append({**seen, **body})
                stand_in.asked.set()
                refused = stand_in.refuse(body)
                reply = refused or (stand_in.replies.pop(0) if stand_in.replies else _good(body))
                stand_in._send(self, reply)

            def do_GET(self) -> None:
                stand_in.visited.append(self.path)
                stand_in._send(self, stand_in.busy() or stand_in.pages.get(self.path, stand_in.models))

            def log_message(self, *_: Any) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def offer(self, *ids: str) -> None:
        rows = [{"id": id, "object": "model", "owned_by": "somebody"} for id in ids]
        self.models = Reply(chunks=[json.dumps({"object": "list", "data": rows}).encode()])

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def _send(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        handler.close_connection = reply.end != "proper"
        try:
            handler.send_response(reply.status)
            for name, value in ({"content-type": reply.kind} | reply.headers).items():
                handler.send_header(name, value)
            handler.send_header("transfer-encoding", "chunked")
            handler.end_headers()
            for chunk in reply.chunks:
                handler.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                handler.wfile.flush()
            if reply.end == "proper":
                handler.wfile.write(b"0\r\n\r\n")
            elif reply.end == "reset":
                handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                handler.connection.close()
            elif reply.end == "open":
                handler.connection.settimeout(60)
                if handler.connection.recv(1) == b"":
                    self.left.set()
        except OSError:
            self.left.set()


def endless(text: str) -> Iterable[bytes]:
    """Yield 200 pieces a second until nobody reads."""
    while True:
        yield piece(content=text)
        time.sleep(0.005)


def _good(request: dict[str, Any]) -> Reply:
    if not request.get("stream"):
        return whole(COMMAND)
    half = len(COMMAND) // 2
    return streamed(COMMAND[:half], COMMAND[half:], usage="stream_options" in request)
