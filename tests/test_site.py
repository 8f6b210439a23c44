"""The site of docs/: its navigation names each page once, it builds strictly, and it loads nothing from elsewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.browser.chromium import chromium
from tests.conftest import ROOT

PAGES = sorted(path.name for path in (ROOT / "docs").rglob("*.md"))
CONFIG = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
LOADED = re.compile(r"""<(?:img|script|iframe|source|object)\b[^>]*?\s(?:src|data)=["']?([^"'\s>]+)""")
STYLES = re.compile(r"""<link\b(?=[^>]*\brel=["']?(?:stylesheet|icon|pre))[^>]*?\shref=["']?([^"'\s>]+)""")
LINKS = re.compile(r"""<a\b[^>]*?\shref=["']?([^"'\s>]+)""")
SEARCHES = """new Promise((found) => {
  const saw = (list) => list.getEntries().some(({ name }) => name.endsWith('/search.json')) && found(true)
  new PerformanceObserver(saw).observe({ type: 'resource', buffered: true })
})"""
"""Waits until the page has loaded its index for the search, which it does last."""
BUILDS = pytest.mark.skipif(find_spec("zensical") is None, reason="`make docs` installs zensical")


def pages(entries: list[Any]) -> Iterator[str]:
    """Yield each page that a list of the navigation names."""
    for entry in entries:
        for place in entry.values():
            yield from [place] if isinstance(place, str) else pages(place)


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    """Build the site of a copy of docs/, as `make docs` does."""
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    shutil.copy(ROOT / "zensical.toml", folder)
    shutil.copytree(ROOT / "docs", folder / "docs")
    return folder


def test_the_navigation_names_each_page_once() -> None:
    assert sorted(pages(CONFIG["nav"])) == PAGES


@BUILDS
@pytest.mark.full
def test_the_site_builds_and_all_that_its_pages_name_is_in_it(copy: Path) -> None:
    done = build(copy)
    assert done.returncode == 0, done.stdout + done.stderr
    site = copy / "site"
    built = sorted(path.name for path in site.glob("*.html"))
    assert set(built) == {name.replace(".md", ".html") for name in PAGES} | {"404.html"}
    for name in built:
        text = (site / name).read_text(encoding="utf-8")
        needed = LOADED.findall(text) + STYLES.findall(text)
        assert needed and [each for each in needed if "//" in each] == []
        if name != "404.html":  # its addresses begin at the root of a server
            named = [unquote(re.split("[?#]", each)[0]) for each in needed + LINKS.findall(text) if ":" not in each]
            assert [each for each in named if each and not (site / each).exists()] == [], name


@BUILDS
@pytest.mark.full
def test_a_page_in_a_browser_asks_nobody_else_for_anything(copy: Path) -> None:
    assert build(copy).returncode == 0
    handler = partial(SimpleHTTPRequestHandler, directory=str(copy / "site"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, chromium() as browser:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for page in ("index.html", "live_page.html", "tour.html"):
            seen = browser.open(f"http://127.0.0.1:{server.server_port}/{page}", look=SEARCHES)
            assert seen["found"] is True, "the page has loaded its own scripts"
            assert [fault for fault in seen["faults"] if not fault.startswith("loads data:")] == []
        server.shutdown()


@BUILDS
@pytest.mark.full
def test_a_broken_link_fails(copy: Path) -> None:
    (copy / "docs" / "glossary.md").write_text("# Glossary\n\n[no page](no_page.md)\n", encoding="utf-8")
    assert build(copy).returncode != 0
