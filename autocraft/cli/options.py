"""Options that commands of several files have, and where the state lies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

StateDir = Annotated[Path | None, typer.Option(help="Folder of sessions and memory.")]
PROFILE_HELP = "ollama, llamacpp, vllm, lmstudio, openrouter, azure, or your own."


def root_folder(state_dir: Path | None) -> Path:
    from autocraft.sections import read_settings
    from autocraft.session.folder import SessionSettings

    return read_settings({"state_dir": state_dir}).fill(SessionSettings, "session").root
