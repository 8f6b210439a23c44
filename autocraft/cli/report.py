"""`autocraft report`: one run told whole."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autocraft.cli import completion
from autocraft.cli.options import Flags, new_app, root_folder, with_settings
from autocraft.console.pages import print_page
from autocraft.console.report import report as story
from autocraft.errors import UsageError
from autocraft.session.folder import find
from autocraft.session.reading import Events

app = new_app()


@app.command()
@with_settings("session.state_dir")
def report(
    flags: Flags,
    id: Annotated[str, typer.Argument(help="A session's id, or last.", autocompletion=completion.sessions)] = "last",
    html: Annotated[Path | None, typer.Option(help="Write the page of a learning run to this file.")] = None,
    steps: Annotated[bool, typer.Option("--steps", help="Print each step of a learning run too.")] = False,
) -> None:
    """Print the whole story of a run as plain text, or the figures of a learning run."""
    folder = find(root_folder(flags), id)
    events = Events(folder)
    first = events.first()
    learned = first is not None and bool((first.options or {}).get("learn"))
    if html and not learned:
        raise UsageError(f"{folder.name} is no learning run, and only those have a page; leave --html out")
    if learned:
        from autocraft.learning.page import write_page
        from autocraft.learning.record import Record
        from autocraft.learning.report import report as figures

        record = Record.of(events)
        if html:
            write_page(html, record, folder.name)
            print_page(f"The page of {folder.name}: {html}")
            return
        print_page(figures(record, folder.name))
    if steps or not learned:
        print_page(story(events, folder.name))
