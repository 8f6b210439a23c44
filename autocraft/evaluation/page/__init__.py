"""The page of an evaluation: one HTML file with its figures, its plots and every episode to step through.

`write_page` writes it. `tidy.py` sanitises untrusted results, `tables.py` and `plots.py` compute what needs no
JavaScript, and `pack.py` packs the episodes. The Jinja templates `template.html` and `parts.html`, `style.css` and
`js/` show them; the templates escape every text.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from autocraft.errors import UsageError
from autocraft.evaluation.page import plots, tables
from autocraft.evaluation.page.pack import pack
from autocraft.evaluation.page.tidy import line, tidy
from autocraft.evaluation.results import EpisodeResult
from autocraft.protocols import Json
from autocraft.session.atomic import write_atomic

LIMIT = 10_000_000
"""Most bytes of a page, however long the dialogues were."""
_SCRIPTS = ("unpack", "items", "window", "list", "episode", "start")


def write_page(path: Path, results: Sequence[EpisodeResult], summary: Json, title: str) -> int:
    """Write the page to `path`, completely or not at all. Return its bytes. Raises UsageError if it cannot be written.

    `summary` is that of `scores.py`. Figures that it lacks are not shown.
    """
    page = page_text(results, summary, title).encode()
    try:
        write_atomic(path, page)
    except OSError as error:
        raise UsageError(f"cannot write the page {path}: {error.strerror}; give another path") from None
    return len(page)


def page_text(results: Sequence[EpisodeResult], summary: Json, title: str) -> str:
    """Return the page as text, which is valid UTF-8."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_read),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    tidied = [tidy(result) for result in results]
    style, script = _read("style.css"), "\n".join(_read(f"js/{name}.js") for name in _SCRIPTS)
    values = {
        "title": line(title),
        "summary": tables.summary_tables(summary),
        "plots": plots.all_plots(tidied, tables.paper_rows(summary)),
        "style": style,
        "style_hash": _hash(style),
        "script": script,
        "script_hash": _hash(script),
    }
    template = environment.get_template("template.html")
    frame = template.render(values, episodes="")
    return template.render(values, episodes=pack(tidied, LIMIT - len(frame.encode())))


def _read(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    """Return the hash of this text for a Content-Security-Policy. The text must be between its tags without a
    change."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
