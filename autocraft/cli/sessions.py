"""`autocraft sessions`: the kept runs."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from autocraft.cli import completion
from autocraft.cli.dialogue import may_delete
from autocraft.cli.options import PICK, Flags, new_app, root_folder, with_settings
from autocraft.console.attended import is_attended
from autocraft.console.pages import print_page
from autocraft.console.report import Summary, history, summary
from autocraft.errors import OtherFormat, SessionError, UsageError
from autocraft.session.folder import find, list_ids
from autocraft.session.reading import FILE, Events
from autocraft.text.phrases import count
from autocraft.text.sanitize import clean_line

MB = 1_000_000
_MOST_SHOWN = 20

app = new_app()
Id = Annotated[str, typer.Argument(help="A session's id, or last.", autocompletion=completion.sessions)]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@app.command("list")
@with_settings("session.state_dir")
def list_sessions(
    flags: Flags, words: Annotated[list[str] | None, typer.Argument(help="Words that the goal must have.")] = None
) -> None:
    """List all runs, the newest last. With words, list only runs with these words in their goals."""
    root = root_folder(flags)
    terms = [word.casefold() for each in words or [] for word in each.split()]
    ids, matches = list_ids(root), 0
    if not ids:
        print_page('There are no runs yet: autocraft run --goal "craft 1 stone_pickaxe" makes the first.')
    for id in ids:
        try:
            run = summary(Events(root / "sessions" / id))
        except SessionError as error:
            if not terms:
                damaged = "" if isinstance(error, OtherFormat) else "damaged: "
                print_page(clean_line(f"{id}  {damaged}{error}"))
            continue
        if run and all(word in run.goals.casefold() for word in terms):
            print_page(_row(id, run))
            matches += 1
    if ids and terms and not matches:
        print_page(f"No goal of {count(len(ids), 'run')} has these words.")


def _row(id: str, run: Summary) -> str:
    return f"{id}  {run.start}  {count(run.turns, 'turn'):>10}  {run.ended:<13} {run.goals}"


@app.command("show")
@with_settings("session.state_dir")
def show_session(flags: Flags, id: Id = "last") -> None:
    """Show one line for every step of a run."""
    folder = find(root_folder(flags), id)
    print_page(f"Session {folder.name} in {folder}\n{history(Events(folder)) or 'No command was carried out.'}")


@app.command("undo")
@with_settings("session.state_dir")
def undo_session(
    flags: Flags,
    id: Id = "last",
    file: Annotated[
        list[str] | None, typer.Option(help="A file that other programs obey, such as .envrc, may change; repeatable.")
    ] = None,
) -> int:
    """Take back the last change that a run made to the world or a file."""
    import asyncio
    import shlex

    from autocraft.app import Request, open_request
    from autocraft.settings.recorded import RecordedSettings

    async def go() -> int:
        folder = find(root_folder(flags), id)
        first = Events(folder).first()
        mode = RecordedSettings((first and first.options) or {}).mode
        run = await open_request(Request(resume=folder.name, flags={**flags, "brain": mode.brain}))
        return await run.undo(shlex.join(file or ()))

    return asyncio.run(go())


@app.command("fork")
@with_settings("session.state_dir")
def fork_session(
    flags: Flags, at: Annotated[int, typer.Option("--at", min=0, help="The last turn to keep.")], id: Id = "last"
) -> None:
    """Copy a run up to a turn, so that the copy can go on differently."""
    from autocraft.session.upkeep import fork

    copy = fork(root_folder(flags), id, at)
    print_page(f"Made {copy}, a copy of the run after {count(at, 'turn')}. Files and a Minecraft world stay "
               f"as they are now.\nGo on with: autocraft run --resume {copy}")  # fmt: skip


@app.command("export")
@with_settings("session.state_dir")
def export_session(
    flags: Flags,
    id: Id = "last",
    to: Annotated[Path | None, typer.Option(help="The archive; ID.tar.gz by default.")] = None,
) -> None:
    """Write a run as one file, for `autocraft replay` on any computer."""
    from autocraft.session.upkeep import archive

    folder = find(root_folder(flags), id)
    path = to or Path(f"{folder.name}.tar.gz")
    size, refused = archive(folder, path)
    print_page(
        f"Wrote {clean_line(str(path))}, {size:,} bytes. It holds all that was said, without keys and copies of files."
    )
    if refused:
        way = f"fork an earlier turn (autocraft sessions fork {folder.name}) and export that"
        print_page(f"`autocraft replay` cannot take it ({refused}): {way}")


@app.command("delete")
@with_settings("session.state_dir")
def delete_session(
    flags: Flags,
    ids: Annotated[list[str], typer.Argument(help="Ids of sessions.", autocompletion=completion.sessions)],
    sure: Yes = False,
) -> int:
    """Delete runs for good, after a question."""
    root = root_folder(flags)
    return _delete(list(dict.fromkeys(find(root, id) for id in ids)), sure)


@app.command("prune")
@with_settings("session.state_dir")
def prune_sessions(
    flags: Flags,
    keep: Annotated[int | None, typer.Option(min=0, help="Keep so many of the newest runs.")] = None,
    days: Annotated[float | None, typer.Option(min=0, help="Keep the runs of the last so many days.")] = None,
    mb: Annotated[float | None, typer.Option(min=0, help="Keep the newest runs within so many MB.")] = None,
    sure: Yes = False,
) -> int:
    """Delete the oldest runs for good, after a question. By default keep to the cap session.sessions_mb."""
    from autocraft.settings.config import read_config

    settings = read_config(flags).session
    if keep is None and days is None and mb is None:
        mb = settings.sessions_mb
        if mb is None:
            raise UsageError("say what to keep: --keep RUNS, --days DAYS or --mb MB, or set session.sessions_mb")
    surplus = list(_surplus(settings.root, keep, days, mb))
    if not surplus:
        print_page("Nothing to delete: no run is beyond that limit.")
        return 0
    return _delete(surplus, sure)


def _surplus(root: Path, keep: int | None, days: float | None, mb: float | None) -> Iterator[Path]:
    """Yield the runs beyond any of these bounds, the newest first."""
    from autocraft.session.upkeep import size_of

    total, oldest = 0, time.time() - (days or 0) * 86_400
    for place, id in enumerate(reversed(list_ids(root))):
        folder = root / "sessions" / id
        total += size_of(folder)
        old = days is not None and (folder / FILE).stat().st_mtime < oldest
        if (keep is not None and place >= keep) or old or (mb is not None and total > mb * MB):
            yield folder


def _delete(folders: Sequence[Path], sure: bool) -> int:
    """Name the runs and ask, unless that was answered on the command line. A run in use stays.

    Return the exit code: 1 if a run was left alone, 4 if the answer was no.
    """
    from autocraft.session.upkeep import delete, size_of

    what = f"{count(len(folders), 'run')} with {sum(map(size_of, folders)) / MB:,.1f} MB"
    names = [clean_line(folder.name) for folder in folders]
    more = [f"and {len(names) - _MOST_SHOWN:,} more"] if len(names) > _MOST_SHOWN else []
    if not (sure or may_delete(what, [*names[:_MOST_SHOWN], *more])):
        return 4
    total = 0
    for folder in folders:
        try:
            delete(folder)
            total += 1
        except SessionError as error:
            print_page(clean_line(f"Left alone: {error}"))
    print_page(f"Deleted {count(total, 'run')}.")
    return 1 if total < len(folders) else 0


def pick_session(resume: str, flags: Flags) -> str:
    """Return the value of --resume. Without one, ask which run to go on with. Raises UsageError."""
    from autocraft.console.typed import ask_line

    if resume != PICK:
        return resume
    root = root_folder(flags)
    if not is_attended():
        raise UsageError("--resume needs a session's id, or last: see `autocraft sessions list`")
    rows = []
    for id in reversed(list_ids(root)):
        try:
            run = summary(Events(root / "sessions" / id))
        except SessionError:
            continue
        if run:
            rows.append((id, _row(id, run)))
        if len(rows) == _MOST_SHOWN:
            break
    if not rows:
        raise UsageError(f"there are no sessions in {root / 'sessions'}")
    print_page("\n".join(f"{number:>3}  {row}" for number, (_, row) in enumerate(rows, 1)))
    line = ask_line("Number of the run to go on with; Enter for 1")
    if line is None:
        raise UsageError("no run was chosen")
    answer = line.strip() or "1"
    if not (answer.isascii() and answer.isdigit() and 0 < int(answer) <= len(rows)):
        raise UsageError(f"{answer[:20]!r} is not one of them: give a number from 1 to {len(rows)}")
    return rows[int(answer) - 1][0]


def warn_over_quota(flags: Flags, profile: str) -> None:
    """Say on standard error if all runs together take more than the person's cap. Bad settings are not said here."""
    from autocraft.session.upkeep import size_of
    from autocraft.settings.config import open_config
    from autocraft.settings.trust import was_confirmed

    with contextlib.suppress(UsageError):  # a file that was changed meanwhile; the exit code is that of the run
        session = open_config(flags, profile, was_confirmed).session
        most = session.sessions_mb
        if most is not None and (total := size_of(session.root / "sessions") / MB) > most:
            what = f"All runs together take {total:,.0f} MB, more than session.sessions_mb ({most:,.0f})"
            print(f"{what}: `autocraft sessions prune` asks before it deletes the oldest", file=sys.stderr)
