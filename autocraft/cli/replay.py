"""`autocraft replay`: a kept or recorded run again, without a model."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autocraft.cli import completion
from autocraft.cli.options import Flags, new_app, root_folder, with_settings
from autocraft.console.pages import print_page
from autocraft.errors import UsageError
from autocraft.text.phrases import count, join_words

if TYPE_CHECKING:
    from autocraft.report.replay import Replay
    from autocraft.session.events import Event

LONGEST_PAUSE = 5.0
"""The most seconds between two steps, however long the run waited there."""
MOST_CASSETTE = 16_000_000
"""The most bytes of the script that is made of an exported file."""

app = new_app()


@app.command()
@with_settings("session.state_dir")
def replay(
    flags: Flags,
    id: Annotated[
        str,
        typer.Argument(
            help="A session's id, last, an exported file, or the name of a recorded run.",
            autocompletion=completion.replayable,
        ),
    ] = "last",
    web: Annotated[bool, typer.Option("--web", help="Only play it on a page in your browser.")] = False,
    speed: Annotated[float, typer.Option(min=0, help="How many times faster; 0 does not wait.")] = 0.0,
    start: Annotated[int, typer.Option("--from", min=0, help="Show from this turn on.")] = 0,
    until: Annotated[int | None, typer.Option(min=0, help="End after this turn.")] = None,
    act: Annotated[bool, typer.Option("--act", help="Also repeat a Minecraft run, in a practice world.")] = False,
    cassette: Annotated[Path | None, typer.Option(help="Only write the answers as a script for another run.")] = None,
) -> int:
    """Run a session again without a model, and compare each step with the recording."""
    from autocraft.app import every_command
    from autocraft.report.replay import Replay
    from autocraft.session.events import Answer
    from autocraft.session.reading import Events
    from autocraft.session.upkeep import MOST_TEXT, unpack, unpack_folder
    from autocraft.settings.config import Config
    from autocraft.settings.settings import Settings
    from autocraft.unpacking import MOST_BYTES

    if web and (speed or start or until is not None or act or cassette):
        raise UsageError("--web plays the whole run on its page: leave the other options out")
    root = root_folder(flags)
    kept, is_archive = _source(root, id)
    with unpack_folder(root) if is_archive else tempfile.TemporaryDirectory() as folder:
        session = unpack(kept, Path(folder)) if is_archive else kept
        journal = Events(session, MOST_TEXT if is_archive else None)
        if web:
            _play_on_page(journal, root, kept)
            return 0
        if cassette is not None:
            _write_cassette(cassette, journal, MOST_CASSETTE if is_archive else MOST_BYTES)
            return 0
        answers = (event for event in journal if isinstance(event, Answer) and event.agent == "main")
        begun = [event.seq for event in answers] if start or until is not None else []
        turns = len(begun)
        if start > turns:
            numbers = f"1 to {turns}" if turns > 1 else turns
            raise UsageError(f"the run has {count(turns, 'turn')}: give --from {numbers}")
        workspace = Path(folder) / "acted"
        workspace.mkdir()
        events = takewhile(lambda event: until is None or until >= turns or event.seq < begun[until], journal)
        shown = begun[start - 1] if start else 0
        first = journal.first()
        world = (first.options or {}).get("world") if first is not None else None
        config = Config(
            Settings({"world": world, "workspace": workspace}, {}, folder=session)
        )  # whatever is set on this computer
        registry = every_command(config)
        return asyncio.run(_play(Replay(registry, workspace if act else None), events, speed, shown))


def _source(root: Path, id: str) -> tuple[Path, bool]:
    """Return the folder of a kept run, or the archive of a run, and which of the two it is. Raises UsageError."""
    from autocraft.report.recorded import recorded_runs
    from autocraft.session.folder import find

    recorded = recorded_runs()
    if id in recorded or Path(id).is_file():
        return recorded.get(id) or Path(id), True
    try:
        return find(root, id), False
    except UsageError as error:
        raise UsageError(f"{error}; recorded runs are {join_words(list(recorded), 'and')}") from None


def _play_on_page(journal: Iterable[Event], root: Path, kept: Path) -> None:
    """Write the page of a run to the state folder, and open it in the person's browser, where it plays."""
    from autocraft.cli.report import put_page
    from autocraft.report.page import page_text
    from autocraft.report.story import Story
    from autocraft.session.folder import private_folder

    name = kept.name.removesuffix(".tar.gz")
    text = page_text(Story.of(journal), name, plays=True)
    put_page(private_folder(root / "replayed") / f"{name}.html", text, name, opens=True)


async def _play(replay: Replay, journal: Iterable[Event], speed: float, first: int) -> int:
    """Show each event from the number `first` on. Return 1 if a step differs from the recording."""
    from autocraft.console.report import event_lines
    from autocraft.report.replay import DIFFERS

    before = None
    async for event, difference in replay.run(journal):
        if event.seq < first and not difference:
            continue
        if speed and before is not None:
            await asyncio.sleep(min(LONGEST_PAUSE, max(0.0, event.time - before) / speed))
        before = event.time
        lines = event_lines(event) + ([f"  REPLAY DIFFERS at event {event.seq}: {difference}"] if difference else [])
        if lines:
            print_page("\n".join(lines))
    parts = []
    for what in ("answer", "command", "goal"):
        counts = [f"{often} {verdict}" for (kind, verdict), often in sorted(replay.counts.items()) if kind == what]
        parts += [f"{what}s: {', '.join(counts)}"] if counts else []
    print_page(f"\nReplayed. {'; '.join(parts) or 'There was nothing to repeat'}.")
    return 1 if any(verdict == DIFFERS for _, verdict in replay.counts) else 0


def _write_cassette(path: Path, journal: Iterable[Event], most: int) -> None:
    """Write the answers as a script. Raises UsageError for more than `most` bytes."""
    from autocraft.report.replay import cassette
    from autocraft.session.atomic import write_named
    from autocraft.text.sanitize import clean_json, clean_line

    data, count_of_lines = bytearray(), 0
    for line in cassette(journal):
        data += clean_json(json.dumps(line, ensure_ascii=False)).encode() + b"\n"
        count_of_lines += 1
        if len(data) > most:
            raise UsageError(f"the answers have more than {most:,} bytes: look at the file first")
    write_named(path, bytes(data), mode=0o600)
    name = clean_line(str(path))
    print_page(f"Wrote {count_of_lines:,} answers to {name}. Play them: autocraft run --brain scripted --script {name}")
