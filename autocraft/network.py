"""The network's environment, as other programs use it: proxies and certificates, read and checked in one place."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from autocraft.errors import UsageError

if TYPE_CHECKING:
    import ssl

_PROXY_SCHEMES = ("http", "https", "socks5", "socks5h")
_OTHER_NAMES = {"socks": "socks5", "socks4": "", "socks4a": ""}
"""A scheme that other programs write -> what it is here. Empty: it cannot be used."""
_CERTIFICATES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""The variables of a file of certificates, the first of which counts."""


class Proxy(NamedTuple):
    """A proxy, and the variable of the environment that names it."""

    url: str
    variable: str


def is_loopback(host: str) -> bool:
    """Return whether a host is this computer. A name that only begins like its address is not."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def in_own_network(host: str) -> bool:
    """Return whether a host is this computer or stands in the person's own network. No name is looked up."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".local", ".lan", ".home", ".internal"))
    return address.is_private and not address.is_unspecified


def proxy_for(url: str, environment: Mapping[str, str] = os.environ) -> Proxy | None:
    """Return the proxy for this address. Return None for a direct connection, which this computer always gets.

    Raises UsageError for a proxy that cannot be used, with the name of its variable.
    """
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return None  # the call says what is wrong with the address
    port = port or {"http": 80, "https": 443}.get(parts.scheme)
    if not host or is_loopback(host) or _is_direct(host, port, environment):
        return None
    for name in (f"{parts.scheme}_proxy", "all_proxy"):
        for variable in (name, name.upper()):
            if value := environment.get(variable, "").strip():
                return Proxy(_proxy_url(value, variable), variable)
    return None


def _is_direct(host: str, port: int | None, environment: Mapping[str, str]) -> bool:
    """Tell whether NO_PROXY names this host: as itself, as a domain, with a port, or as a range of addresses."""
    listed = environment.get("no_proxy") or environment.get("NO_PROXY") or ""
    return any(_names(entry.strip(), host.lower(), port) for entry in listed.split(",") if entry.strip())


def _names(entry: str, host: str, port: int | None) -> bool:
    if entry == "*":
        return True
    entry = entry.lower()
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        pass
    name, separator, digits = entry.rpartition(":")
    if separator and digits.isdecimal() and not name.endswith(":"):
        return int(digits) == port and _names(name, host, port)
    name = entry.strip("[]").removeprefix("*").removeprefix(".")
    return bool(name) and (host == name or host.endswith(f".{name}"))


def _proxy_url(value: str, variable: str) -> str:
    """Return the address of a proxy as the client takes it. Raises UsageError."""
    scheme, separator, rest = value.partition("://")
    scheme, rest = (scheme.lower(), rest) if separator else ("http", value)
    scheme = _OTHER_NAMES.get(scheme, scheme)
    try:
        whole = bool(urlsplit(f"{scheme}://{rest}").hostname) and urlsplit(f"{scheme}://{rest}").port != 0
    except ValueError:
        whole = False
    if scheme not in _PROXY_SCHEMES or not whole:
        raise UsageError(
            f"{variable} in the environment is no proxy that can be used: write it as http://HOST:PORT or "
            "socks5://HOST:PORT, or take it out"
        )
    if scheme.startswith("socks") and find_spec("socksio") is None:
        raise UsageError(
            f"{variable} in the environment names a SOCKS proxy, for which the package socksio is missing: install it, "
            "or take the variable out"
        )
    return f"{scheme}://{rest}"


def certificates(environment: Mapping[str, str] = os.environ) -> tuple[Path, str] | None:
    """Return the file of trusted certificates, and its variable. Return None for those of the system.

    Raises UsageError if the file is missing or holds none.
    """
    import ssl

    for variable in _CERTIFICATES:
        if not (value := environment.get(variable, "").strip()):
            continue
        path = Path(value)
        try:
            load_certificates(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), path)
        except (OSError, ssl.SSLError) as error:
            why = "it cannot be read" if isinstance(error, FileNotFoundError | PermissionError) else "it holds none"
            raise UsageError(
                f"{variable} in the environment names no file of certificates ({why}: {value[:200]}): correct it, or "
                "take it out"
            ) from None
        return path, variable
    return None


def load_certificates(context: ssl.SSLContext, path: Path) -> None:
    """Trust the certificates of a file or a folder. Raises OSError or ssl.SSLError."""
    context.load_verify_locations(**{"capath" if path.is_dir() else "cafile": str(path)})
