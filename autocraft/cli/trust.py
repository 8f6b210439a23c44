"""`autocraft trust`: confirm the settings files of the current folder."""

from __future__ import annotations

from typing import Annotated

import typer

from autocraft.cli.options import StateDir


def trust(
    listed: Annotated[bool, typer.Option("--list", help="List all confirmed files.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Take back what you confirmed in this folder.")] = False,
    state_dir: StateDir = None,
) -> None:
    """Look at what .env and autocraft.toml of this folder may decide, and confirm it."""
    from autocraft.console import trusting
    from autocraft.console.pages import print_page
    from autocraft.sections import is_confirmed, open_settings
    from autocraft.settings.settings import Settings
    from autocraft.settings.sources import SettingsFile
    from autocraft.settings.trust import Confirmed

    def look(settings: Settings, file: SettingsFile) -> bool:
        if not (listed or forget):
            trusting.tell(file, confirmed=is_confirmed(settings, file, everything=True))
        return True

    settings = open_settings({"state_dir": state_dir}, confirm=look)
    record = Confirmed.of(settings)
    if listed:
        trusting.list_confirmed(record)
    elif forget:
        trusting.forget(record, [file.path for file in settings.files.values()])
    elif not any(file.values for file in settings.files.values()):
        print_page("This folder has no settings in .env or autocraft.toml.")
