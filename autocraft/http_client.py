"""The HTTP client for all requests with a key: chat, the list of models, pictures, embeddings, other MCP servers.

An endpoint may be hostile, or redirect to a hostile one. So the bytes and seconds of each answer are limited, packed
answers are refused, a redirect stays on the address that the person set, and cookies are not stored.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autocraft.network import certificates, load_certificates, proxy_for

if TYPE_CHECKING:
    import ssl

MOST_BYTES = 16_000_000
"""The most bytes of a body. In a streamed answer, the most bytes between two pieces with text."""
MOST_BYTES_IN_ALL = 200_000_000
"""The most bytes of a streamed answer. A million characters in pieces of one word each are 125 MB on the wire."""
MOST_REDIRECTS = 3
_LONGEST_ORIGIN = 200


class Refusal(Exception):
    """An endpoint did something that is not accepted. The text follows the endpoint's name and says what to do."""


def open_client(
    url: str,
    timeout: Any,
    *,
    most: int = MOST_BYTES,
    setting: str = "OPENAI_BASE_URL",
    headers: Mapping[str, str] | None = None,
) -> Any:
    """Return an ``httpx2.AsyncClient`` that is safe to use with this address. Its calls raise Refusal.

    `timeout` is an ``httpx2.Timeout``. Its `read` also limits a whole call, except the body of a streamed answer, for
    which the caller has a clock. `most` is the most bytes of a body. `setting` is the name of the setting that holds
    the address. `headers` are sent with each request. Raises UsageError for a proxy or a file of certificates in the
    environment that cannot be used.
    """
    import asyncio
    from http.cookiejar import CookieJar, DefaultCookiePolicy

    import httpx2

    class Client(httpx2.AsyncClient):
        async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
            try:
                async with asyncio.timeout(timeout.read):
                    return await super().send(request, **options)
            except TimeoutError:
                raise httpx2.ReadTimeout("the call took too long", request=request) from None
            except httpx2.TooManyRedirects:
                why = f"redirects more than {MOST_REDIRECTS} times: set {setting} to the last address"
                raise Refusal(why) from None

    async def judge(response: httpx2.Response) -> None:
        """Check each response, also a redirect, before its body is read. Raises Refusal."""
        response.stream = _bound(response.stream, most, setting)
        response.encoding = "utf-8"  # JSON is always UTF-8, and some of Python's codecs unpack
        _check_packing(response)
        _check_redirect(response, setting)

    proxy = proxy_for(url)
    return Client(
        verify=_tls(certificates()),
        proxy=proxy.url if proxy else None,
        trust_env=False,  # network.py has read it
        timeout=timeout,
        headers={"Accept-Encoding": "identity", **(headers or {})},
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        follow_redirects=True,
        max_redirects=MOST_REDIRECTS,
        event_hooks={"response": [judge]},
    )


@cache
def _tls(given: tuple[Path, str] | None) -> ssl.SSLContext:
    """Return the certificates that are trusted: those of a file or a folder, or the system's.

    To read them takes longer than all the rest of a client.
    """
    import ssl

    import httpx2

    if given is None:
        return httpx2.create_ssl_context(trust_env=False)
    context = ssl.create_default_context()
    load_certificates(context, given[0])
    return context


def progress(response: Any) -> None:
    """Start counting anew, because a streamed answer brought some text."""
    response.stream.since_text = 0


def watch(response: Any, on_comment: Callable[[], None]) -> None:
    """Call `on_comment` whenever a comment comes that keeps a streamed answer alive."""
    response.stream.on_comment = on_comment


def _bound(stream: Any, most: int, setting: str) -> Any:
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        """Counts the bytes between the connection and the reader of the body."""

        def __init__(self) -> None:
            self.since_text = 0
            self.in_all = 0
            self.on_comment: Callable[[], None] = lambda: None

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for chunk in stream:
                if chunk.startswith(b":") or b"\n:" in chunk:
                    self.on_comment()
                self.since_text += len(chunk)
                self.in_all += len(chunk)
                if self.since_text > most:
                    raise Refusal(f"sent {most:,} bytes without an answer in them: check {setting}")
                if self.in_all > MOST_BYTES_IN_ALL:
                    raise Refusal(f"sent {MOST_BYTES_IN_ALL:,} bytes without ending its answer: look at its log")
                yield chunk

        async def aclose(self) -> None:
            await stream.aclose()

    return Bounded()


def _check_packing(response: Any) -> None:
    """Raise Refusal for a packed body. The request asked for an unpacked one, and 1 MB may unpack to a thousand."""
    packings = {each.strip().lower() for each in response.headers.get("content-encoding", "").split(",")}
    if packings - {"", "identity"}:
        raise Refusal(
            "sent its answer compressed, although it was asked not to: turn that off there, or ask another one"
        )


def _check_redirect(response: Any, setting: str) -> None:
    """Raise Refusal for a redirect to another scheme, host or port, which would get the prompt."""
    import httpx2

    if not response.has_redirect_location:
        return
    here = response.request.url
    try:
        there = here.join(response.headers["location"])
    except (httpx2.InvalidURL, ValueError):
        raise Refusal(f"redirects to an address that cannot be read: check {setting}") from None
    if _origin(there) != _origin(here):
        place = _origin(there)[:_LONGEST_ORIGIN]
        raise Refusal(f"redirects to {place}, to which nothing was sent: to trust it, set {setting} to its address")


def _origin(url: Any) -> str:
    """Return scheme, host and port in ASCII, without user name and password, and without the default port."""
    host = url.raw_host.decode("ascii", "replace")
    host = f"[{host}]" if ":" in host else host
    port = f":{url.port}" if url.port is not None else ""
    return f"{url.scheme}://{host}{port}"
