"""`autocraft report`: one run told whole."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autocraft.cli import completion
from autocraft.cli.memory import open_memory
from autocraft.cli.options import Flags, new_app, root_folder, with_settings
from autocraft.console.pages import print_page
from autocraft.console.report import report as story
from autocraft.errors import UsageError
from autocraft.learning.record import Record
from autocraft.session.folder import find
from autocraft.session.reading import Events
from autocraft.text.sanitize import clean_line

app = new_app()


@app.command()
@with_settings("session.state_dir", "run.memory", "memory.namespace", "skills.skills_dir")
def report(
    flags: Flags,
    id: Annotated[str, typer.Argument(help="A session's id, or last.", autocompletion=completion.sessions)] = "last",
    steps: Annotated[bool, typer.Option("--steps", help="Print each step of a learning run instead.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write the page of a learning run to this file.")] = None,
    to_ckpt: Annotated[Path | None, typer.Option(help="Write a learning run as Voyager's ckpt folder.")] = None,
) -> None:
    """Print the whole story of a run as plain text, or the figures of a learning run."""
    from autocraft.learning.page import write_page
    from autocraft.learning.report import report as figures

    folder = find(root_folder(flags), id)
    events = Events(folder)
    first = events.first()
    learned = first is not None and bool((first.options or {}).get("learn"))
    if (html or to_ckpt) and not learned:
        raise UsageError(f"{folder.name} is no learning run, and only those have a page and a ckpt folder")
    if html:
        write_page(html, Record.of(events), folder.name)
        print_page(f"The page of {folder.name}: {clean_line(str(html))}")
    if to_ckpt:
        print_page(clean_line(f"{_exported(to_ckpt, flags, Record.of(events))}."))
    if not html and not to_ckpt:
        print_page(figures(Record.of(events), folder.name) if learned and not steps else story(events, folder.name))


def _exported(to_ckpt: Path, flags: Flags, record: Record) -> str:
    from autocraft.learning.ckpt_export import write_ckpt
    from autocraft.learning.questions import KIND
    from autocraft.sections import read_settings
    from autocraft.skills import SkillSettings
    from autocraft.skills.store import open_skills

    library = open_skills(read_settings(flags).fill(SkillSettings, "skills"), root_folder(flags))
    with open_memory(flags) as memory:
        return write_ckpt(to_ckpt, record, memory.rows(kind=KIND), library)
