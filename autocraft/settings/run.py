"""The settings that choose the parts of a run."""

from __future__ import annotations

from pathlib import Path

from autocraft.errors import UsageError
from autocraft.frozen import frozen
from autocraft.settings.fields import setting


@frozen
class RunSettings:
    """The parts of a run."""

    brain: str = setting(
        "",
        "--brain",
        doc="who answers in `run`: planner (if no key and no address is set), openai or scripted; who writes programs "
        "in `learn`: oracle (if neither is set), openai or retrieval",
        power=True,
    )
    script: Path | None = setting(
        None, "--script", doc="file with the answers of the scripted brain", power=True, runs=True
    )
    world: str = setting(
        "crafting",
        "--world",
        doc="where to play: crafting (a table and given items) or minecraft (the game), the default of `learn`",
        power=True,
    )
    inventory: str = setting(
        "",
        "--inventory",
        doc='items of the crafting world, such as "oak_log=4,cobblestone=8"; without it, 24 kinds',
    )
    example: str = setting("", "--example", doc="start from a Plancraft example, such as TEST0018")
    workspace: Path = setting(Path("workspace"), "--workspace", doc="folder that file commands may touch", power=True)
    memory: str = setting(
        "local",
        "--memory",
        env="MEMORY_BACKEND",
        doc="where memory is stored: local, pinecone, pgvector or none",
        power=True,
    )
    low_level: bool = setting(
        False,
        "--low-level/--no-low-level",
        doc="let the planner answer with single moves and smelts, as few as possible",
    )
    images: bool = setting(False, "--images", doc="send a picture of the world to models that see pictures")
    price_in: float | None = setting(
        None, "--price-in", least=0, doc="US dollars for a million tokens sent", power=True
    )
    price_out: float | None = setting(
        None, "--price-out", least=0, doc="US dollars for a million tokens received", power=True
    )

    def check_prices(self) -> None:
        """Raise UsageError for one price without the other."""
        if (self.price_in is None) != (self.price_out is None):
            raise UsageError("--price-in and --price-out go together: give both")
