"""`autocraft config`: the settings that count here, and where each comes from."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import typer

from autocraft.cli.options import Profile, new_app
from autocraft.console.pages import print_page
from autocraft.settings.fields import SECTIONS
from autocraft.text.sanitize import clean_json, clean_line

app = new_app()


@app.callback()
def config() -> None:
    """Look at the settings."""


@app.command("show")
def show(
    every: Annotated[bool, typer.Option("--all", help="Show the settings that have their default too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One setting a line, for programs.")] = False,
    profile: Profile = "",
) -> None:
    """Show each setting with its value and its source, and where your own file is. Keys and passwords are hidden."""
    from autocraft.settings.config import read_config

    config = read_config({}, profile)
    rows = []
    for section in sorted(SECTIONS):
        values = config.section(section)
        for field in dataclasses.fields(values):
            value, source = getattr(values, field.name), config.source_of(section, field.name) or "default"
            value = "set, not shown" if field.metadata["secret"] and value else value
            if every or source != "default":
                rows.append({"name": f"{section}.{field.name}", "value": value, "source": source})
    for row in rows:
        if as_json:
            print(clean_json(config.mask.text(json.dumps(row, ensure_ascii=False, default=str))))
        else:
            value = json.dumps(row["value"], ensure_ascii=False, default=str)
            print_page(clean_line(f"{row['name']} = {value}  ({row['source']})"), config.mask)
    if not as_json:
        none = "" if rows else "All settings have their defaults; --all shows them. "
        print_page(clean_line(f"{none}Your own file is {config.sources.own.path}."))
