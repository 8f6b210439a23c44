"""`autocraft doctor`: checks what a run needs, and names the command that mends what is missing."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from autocraft.cli.options import Flags, Profile, new_app, with_settings
from autocraft.console.pages import print_page
from autocraft.text.sanitize import clean_json, clean_line

app = new_app()


@app.command()
@with_settings("run.world", "run.workspace", "minecraft.server", "session.state_dir")
def doctor(
    flags: Flags,
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON for each check.")] = False,
    profile: Profile = "",
) -> int:
    """Check what a run needs. The exit code is 1 if a check fails."""
    from autocraft.cli.checks import Doctor
    from autocraft.sections import open_settings
    from autocraft.settings.trust import Confirmed

    settings = open_settings(flags, profile, lambda opened, file: Confirmed.of(opened).state(file) == "confirmed")
    failed = False
    for each in Doctor(settings).findings():
        failed |= each.state == "fail"
        if as_json:
            print(clean_json(settings.mask.text(json.dumps(asdict(each), ensure_ascii=False))), flush=True)
        else:
            mend = f"\n{'':20}{clean_line(each.mend)}" if each.mend else ""
            print_page(f"{each.state:<6}{each.name:<14}{clean_line(each.text)}{mend}", settings.mask)
    return 1 if failed else 0
