"""A small web site on loopback for the web commands, with real sockets. Each page is a function, and may be faulty.

It counts connections and stores requests, so that a test can check what was reached. `Wire` sees every connection of
this process through Python's audit events, and lets none leave the machine.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

CERTIFICATE = Path(__file__).with_name("site.pem")
"""Made for tests alone: key and certificate of the name safe.test, valid until 2126."""

Answer = Callable[[BaseHTTPRequestHandler], None]


class Site:
    """The server, on a free port of 127.0.0.1. `pages` maps a path to its handler. Unknown paths get a 404."""

    def __init__(self, *, tls: bool = False) -> None:
        self.pages: dict[str, Answer] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.connections = 0
        self.sent = 0
        """Bytes of endless pages that went out."""
        self.left = threading.Event()
        """Set when a client goes away before the end of a page."""
        self.pouring = threading.Event()
        """Set when an endless page has begun."""
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                site.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
                try:
                    site.pages.get(path, _missing)(self)
                except OSError:
                    site.left.set()
                    self.close_connection = True

            def log_message(self, *_: Any) -> None:
                return

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def process_request(self, request: Any, client_address: Any) -> None:
                site.connections += 1
                super().process_request(request, client_address)

            def handle_error(self, request: Any, client_address: Any) -> None:
                return

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)
            self.server.socket = context.wrap_socket(
                self.server.socket, server_side=True, do_handshake_on_connect=False
            )
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def put(
        self, path: str, body: str | bytes, kind: str = "text/html; charset=utf-8", status: int = 200, **headers: str
    ) -> None:
        """Add a page with this body. Underscores in header names stand for hyphens. An empty kind sends no type."""
        data = body.encode() if isinstance(body, str) else body

        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            if kind:
                handler.send_header("Content-Type", kind)
            for name, value in headers.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.send_header("Content-Length", str(len(data)))
            handler.end_headers()
            handler.wfile.write(data)

        self.pages[path] = answer

    def lead(self, path: str, location: str, status: int = 302) -> None:
        """Add a redirect. Its address is sent unchanged."""

        def answer(handler: BaseHTTPRequestHandler) -> None:
            raw = location.encode("utf-8", "surrogatepass").replace(b"\r\n", b"\r\n ")
            handler.wfile.write(b"HTTP/1.1 %d Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n" % (status, raw))

        self.pages[path] = answer

    def raw(self, path: str, *pieces: bytes) -> None:
        """Add a page that sends exactly these bytes and closes the connection."""

        def answer(handler: BaseHTTPRequestHandler) -> None:
            for piece in pieces:
                handler.wfile.write(piece)
            handler.close_connection = True

        self.pages[path] = answer

    def pour(self, path: str, head: bytes, piece: bytes, pause: float = 0.0, most: int = 50_000_000) -> None:
        """Add a page that sends `head`, then `piece` again and again with `pause` seconds after each.

        It ends after `most` bytes, or when nobody reads.
        """
        resting = threading.Event()

        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.wfile.write(head)
            while self.sent < most:
                handler.wfile.write(piece)
                self.sent += len(piece)
                self.pouring.set()
                if pause:
                    resting.wait(pause)
            handler.close_connection = True

        self.pages[path] = answer

    def url(self, path: str = "/", host: str = "site.test") -> str:
        return f"http://{host}:{self.port}{path}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def _missing(handler: BaseHTTPRequestHandler) -> None:
    handler.send_error(404)


class Names:
    """Stands in for DNS: each name has a list of answers, and repeats the last one for ever.

    A number is its own address. The system resolves other names.
    """

    def __init__(self, **answers: Sequence[Sequence[str]]) -> None:
        self.answers = {name.replace("_", "."): list(each) for name, each in answers.items()}
        self.asked: list[str] = []

    def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        waiting = self.answers.get(host)
        if waiting is None:
            return [str(each[4][0]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
        return list(waiting.pop(0) if len(waiting) > 1 else waiting[0])


class Wire:
    """Sees the connections of this process. The only audit hook is switched off, because it cannot be removed."""

    _seen: list[Any] | None = None
    _hooked = False

    @classmethod
    @contextmanager
    def watch(cls) -> Iterator[list[Any]]:
        """Yield a list that gets the (host, port) of each connection attempt. Only loopback can be reached."""
        if not cls._hooked:
            sys.addaudithook(cls._hook)
            cls._hooked = True
        seen: list[Any] = []
        cls._seen = seen
        try:
            yield seen
        finally:
            cls._seen = None

    @classmethod
    def _hook(cls, event: str, args: tuple[Any, ...]) -> None:
        if event != "socket.connect" or cls._seen is None or not isinstance(args[1], tuple):
            return
        cls._seen.append(args[1][:2])
        ip = ipaddress.ip_address(str(args[1][0]).partition("%")[0])
        ip = getattr(ip, "ipv4_mapped", None) or ip
        if not (ip.is_loopback or ip.is_unspecified):
            raise OSError(101, "Network is unreachable (the tests hold it back)")
