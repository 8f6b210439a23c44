"""The web commands, under Auto-GPT's names of April 2023: search, read a page, summarise it, list its links.

| file | holds |
|---|---|
| `settings.py` | keys and caps |
| `address.py` | which URL, and which address behind it, may be reached |
| `fetch.py` | one page, through redirects, within caps |
| `page.py`, `extract.py` | bytes to markdown and links, HTML in a child process |
| `summary.py` | long pages made short by the fast model |
| `searching.py` | Custom Search and ddgs |

What comes back is the text of a page: `agent/transcript.py` wraps it as data, and `text/sanitize.py` makes it fit
to be shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec

from autocraft.commands.live import HasModel, HasRules
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
from autocraft.protocols import Call, Json, Reach, Risk, Settled, command
from autocraft.text.phrases import pip_install

MOST_LINKS = 100
FIRST_LINKS = 5
_LONGEST_LINKS = 20_000
_LONGEST_QUERY = 500

__all__ = ["WebCommands", "WebSettings"]


class WebCommands:
    """Without a model to ask, long pages are cut instead of summarised; the policy may object to a redirect.

    `resolve` is handed to the fetcher. Raises UsageError for settings that cannot be used.
    """

    family = "web"
    network = True

    def __init__(
        self,
        settings: WebSettings,
        *,
        resolve: Resolve | None = None,
    ) -> None:
        self.settings = settings
        self.fetcher = Fetcher(settings, resolve=resolve)
        searches = has_custom_search(settings) or find_spec("ddgs") is not None
        self.commands_off = {} if searches else {"google": f"the missing package ddgs ({pip_install('web')})"}

    @command(help="Search the web", risk=Risk.DESTROY, cancellable=True, synonyms=("search", "web_search"))
    async def google(self, call: Call, input: str) -> str:
        if not input.strip() or len(input) > _LONGEST_QUERY:
            raise CommandError(f"give what to look for in the argument input, in at most {_LONGEST_QUERY} characters")
        if has_custom_search(self.settings):
            fetched = await self._fetch(custom_search_url(self.settings, input), _other_origin)
            return hits_text(read_custom_search(fetched))
        return hits_text(await asyncio.to_thread(ddgs_search, input))

    @command(help="Read a web page with a question in view", risk=Risk.DESTROY, cancellable=True)
    async def browse_website(self, call: Call, url: str, question: str) -> str:
        page = await self._page(call, url)
        links = "\n".join(_links(page, FIRST_LINKS)) or "[None.]"
        return f"{await self._told(call, page, question)}\n\nLinks:\n{links}"

    @command(help="Summarise a web page with a question in view", risk=Risk.DESTROY, cancellable=True)
    async def get_text_summary(self, call: Call, url: str, question: str) -> str:
        return await self._told(call, await self._page(call, url), question)

    @command(help="List the links of a web page", risk=Risk.DESTROY, cancellable=True)
    async def get_hyperlinks(self, call: Call, url: str) -> str:
        page = await self._page(call, url)
        lines, room = [], _LONGEST_LINKS
        for line in _links(page, MOST_LINKS):
            room -= len(line) + 1
            if room < 0:
                break
            lines.append(line)
        left = len(dict.fromkeys(page.links)) - len(lines)
        return "\n".join([*lines, *([f"[{left} more links are left out.]"] if left else [])]) or "[No links.]"

    # ------------------------------------------------------------ what the registry asks a family

    def settle(self, call: Call, evidence: Json) -> Settled:
        """Answer ``not done``: reading changes nothing, so a killed read may be repeated."""
        return Settled("not done")

    def reach(self, call: Call) -> Reach:
        """Return the address that would be asked, in every spelling. Raises CommandError for one that is refused."""
        if "url" in call.args:
            return Reach(call.args, urls=read_url(call.args["url"]).spellings)
        if has_custom_search(self.settings):
            return Reach(call.args, urls=read_url(self.settings.search_url).spellings)
        return Reach(call.args, urls=tuple(ddgs_addresses()))

    @google.preview
    def _service(self, call: Call) -> str:
        """Return the service that the search would ask."""
        service = "Google's Custom Search" if has_custom_search(self.settings) else "DuckDuckGo and other engines"
        return f"asks {service}"

    @browse_website.preview
    @get_text_summary.preview
    @get_hyperlinks.preview
    def _host(self, call: Call) -> str:
        """Return the host that the command would ask, in plain ASCII, so that look-alike letters in a name show."""
        try:
            address = read_url(call.args["url"])
        except CommandError as error:
            return f"This will fail: {error}"
        return f"asks {address.place} by {address.scheme}"

    # ------------------------------------------------------------ inside

    async def _page(self, call: Call, url: str) -> WebPage:
        run: HasRules = call.run

        def object_to(address: Address, led: Address) -> str:
            why = run.policy.objection(call, replace(call, args={**call.args, "url": led.url}))
            return why and f"and {why}"

        return await read_page(await self._fetch(url, object_to))

    async def _fetch(self, url: str, object_to: Callable[[Address, Address], str]) -> FetchResult:
        """Fetch in a thread that always ends with this command."""
        stop = FetchStop()
        try:
            return await asyncio.to_thread(self.fetcher.fetch, url, stop, wanted=is_text, object_to=object_to)
        finally:
            stop.now("the command was interrupted")

    async def _told(self, call: Call, page: WebPage, question: str) -> str:
        run: HasModel = call.run
        head = f"{page.title} ({page.url})" if page.title else page.url
        text = await summarise(page.text, question, run.ask) or "[The page holds no text.]"
        return "\n".join([head, *(f"[Note: {note}.]" for note in page.notes), "", text])


def _links(page: WebPage, most: int) -> list[str]:
    """Return ``text (address)`` of each link once."""
    return [f"{text or 'no text'} ({url})" for text, url in list(dict.fromkeys(page.links))[:most]]


def _other_origin(address: Address, led: Address) -> str:
    """Return why a search, which sends a key, does not follow a redirect; empty if it stays on its origin."""
    if led.origin == address.origin:
        return ""
    return "which was asked nothing: to trust it, set web.search_url to its address"
