"""The guarded fetch: one page over http or https, from public addresses only, within caps.

Every hop, the first and each redirect, goes the same way: the URL is taken apart (`address.py`), its name resolved
once, every address behind it judged, and the connection made to one of those very addresses. So a name that changes
its address in between gets nowhere. No proxy of the environment, no cookie, no password, no `.netrc` is used.

The standard library's `http.client` is enough for this. `requests-hardened` 1.3 pins addresses too, but judges only
the first address behind a name, lets some IPv6 forms of inner addresses pass (IPv4-compatible, ISATAP, site-local),
takes proxies and `.netrc` passwords from the environment, reads the whole body of each redirect whatever its size,
allows all of loopback or none, and caps neither bytes nor total time.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import queue
import re
import socket
import ssl
import threading
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal
from urllib.parse import urljoin

from autocraft.commands.web.address import Address, is_public, read_url
from autocraft.commands.web.settings import WebSettings
from autocraft.errors import CommandError

CONNECT_SECONDS = 10.0
_ADDRESSES = 4  # of one name are tried
_PIECE = 65_536
_REDIRECTS = (301, 302, 303, 307, 308)
_PACKED = {"gzip": 31, "x-gzip": 31, "deflate": 47}  # zlib's window sizes, with the headers that they expect
_ACCEPT = "text/html, application/xhtml+xml, text/markdown, text/plain, application/json, application/xml, */*;q=0.1"

Ended = Literal["whole", "cut", "early"]
"""Whether a body came in full, was cut at our cap, or broke off."""
Resolve = Callable[[str, int], Sequence[str]]
"""Host and port to IP addresses; raises OSError where there are none."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came from `url`, the last of the redirects. `kind` is the content type in lower case, empty where unsaid.

    `body` is unpacked but not decoded, empty where the kind was not wanted; `length` is what the server announced.
    """

    url: str
    status: int
    kind: str
    charset: str
    body: bytes
    length: int | None
    ended: Ended
    notes: tuple[str, ...] = ()


class Stop:
    """Ends a fetch from another thread, whatever it waits for; the first reason counts."""

    def __init__(self) -> None:
        self.why = ""
        self._lock = threading.Lock()
        self._end: Callable[[], object] = lambda: None

    def now(self, why: str) -> None:
        with self._lock:
            self.why = self.why or why
            self._end()

    def ends(self, end: Callable[[], object]) -> None:
        """From here on, `end` is what breaks off the waiting; called at once where the stop came first."""
        with self._lock:
            self._end = end
            if self.why:
                end()

    def check(self) -> None:
        if self.why:
            raise CommandError(self.why)


class Fetcher:
    """Fetches pages; safe to share between threads. `resolve` and `trust` stand in for DNS and the system's CAs."""

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
        stop: Stop | None = None,
        *,
        wanted: Callable[[str], bool] | None = None,
        object_to: Callable[[Address, Address], str] = lambda address, led: "",
    ) -> Fetched:
        """The page, read only where `wanted`, if given, says yes to its content type. Blocks: call it in a thread.

        A redirect is followed only where `object_to`, given both addresses, says nothing against it; what it says is
        the end of a sentence. Raises CommandError for everything that goes wrong, an HTTP status not counted.
        """
        stop = stop or Stop()
        late = f"the page did not end within {self.settings.seconds:g} s; try another one"
        clock = threading.Timer(self.settings.seconds, stop.now, (late,))
        clock.daemon = True
        clock.start()
        place = "the page"
        notes: list[str] = []
        seen: set[str] = set()
        try:
            address = read_url(url)
            while True:
                place = address.host
                seen.add(address.url)
                with contextlib.closing(self._ask(address, stop)) as response:
                    if response.status not in _REDIRECTS or not response.getheader("location"):
                        return self._take(address, response, stop, wanted, tuple(notes))
                    led = self._next(address, response, seen, notes)
                    if why := object_to(address, led):
                        raise CommandError(f"{place} leads on to {led.origin}, {why}")
                    address = led
        except (OSError, http.client.HTTPException, ValueError, zlib.error) as error:
            stop.check()
            raise CommandError(_told(place, error)) from None
        finally:
            clock.cancel()

    def _next(self, address: Address, response: http.client.HTTPResponse, seen: set[str], notes: list[str]) -> Address:
        """Where a redirect leads; it is judged like any address, by the next hop."""
        location = response.getheader("location", "").encode("latin-1", "replace").decode("utf-8", "replace")
        try:
            led = read_url(urljoin(address.url, location))
        except CommandError as error:
            raise CommandError(f"{address.host} leads on to an address that is {error}") from None
        if led.url in seen:
            raise CommandError(f"{address.host} leads in a circle; try another address")
        if len(seen) > self.settings.redirects:
            raise CommandError(
                f"{address.host} leads on more than {self.settings.redirects} times; try another address"
            )
        if (address.scheme, led.scheme) == ("https", "http"):
            notes.append(f"{address.host} led from https to http, which others can read and change")
        return led

    # ------------------------------------------------------------ one hop

    def _ask(self, address: Address, stop: Stop) -> http.client.HTTPResponse:
        """The answer to one request, its body not read yet; closing it closes the connection."""
        line = self._connect(address, self._judged(address, stop), stop)
        if address.scheme == "https":
            line = self._encrypted(line, address, stop)
        try:
            connection = http.client.HTTPConnection(address.host, address.port)
            connection.auto_open = 0  # it must never connect by itself
            connection.sock = line
            headers = {
                "Host": address.place,
                "User-Agent": self.settings.user_agent,
                "Accept": _ACCEPT,
                "Accept-Encoding": "identity",
                "Connection": "close",
            }
            connection.request("GET", address.target, headers=headers)
            response = connection.getresponse()
        except BaseException:
            line.close()
            raise
        line.close()  # for good when the response, which reads from it, is closed too
        return response

    def _judged(self, address: Address, stop: Stop) -> list[str]:
        """The addresses behind the name, all of them public. Raises CommandError."""
        found = self._resolved(address, stop)
        if self.settings.allows(address.host, address.port):
            return found
        for each in found:
            if not is_public(each):
                what = each if each == address.host else f"{address.host} stands for {each}, which"
                raise CommandError(
                    f"refused: {what} is not a public address; take a public one (what the person allows besides "
                    "stands in web.allow_hosts of autocraft.toml)"
                )
        return found

    def _resolved(self, address: Address, stop: Stop) -> list[str]:
        """Asked in a thread of its own, since nothing can break off the system's resolver."""
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def ask() -> None:
            try:
                answers.put(list(self._resolve(address.host, address.port)))
            except Exception as error:  # noqa: BLE001 - the caller waits for an answer
                answers.put(error)

        stop.ends(lambda: answers.put(None))
        threading.Thread(target=ask, daemon=True, name="resolve").start()
        found = answers.get()
        stop.check()
        if not isinstance(found, list) or not found:
            raise CommandError(f"the name {address.host} is not known; check the address")
        return found

    def _connect(self, address: Address, found: Sequence[str], stop: Stop) -> socket.socket:
        """A connection to the first of the judged addresses that answers."""
        failed = OSError("no address")
        for each in found[:_ADDRESSES]:
            family = socket.AF_INET6 if ipaddress.ip_address(each).version == 6 else socket.AF_INET
            line = socket.socket(family, socket.SOCK_STREAM)
            try:
                line.settimeout(min(CONNECT_SECONDS, self.settings.seconds))
                stop.ends(partial(_shut, line))
                stop.check()
                line.connect((each, address.port))
                line.settimeout(self.settings.seconds)
                stop.ends(partial(_shut, line))  # once more: one that came before the connection shut nothing
            except OSError as error:
                line.close()
                failed = error
            except BaseException:
                line.close()
                raise
            else:
                return line
        raise failed

    def _encrypted(self, line: socket.socket, address: Address, stop: Stop) -> socket.socket:
        if self._trust is None:
            self._trust = _system_trust()
        with contextlib.ExitStack() as undo:
            undo.callback(line.close)
            made = self._trust.wrap_socket(line, server_hostname=address.host, do_handshake_on_connect=False)
            undo.callback(made.close)
            stop.ends(partial(_shut, made))
            made.do_handshake()
            undo.pop_all()
        return made

    # ------------------------------------------------------------ the body

    def _take(
        self,
        address: Address,
        response: http.client.HTTPResponse,
        stop: Stop,
        wanted: Callable[[str], bool] | None,
        notes: tuple[str, ...],
    ) -> Fetched:
        head = response.getheader("content-type", "")
        kind = head.partition(";")[0].strip().lower()
        charset = re.search(r"""charset\s*=\s*["']?([\w.:-]{1,40})""", head, re.IGNORECASE)
        length = response.length
        body, ended = self._read(response, stop) if wanted is None or wanted(kind) else (b"", "whole")
        named = charset[1] if charset else ""
        return Fetched(address.url, response.status, kind, named, body, length, ended, notes)

    def _read(self, response: http.client.HTTPResponse, stop: Stop) -> tuple[bytes, Ended]:
        """At most `max_bytes`, counted both as they come and unpacked, and how it ended."""
        most = self.settings.max_bytes
        unpack = _unpacker(response.getheader("content-encoding", ""))
        body, taken = bytearray(), 0
        while True:
            try:
                piece = response.read1(_PIECE)
            except http.client.IncompleteRead:
                piece, early = b"", True
            else:
                early = not piece and bool(response.length)
            stop.check()
            if not piece:
                return bytes(body), "early" if early else "whole"
            taken += len(piece)
            body += unpack(piece, most + 1 - len(body))
            if len(body) > most or taken > most:
                return bytes(body[:most]), "cut"


def _unpacker(encoding: str) -> Callable[[bytes, int], bytes]:
    """A function of a piece and the most bytes that may come of it. Raises CommandError for an unknown packing."""
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        return lambda piece, most: piece
    if encoding not in _PACKED:
        name = encoding if re.fullmatch(r"[\w-]{1,20}", encoding) else "an unknown way"
        raise CommandError(f"the page is packed with {name}, although it was asked for unpacked; try another one")
    return zlib.decompressobj(_PACKED[encoding]).decompress


def _ask_system(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


def _system_trust() -> ssl.SSLContext:
    """The system's certificate authorities; where Python finds none, those of certifi."""
    made = ssl.create_default_context()
    paths = ssl.get_default_verify_paths()
    if not (paths.cafile or paths.capath or made.get_ca_certs()):
        with contextlib.suppress(OSError):
            import certifi

            made.load_verify_locations(certifi.where())
    return made


def _shut(connection: socket.socket) -> None:
    """Wake whoever reads from it; of the plain socket, as an encrypted one would first say goodbye."""
    with contextlib.suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)


def _told(place: str, error: Exception) -> str:
    """What went wrong, as one line of ours: what the server said stays out of it."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate of {place} is not valid for it; try another address"
    if isinstance(error, ssl.SSLError):
        return f"no encrypted connection to {place} could be made; try another address"
    if isinstance(error, TimeoutError):
        return f"{place} does not answer; try another address"
    if isinstance(error, ConnectionRefusedError):
        return f"nothing answers at {place}; check the address"
    if isinstance(error, zlib.error):
        return f"what {place} sent cannot be unpacked; try another address"
    if isinstance(error, OSError):
        return f"the connection to {place} failed ({error.strerror or type(error).__name__}); try another address"
    return f"{place} sent something that is not HTTP; try another address"
