"""`autocraft sessions`: the kept runs."""

from __future__ import annotations

from typing import Annotated

import typer

from autocraft.cli import completion
from autocraft.cli.options import Flags, new_app, root_folder, with_settings
from autocraft.console.pages import print_page
from autocraft.console.report import history, summary
from autocraft.errors import SessionError
from autocraft.session.folder import find, list_ids
from autocraft.session.reading import Events
from autocraft.text.phrases import count
from autocraft.text.sanitize import clean_line

app = new_app()
Id = Annotated[str, typer.Argument(help="A session's id, or last.", autocompletion=completion.sessions)]


@app.command("list")
@with_settings("session.state_dir")
def list_sessions(flags: Flags) -> None:
    """List all kept runs, the newest last."""
    root = root_folder(flags)
    ids = list_ids(root)
    if not ids:
        print_page('There are no runs yet: autocraft run --goal "craft 1 stone_pickaxe" makes the first.')
    for id in ids:
        try:
            told = summary(Events(root / "sessions" / id))
        except SessionError as error:
            print_page(clean_line(f"{id}  damaged: {error}"))
            continue
        if told:
            print_page(f"{id}  {told.begun}  {count(told.turns, 'turn'):>10}  {told.ended:<13} {told.goals}")


@app.command("show")
@with_settings("session.state_dir")
def show_session(flags: Flags, id: Id = "last") -> None:
    """Show one line for every step of a run."""
    folder = find(root_folder(flags), id)
    print_page(f"Session {folder.name} in {folder}\n{history(Events(folder))}")


@app.command("undo")
@with_settings("session.state_dir")
def undo_session(flags: Flags, id: Id = "last") -> int:
    """Take back the last change that a run made to the world or a file."""
    import asyncio

    from autocraft.app import Request, open_run

    async def go() -> int:
        run = await open_run(Request(resume=id, flags={**flags, "brain": "planner"}))
        return await run.undo()

    return asyncio.run(go())
