"""`autocraft memory`: what is remembered, shown, searched, exported and imported, and forgotten.

A row may hold anything, so every character of it is cleaned before it is shown.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from autocraft.cli.dialogue import may_delete
from autocraft.cli.options import Flags, new_app, read_lines, with_settings
from autocraft.console.read import write_out
from autocraft.errors import MemoryFault, UsageError
from autocraft.installation import install_line
from autocraft.memory.choose import PER_GOAL
from autocraft.memory.rows import metadata_text
from autocraft.protocols import Memory, MemoryRecord
from autocraft.session.atomic import write_named
from autocraft.text.sanitize import clean, clean_json, clean_line

FORMAT = 1
MOST_LINE = 4_000_000
"""The most bytes of a row of an import. One row could hold a million lists, which take memory."""
_BATCH = 500
_WIDE = 160

app = new_app()
memory_settings = with_settings("run.memory", "memory.namespace", "session.state_dir")
"""Which memory a verb is about."""


@app.command("stats")
@memory_settings
def stats(flags: Flags, as_json: Annotated[bool, typer.Option("--json", help="One line of JSON.")] = False) -> None:
    """Show how much is remembered, where, and how it is searched."""
    with open_memory(flags, all_goals=True) as memory:
        figures = memory.get_stats()
        if as_json:
            write_out(clean_json(json.dumps(figures, ensure_ascii=False)) + "\n")
            return
        for name, value in figures.items():
            if name != "namespaces":
                figure = f"{value:,}" if isinstance(value, int) else clean_line(str(value))
                write_out(f"{name.replace('_', ' '):<13}{figure}\n")
        if figures["embedder"].startswith("lexical"):
            write_out(f"{'':13}finds shared words only; {install_line('embed')} to find what means the same\n")
        for name, rows in figures["namespaces"].items():
            write_out(f"  {rows:>8,} rows in {clean_line(name)}\n")


@app.command("search")
@memory_settings
def search(
    flags: Flags,
    text: Annotated[str, typer.Argument(help="What to look for.")],
    k: Annotated[int, typer.Option("-k", help="Show at most this many rows.")] = 5,
    exact: Annotated[bool, typer.Option("--exact", help="Compare with every row.")] = False,
) -> int:
    """Find the rows that are nearest to a text."""
    with open_memory(flags) as memory:
        if k < 1:
            raise UsageError(f"-k is how many rows are shown, so it must be more than 0, not {k}")
        rows = memory.get_relevant(text, k, exact=exact)
        for row in rows:
            write_out(f"{row.score:.2f}  {_short(row)}\n")
        if not rows:
            print("nothing similar is remembered", file=sys.stderr)
        return 0 if rows else 1


@app.command("show")
@memory_settings
def show(
    flags: Flags,
    id: Annotated[str, typer.Argument(help="The row to show whole.")] = "",
    last: Annotated[int, typer.Option(help="Without an id, show this many rows.")] = 20,
    kind: Annotated[str, typer.Option(help="Only rows of this kind, such as feedback.")] = "",
) -> None:
    """Show one row whole, or a line for each of the newest."""
    with open_memory(flags) as memory:
        if id:
            row = memory.fetch(id)
            if row is None:
                raise UsageError(f"there is no row {clean_line(id)[:80]!r}; autocraft memory show lists them")
            for name, value in row.metadata.items():
                text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                write_out(f"{clean_line(name)}: {clean_line(text)}\n")
            write_out(f"\n{clean(row.text)}\n")
            return
        if last < 1:
            raise UsageError(f"--last is how many rows are shown, so it must be more than 0, not {last}")
        rows = memory.rows(**{"kind": kind} if kind else {})
        if not rows:
            which = f" of the kind {clean_line(kind)[:40]!r}" if kind else ""
            print(f"nothing{which} is remembered here yet", file=sys.stderr)
        if len(rows) > last:
            write_out(f"{len(rows) - last:,} older rows are left out; --last N shows more\n")
        for row in rows[-last:]:
            write_out(_short(row) + "\n")


@app.command("forget")
@memory_settings
def forget(flags: Flags, ids: Annotated[list[str], typer.Argument(help="The rows to delete.")]) -> int:
    """Delete single rows."""
    with open_memory(flags) as memory:
        missing = 0
        for id in ids:
            deleted_now = memory.delete(id)
            missing += not deleted_now
            absent = f"there is no row {clean_line(id)}: `autocraft memory show` lists the ids"
            write_out(f"forgotten: {clean_line(id)}\n" if deleted_now else f"{absent}\n")
        return 1 if missing else 0


@app.command("clear")
@memory_settings
def clear(flags: Flags, sure: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False) -> int:
    """Delete every row of a namespace."""
    with open_memory(flags) as memory:
        figures = memory.get_stats()
        what = f"{figures['rows']:,} rows of {figures['namespace']!r} in the memory {figures['backend']}"
        if not (sure or may_delete(clean_line(what))):
            return 4
        write_out(f"{memory.clear():,} rows were deleted.\n")
        return 0


@app.command("export")
@memory_settings
def export(
    flags: Flags, file: Annotated[Path | None, typer.Argument(help="Standard output without it.")] = None
) -> None:
    """Write all rows of a namespace as lines of JSON."""
    with open_memory(flags) as memory:
        figures = memory.get_stats()
        head = {"autocraft_memory": FORMAT, "backend": figures["backend"], "namespace": figures["namespace"]}
        rows = memory.rows()
        lines = [head, *({"id": row.id, "text": row.text, "metadata": row.metadata} for row in rows)]
        data = "".join(json.dumps(line) + "\n" for line in lines)
        if file is None:
            write_out(data)
            return
        write_named(file, data.encode(), mode=0o600)
        write_out(f"{len(rows):,} rows were written to {file}\n")


@app.command("import")
@memory_settings
def import_rows(
    flags: Flags, file: Annotated[Path | None, typer.Argument(help="Standard input without it.")] = None
) -> None:
    """Add the rows of an export; what is there already stays."""
    with open_memory(flags) as memory:
        rows = list(_read(read_lines(file, MOST_LINE)))
        new = _add(memory, rows)
        write_out(f"{new:,} rows were added, {len(rows) - new:,} were there already.\n")


@app.command("copy")
@memory_settings
def copy(
    flags: Flags,
    to: Annotated[str, typer.Option("--to", help="Where to: local, pinecone or pgvector.")],
    to_namespace: Annotated[str | None, typer.Option(help="The namespace there; the same without it.")] = None,
) -> None:
    """Add all rows of a namespace to another memory."""
    there = {**flags, "memory": to, "namespace": to_namespace or flags["namespace"]}
    with open_memory(flags) as source, open_memory(there) as target:
        if not (target.remembers and source.remembers):
            raise UsageError("the memory none keeps nothing: choose local, pinecone or pgvector")
        rows = source.rows()
        new = _add(target, rows)
        write_out(f"{new:,} rows were copied, {len(rows) - new:,} were there already.\n")


@app.command("reembed")
@memory_settings
def reembed(flags: Flags) -> None:
    """Make rows of another embedder searchable with the present one."""
    with open_memory(flags) as memory:
        write_out(f"{memory.reembed():,} rows were embedded again with {memory.get_stats()['embedder']}.\n")


@contextmanager
def open_memory(flags: Flags, *, all_goals: bool = False) -> Iterator[Memory]:
    """Open the memory that the settings choose. Without `all_goals`, raises UsageError if each goal has its rows."""
    from autocraft.agent.open_memory import open_memory_of
    from autocraft.settings.config import read_config

    config = read_config(flags)
    if config.memory.namespace == PER_GOAL and not all_goals:
        raise UsageError(
            "the namespace goal gives each goal its own: name one with --namespace; autocraft memory stats lists them"
        )
    memory = open_memory_of(config.run.memory, config.memory, config.openai, config.session.root, durable=True)
    if memory.notice:
        print(f"autocraft: {clean_line(memory.notice)}", file=sys.stderr)
    try:
        yield memory
    finally:
        memory.close()


def _add(memory: Memory, rows: Sequence[MemoryRecord]) -> int:
    """Add the rows in batches, so that an interrupted command can be repeated for the rest. Return how many are new."""
    total = 0
    for start in range(0, len(rows), _BATCH):
        try:
            total += memory.add_many(rows[start : start + _BATCH])
        except MemoryFault as error:
            raise MemoryFault(
                f"{total:,} of {len(rows):,} rows were added, then: {error}; run the command again to add the rest"
            ) from None
    return total


def _read(lines: Iterable[str]) -> Iterator[MemoryRecord]:
    """Yield the rows of an export. Raises UsageError, with the number of a line that holds no row."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value: Any = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict) and "autocraft_memory" in value:
            if value["autocraft_memory"] != FORMAT:
                raise UsageError(
                    f"this export is of the newer format {str(value['autocraft_memory'])[:20]!r}: update autocraft"
                )
            continue
        row = {"id": "", "metadata": {}, **value} if isinstance(value, dict) else {}
        if not all(isinstance(row.get(name), kind) for name, kind in (("id", str), ("text", str), ("metadata", dict))):
            raise UsageError(
                f'line {number} is not a row like {{"id": "…", "text": "…", "metadata": {{}}}}; nothing was added'
            )
        try:
            metadata_text(row["metadata"])
        except MemoryFault as error:
            raise UsageError(f"line {number}: {error}; nothing was added") from None
        yield MemoryRecord(row["id"], row["text"], row["metadata"])


def _short(row: MemoryRecord) -> str:
    """Return a row on one line."""
    at = row.metadata.get("time")
    day = time.strftime("%Y-%m-%d", time.localtime(at)) if isinstance(at, int) and 0 < at < 1 << 33 else "-" * 10
    kind = str(row.metadata.get("kind", ""))[:10]
    text = clean_line(row.text)
    part = text if len(text) <= _WIDE else f"{text[:_WIDE]}… ({len(row.text):,} characters)"
    return f"{clean_line(row.id)}  {day}  {clean_line(kind):<8} {part}"
