"""`autocraft sessions`, and `report`, which tells one run whole."""

from __future__ import annotations

from typing import Annotated

import typer

from autocraft.cli.options import StateDir, root_folder
from autocraft.errors import SessionError

app = typer.Typer(help="Look at kept runs and take changes back.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_sessions(state_dir: StateDir = None) -> None:
    """All kept runs, the newest last."""
    from autocraft.console.pages import print_page
    from autocraft.console.report import summary
    from autocraft.session.folder import list_ids
    from autocraft.session.reading import Events
    from autocraft.text.sanitize import clean_line

    root = root_folder(state_dir)
    for id in list_ids(root):
        try:
            told = summary(Events(root / "sessions" / id))
        except SessionError as error:
            print_page(clean_line(f"{id}  damaged: {error}"))
            continue
        if told:
            print_page(f"{id}  {told.begun}  {told.turns:>4} turns  {told.ended:<13} {told.goals}")


@app.command("show")
def show_session(
    id: Annotated[str, typer.Argument(help="A session's id, or last.")] = "last", state_dir: StateDir = None
) -> None:
    """One line for every step of a run."""
    from autocraft.console.pages import print_page
    from autocraft.console.report import history
    from autocraft.session.folder import find
    from autocraft.session.reading import Events

    folder = find(root_folder(state_dir), id)
    print_page(f"Session {folder.name} in {folder}\n{history(Events(folder))}")


@app.command("undo")
def undo_session(
    id: Annotated[str, typer.Argument(help="A session's id, or last.")] = "last", state_dir: StateDir = None
) -> None:
    """Take back the last change that a run made to the world or a file."""
    import asyncio

    from autocraft.app import Request, open_run

    async def go() -> int:
        run = open_run(Request(resume=id, flags={"state_dir": state_dir, "brain": "planner"}))
        return await run.undo()

    raise typer.Exit(asyncio.run(go()))


def report(
    id: Annotated[str, typer.Argument(help="A session's id, or last.")] = "last", state_dir: StateDir = None
) -> None:
    """The whole story of a run as plain text."""
    from autocraft.console.pages import print_page
    from autocraft.console.report import report as story
    from autocraft.session.folder import find
    from autocraft.session.reading import Events

    folder = find(root_folder(state_dir), id)
    print_page(story(Events(folder), folder.name))
