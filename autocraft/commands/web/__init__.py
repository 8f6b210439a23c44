"""The web commands, under Auto-GPT's names of April 2023: search, read a page, summarise it, list its links.

| file | holds |
|---|---|
| `settings.py` | keys and caps |
| `address.py` | which URL, and which address behind it, may be reached |
| `fetch.py` | one page, through redirects, within caps |
| `page.py`, `extract.py` | bytes to markdown and links, HTML in a child process |
| `summary.py` | long pages made short by the fast model |
| `searching.py` | Custom Search and ddgs |

The result is text of a page. `agent/transcript.py` wraps it as data, and `text/sanitize.py` cleans it for the view.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec

from autocraft.commands.previews import or_refusal
from autocraft.commands.run_protocols import HasModel, HasRules
from autocraft.commands.web.address import Address, read_url
from autocraft.commands.web.fetch import Fetcher, FetchResult, FetchStop, Resolve
from autocraft.commands.web.page import WebPage, is_text, read_page
from autocraft.commands.web.searching import (
    custom_search_url,
    ddgs_addresses,
    ddgs_search,
    has_custom_search,
    hits_text,
    read_custom_search,
)
from autocraft.commands.web.settings import WebSettings
from autocraft.commands.web.summary import summarise
from autocraft.errors import CommandError
from autocraft.installation import install_line
from autocraft.protocols import Call, Reach, Risk, command

MOST_LINKS = 100
FIRST_LINKS = 5
_LONGEST_LINKS = 20_000
_LONGEST_QUERY = 500

__all__ = ["WebCommands", "WebSettings"]


class WebCommands:
    """The family of web commands. Raises UsageError for settings that cannot be used.

    Without a model, long pages are cut instead of summarised. The policy may object to a redirect. `resolve` is for the
    fetcher.
    """

    family = "web"
    network = True
    repeatable = True  # reading changes nothing

    def __init__(self, settings: WebSettings, *, resolve: Resolve | None = None) -> None:
        self.settings = settings
        self.fetcher = Fetcher(settings, resolve=resolve)
        searches = has_custom_search(settings) or find_spec("ddgs") is not None
        self.commands_off = {} if searches else {"google": f"the missing package ddgs ({install_line('web')})"}

    @command(help="Search the web", risk=Risk.DESTROY, cancellable=True, synonyms=("search", "web_search"))
    async def google(self, call: Call, input: str) -> str:
        if not input.strip() or len(input) > _LONGEST_QUERY:
            raise CommandError(f"give what to look for in the argument input, in at most {_LONGEST_QUERY} characters")
        if has_custom_search(self.settings):
            response = await self._fetch(custom_search_url(self.settings, input), _other_origin)
            return hits_text(read_custom_search(response))
        return hits_text(await asyncio.to_thread(ddgs_search, input))

    @command(help="Read a web page to answer a question", risk=Risk.DESTROY, cancellable=True)
    async def browse_website(self, call: Call, url: str, question: str) -> str:
        page = await self._page(call, url)
        links = "\n".join(_links(page, FIRST_LINKS)) or "[None.]"
        return f"{await self._summary(call, page, question)}\n\nLinks:\n{links}"

    @command(help="Summarise a web page to answer a question", risk=Risk.DESTROY, cancellable=True)
    async def get_text_summary(self, call: Call, url: str, question: str) -> str:
        return await self._summary(call, await self._page(call, url), question)

    @command(help="List the links of a web page", risk=Risk.DESTROY, cancellable=True)
    async def get_hyperlinks(self, call: Call, url: str) -> str:
        page = await self._page(call, url)
        lines, room = [], _LONGEST_LINKS
        for line in _links(page, MOST_LINKS):
            room -= len(line) + 1
            if room < 0:
                break
            lines.append(line)
        more = len(dict.fromkeys(page.links)) + page.more_links - len(lines)
        return "\n".join([*lines, *([f"[{more} more links are left out.]"] if more else [])]) or "[No links.]"

    def reach(self, call: Call) -> Reach:
        """Return the address of the request, in every spelling. Raises CommandError for a refused address."""
        if "url" in call.args:
            return Reach(call.args, urls=read_url(call.args["url"]).spellings)
        if has_custom_search(self.settings):
            return Reach(call.args, urls=read_url(self.settings.search_url).spellings)
        return Reach(call.args, urls=tuple(ddgs_addresses()))

    @google.preview
    def _service(self, call: Call) -> str:
        """Return the name of the search service."""
        service = "Google's Custom Search" if has_custom_search(self.settings) else "DuckDuckGo and other engines"
        return f"asks {service}"

    @browse_website.preview
    @get_text_summary.preview
    @get_hyperlinks.preview
    @or_refusal
    def _host(self, call: Call) -> str:
        """Return the host of the request in plain ASCII, which shows look-alike letters in a name."""
        address = read_url(call.args["url"])
        return f"asks {address.place} by {address.scheme}"

    async def _page(self, call: Call, url: str) -> WebPage:
        """Fetch and parse a page. Raises CommandError."""
        run: HasRules = call.run

        def object_to(address: Address, target: Address) -> str:
            why = run.policy.objection(call, replace(call, args={**call.args, "url": target.url}))
            return why and f"and {why}"

        return await read_page(await self._fetch(url, object_to))

    async def _fetch(self, url: str, object_to: Callable[[Address, Address], str]) -> FetchResult:
        """Fetch in a thread, which always ends with this command."""
        stop = FetchStop()
        try:
            return await asyncio.to_thread(self.fetcher.fetch, url, stop, wanted=is_text, object_to=object_to)
        finally:
            stop.now("the command was interrupted")

    async def _summary(self, call: Call, page: WebPage, question: str) -> str:
        """Return the title, the notes and the text of a page, summarised if it is long."""
        run: HasModel = call.run
        head = f"{page.title} ({page.url})" if page.title else page.url
        text = await summarise(page.text, question, run.asker(call.agent)) or "[The page holds no text.]"
        return "\n".join([head, *(f"[Note: {note}.]" for note in page.notes), "", text])


def _links(page: WebPage, most: int) -> list[str]:
    """Return ``text (address)`` of each link once."""
    return [f"{text or 'no text'} ({url})" for text, url in list(dict.fromkeys(page.links))[:most]]


def _other_origin(address: Address, target: Address) -> str:
    """Return why a search, which sends a key, does not follow this redirect. Return "" for the same origin."""
    if target.origin == address.origin:
        return ""
    return "which gets no request: to trust it, set web.search_url to its address"
