"""`autocraft fix-json`: a broken answer's command, the stage that read it, and what was repaired."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from autocraft.cli.options import new_app, read_text
from autocraft.console.paint import SIGNS, styled
from autocraft.console.read import write_out
from autocraft.errors import UnreadableReply
from autocraft.json_fix import describe, read, repair_diff
from autocraft.text.sanitize import clean, clean_json

app = new_app()


@app.command()
def fix_json(
    file: Annotated[Path | None, typer.Argument(help="A model's answer; standard input without it.")] = None,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help='Read lines of {"id","text"}; print one reading a line.')
    ] = False,
) -> int:
    """Read the command in a broken answer; print it, the stage and what was repaired."""
    text = read_text(file)
    if not jsonl:
        return _print_one(text)
    for number, line in enumerate(text.split("\n"), 1):  # JSON may hold other line ends as they are
        if line.strip():
            write_out(clean_json(json.dumps(_read_line(line, number), ensure_ascii=False)) + "\n")
    return 0


def _print_one(text: str) -> int:
    """Print one reading; the exit code is 0, or 1 when no command may be read from it."""
    try:
        reply = read(text)
    except UnreadableReply as error:
        write_out(f"no command: {clean(str(error))}\nflags: {', '.join(error.flags)}\n")
        return 1
    command = {"command": {"name": reply.name, "args": reply.args}}
    write_out(clean(json.dumps(command, ensure_ascii=False, indent=2)) + "\n")
    write_out(f"stage: {reply.stage}\nrepaired: {'; '.join(describe(reply.flags)) or 'nothing'}\n")
    styles = SIGNS if sys.stdout is not None and sys.stdout.isatty() else {}
    for line in repair_diff(text, reply):
        write_out(styled(clean(line), styles.get(line[:1], "")) + "\n")
    return 0


def _read_line(line: str, number: int) -> dict[str, object]:
    try:
        row = json.loads(line)
        answer = row["text"]
        if not isinstance(answer, str):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError):
        return {"id": None, "error": f'line {number} is not {{"id": …, "text": "…"}}'}
    try:
        reply = read(answer)
    except UnreadableReply as error:
        return {"id": row.get("id"), "error": str(error)}
    return {"id": row.get("id"), "name": reply.name, "args": reply.args, "stage": reply.stage}
