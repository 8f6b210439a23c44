"""Turns a fetched response into a page: kind, charset, markdown, links.

`extract.py` parses HTML in a child process, since a hostile page may never end. All other kinds are text already.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import json
import os
import re
import sys
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from autocraft.children import Lifetime, start
from autocraft.commands.web.fetch import FetchResult
from autocraft.errors import CommandError

SECONDS = 20.0
"""Most seconds for parsing a page."""
_MOST = 20_000_000
"""Most bytes of one line of the child."""
_EXTRACT = Path(__file__).with_name("extract.py")
_HTML = ("text/html", "application/xhtml+xml")
_TEXT = re.compile(r"text/.+|application/((.+\+)?(json|xml)|x-ndjson|markdown|x-yaml|yaml|toml)")
_KNOWN_CHARSET = re.compile(
    r"utf-?8|utf-?16(-?(le|be))?|(us-)?ascii|iso-?8859-?\d{1,2}|latin-?\d{1,2}|(windows-?|cp)125\d|cp(437|850|866|874|949)"
    r"|koi8-[rut]|shift[_-]?jis|euc-?(jp|kr)|iso-2022-jp|gb2312|gbk|gb18030|big5(-hkscs)?|tis-620|mac-?roman"
)
_BROWSER_CHARSETS = {
    "ascii": "cp1252",
    "us-ascii": "cp1252",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "gb2312": "gbk",
}
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]{1,40})|<\?xml[^>]{0,100}encoding=["']([\w.:-]{1,40})"""
)


class WebPage(NamedTuple):
    """The text of a page as markdown. `links` are (text, absolute address). Only `notes` are by autocraft.

    `more_links` is the number of its links that are not among `links`.
    """

    url: str
    title: str
    text: str
    links: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    more_links: int = 0


def is_text(kind: str) -> bool:
    """Return whether a content type can be read. A missing one is accepted, and the text is checked later."""
    return not kind or kind in _HTML or bool(_TEXT.fullmatch(kind))


async def read_page(response: FetchResult) -> WebPage:
    """Return the page. Raises CommandError for an HTTP error, and for anything but text. May be cancelled."""
    host = urlsplit(response.url).hostname
    if response.status >= 400 or response.status < 200:
        raise CommandError(f"{host} answered {status_line(response.status)}; try another address")
    if not is_text(response.kind):
        size = f", {_size(response.length)}" if response.length else ""
        kind = response.kind if re.fullmatch(r"[\w.+-]{1,60}/[\w.+-]{1,60}", response.kind) else "of an unknown kind"
        raise CommandError(f"{host} sent something that is {kind}{size}; web pages and plain text can be read")
    text = decode(response)
    if "\0" in text:
        raise CommandError(f"what {host} sent is not text, although it says that it is; try another address")
    notes = list(response.notes)
    if response.body_end == "cut":
        notes.append(f"the page is longer than {_size(len(response.body))}, and only that much of it was read")
    if response.body_end == "early":
        notes.append("the connection ended before the page did")
    if response.kind in _HTML or (not response.kind and text.lstrip()[:1] == "<"):
        return await _parse_html(response.url, text, tuple(notes))
    return WebPage(response.url, "", text.strip(), (), tuple(notes))


def decode(response: FetchResult) -> str:
    """Decode by byte order mark, header, the page's own declaration, or UTF-8: the first without an error.

    If all have errors, use the first, and replace the invalid bytes. Never raises.
    """
    body = response.body
    meta = _DECLARED.search(body[:2048].lower())
    stated = [name for mark, name in _MARKS if body.startswith(mark)]
    stated += [response.charset.lower(), (meta[1] or meta[2]).decode("ascii") if meta else ""]
    names = [_BROWSER_CHARSETS.get(name, name) for name in stated if _KNOWN_CHARSET.fullmatch(name)]
    for name in [*names, "utf-8"]:
        with contextlib.suppress(LookupError, UnicodeError):
            decoder = codecs.getincrementaldecoder(name)("strict")
            return decoder.decode(body, final=response.body_end == "whole").lstrip("\ufeff")
    for name in [*names, "utf-8"]:
        with contextlib.suppress(LookupError):
            return body.decode(name, "replace").lstrip("\ufeff")
    return body.decode("utf-8", "replace")


def status_line(status: int) -> str:
    """Return the number with its meaning, without the server's own words."""
    with contextlib.suppress(ValueError):
        return f"{status} {HTTPStatus(status).phrase}"
    return str(status)


async def _parse_html(url: str, html: str, notes: tuple[str, ...]) -> WebPage:
    """Parse a page in the child. Raises CommandError if it fails, or if even the plain text takes too long."""
    request = json.dumps({"url": url, "html": html}).encode()
    try:
        plain, better = [json.loads(line) for line in await _child(request)]
        links = tuple((str(text), str(link)) for text, link in plain["links"])
        return WebPage(url, str(plain["title"]), str(better or plain["text"]), links, notes, plain.get("more", 0))
    except TimeoutError:
        raise CommandError(f"the page could not be parsed within {SECONDS:g} s; try another one") from None
    except (OSError, ValueError, KeyError, TypeError):
        raise CommandError("the page could not be parsed; try another one") from None


async def _child(request: bytes) -> tuple[bytes, bytes]:
    """Return the two lines of `extract.py`, which runs without this program's environment and is always killed.

    The second is an empty string if it did not come in time. Raises TimeoutError if the first did not.
    """
    environment = {name: os.environ[name] for name in ("SYSTEMROOT", "TMPDIR") if name in os.environ}
    child = await start(
        [sys.executable, "-I", str(_EXTRACT)],
        Lifetime.GUARDED,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=environment,
        limit=_MOST,
    )
    assert child.stdin is not None and child.stdout is not None
    try:
        plain, better = b"", b""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SECONDS):
                child.stdin.write(request)
                with contextlib.suppress(ConnectionError):
                    await child.stdin.drain()
                child.stdin.close()
                plain = await child.stdout.readline()
                better = await child.stdout.readline()
                return plain, better or b'""'
        if not plain:
            raise TimeoutError
        return plain, b'""'
    finally:
        child.kill()
        await child.wait()


def _size(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB" if size >= 100_000 else f"{size:,} bytes"
