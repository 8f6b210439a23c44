"""Parses a URL strictly, and checks whether the IP address behind its name is public.

Everything that two programs may read in two ways is refused: user names, backslashes, control characters, and IP
addresses in an unusual form. `fetch.py` connects to exactly the parsed address.
"""

from __future__ import annotations

import ipaddress
import posixpath
import re
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from autocraft.errors import CommandError

LONGEST_URL = 4_000
_LONGEST_NAME = 253
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_PORTS = {"http": 80, "https": 443}

_CLOSED = [
    ipaddress.ip_network(network)
    for network in (
        "100.64.0.0/10",  # shared by a provider's customers; clouds keep services there
        "168.63.129.16/32",  # Azure's own services, at an address that looks public
        "192.0.0.0/24",  # protocol assignments; Oracle's metadata
        "192.88.99.0/24",  # 6to4 relays
        "2001::/23",  # protocol assignments, with Teredo, which holds an IPv4 address
        "2001:db8::/32",
        "2002::/16",  # 6to4, which holds an IPv4 address
        "3fff::/20",
    )
]
"""Networks that are not public, although `is_global` of some versions of Python says so."""
_UNICAST = ipaddress.ip_network("2000::/3")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_ISATAP = (0x00005EFE, 0x02005EFE)


class Address(NamedTuple):
    """A URL without its fragment. `host` is a name in ASCII or an IP address without brackets."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def place(self) -> str:
        """Return host and port as in a URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.place}"

    @property
    def url(self) -> str:
        return f"{self.origin}{self.target}"

    @property
    def spellings(self) -> tuple[str, ...]:
        r"""Return the URL, and the forms in which a server may read it: without percent signs, dots, // and \."""
        plain = unquote(self.target)
        path, mark, query = plain.partition("?")
        normal = posixpath.normpath(re.sub(r"[/\\]+", "/", path)) + ("/" if path.endswith("/") and path != "/" else "")
        targets = dict.fromkeys((self.target, plain, f"{normal}{mark}{query}"))
        return tuple(f"{self.scheme}://{self.place}{target}" for target in targets)


def read_url(url: str) -> Address:
    """Parse `url`. Raises CommandError, whose text has no part that may be a password."""
    url = url.strip(" ")
    if len(url) > LONGEST_URL:
        raise _refusal(f"is longer than {LONGEST_URL:,} characters")
    if re.search(r"[\x00-\x1f\x7f-\x9f\\\ud800-\udfff]", url):
        raise _refusal("holds a control character or a backslash")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _refusal("has a host or port that cannot be read") from None
    if parts.scheme not in _PORTS:
        raise _refusal("has a scheme other than http and https" if parts.scheme else "does not say http or https")
    if "@" in parts.netloc:
        raise _refusal("holds a user name or a password, which is never sent")
    if port == 0:
        raise _refusal("names port 0")
    host = _read_ipv6(parts.hostname or "") if "[" in parts.netloc else _read_name(parts.hostname or "")
    target = quote(parts.path or "/", safe="/:@!$&'()*+,;=~%-._")
    if parts.query:
        target += "?" + quote(parts.query, safe="/?:@!$&'()*+,;=~%-._[]{}|^")
    return Address(parts.scheme, host, port or _PORTS[parts.scheme], target)


def wide_spellings(url: str) -> list[str]:
    """Return `url`, and its forms with and without the port, a bare ``/``, and IPv6 around an IPv4 address."""
    scheme, _, rest = url.partition("://")
    place, _, target = rest.partition("/")
    try:
        address = read_url(f"{scheme}://{place}")
    except CommandError:
        return [url]
    inner = _embedded_ipv4(ipaddress.IPv6Address(address.host)) if ":" in address.host else None
    hosts = [address.place.removesuffix(f":{address.port}"), *([] if inner is None else [str(inner)])]
    places = [f"{address.scheme}://{host}{port}" for host in hosts for port in ("", f":{address.port}")]
    return [url, *(f"{each}/{target}" for each in places), *([] if target else places)]


def is_public(address: str) -> bool:
    """Return whether an IP address is on the public internet. An IPv4 address inside an IPv6 one counts.

    Return False for anything but an IP address.
    """
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.scope_id:
            return False
        inner = _embedded_ipv4(ip)
        if inner is not None:
            return is_public(str(inner))
        if ip not in _UNICAST:
            return False
    local = ip.is_private or ip.is_loopback or ip.is_link_local or ip.is_multicast or ip.is_reserved
    return ip.is_global and not local and not any(ip in net for net in _CLOSED)


def _embedded_ipv4(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address that gets the packets to `ip`. Return None if there is none.

    Teredo and 6to4 are never public, so they need no such check.
    """
    if ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    if ip in _NAT64 or (int(ip) >> 32) & 0xFFFFFFFF in _ISATAP:
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return None


def _read_ipv6(text: str) -> str:
    try:
        ip = ipaddress.IPv6Address(text)
    except ValueError:
        raise _refusal("has no valid IPv6 address in its brackets") from None
    if ip.scope_id:
        raise _refusal("names a network card")
    return str(ip)


def _read_name(text: str) -> str:
    """Return a host name in lower-case ASCII, or an IPv4 address in its usual form. Raises CommandError."""
    if not text.isascii() and len(text) <= _LONGEST_NAME:
        import idna

        try:
            text = idna.encode(text, uts46=True).decode("ascii")
        except UnicodeError:
            raise _refusal("has a host name with characters that no host name has") from None
    text = text.lower().removesuffix(".")
    labels = text.split(".")
    if len(text) > _LONGEST_NAME or not all(_LABEL.fullmatch(label) for label in labels):
        raise _refusal("has no valid host name")
    if _NUMBER.fullmatch(labels[-1]):
        try:
            return str(ipaddress.IPv4Address(text))
        except ValueError:
            raise _refusal("has an IP address in an unusual form") from None
    return text


def _refusal(why: str) -> CommandError:
    return CommandError(f"refused: the URL {why}; give a whole address, such as https://example.com/page")
