"""`autocraft trust`: confirm the settings files of the current folder."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from autocraft.cli.options import Flags, new_app, with_settings
from autocraft.console.pages import print_page
from autocraft.session.atomic import sha256
from autocraft.settings.config import is_confirmed, open_config
from autocraft.settings.trust import ConfirmedFiles, FileToConfirm
from autocraft.text.sanitize import clean_line

app = new_app()


@app.command()
@with_settings("session.state_dir")
def trust(
    flags: Flags,
    list_all: Annotated[bool, typer.Option("--list", help="List all confirmed files.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Take back what you confirmed in this folder.")] = False,
) -> int:
    """Show what .env and autocraft.toml of this folder may decide, and confirm it."""

    def look(asked: FileToConfirm) -> bool:
        if not (list_all or forget):
            harmless = "needs no confirmation: nothing in it could run programs or get your keys"
            state = "is confirmed" if is_confirmed(replace(asked, everything=True)) else harmless
            print_page(f"{clean_line(str(asked.file.path.absolute()))} {state}.")
        return True

    settings = open_config(flags, confirm=look).sources
    record = ConfirmedFiles(settings.own_root)
    for file in settings.files.values() if forget else ():
        was_known = "is no longer" if record.forget(file.path) else "was not"
        print_page(f"{clean_line(str(file.path.absolute()))} {was_known} confirmed.")
    if list_all:
        _list(record)
    elif not forget and not any(file.values for file in settings.files.values()):
        print_page("This folder has no settings in .env or autocraft.toml.")
    return 0


def _list(record: ConfirmedFiles) -> None:
    """Print every confirmed file and whether it is still the same."""
    files = sorted(record.all().items())
    if not files:
        print("no settings file is confirmed; `autocraft trust` confirms those of a folder", file=sys.stderr)
    for path, sha in files:
        try:
            same = sha256(Path(path).read_bytes()) == sha
            state = "confirmed" if same else "changed since, so it is asked about again"
        except OSError:
            state = "gone"
        print_page(f"{clean_line(path)}  {state}")
