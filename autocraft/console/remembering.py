"""`autocraft memory`: what is remembered, shown, searched, brought out and in, and forgotten.

A row may hold anything, so every character of it is cleaned before it is shown.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from autocraft.console.read import write_out
from autocraft.console.typed import ask_line
from autocraft.errors import MemoryFault, UsageError
from autocraft.memory.rows import metadata_text
from autocraft.protocols import Memory, MemoryRecord
from autocraft.session.atomic import write_atomic
from autocraft.text.sanitize import clean, clean_json, clean_line

FORMAT = 1
_BATCH = 500
_WIDE = 160


def stats(memory: Memory, as_json: bool) -> int:
    """One line a figure, or one line of JSON."""
    told = memory.get_stats()
    if as_json:
        write_out(clean_json(json.dumps(told, ensure_ascii=False)) + "\n")
        return 0
    for name, value in told.items():
        if name != "namespaces":
            write_out(f"{name.replace('_', ' '):<13}{_figure(value)}\n")
    if told["embedder"].startswith("lexical"):
        write_out("             finds shared words only; pip install 'autocraft[embed]' finds what means the same\n")
    for name, rows in told["namespaces"].items():
        write_out(f"  {rows:>8,} rows in {clean_line(name)}\n")
    return 0


def search(memory: Memory, text: str, k: int, exact: bool) -> int:
    """The nearest rows with their scores; 1 when nothing is near."""
    if k < 1:
        raise UsageError(f"-k is how many rows are shown, so it must be more than 0, not {k}")
    found = memory.get_relevant(text, k, exact=exact)
    for row in found:
        write_out(f"{row.score:.2f}  {_short(row)}\n")
    if not found:
        print("nothing is near to this", file=sys.stderr)
    return 0 if found else 1


def show(memory: Memory, id: str, last: int) -> int:
    """One row whole; without an id one line for each of the `last` rows."""
    if id:
        row = _found(memory, id)
        for name, value in row.metadata.items():
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            write_out(f"{clean_line(name)}: {clean_line(shown)}\n")
        write_out(f"\n{clean(row.text)}\n")
        return 0
    if last < 1:
        raise UsageError(f"--last is how many rows are shown, so it must be more than 0, not {last}")
    rows = memory.rows()
    if not rows:
        print("nothing is remembered here yet", file=sys.stderr)
    if len(rows) > last:
        write_out(f"{len(rows) - last:,} older rows are left out; --last N shows more\n")
    for row in rows[-last:]:
        write_out(_short(row) + "\n")
    return 0


def forget(memory: Memory, ids: Sequence[str]) -> int:
    """Delete these rows; 1 when one of them is not there."""
    missing = 0
    for id in ids:
        gone = memory.delete(id)
        missing += not gone
        write_out(f"{'forgotten' if gone else 'not there'}: {clean_line(id)}\n")
    return 1 if missing else 0


def clear(memory: Memory, sure: bool) -> int:
    """Delete every row of the namespace, after the person typed yes."""
    told = memory.get_stats()
    what = f"{told['rows']:,} rows of {told['namespace']!r} in the memory {told['backend']}"
    if not sure:
        if sys.stdin is None or not sys.stdin.isatty():
            raise UsageError(f"{clean_line(what)} would be deleted: give --yes, or export them first")
        if (ask_line(f"Delete {clean_line(what)}? Type yes") or "").strip().lower() != "yes":
            write_out("Nothing was deleted.\n")
            return 4
    write_out(f"{memory.clear():,} rows were deleted.\n")
    return 0


def export(memory: Memory, path: Path | None) -> int:
    """A line of JSON for what it is, then one a row; vectors are not in it, since they can be made again."""
    told = memory.get_stats()
    head = {"autocraft_memory": FORMAT, "backend": told["backend"], "namespace": told["namespace"]}
    rows = memory.rows()
    lines = [head, *({"id": row.id, "text": row.text, "metadata": row.metadata} for row in rows)]
    data = "".join(json.dumps(line) + "\n" for line in lines)
    if path is None:
        write_out(data)
        return 0
    try:
        write_atomic(path, data.encode(), mode=0o600)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}; choose another file") from None
    write_out(f"{len(rows):,} rows were written to {path}\n")
    return 0


def bring_in(memory: Memory, path: Path | None) -> int:
    """Add the rows of an exported file; every line is checked before the first is kept."""
    try:
        data = path.read_bytes() if path else sys.stdin.buffer.read()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    rows = list(_read(data.decode("utf-8", "replace")))
    new = _add(memory, rows)
    write_out(f"{new:,} rows were added, {len(rows) - new:,} were there already.\n")
    return 0


def copy(source: Memory, target: Memory) -> int:
    """Add all rows of one memory to another, with vectors of the other's embedder."""
    if target.name == "none" or source.name == "none":
        raise UsageError("the memory none keeps nothing: choose local, pinecone or pgvector")
    rows = source.rows()
    new = _add(target, rows)
    write_out(f"{new:,} rows were copied, {len(rows) - new:,} were there already.\n")
    return 0


def reembed(memory: Memory) -> int:
    """Make the rows of another embedder searchable with the present one."""
    write_out(f"{memory.reembed():,} rows were embedded anew with {memory.get_stats()['embedder']}.\n")
    return 0


def _add(memory: Memory, rows: Sequence[MemoryRecord]) -> int:
    """Batch by batch; interrupted, the same command adds the rest."""
    done = 0
    for start in range(0, len(rows), _BATCH):
        try:
            done += memory.add_many(rows[start : start + _BATCH])
        except MemoryFault as error:
            raise MemoryFault(
                f"{done:,} of {len(rows):,} rows were added, then: {error}; do it again for the rest"
            ) from None
    return done


def _read(text: str) -> Iterator[MemoryRecord]:
    """The rows of an export. Raises UsageError naming the line that is none."""
    for number, line in enumerate(text.split("\n"), 1):
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
        fields = {"id": str, "text": str, "metadata": dict}
        if (
            not isinstance(value, dict)
            or any(not isinstance(value.get(f, k()), k) for f, k in fields.items())
            or "text" not in value
        ):
            raise UsageError(
                f'line {number} is no row like {{"id": "…", "text": "…", "metadata": {{}}}}; nothing was added'
            )
        try:
            metadata_text(value.get("metadata"))
        except MemoryFault as error:
            raise UsageError(f"line {number}: {error}; nothing was added") from None
        yield MemoryRecord(value.get("id", ""), value["text"], value.get("metadata", {}))


def _found(memory: Memory, id: str) -> MemoryRecord:
    row = memory.fetch(id)
    if row is None:
        raise UsageError(f"there is no row {clean_line(id)[:80]!r}; autocraft memory show lists them")
    return row


def _short(row: MemoryRecord) -> str:
    """A row on one line."""
    at = row.metadata.get("time")
    day = time.strftime("%Y-%m-%d", time.localtime(at)) if isinstance(at, int) and 0 < at < 1 << 33 else "-" * 10
    kind = str(row.metadata.get("kind", ""))[:10]
    text = clean_line(row.text)
    shown = text if len(text) <= _WIDE else f"{text[:_WIDE]}… ({len(row.text):,} characters)"
    return f"{clean_line(row.id)}  {day}  {clean_line(kind):<8} {shown}"


def _figure(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else clean_line(str(value))
