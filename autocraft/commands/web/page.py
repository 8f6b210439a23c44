"""From what was fetched to a page that can be read: kind, charset, markdown, links.

HTML is taken apart by `extract.py` in a child process, since a hostile page may take forever; everything else is text
already.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import json
import os
import re
import sys
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

from autocraft.commands.web.fetch import Fetched
from autocraft.errors import CommandError

SECONDS = 20.0
"""How long taking a page apart may take."""
_MOST = 20_000_000  # bytes of a line that the child may say
_EXTRACT = Path(__file__).with_name("extract.py")
_HTML = ("text/html", "application/xhtml+xml")
_TEXT = re.compile(r"text/.+|application/((.+\+)?(json|xml)|x-ndjson|markdown|x-yaml|yaml|toml)")
_KNOWN_CHARSET = re.compile(
    r"utf-?8|utf-?16(-?(le|be))?|(us-)?ascii|iso-?8859-?\d{1,2}|latin-?\d{1,2}|(windows-?|cp)125\d|cp(437|850|866|874|949)"
    r"|koi8-[rut]|shift[_-]?jis|euc-?(jp|kr)|iso-2022-jp|gb2312|gbk|gb18030|big5(-hkscs)?|tis-620|mac-?roman"
)
_AS_BROWSERS_DO = {"ascii": "cp1252", "us-ascii": "cp1252", "iso-8859-1": "cp1252", "latin1": "cp1252", "gb2312": "gbk"}
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]{1,40})|<\?xml[^>]{0,100}encoding=["']([\w.:-]{1,40})"""
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page's text as markdown. `links` are (text, absolute address); `notes` are ours, the rest is the page's."""

    url: str
    title: str
    text: str
    links: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def is_text(kind: str) -> bool:
    """Whether a content type can be read; one that is not given is looked at."""
    return not kind or kind in _HTML or bool(_TEXT.fullmatch(kind))


async def read_page(fetched: Fetched) -> Page:
    """Raises CommandError for an HTTP error, and for what is no text. May be cancelled."""
    host = urlsplit(fetched.url).hostname
    if fetched.status >= 400 or fetched.status < 200:
        raise CommandError(f"{host} answered {status_line(fetched.status)}; try another address")
    if not is_text(fetched.kind):
        size = f", {_size(fetched.length)}" if fetched.length else ""
        kind = fetched.kind if re.fullmatch(r"[\w.+-]{1,60}/[\w.+-]{1,60}", fetched.kind) else "of an unknown kind"
        raise CommandError(f"{host} sent something that is {kind}{size}; web pages and plain text can be read")
    text = decode(fetched)
    if "\0" in text:
        raise CommandError(f"what {host} sent is no text, although it is called that; try another address")
    notes = list(fetched.notes)
    if fetched.ended == "cut":
        notes.append(f"the page is longer than {_size(len(fetched.body))}, and only that much of it was read")
    if fetched.ended == "early":
        notes.append("the connection ended before the page did")
    if fetched.kind in _HTML or (not fetched.kind and text.lstrip()[:1] == "<"):
        return await _taken_apart(fetched.url, text, tuple(notes))
    return Page(fetched.url, "", text.strip(), (), tuple(notes))


def decode(fetched: Fetched) -> str:
    """By byte order mark, header, what the page says of itself, or UTF-8: the first that fits without a fault.

    Where none does, the first that was named is taken and what does not fit is replaced. Never raises.
    """
    body = fetched.body
    declared = _DECLARED.search(body[:2048].lower())
    named = [name for mark, name in _MARKS if body.startswith(mark)]
    named += [fetched.charset.lower(), *((declared[1] or declared[2]).decode("ascii") for _ in [0] if declared)]
    names = [_AS_BROWSERS_DO.get(name, name) for name in named if _KNOWN_CHARSET.fullmatch(name)]
    for name in [*names, "utf-8"]:
        with contextlib.suppress(LookupError, UnicodeError):
            decoder = codecs.getincrementaldecoder(name)("strict")
            return decoder.decode(body, final=fetched.ended == "whole").lstrip("\ufeff")
    for name in [*names, "utf-8"]:
        with contextlib.suppress(LookupError):
            return body.decode(name, "replace").lstrip("\ufeff")
    return body.decode("utf-8", "replace")


def status_line(status: int) -> str:
    """The number with its meaning; the server's own words are left out."""
    with contextlib.suppress(ValueError):
        return f"{status} {HTTPStatus(status).phrase}"
    return str(status)


async def _taken_apart(url: str, html: str, notes: tuple[str, ...]) -> Page:
    """Ask the child. Raises CommandError where it fails or takes too long for even the plain text."""
    asked = json.dumps({"url": url, "html": html}).encode()
    try:
        plain, better = [json.loads(line) for line in await _child(asked)]
        links = tuple((str(text), str(link)) for text, link in plain["links"])
        return Page(url, str(plain["title"]), str(better or plain["text"]), links, notes)
    except TimeoutError:
        raise CommandError(f"the page could not be taken apart within {SECONDS:g} s; try another one") from None
    except (OSError, ValueError, KeyError, TypeError):
        raise CommandError("the page could not be taken apart; try another one") from None


async def _child(asked: bytes) -> tuple[bytes, bytes]:
    """The two lines that `extract.py` says, run without this program's environment and killed whatever happens.

    The second is an empty string where it did not come in time. Raises TimeoutError where the first did not.
    """
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "TMPDIR") if name in os.environ}
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        str(_EXTRACT),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=kept,
        start_new_session=True,
        limit=_MOST,
    )
    assert child.stdin is not None and child.stdout is not None
    try:
        plain, better = b"", b""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SECONDS):
                child.stdin.write(asked)
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
        with contextlib.suppress(ProcessLookupError):
            child.kill()
        await child.wait()


def _size(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB" if size >= 100_000 else f"{size:,} bytes"
