"""The guarded fetch: one page over http or https, from public addresses only, within caps.

Every request, the first and each redirect, is handled in the same way. The URL is parsed (`address.py`), its name is
resolved once, all its addresses are checked, and the connection goes to one of these addresses. So a name cannot change
its address between check and connection. Proxies of the environment, cookies, passwords and `.netrc` are not used.

The standard library's `http.client` is enough for this. `requests-hardened` 1.3 pins addresses too, but checks only the
first address behind a name, lets some IPv6 forms of inner addresses pass (IPv4-compatible, ISATAP, site-local), takes
proxies and `.netrc` passwords from the environment, reads the whole body of each redirect whatever its size, allows all
of loopback or none, and caps neither bytes nor total time.
"""

from __future__ import annotations

import contextlib
import ipaddress
import queue
import re
import socket
import ssl
import threading
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import urljoin

from autocraft.commands.web.address import Address, is_public, read_url
from autocraft.commands.web.settings import WebSettings
from autocraft.errors import CommandError
from autocraft.unpacking import GZIP, TooMuch, Unpacker

if TYPE_CHECKING:
    from http.client import HTTPResponse

CONNECT_SECONDS = 10.0
_ADDRESSES = 4
"""Most addresses of one name that are tried."""
_PIECE = 65_536
_REDIRECTS = (301, 302, 303, 307, 308)
_PACKED = {"gzip": GZIP, "x-gzip": GZIP, "deflate": 47}
"""Encoding -> zlib's window size, which also says which header it expects."""
_ACCEPT = "text/html, application/xhtml+xml, text/markdown, text/plain, application/json, application/xml, */*;q=0.1"

BodyEnd = Literal["whole", "cut", "early"]
"""How a body ended: complete, cut at the cap, or too early."""
Resolve = Callable[[str, int], Sequence[str]]
"""Returns IP addresses for a host and port; raises OSError if there are none."""


class FetchResult(NamedTuple):
    """The response of `url`, the last of the redirects. `kind` is the content type in lower case, '' if there is none.

    `body` is unpacked but not decoded, and empty if the kind was not wanted. `length` is what the server announced.
    """

    url: str
    status: int
    kind: str
    charset: str
    body: bytes
    length: int | None
    body_end: BodyEnd
    notes: tuple[str, ...] = ()


class FetchStop:
    """Ends a fetch from another thread, at any wait. The first reason counts."""

    def __init__(self) -> None:
        self.why = ""
        self._lock = threading.Lock()
        self._end: Callable[[], object] = lambda: None

    def now(self, why: str) -> None:
        """End the fetch. `why` is the reason."""
        with self._lock:
            self.why = self.why or why
            self._end()

    def on_stop(self, end: Callable[[], object]) -> None:
        """Call `end` to interrupt the current wait. It is called at once if the stop came first."""
        with self._lock:
            self._end = end
            if self.why:
                end()

    def check(self) -> None:
        """Raise CommandError with the reason if the fetch was stopped."""
        if self.why:
            raise CommandError(self.why)


class Fetcher:
    """Fetches pages. Threads may share it. `resolve` and `trust` replace DNS and the system's CAs."""

    def __init__(
        self, settings: WebSettings, *, resolve: Resolve | None = None, trust: ssl.SSLContext | None = None
    ) -> None:
        settings.check()
        self.settings = settings
        self._resolve = resolve or _ask_system
        self._trust = trust

    def fetch(
        self,
        url: str,
        stop: FetchStop | None = None,
        *,
        wanted: Callable[[str], bool] | None = None,
        object_to: Callable[[Address, Address], str] = lambda address, target: "",
    ) -> FetchResult:
        """Fetch a page. This blocks, so call it in a thread. Raises CommandError for a failure, not for an HTTP status.

        If `wanted` is given, the body is read only if it accepts the content type. A redirect is followed only if
        `object_to`, which gets both addresses, returns ''. Otherwise it returns why not, as the end of a sentence.
        """
        import http.client

        stop = stop or FetchStop()
        late = f"the page did not end within {self.settings.seconds:g} s; try another one"
        clock = threading.Timer(self.settings.seconds, stop.now, (late,))
        clock.daemon = True
        clock.start()
        place = "the page"
        notes: list[str] = []
        history: set[str] = set()
        try:
            address = read_url(url)
            while True:
                place = address.host
                history.add(address.url)
                with contextlib.closing(self._ask(address, stop)) as response:
                    if response.status not in _REDIRECTS or not response.getheader("location"):
                        return self._take(address, response, stop, wanted, tuple(notes))
                    target = self._next(address, response, history, notes)
                    if why := object_to(address, target):
                        raise CommandError(f"{place} redirects to {target.origin}, {why}")
                    address = target
        except (OSError, http.client.HTTPException, ValueError, zlib.error) as error:
            stop.check()
            raise CommandError(_fault_text(place, error)) from None
        finally:
            clock.cancel()

    def _next(self, address: Address, response: HTTPResponse, history: set[str], notes: list[str]) -> Address:
        """Return the target of a redirect. The next request checks its addresses. Raises CommandError."""
        location = response.getheader("location", "").encode("latin-1", "replace").decode("utf-8", "replace")
        try:
            target = read_url(urljoin(address.url, location))
        except CommandError as error:
            raise CommandError(f"{address.host} redirects to an address that is {error}") from None
        if target.url in history:
            raise CommandError(f"{address.host} redirects in a circle; try another address")
        if len(history) > self.settings.redirects:
            raise CommandError(
                f"{address.host} redirects more than {self.settings.redirects} times; try another address"
            )
        if (address.scheme, target.scheme) == ("https", "http"):
            notes.append(f"{address.host} redirected from https to http, which others can read and change")
        return target

    # ------------------------------------------------------------ one request

    def _ask(self, address: Address, stop: FetchStop) -> HTTPResponse:
        """Send one request and return the response without its body. Closing it closes the connection."""
        from http.client import HTTPConnection

        line = self._connect(address, self._public_addresses(address, stop), stop)
        if address.scheme == "https":
            line = self._encrypt(line, address, stop)
        with contextlib.closing(line):  # the response holds the connection until it is closed too
            connection = HTTPConnection(address.host, address.port)
            connection.auto_open = 0  # it must not connect by itself
            connection.sock = line
            headers = {
                "Host": address.place,
                "User-Agent": self.settings.user_agent,
                "Accept": _ACCEPT,
                "Accept-Encoding": "identity",
                "Connection": "close",
            }
            connection.request("GET", address.target, headers=headers)
            return connection.getresponse()

    def _public_addresses(self, address: Address, stop: FetchStop) -> list[str]:
        """Return the addresses of the name. Raises CommandError if one is not public, unless the settings allow it."""
        addresses = self._resolve_name(address, stop)
        if self.settings.allows(address.host, address.port):
            return addresses
        for ip in addresses:
            if not is_public(ip):
                what = ip if ip == address.host else f"{address.host} resolves to {ip}, which"
                raise CommandError(
                    f"refused: {what} is not a public address; use a public one (the person can allow others with "
                    "web.allow_hosts in autocraft.toml)"
                )
        return addresses

    def _resolve_name(self, address: Address, stop: FetchStop) -> list[str]:
        """Resolve in a separate thread, since the system's resolver cannot be interrupted."""
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def ask() -> None:
            try:
                answers.put(list(self._resolve(address.host, address.port)))
            except Exception as error:  # noqa: BLE001 - the caller waits for an answer
                answers.put(error)

        stop.on_stop(lambda: answers.put(None))
        threading.Thread(target=ask, daemon=True, name="resolve").start()
        addresses = answers.get()
        stop.check()
        if not isinstance(addresses, list) or not addresses:
            raise CommandError(f"the name {address.host} is not known; check the address")
        return addresses

    def _connect(self, address: Address, addresses: Sequence[str], stop: FetchStop) -> socket.socket:
        """Connect to the first of the checked addresses that answers."""
        failure = OSError("no address")
        for ip in addresses[:_ADDRESSES]:
            family = socket.AF_INET6 if ipaddress.ip_address(ip).version == 6 else socket.AF_INET
            line = socket.socket(family, socket.SOCK_STREAM)
            try:
                line.settimeout(min(CONNECT_SECONDS, self.settings.seconds))
                stop.on_stop(partial(_shut, line))
                stop.check()
                line.connect((ip, address.port))
                line.settimeout(self.settings.seconds)
                stop.on_stop(partial(_shut, line))  # again, since a stop before the connection has no effect
            except OSError as error:
                line.close()
                failure = error
            except BaseException:
                line.close()
                raise
            else:
                return line
        raise failure

    def _encrypt(self, line: socket.socket, address: Address, stop: FetchStop) -> socket.socket:
        if self._trust is None:
            self._trust = _system_trust()
        with contextlib.ExitStack() as undo:
            undo.callback(line.close)
            tls = self._trust.wrap_socket(line, server_hostname=address.host, do_handshake_on_connect=False)
            undo.callback(tls.close)
            stop.on_stop(partial(_shut, tls))
            tls.do_handshake()
            undo.pop_all()
        return tls

    # ------------------------------------------------------------ the body

    def _take(
        self,
        address: Address,
        response: HTTPResponse,
        stop: FetchStop,
        accepts: Callable[[str], bool] | None,
        notes: tuple[str, ...],
    ) -> FetchResult:
        head = response.getheader("content-type", "")
        kind = head.partition(";")[0].strip().lower()
        charset = re.search(r"""charset\s*=\s*["']?([\w.:-]{1,40})""", head, re.IGNORECASE)
        length = response.length
        body, end = self._read(response, stop) if accepts is None or accepts(kind) else (b"", "whole")
        name = charset[1] if charset else ""
        return FetchResult(address.url, response.status, kind, name, body, length, end, notes)

    def _read(self, response: HTTPResponse, stop: FetchStop) -> tuple[bytes, BodyEnd]:
        """Return at most `max_bytes`, counted both as received and unpacked, and how the body ended."""
        from http.client import IncompleteRead

        most = self.settings.max_bytes
        packed = _unpacker(response.getheader("content-encoding", ""), most)
        body, size = bytearray(), 0
        while True:
            try:
                piece = response.read1(_PIECE)
                early = bool(response.length or (packed and size and not packed.ended))
            except IncompleteRead:
                piece, early = b"", True
            stop.check()
            if not piece:
                return bytes(body), "early" if early else "whole"
            size += len(piece)
            try:
                for part in packed.pieces(piece) if packed else (piece,):
                    body += part
            except TooMuch:
                return bytes(body), "cut"
            if len(body) > most or size > most:
                return bytes(body[:most]), "cut"


def _unpacker(encoding: str, most: int) -> Unpacker | None:
    """Return what unpacks a body of at most `most` bytes, None for a plain one.

    Raises CommandError for another encoding.
    """
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        return None
    if encoding not in _PACKED:
        name = encoding if re.fullmatch(r"[\w-]{1,20}", encoding) else "an unknown way"
        raise CommandError(f"the page is compressed with {name}, although that was not requested; try another one")
    return Unpacker(most, _PACKED[encoding])


def _ask_system(host: str, port: int) -> list[str]:
    infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(info[4][0]) for info in infos))


def _system_trust() -> ssl.SSLContext:
    """Return a context with the system's certificate authorities, or with certifi's if the system has none."""
    context = ssl.create_default_context()
    paths = ssl.get_default_verify_paths()
    if not (paths.cafile or paths.capath or context.get_ca_certs()):
        with contextlib.suppress(OSError):
            import certifi

            context.load_verify_locations(certifi.where())
    return context


def _shut(connection: socket.socket) -> None:
    """Shut a connection, which wakes a thread that reads from it.

    This shuts the plain socket, since an encrypted one would first send a message.
    """
    with contextlib.suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)


def _fault_text(place: str, error: Exception) -> str:
    """Return the fault in one line, without any text of the server."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate of {place} is not valid for it; try another address"
    if isinstance(error, ssl.SSLError):
        return f"no encrypted connection to {place} could be made; try another address"
    if isinstance(error, TimeoutError):
        return f"{place} does not answer; try another address"
    if isinstance(error, ConnectionRefusedError):
        return f"nothing answers at {place}; check the address"
    if isinstance(error, zlib.error):
        return f"what {place} sent cannot be decompressed; try another address"
    if isinstance(error, OSError):
        return f"the connection to {place} failed ({error.strerror or type(error).__name__}); try another address"
    return f"{place} sent something that is not HTTP; try another address"
