"""Searching the web: Google's Custom Search where its key and an engine id are set, else ddgs (DuckDuckGo and others).

Custom Search is asked through the guarded fetch; ddgs brings its own client and talks only to the search engines that
it knows by name.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from autocraft.commands.web.fetch import Fetched
from autocraft.commands.web.page import decode, status_line
from autocraft.commands.web.settings import WebSettings
from autocraft.errors import CommandError

MOST_HITS = 8
_SECONDS = 10
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a search, each part on one line."""

    title: str
    url: str
    snippet: str


def has_custom_search(settings: WebSettings) -> bool:
    return bool(settings.google_api_key and settings.custom_search_engine_id)


def custom_search_url(settings: WebSettings, query: str) -> str:
    """The key is a part of it, so it must never be shown."""
    asked = {"key": settings.google_api_key, "cx": settings.custom_search_engine_id, "q": query, "num": MOST_HITS}
    return f"{settings.search_url}?{urlencode(asked)}"


def read_custom_search(fetched: Fetched) -> list[Hit]:
    """Raises CommandError with the next step where Google gives an error instead of results."""
    try:
        said = json.loads(decode(fetched))
    except (ValueError, RecursionError):
        said = None
    if fetched.status != 200:
        raise CommandError(_refusal(fetched.status, said))
    if not isinstance(said, dict):
        raise CommandError("Custom Search sent something that is no JSON; check web.search_url")
    return _hits(said.get("items", []), "link", "snippet")


def ddgs_addresses() -> list[str]:
    """Return the addresses of the search engines that ddgs may ask; that of DuckDuckGo where it is not installed."""
    try:
        from ddgs.engines import ENGINES
    except ImportError:
        return ["https://html.duckduckgo.com/html/"]
    return [str(engine.search_url) for engine in ENGINES["text"].values()]


def ddgs_search(query: str) -> list[Hit]:
    """Blocks; call it in a thread. Raises CommandError where it finds nothing or nobody answers."""
    try:
        import ddgs
        from ddgs.exceptions import DDGSException
    except ImportError:
        raise CommandError("google needs one more package: pip install 'autocraft[web]'") from None
    try:
        found = ddgs.DDGS(timeout=_SECONDS).text(query, max_results=MOST_HITS)
    except DDGSException as error:
        if "no results" in str(error).lower():
            return []
        raise CommandError(_unreached()) from None
    except Exception:  # noqa: BLE001 - what its engines and its native client raise is nowhere listed
        raise CommandError(_unreached()) from None
    return _hits(found, "href", "body")


def listed(hits: list[Hit]) -> str:
    """One block a result: title, address, snippet."""
    blocks = [f"{number}. {hit.title}\n   {hit.url}\n   {hit.snippet}" for number, hit in enumerate(hits, 1)]
    return "\n".join(block.rstrip() for block in blocks) or "[Nothing was found.]"


def _hits(rows: Any, url: str, snippet: str) -> list[Hit]:
    """Rows whose address may be opened; whatever else a service sends is passed over."""
    made = []
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and re.match(r"https?://", _line(row.get(url))):
            made.append(Hit(*(_line(row.get(name)) for name in ("title", url, snippet))))
    return made[:MOST_HITS]


def _line(value: Any) -> str:
    """`value` where it is text, as one short line; else nothing."""
    return " ".join(value.split())[:_LONGEST] if isinstance(value, str) else ""


def _refusal(status: int, said: Any) -> str:
    fault = said.get("error") if isinstance(said, dict) else None
    why = _line(fault.get("message")) if isinstance(fault, dict) else ""
    why = f"{status_line(status)}: {why}" if why else status_line(status)
    if status == 429:
        return f"the quota of GOOGLE_API_KEY is used up ({why}); wait, or unset it to search without a key"
    return f"Custom Search refuses ({why}); check GOOGLE_API_KEY and CUSTOM_SEARCH_ENGINE_ID, or unset them"


def _unreached() -> str:
    return "no search engine answers; check the network, or set GOOGLE_API_KEY and CUSTOM_SEARCH_ENGINE_ID"
