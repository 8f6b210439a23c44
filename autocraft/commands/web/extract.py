"""Turns HTML into title, markdown and links. `page.py` runs it as a program; the agent never imports it.

A hostile page may take minutes to parse, or break the parser. A child can be killed, and has no secrets. So this file
imports nothing of autocraft. It reads JSON ``{"url", "html"}`` from stdin, and writes two lines of JSON: by the
standard library ``{"title", "text", "links": [[text, url], …], "more"}``, then the better text of trafilatura, or "".
If the second line takes too long, the caller uses the first.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

MOST_LINKS = 500
LONGEST_LINK = 1_000
LONGEST_NAME = 120
MEMORY = 1_500_000_000
SECONDS = 15
_SILENT = {"script", "style", "noscript", "template", "svg", "math", "iframe", "object", "title", "select", "textarea"}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "dd", "div", "dl", "dt", "fieldset", "figure", "figcaption", "footer",
    "form", "header", "hr", "main", "nav", "ol", "p", "pre", "section", "table", "ul",
}  # fmt: skip
_MARKS = {"li": "- ", "h1": "# ", "h2": "## ", "h3": "### ", "h4": "#### ", "h5": "##### ", "h6": "###### "}


class Outline(HTMLParser):
    """A page's title, links and text, by the standard library alone."""

    def __init__(self, url: str) -> None:
        super().__init__(convert_charrefs=True)
        self.base = url
        self.title = ""
        self.links: list[tuple[str, str]] = []
        self.more = 0
        """The number of links after the first MOST_LINKS."""
        self._pieces: list[str] = []
        self._silent: list[str] = []
        self._link = ""
        self._link_text: list[str] = []
        self._pre = 0

    @property
    def text(self) -> str:
        """Return the paragraphs, separated by one empty line."""
        return re.sub(r"[ \t]*\n\s*\n", "\n\n", "".join(self._pieces)).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "base" and attributes.get("href"):
            self.base = _absolute(self.base, attributes["href"] or "") or self.base
        elif tag == "a":
            self._end_link()
            self._link = _absolute(self.base, attributes.get("href") or "")
        elif tag in _SILENT:
            self._silent.append(tag)
        elif tag in _MARKS:
            self._pieces.append(f"\n{'' if tag == 'li' else chr(10)}{_MARKS[tag]}")
        elif tag in _BLOCKS:
            self._pieces.append("\n\n```\n" if tag == "pre" else "\n\n")
            self._pre += tag == "pre"
        elif tag in ("br", "tr"):
            self._pieces.append("\n")
        elif tag in ("td", "th"):
            self._pieces.append(" | ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "a":
            self._end_link()
        elif tag in self._silent:
            del self._silent[self._silent.index(tag) :]
        elif tag in _BLOCKS or tag in _MARKS:
            closes = tag == "pre" and self._pre > 0
            self._pieces.append("\n```\n\n" if closes else "" if tag == "li" else "\n\n")
            self._pre -= closes

    def handle_data(self, data: str) -> None:
        if "title" in self._silent[-1:] and not self.title:
            self.title = " ".join(data.split())[:LONGEST_NAME]
        if self._silent:
            return
        if not self._pre:
            data = re.sub(r"\s+", " ", data)
            data = data.lstrip() if "".join(self._pieces[-1:]).endswith(("\n", " ")) else data
        self._pieces.append(data)
        if self._link:
            self._link_text.append(data)

    def close(self) -> None:
        super().close()
        self._end_link()

    def _end_link(self) -> None:
        if self._link and len(self.links) < MOST_LINKS:
            self.links.append((" ".join("".join(self._link_text).split())[:LONGEST_NAME], self._link))
        elif self._link:
            self.more += 1
        self._link = ""
        self._link_text.clear()


def _absolute(base: str, link: str) -> str:
    """Return an absolute http or https address. Return '' for any other link."""
    try:
        url = urljoin(base, "".join(link.split()))
        fits = urlsplit(url).scheme in ("http", "https") and len(url) <= LONGEST_LINK
    except ValueError:
        return ""
    return url if fits else ""


def outline_of(url: str, html: str) -> dict[str, object]:
    """Return title, text and links of a page, and the number of its further links."""
    outline = Outline(url)
    outline.feed(html)
    outline.close()
    return {"title": outline.title, "text": outline.text, "links": outline.links, "more": outline.more}


def markdown_of(html: str) -> str:
    """Return the text by trafilatura. Return '' if it is not installed, finds nothing or fails."""
    try:
        import trafilatura

        return trafilatura.extract(html, output_format="markdown", include_tables=True, include_comments=True) or ""
    except Exception:  # noqa: BLE001 - trafilatura lists no exceptions
        return ""


def _limit() -> None:
    """Limit memory and processor time, if the system has such limits."""
    try:
        import resource
    except ImportError:
        return
    for kind, most in ((resource.RLIMIT_CPU, SECONDS), (resource.RLIMIT_AS, MEMORY)):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, most))


if __name__ == "__main__":
    _limit()
    request = json.loads(sys.stdin.buffer.read())
    print(json.dumps(outline_of(request["url"], request["html"])), flush=True)
    print(json.dumps(markdown_of(request["html"])), flush=True)
