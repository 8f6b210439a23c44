"""`autocraft memory`: what is remembered, and forgetting it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from autocraft.cli.options import StateDir

app = typer.Typer(help="Look at what is remembered, and forget.", no_args_is_help=True, rich_markup_mode=None)

Backend = Annotated[str | None, typer.Option("--memory", help="local, pinecone or pgvector.")]
Space = Annotated[str | None, typer.Option("--namespace", help="Whose rows; default without it.")]


@app.command("stats")
def memory_stats(
    memory: Backend = None,
    namespace: Space = None,
    state_dir: StateDir = None,
    json: Annotated[bool, typer.Option("--json", help="One line of JSON.")] = False,
) -> None:
    """How much is remembered, where, and how it is searched."""
    from autocraft.console.remembering import stats

    with _memory(memory, namespace, state_dir) as opened:
        raise typer.Exit(stats(opened, json))


@app.command("search")
def memory_search(
    text: Annotated[str, typer.Argument(help="What to look for.")],
    k: Annotated[int, typer.Option("-k", help="Most rows.")] = 5,
    exact: Annotated[bool, typer.Option("--exact", help="Compare every row.")] = False,
    memory: Backend = None,
    namespace: Space = None,
    state_dir: StateDir = None,
) -> None:
    """The rows that are nearest to a text."""
    from autocraft.console.remembering import search

    with _memory(memory, namespace, state_dir) as opened:
        raise typer.Exit(search(opened, text, k, exact))


@app.command("show")
def memory_show(
    id: Annotated[str, typer.Argument(help="The row to show whole.")] = "",
    last: Annotated[int, typer.Option(help="Without an id: so many rows.")] = 20,
    memory: Backend = None,
    namespace: Space = None,
    state_dir: StateDir = None,
) -> None:
    """One row whole, or a line for each of the newest."""
    from autocraft.console.remembering import show

    with _memory(memory, namespace, state_dir) as opened:
        raise typer.Exit(show(opened, id, last))


@app.command("forget")
def memory_forget(
    ids: Annotated[list[str], typer.Argument(help="The rows to delete.")],
    memory: Backend = None,
    namespace: Space = None,
    state_dir: StateDir = None,
) -> None:
    """Delete single rows."""
    from autocraft.console.remembering import forget

    with _memory(memory, namespace, state_dir) as opened:
        raise typer.Exit(forget(opened, ids))


@app.command("clear")
def memory_clear(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    memory: Backend = None,
    namespace: Space = None,
    state_dir: StateDir = None,
) -> None:
    """Delete every row of a namespace."""
    from autocraft.console.remembering import clear

    with _memory(memory, namespace, state_dir) as opened:
        raise typer.Exit(clear(opened, yes))


@app.command("export")
def memory_export(
    file: Annotated[Path | None, typer.Argument(help="Standard output without it.")] = None,
    memory: Backend = None,
    namespace: Space = None,
    state_dir: StateDir = None,
) -> None:
    """All rows as lines of JSON."""
    from autocraft.console.remembering import export

    with _memory(memory, namespace, state_dir) as opened:
        raise typer.Exit(export(opened, file))


@app.command("import")
def memory_import(
    file: Annotated[Path | None, typer.Argument(help="Standard input without it.")] = None,
    memory: Backend = None,
    namespace: Space = None,
    state_dir: StateDir = None,
) -> None:
    """Add the rows of an export; what is there already stays."""
    from autocraft.console.remembering import bring_in

    with _memory(memory, namespace, state_dir) as opened:
        raise typer.Exit(bring_in(opened, file))


@app.command("copy")
def memory_copy(
    to: Annotated[str, typer.Option("--to", help="Where to: local, pinecone or pgvector.")],
    to_namespace: Annotated[str | None, typer.Option(help="The namespace there; the same without it.")] = None,
    memory: Backend = None,
    namespace: Space = None,
    state_dir: StateDir = None,
) -> None:
    """Add all rows to another memory."""
    from autocraft.console.remembering import copy

    with (
        _memory(memory, namespace, state_dir) as source,
        _memory(to, to_namespace or namespace, state_dir) as target,
    ):
        raise typer.Exit(copy(source, target))


@app.command("reembed")
def memory_reembed(memory: Backend = None, namespace: Space = None, state_dir: StateDir = None) -> None:
    """Make rows of another embedder searchable with the present one."""
    from autocraft.console.remembering import reembed

    with _memory(memory, namespace, state_dir) as opened:
        raise typer.Exit(reembed(opened))


def _memory(backend: str | None, namespace: str | None, state_dir: Path | None) -> Any:
    from contextlib import closing

    from autocraft.agent.recollection import open_memory_of
    from autocraft.sections import read_settings
    from autocraft.session.folder import SessionSettings
    from autocraft.settings.run import RunSettings
    from autocraft.text.sanitize import clean_line

    settings = read_settings({"memory": backend, "namespace": namespace, "state_dir": state_dir})
    root = settings.fill(SessionSettings, "session").root
    opened = open_memory_of(settings.fill(RunSettings, "run"), root, durable=True, settings=settings)
    if opened.notice:
        print(f"autocraft: {clean_line(opened.notice)}", file=sys.stderr)
    return closing(opened)
