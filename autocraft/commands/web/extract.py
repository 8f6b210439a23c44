"""HTML to title, markdown and links. Run as a program of its own by `page.py`, never imported by the agent.

A page can be written so that taking it apart takes minutes or breaks the parser; a child can be killed, and holds
nothing worth stealing. So this file imports nothing of autocraft: JSON ``{"url", "html"}`` comes on stdin, JSON
``{"title", "text", "links": [[text, url], …]}`` goes to stdout. The text is trafilatura's where that is installed and
finds one, else `Outline`'s.
"""

from __future__ import annotations

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
        self._pieces: list[str] = []
        self._silent: list[str] = []
        self._link = ""
        self._linked: list[str] = []
        self._pre = 0

    @property
    def text(self) -> str:
        """Paragraphs parted by one empty line."""
        return re.sub(r"[ \t]*\n\s*\n\s*", "\n\n", "".join(self._pieces)).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "base" and given.get("href"):
            self.base = _joined(self.base, given["href"] or "") or self.base
        elif tag == "a":
            self._end_link()
            self._link = _joined(self.base, given.get("href") or "")
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
            self._pieces.append("\n```\n\n" if closes else "\n" if tag == "li" else "\n\n")
            self._pre -= closes

    def handle_data(self, data: str) -> None:
        if "title" in self._silent[-1:] and not self.title:
            self.title = " ".join(data.split())[:LONGEST_NAME]
        if self._silent:
            return
        self._pieces.append(data if self._pre else re.sub(r"\s+", " ", data))
        if self._link:
            self._linked.append(data)

    def close(self) -> None:
        super().close()
        self._end_link()

    def _end_link(self) -> None:
        if self._link and len(self.links) < MOST_LINKS:
            self.links.append((" ".join("".join(self._linked).split())[:LONGEST_NAME], self._link))
        self._link = ""
        self._linked.clear()


def _joined(base: str, link: str) -> str:
    """An absolute http or https address, else nothing."""
    try:
        url = urljoin(base, "".join(link.split()))
        fits = urlsplit(url).scheme in ("http", "https") and len(url) <= LONGEST_LINK
    except ValueError:
        return ""
    return url if fits else ""


def extract(url: str, html: str) -> dict[str, object]:
    outline = Outline(url)
    outline.feed(html)
    outline.close()
    return {"title": outline.title, "text": _markdown(html) or outline.text, "links": outline.links}


def _markdown(html: str) -> str:
    """By trafilatura; empty where it is not installed, finds nothing or fails."""
    try:
        import trafilatura

        return trafilatura.extract(html, output_format="markdown", include_tables=True, include_comments=True) or ""
    except Exception:
        return ""


def _limit() -> None:
    """Of memory and processor time, where the system knows such limits."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    except (ImportError, ValueError, OSError):
        return


if __name__ == "__main__":
    _limit()
    asked = json.loads(sys.stdin.buffer.read())
    sys.stdout.buffer.write(json.dumps(extract(asked["url"], asked["html"])).encode())
