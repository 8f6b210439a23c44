"""`autocraft report`: one run told whole, as text, as a page, or for other programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autocraft.cli import completion
from autocraft.cli.memory import open_memory
from autocraft.cli.options import Flags, GroupedCommand, new_app, root_folder, with_settings
from autocraft.console.pages import print_page
from autocraft.console.report import report as story
from autocraft.errors import UsageError
from autocraft.learning.record import Record
from autocraft.page.browser import browse as open_page
from autocraft.page.rendering import write
from autocraft.session.folder import find
from autocraft.session.reading import Events
from autocraft.text.sanitize import clean_json, clean_line

if TYPE_CHECKING:
    from autocraft.report.story import Story

app = new_app()


@app.command(cls=GroupedCommand)
@with_settings("session.state_dir", "run.memory", "memory.namespace", "skills.skills_dir")
def report(
    flags: Flags,
    id: Annotated[str, typer.Argument(help="A session's id, or last.", autocompletion=completion.sessions)] = "last",
    steps: Annotated[bool, typer.Option("--steps", help="Print each step of a learning run instead.")] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write the page to this file, or to report.html; - prints it.")
    ] = None,
    browse: Annotated[bool, typer.Option("--open", help="Open the page in your browser.")] = False,
    markdown: Annotated[Path | None, typer.Option(help="Write the session as Markdown; - prints it.")] = None,
    atif: Annotated[Path | None, typer.Option(help="Write Harbor's trajectory format; - prints it.")] = None,
    to_ckpt: Annotated[Path | None, typer.Option(help="Write a learning run as Voyager's ckpt folder.")] = None,
) -> None:
    """Print the whole story of a run as plain text, or write it as a page, Markdown or a trajectory."""
    from autocraft.learning.report import report as figures
    from autocraft.report.story import Story

    folder = find(root_folder(flags), id)
    events = Events(folder)
    first = events.first()
    is_learning = first is not None and first.mode == "learn"
    if browse and str(html) == "-":
        raise UsageError("--open needs a file: leave out --html -")
    if to_ckpt and not is_learning:
        raise UsageError(f"{folder.name} is not a learning run, and only learning runs have a ckpt folder")
    shows_figures = is_learning and not steps
    if html or browse:
        from autocraft.learning import page as learning
        from autocraft.report import page as any_run

        page = html or folder / "report.html"  # beside the journal, for the browser alone
        text = (
            learning.page_text(Record.of(events), folder.name)
            if shows_figures
            else any_run.page_text(Story.of(events), folder.name)
        )
        put_page(page, text, folder.name, opens=browse)
    if markdown or atif:
        _write_texts(Story.of(events), folder.name, markdown, atif)
    if to_ckpt:
        print_page(clean_line(f"{_export(to_ckpt, flags, Record.of(events))}."))
    if not (html or browse or markdown or atif or to_ckpt):
        print_page(figures(Record.of(events), folder.name) if shows_figures else story(events, folder.name))


def put_page(page: Path, text: str, name: str, *, opens: bool) -> None:
    """Write the page of a run, and open it in the person's browser if `opens`. Raises UsageError without a browser."""
    _put(page, text, f"The page of {name}:")
    if opens and not open_page(page):
        raise UsageError(f"no browser was found: open {page.absolute()} yourself")


def _write_texts(told: Story, name: str, markdown: Path | None, atif: Path | None) -> None:
    """Write the session as Markdown, as a trajectory, or as both."""
    from autocraft.report.atif import trajectory
    from autocraft.report.markdown import markdown_text

    if markdown:
        _put(markdown, markdown_text(told, name))
    if atif:
        _put(atif, clean_json(json.dumps(trajectory(told, name), ensure_ascii=False, indent=1)) + "\n")


def _put(path: Path, text: str, said: str = "Wrote") -> None:
    """Write a text to a file and say so, or print it for the path -."""
    if str(path) == "-":
        print(text, end="")
    else:
        write(path, text)
        print_page(f"{said} {clean_line(str(path))}")


def _export(to_ckpt: Path, flags: Flags, record: Record) -> str:
    from autocraft.learning.ckpt_export import write_ckpt
    from autocraft.learning.questions import KIND
    from autocraft.settings.config import read_config
    from autocraft.skills.store import open_skills

    for name in ("memory", "skills_dir"):  # where the run kept its answers and skills
        flags = {**flags, name: flags[name] or record.options.get(name)}
    config = read_config(flags)
    library = open_skills(config.skills, config.session.root)
    with open_memory(flags, all_goals=True) as memory:
        return write_ckpt(to_ckpt, record, memory.rows(kind=KIND), library)
