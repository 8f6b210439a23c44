"""`autocraft report`: one run told whole."""

from __future__ import annotations

from typing import Annotated

import typer

from autocraft.cli import completion
from autocraft.cli.options import Flags, new_app, root_folder, with_settings
from autocraft.console.pages import print_page
from autocraft.console.report import report as story
from autocraft.session.folder import find
from autocraft.session.reading import Events

app = new_app()


@app.command()
@with_settings("session.state_dir")
def report(
    flags: Flags,
    id: Annotated[str, typer.Argument(help="A session's id, or last.", autocompletion=completion.sessions)] = "last",
) -> None:
    """Print the whole story of a run as plain text."""
    folder = find(root_folder(flags), id)
    print_page(story(Events(folder), folder.name))
