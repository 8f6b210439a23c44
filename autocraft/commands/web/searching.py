"""Searches the web: by Google's Custom Search if its key and an engine id are set, otherwise by ddgs.

Requests to Custom Search use the guarded fetch. ddgs has its own client, for DuckDuckGo and a few other engines.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple
from urllib.parse import urlencode

from autocraft.commands.web.fetch import FetchResult
from autocraft.commands.web.page import decode, status_line
from autocraft.commands.web.settings import WebSettings
from autocraft.errors import CommandError
from autocraft.installation import install_line

MOST_HITS = 8
_SECONDS = 10
_LONGEST = 300


class SearchHit(NamedTuple):
    """One result of a search, each part on one line."""

    title: str
    url: str
    snippet: str


def has_custom_search(settings: WebSettings) -> bool:
    """Return whether the key and the engine id of Custom Search are set."""
    return bool(settings.google_api_key and settings.custom_search_engine_id)


def custom_search_url(settings: WebSettings, query: str) -> str:
    """Return the URL of a query. It contains the key, so it must never be shown."""
    values = {"key": settings.google_api_key, "cx": settings.custom_search_engine_id, "q": query, "num": MOST_HITS}
    return f"{settings.search_url}?{urlencode(values)}"


def read_custom_search(response: FetchResult) -> list[SearchHit]:
    """Return the results. Raises CommandError with the next step if Google sends an error instead."""
    try:
        body = json.loads(decode(response))
    except (ValueError, RecursionError):
        body = None
    if response.status != 200:
        raise CommandError(_refusal(response.status, body))
    if not isinstance(body, dict):
        raise CommandError("Custom Search sent something that is not JSON; check web.search_url")
    return _hits(body.get("items", []), "link", "snippet")


def ddgs_addresses() -> list[str]:
    """Return the addresses of the search engines that ddgs may ask, or DuckDuckGo's if it is not installed."""
    try:
        from ddgs.engines import ENGINES
    except ImportError:
        return ["https://html.duckduckgo.com/html/"]
    return [str(engine.search_url) for engine in ENGINES["text"].values()]


def ddgs_search(query: str) -> list[SearchHit]:
    """Return the results of a search. It blocks: call it in a thread. Raises CommandError if no engine answers."""
    try:
        import ddgs
        from ddgs.exceptions import DDGSException
    except ImportError:
        raise CommandError(f"google needs one more package: {install_line('web')}") from None
    try:
        rows = ddgs.DDGS(timeout=_SECONDS).text(query, max_results=MOST_HITS)
    except Exception as error:  # noqa: BLE001 - what its engines and its native client raise is nowhere listed
        if isinstance(error, DDGSException) and "no results" in str(error).lower():
            return []
        keys = "GOOGLE_API_KEY and CUSTOM_SEARCH_ENGINE_ID"
        raise CommandError(f"no search engine answers; check the network, or set {keys}") from None
    return _hits(rows, "href", "body")


def hits_text(hits: list[SearchHit]) -> str:
    """Return one block for each result: title, address, snippet."""
    blocks = [f"{number}. {hit.title}\n   {hit.url}\n   {hit.snippet}" for number, hit in enumerate(hits, 1)]
    return "\n".join(block.rstrip() for block in blocks) or "[Nothing was found.]"


def _hits(rows: Any, url: str, snippet: str) -> list[SearchHit]:
    """Return the rows with a web address. Other rows are skipped."""
    hits = []
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and re.match(r"https?://", _line(row.get(url))):
            hits.append(SearchHit(*(_line(row.get(name)) for name in ("title", url, snippet))))
    return hits[:MOST_HITS]


def _line(value: Any) -> str:
    """Return text as one short line. Return '' for anything but text."""
    return " ".join(value.split())[:_LONGEST] if isinstance(value, str) else ""


def _refusal(status: int, body: Any) -> str:
    fault = body.get("error") if isinstance(body, dict) else None
    why = _line(fault.get("message")) if isinstance(fault, dict) else ""
    why = f"{status_line(status)}: {why}" if why else status_line(status)
    if status == 429:
        return f"the quota of GOOGLE_API_KEY is used up ({why}); wait, or unset it to search without a key"
    return f"Custom Search refuses ({why}); check GOOGLE_API_KEY and CUSTOM_SEARCH_ENGINE_ID, or unset them"
