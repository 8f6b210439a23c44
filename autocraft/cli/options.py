"""Options that commands of several files have, and where the state lies."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

StateDir = Annotated[Path | None, typer.Option(help="Folder of sessions and memory.")]
PROFILE_HELP = "ollama, llamacpp, vllm, lmstudio, openrouter, azure, or your own."


def root_folder(state_dir: Path | None) -> Path:
    from autocraft.session import SessionSettings
    from autocraft.settings import Settings

    return Settings({"state_dir": state_dir}, os.environ).fill(SessionSettings, "session").root
