"""`autocraft doctor`: checks what a run needs, and names the command that gets what is missing."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from autocraft.cli.options import Flags, Profile, new_app, with_settings
from autocraft.console.pages import print_page
from autocraft.errors import UsageError
from autocraft.text.redact import Mask
from autocraft.text.sanitize import clean_json, clean_line

app = new_app()


@app.command()
@with_settings("openai.base_url", "run.world", "run.workspace", "minecraft.server", "session.state_dir")
def doctor(
    flags: Flags,
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON for each check.")] = False,
    ask: Annotated[bool, typer.Option("--ask", help="Ask the model a short question too.")] = False,
    profile: Profile = "",
) -> int:
    """Check what a run needs. The exit code is 1 if a check fails."""
    from autocraft.cli.checks import Doctor, Finding
    from autocraft.settings.config import open_config
    from autocraft.settings.trust import was_confirmed

    def show(each: Finding, mask: Mask | None = None) -> bool:
        if as_json:
            line = json.dumps(asdict(each), ensure_ascii=False)
            print(clean_json(mask.text(line) if mask else line), flush=True)
        else:
            advice = f"\n{'':20}{clean_line(each.advice)}" if each.advice else ""
            print_page(f"{each.state:<6}{each.name:<13} {clean_line(each.text)}{advice}", mask)
        return each.state == "fail"

    try:
        config = open_config(flags, profile, was_confirmed)
    except UsageError as error:  # a file cannot be read, so nothing else can be judged
        show(Finding("settings", "fail", str(error)))
        return 1
    faults = [each.name for each in Doctor(config, ask=ask).findings() if show(each, config.mask)]
    return 1 if faults else 0
