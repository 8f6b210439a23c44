"""Servers on loopback that follow no protocol: a function answers each connection with raw bytes."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from tests.brains.stand_in import event

STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
"""The head of a streamed answer that ends with its connection."""
JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
ERROR = b"HTTP/1.1 500 Oh\r\nContent-Type: application/json\r\n\r\n"


@dataclass
class Request:
    """One request, unchanged."""

    line: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Hostile:
    """A server on a free port. `answer` gets each request and yields the bytes to send."""

    answer: Callable[[Request], Iterable[bytes]]
    requests: list[Request] = field(default_factory=list)
    going: threading.Event = field(default_factory=threading.Event)
    """Set when bytes were sent."""
    gone: threading.Event = field(default_factory=threading.Event)
    """Set when a client went away before the answer was over."""
    sent: int = 0

    def __post_init__(self) -> None:
        hostile = self

        class Handler(socketserver.StreamRequestHandler):
            disable_nagle_algorithm = True

            def handle(self) -> None:
                try:
                    request = self.request_that_came()
                    if request is None:
                        return
                    hostile.requests.append(request)
                    for piece in hostile.answer(request):
                        self.connection.sendall(piece)
                        hostile.sent += len(piece)
                        hostile.going.set()
                        if hostile.stop.is_set():
                            return
                except OSError:
                    hostile.gone.set()

            def request_that_came(self) -> Request | None:
                line = self.rfile.readline().decode("latin-1").strip()
                headers: dict[str, str] = {}
                while head := self.rfile.readline().decode("latin-1").strip():
                    name, _, value = head.partition(":")
                    headers[name.lower()] = value.strip()
                body = self.rfile.read(int(headers.get("content-length", 0)))
                return Request(line, headers, body) if line else None

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True

            def handle_error(self, request: object, client_address: object) -> None:
                return

        self.stop = threading.Event()
        self.server = Server(("127.0.0.1", 0), Handler)
        self.port: int = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        self.stop.set()
        self.server.shutdown()
        self.server.server_close()

    # ------------------------------------------------------------ answers without end

    def fast(self, *start: bytes, again: bytes) -> Iterator[bytes]:
        """Yield `start`, then `again` for ever, in large pieces."""
        yield b"".join(start)
        while not self.stop.is_set():
            yield again * max(1, 50_000 // len(again))

    def slow(self, *start: bytes, again: bytes) -> Iterator[bytes]:
        """Yield `start`, then `again` for ever, a hundred times a second."""
        yield b"".join(start)
        while not self.stop.wait(0.01):
            yield again


def reply(status: int, body: bytes = b"", *headers: tuple[str, str], kind: str = "application/json") -> Iterator[bytes]:
    """Yield a whole answer."""
    lines = [f"HTTP/1.1 {status} So", f"Content-Length: {len(body)}", f"Content-Type: {kind}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers]
    yield "\r\n".join([*lines, "", ""]).encode("utf-8") + body


def spoken(text: str, finish: str | None = None) -> bytes:
    """Return a piece of a stream with `text`."""
    return event({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]})
