"""`autocraft skills`: the library of kept skills."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autocraft.cli.options import StateDir

app = typer.Typer(help="Look after the kept skills.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _skills(
    context: typer.Context,
    skills_dir: Annotated[Path | None, typer.Option(help="Folder of the library.")] = None,
    state_dir: StateDir = None,
) -> None:
    from autocraft.sections import read_settings
    from autocraft.session.folder import SessionSettings
    from autocraft.skills import SkillSettings
    from autocraft.skills.store import open_skills

    settings = read_settings({"state_dir": state_dir, "skills_dir": skills_dir})
    context.obj = open_skills(settings.fill(SkillSettings, "skills"), settings.fill(SessionSettings, "session").root)


@app.command("list")
def list_skills(
    context: typer.Context,
    quarantine: Annotated[bool, typer.Option("--quarantine", help="Only those that wait for you.")] = False,
    trash: Annotated[bool, typer.Option("--trash", help="What was deleted.")] = False,
) -> None:
    """All skills, one line each."""
    from autocraft.console import skills as work

    raise typer.Exit(work.list_skills(context.obj, trash=trash, held=quarantine))


@app.command("show")
def show_skill(
    context: typer.Context, name: str, version: Annotated[int, typer.Option(help="Not the current one.")] = 0
) -> None:
    """A skill with its program, and what that would call."""
    from autocraft.console import skills as work

    raise typer.Exit(work.show_skill(context.obj, name, version))


@app.command("search")
def search_skills(context: typer.Context, query: list[str]) -> None:
    """The five skills nearest to a question."""
    from autocraft.console import skills as work

    raise typer.Exit(work.search_skills(context.obj, " ".join(query)))


@app.command("history")
def show_history(context: typer.Context, name: str) -> None:
    """All versions of a skill: who wrote and approved them, for what."""
    from autocraft.console import skills as work

    raise typer.Exit(work.show_history(context.obj, name))


@app.command("diff")
def show_diff(
    context: typer.Context,
    name: str,
    old: Annotated[int, typer.Argument(help="The one before NEW by default.")] = 0,
    new: Annotated[int, typer.Argument(help="The current one by default.")] = 0,
) -> None:
    """What changed between two versions of a skill."""
    from autocraft.console import skills as work

    raise typer.Exit(work.show_diff(context.obj, name, old, new))


@app.command("restore")
def restore_skill(
    context: typer.Context, name: str, version: Annotated[int, typer.Option(help="Go back to this version.")] = 0
) -> None:
    """Bring a deleted skill back, or make an older version current."""
    from autocraft.console import skills as work

    raise typer.Exit(work.restore_skill(context.obj, name, version))


@app.command("delete")
def delete_skill(context: typer.Context, name: str) -> None:
    """Put a skill into the trash."""
    from autocraft.console import skills as work

    raise typer.Exit(work.delete_skill(context.obj, name))


@app.command("approve")
def approve_skills(context: typer.Context, names: list[str]) -> None:
    """Let the model see and use skills that wait for you."""
    from autocraft.console import skills as work

    raise typer.Exit(work.approve_skills(context.obj, names))


@app.command("import")
def import_skills(context: typer.Context, folder: Path) -> None:
    """Read a Voyager library or any folder of .js files, into quarantine; nothing is run."""
    from autocraft.console import skills as work

    raise typer.Exit(work.import_skills(context.obj, folder))


@app.command("export")
def export_skills(
    context: typer.Context,
    folder: Path,
    names: Annotated[list[str] | None, typer.Argument(help="All but the held ones by default.")] = None,
    voyager: Annotated[bool, typer.Option("--voyager", help="As Voyager keeps them: current versions only.")] = False,
) -> None:
    """Write skills into a new folder, to be shared."""
    from autocraft.console import skills as work

    raise typer.Exit(work.export_skills(context.obj, folder, names or [], voyager=voyager))


@app.command("stats")
def show_stats(context: typer.Context) -> None:
    """How many there are, what is used, which call each other in a circle."""
    from autocraft.console import skills as work

    raise typer.Exit(work.show_stats(context.obj))
