"""`autocraft skills`: show the library, and do with it what only a person may do.

All text of a skill is cleaned and indented before it is printed, so that it cannot look like a line of autocraft.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autocraft.cli import completion
from autocraft.cli.options import Flags, new_app, with_settings
from autocraft.commands.previews import JAVASCRIPT, changed_rows, rows
from autocraft.console.read import write_out
from autocraft.errors import CommandError, UsageError
from autocraft.skills.export import export
from autocraft.skills.graph import callers, cycles, graph_of
from autocraft.skills.index import Index
from autocraft.skills.known import outlook
from autocraft.skills.parse import Program, parse
from autocraft.skills.skill import Version
from autocraft.skills.store import Entry, Library
from autocraft.skills.uses import read_uses, tests_of
from autocraft.skills.voyager import read_folder, take_in
from autocraft.text.phrases import count
from autocraft.text.sanitize import clean, clean_line

INDENT = "    "
Name = Annotated[str, typer.Argument(autocompletion=completion.skills)]

app = new_app()


@app.callback()
@with_settings("skills.skills_dir", "session.state_dir")
def _open(context: typer.Context, flags: Flags) -> None:
    from autocraft.settings.config import read_config
    from autocraft.skills.store import open_skills

    config = read_config(flags)
    context.obj = open_skills(config.skills, config.session.root)
    context.obj.listing = "`autocraft skills list`"
    context.meta["embedder"] = config.memory.skill_embedder


@app.command("list")
def list_skills(
    context: typer.Context,
    wait: Annotated[bool, typer.Option("--quarantine", help="Only skills that wait for your approval.")] = False,
    trash: Annotated[bool, typer.Option("--trash", help="Skills that were deleted.")] = False,
) -> int:
    """List all skills, one line each."""
    library: Library = context.obj
    if trash:
        _say("\n".join(map(clean_line, library.list_trash())) or "The trash is empty.")
        return 0
    entries, bad = library.entries()
    lines = [_line(library, entry) for entry in entries if entry.hold or not wait]
    none = (
        "No skill waits for you." if wait else "There are no skills yet: `autocraft skills import FOLDER` brings some."
    )
    if lines or not bad:
        _say("\n".join(lines) or none)
    _complain(bad)
    return 1 if bad else 0


@app.command("show")
def show_skill(
    context: typer.Context,
    name: Name,
    number: Annotated[
        int, typer.Option("--version", help="Show this version, not the current one.", show_default=False)
    ] = 0,
) -> None:
    """Show a skill with its program, and what that would call."""
    library: Library = context.obj
    skill = library.skill(name)
    version = skill.version(number)
    code = library.code(name, version.number)
    _say(f"{name}, version {version.number} of {len(skill.versions)}{_state(library, name)}")
    _say(f"{INDENT}{clean_line(version.description)}")
    for title, lines in (("before", version.before), ("after", version.after)):
        if lines:
            _say(f"{INDENT}{title}: {'; '.join(map(clean_line, lines))}")
    _say(f"{INDENT}{_origin(version)}; {read_uses(library.folder, name)}; sha256 {version.sha256[:64]}")
    entries = library.entries()[0]
    by = callers(graph_of(entries), name)
    if by:
        _say(f"{INDENT}called by: {', '.join(by)}")
    tests = tests_of(library.folder, name)
    if tests:
        _say(f"{INDENT}tests: {', '.join(clean_line(test.stem) for test in tests)}")
    try:
        _look(parse(code, name), {each.name for each in entries})
    except CommandError as error:
        _say(f"{INDENT}cannot be read: {clean_line(str(error))}")
    _say("\n" + "\n".join(f"{INDENT}{clean(row)}" for row in rows(code, JAVASCRIPT)))


@app.command("search")
def search_skills(context: typer.Context, query: list[str]) -> int:
    """Find the five skills that are nearest to these words."""
    library: Library = context.obj
    index = Index(library, context.meta["embedder"])
    hits = index.search(" ".join(query), everything=True)
    for each in hits:
        _say(f"{each.score:.2f}  {_line(library, each.entry)}")
    if not hits:
        _say(f"No similar skill was found (searched with {index.embedder.name}).")
    return 0 if hits else 1


@app.command("history")
def show_history(context: typer.Context, name: Name) -> None:
    """Show all versions of a skill."""
    library: Library = context.obj
    skill = library.skill(name)
    counts = read_uses(library.folder, name).by_version
    for version in skill.versions:
        star = "*" if version.number == skill.current else " "
        uses, good = counts.get(version.number, (0, 0))
        state = " [in quarantine]" if version.quarantine else ""
        figures = f"{uses:>5} uses {good:>5} good"
        _say(f"{star}{version.number:>4}  {version.sha256[:12]}  {figures}  {_origin(version)}{state}")


@app.command("diff")
def show_diff(
    context: typer.Context,
    name: Name,
    old: Annotated[int, typer.Argument(help="The one before NEW by default.", show_default=False)] = 0,
    new: Annotated[int, typer.Argument(help="The current one by default.", show_default=False)] = 0,
) -> None:
    """Show what changed between two versions of a skill."""
    library: Library = context.obj
    skill = library.skill(name)
    after = skill.version(new)
    earlier = [each.number for each in skill.versions if each.number < after.number]
    if not old and not earlier:
        raise CommandError(f"{name} has no version before {after.number}; `autocraft skills show {name}` shows it")
    before = skill.version(old or earlier[-1])
    was, is_ = (library.code(name, each.number) for each in (before, after))
    changes = changed_rows(was, is_, JAVASCRIPT)
    rows = [] if was == is_ else [f"--- {name} {before.number}", f"+++ {name} {after.number}"]
    rows += ["too much has changed to be compared; see `autocraft skills show`"] if changes is None else changes
    if before.description != after.description:
        rows += [f"-described as: {before.description}", f"+described as: {after.description}"]
    _say("\n".join(clean_line(row) for row in rows) or f"versions {before.number} and {after.number} are the same")


@app.command("restore")
def restore_skill(
    context: typer.Context,
    name: Name,
    number: Annotated[int, typer.Option("--version", help="Go back to this version.", show_default=False)] = 0,
) -> None:
    """Bring a deleted skill back, or make an older version current."""
    library: Library = context.obj
    if number:
        skill = library.set_current(name, number)
        _say(f"{name} is version {skill.current} again{_held(library.entry(name))}.")
        return
    if name in library.names():
        raise CommandError(
            f"{name} is in the library: give --version for an older version; to bring back a deleted skill of that "
            "name, delete this one, and give the whole name that `autocraft skills list --trash` shows"
        )
    back = library.restore(name)
    _say(f"{back} is back with all its versions{_state(library, back)}.")


@app.command("delete")
def delete_skill(context: typer.Context, name: Name) -> None:
    """Put a skill into the trash."""
    library: Library = context.obj
    by = callers(graph_of(library.entries()[0]), name)
    library.delete(name)
    _say(f"{name} is in the trash; `autocraft skills restore {name}` brings it back.")
    if by:
        _say(f"It is called by: {', '.join(by)}")


@app.command("approve")
def approve_skills(
    context: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(autocompletion=completion.skills)] = None,
    all_waiting: Annotated[bool, typer.Option("--all", help="Approve every skill that waits for you.")] = False,
) -> None:
    """Let the model see and use skills that wait for you."""
    library: Library = context.obj
    if bool(names) == all_waiting:
        raise UsageError("name the skills that you approve (`autocraft skills list --quarantine`), or give --all")
    for name in names or library.waiting():
        version = library.approve(name).version()
        _say(f"{name}, version {version.number}, is approved (sha256 {version.sha256[:12]}).")


@app.command("import")
def import_skills(context: typer.Context, folder: Path) -> int:
    """Import a folder of skills, into quarantine."""
    library: Library = context.obj
    candidates = read_folder(folder)
    names = {each.name for each in candidates if not each.problem} | set(library.names())
    new = same = refusals = 0
    for each in candidates:
        try:
            if not take_in(library, each):
                same += 1
                _say(f"{each.name}: already there")
                continue
        except CommandError as error:
            refusals += 1
            _say(f"{clean_line(each.name)}: REFUSED: {clean_line(str(error))}")
            continue
        new += 1
        versions = f"{len(each.drafts)} versions, " if len(each.drafts) > 1 else ""
        tests = f"{count(len(each.tests), 'test')}, " if each.tests else ""
        _say(f"{each.name}: {versions}{tests}{clean_line(each.draft.description)[:160]}")
        _look(parse(each.draft.code, each.name), names)
    _say(f"{new} imported, {same} already there, {refusals} refused.")
    if new:
        _say("They are in quarantine: no model sees them until `autocraft skills approve NAME`, or --all for each.")
    return 1 if refusals else 0


@app.command("export")
def export_skills(
    context: typer.Context,
    folder: Path,
    names: Annotated[list[str] | None, typer.Argument(help="Without names: all that a model sees.")] = None,
    voyager: Annotated[bool, typer.Option("--voyager", help="The same as --format voyager.")] = False,
    kind: Annotated[
        str, typer.Option("--format", help="library, voyager (current versions only) or skill-md (Agent Skills).")
    ] = "library",
) -> None:
    """Write skills into a new folder, to be shared."""
    library: Library = context.obj
    if voyager and kind not in ("library", "voyager"):
        raise UsageError("--voyager is the same as --format voyager: leave one of the two out")
    names_out = export(library, folder, names or [], kind="voyager" if voyager else kind)
    rest = len(library.names()) - len(names_out)
    left_out = f"; {rest} left out" if rest else ""
    _say(f"Wrote {count(len(names_out), 'skill')} into {clean_line(str(folder))}{left_out}.")


@app.command("stats")
def show_stats(context: typer.Context) -> int:
    """Count skills, uses and circles."""
    library: Library = context.obj
    entries, bad = library.entries()
    graph = graph_of(entries)
    waiting = sum(bool(each.hold) for each in entries)
    versions = sum(len(each.skill.versions) for each in entries)
    calls = sum(map(len, graph.values()))
    sizes = f"{count(len(entries), 'skill')} with {count(versions, 'version')} and {count(calls, 'call')} between them"
    _say(f"{sizes}; no model sees {waiting} of them")
    for ring in cycles(graph):
        _say(f"call each other in a circle: {', '.join(ring)}")
    counts = [(read_uses(library.folder, each.name), each.name) for each in entries]
    for uses, name in sorted(counts, key=lambda pair: (-pair[0].total, pair[1])):
        if uses.total:
            torn = f", {uses.unreadable} lines unreadable" if uses.unreadable else ""
            _say(f"{uses.total:>6} uses {uses.successes / uses.total:>5.0%} good  {uses.last:<20}  {name}{torn}")
        if uses.fault:
            _say(f"{name}: its uses cannot be counted: {clean_line(uses.fault)}")
    _complain(bad)
    return 1 if bad else 0


# ---------------------------------------------------------------- lines


def _look(program: Program, names: set[str]) -> None:
    """Print what a program would call, and what a person should look at."""
    calls = outlook(program, names)
    rows = (
        ("calls", (*calls.primitives, *calls.bot)),
        ("calls skills", calls.skills),
        ("not in Voyager's API", calls.unknown),
        ("loops without await, line", program.blind_loops),
        ("passes bot to other code, line", program.handed_on),
        ("invisible characters, line", program.hidden),
    )
    for title, words in rows:
        if words:
            _say(f"{INDENT}{title}: {clean_line(', '.join(map(str, words[:40])))}{' …' if len(words) > 40 else ''}")


def _line(library: Library, entry: Entry) -> str:
    description = clean_line(" ".join(entry.skill.description.split()))[:120]
    uses = read_uses(library.folder, entry.name)
    return f"{entry.name}  v{entry.skill.current}  {uses}{_held(entry)}  {description}"


def _held(entry: Entry) -> str:
    return f" [{entry.hold}]" if entry.hold else ""


def _state(library: Library, name: str) -> str:
    """Return why the skill is withheld, in brackets. Its program may be gone."""
    try:
        return _held(library.entry(name))
    except CommandError:
        return " [its current version cannot be read]"


def _origin(version: Version) -> str:
    """Return who wrote a version, when and for what, and who approved it, on one line."""
    parts = [version.created, f"by {version.author or 'somebody'}"]
    parts += [f"for {version.task!r}"] if version.task else []
    parts += [f"from {version.source}"] if version.source else []
    parts += [f"in session {version.session}"] if version.session else []
    parts.append(f"approved by {version.approved_by}" if version.approved_by else "approved by nobody")
    return clean_line(", ".join(parts))


def _complain(bad: dict[str, str]) -> None:
    for name, why in bad.items():
        prefix = f"the skill {name} cannot be read: "
        _say(f"{clean_line(name)}: cannot be read: {clean_line(why.removeprefix(prefix))}")


def _say(text: str) -> None:
    write_out(text + "\n")
