"""The settings of a run and of its gate."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autocraft.settings.fields import setting


@dataclass(frozen=True)
class RunSettings:
    """What a run is made of."""

    brain: str = setting(
        "", "--brain", doc="who answers: planner, openai or scripted; planner without key and base URL", power=True
    )
    script: Path | None = setting(None, "--script", doc="file with the answers of the scripted brain", power=True)
    world: str = setting("crafting", "--world", doc="the world to play in: crafting or minecraft", power=True)
    inventory: str = setting(
        "", "--inventory", doc='what the world holds at the start, such as "oak_log=4,cobblestone=8"'
    )
    example: str = setting("", "--example", doc="start from a Plancraft example, such as TEST0018")
    workspace: Path = setting(
        Path("workspace"), "--workspace", doc="the folder that file commands may touch", power=True
    )
    memory: str = setting(
        "local",
        "--memory",
        env="MEMORY_BACKEND",
        doc="where to remember: local, pinecone, pgvector or none",
        power=True,
    )
    low_level: bool = setting(
        False, "--low-level", doc="let the planner answer with single moves and smelts, as few as possible"
    )
    images: bool = setting(False, "--images", doc="send models that see a picture of what the world shows")
    price_in: float | None = setting(None, "--price-in", doc="US dollars for a million tokens sent", power=True)
    price_out: float | None = setting(None, "--price-out", doc="US dollars for a million tokens received", power=True)


@dataclass(frozen=True)
class GateSettings:
    """What may run without a question."""

    continuous: bool = setting(False, "--continuous -c", doc="run every command without asking", power=True)
    auto_look: bool = setting(False, "--auto-look", doc="run commands that only read without asking", power=True)
    policy: Path | None = setting(
        None, "--policy", doc="file of rules about commands, in place of those of autocraft.toml", power=True
    )
