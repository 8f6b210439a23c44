"""`autocraft commands`: the commands of a registry as a table, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated

import typer

from autocraft.cli.options import Flags, Profile, new_app, with_settings
from autocraft.commands.registry import Registry, risk_word, usage
from autocraft.protocols import Json
from autocraft.text.sanitize import clean_json, clean_line

app = new_app()


@app.command()
@with_settings("run.world")
def commands(
    flags: Flags,
    as_json: Annotated[bool, typer.Option("--json", help="One command a line, for programs.")] = False,
    profile: Profile = "",
) -> None:
    """List every command with its arguments and risk, and what is switched off by what."""
    from autocraft.app import every_command
    from autocraft.settings.config import read_config

    rows = rows_of(every_command(read_config(flags, profile)))
    lines = [clean_json(json.dumps(row, ensure_ascii=False)) for row in rows] if as_json else table(rows)
    print("\n".join(lines))


def rows_of(registry: Registry) -> list[Json]:
    """Return one record for each command, on or off, in the order of the prompt."""
    return [
        {
            "name": each.name,
            "usage": usage(each),
            "help": each.help,
            "risk": risk_word(each, each.tier),
            "family": each.family,
            "on": not registry.off_by(each),
            "off_by": registry.off_by(each),
            "offered": each.offered,
            "synonyms": list(each.synonyms),
            "arguments": [parameter.name for parameter in each.parameters],
        }
        for each in registry.everything()
    ]


def table(rows: Sequence[Json]) -> list[str]:
    """Aligned columns under a head."""
    cells = [("COMMAND", "RISK", "FAMILY", "")]
    cells += [(clean_line(row["usage"]), row["risk"], row["family"], clean_line(_state(row))) for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(3)]
    form = "  ".join(f"{{:<{width}}}" for width in widths) + "  {}"
    return [form.format(*line).rstrip() for line in cells]


def _state(row: Json) -> str:
    """On, or off and by what; then the synonyms."""
    state = "on" if row["on"] else f"off, by {row['off_by']}"
    state += "" if row["offered"] else ", for you alone"
    return f"{state}; also {', '.join(row['synonyms'])}" if row["synonyms"] else state
