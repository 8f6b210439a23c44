"""The memory of a run, as its settings choose it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from autocraft.brains.endpoint import OpenAISettings
from autocraft.memory import keeps_files
from autocraft.memory.choose import MemorySettings, open_chosen
from autocraft.protocols import Memory
from autocraft.session.folder import private_folder
from autocraft.settings.run import RunSettings
from autocraft.settings.settings import Settings


def open_memory_of(
    options: RunSettings,
    state_root: Path,
    *,
    durable: bool,
    settings: Settings | None = None,
    goals: Sequence[str] = (),
) -> Memory:
    """Open the memory chosen by MEMORY_BACKEND. Without `settings`, read the other settings from the environment.

    Raises UsageError for impossible settings, and MemoryFault if the store cannot be opened.
    """
    settings = settings or Settings({}, os.environ)
    chosen, endpoint = settings.fill(MemorySettings, "memory"), settings.fill(OpenAISettings, "openai")
    folder = state_root / "memory"
    return open_chosen(
        options.memory,
        chosen,
        folder=private_folder(folder) if keeps_files(options.memory) else folder,
        durable=durable,
        goals=goals,
        api_key=endpoint.api_key,
        base_url=endpoint.base_url,
    )
