"""The page of an evaluation: one HTML file with its figures, its plots and every episode to step through.

`page_text` makes it. `sanitise.py` sanitises untrusted results, `summary.py` and `plots.py` compute what needs no
JavaScript, and `pack.py` packs the episodes. The Jinja template `template.html` and `js/` show them, with the parts of
`autocraft/page`; the templates escape every text.
"""

from __future__ import annotations

from collections.abc import Sequence

from autocraft.evaluation.page import plots
from autocraft.evaluation.page.pack import pack
from autocraft.evaluation.page.sanitise import sanitise
from autocraft.evaluation.page.summary import paper_rows, summary_tables
from autocraft.evaluation.results import EpisodeResult
from autocraft.page.rendering import joined_scripts, render
from autocraft.page.tidy import line
from autocraft.protocols import Json

LIMIT = 10_000_000
"""Most bytes of a page, however long the dialogues were."""
_SCRIPTS = ("unpack", "window", "list", "episode", "start")


def page_text(results: Sequence[EpisodeResult], summary: Json, title: str) -> str:
    """Return the page as text, which is valid UTF-8.

    `summary` is that of `scores.py`. Figures that it lacks are not shown.
    """
    rows = [sanitise(result) for result in results]
    script = joined_scripts(__package__, *(f"js/{name}.js" for name in _SCRIPTS))
    values: Json = {
        "title": line(title),
        "summary": summary_tables(summary),
        "plots": plots.all_plots(rows, paper_rows(summary)),
    }
    frame = render(__package__, "template.html", values | {"episodes": ""}, script)
    data = pack(rows, LIMIT - len(frame.encode()))
    return render(__package__, "template.html", values | {"episodes": data}, script)
