"""What the outer ring brings to the inner one: the only table that names it.

The inner ring (docs/architecture.md) can be read alone. It takes settings, brains, modes and tools from this
table, and imports each when it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Mode(NamedTuple):
    """What a run is for."""

    verb: str
    brain: str
    """The brain if none was named and no model can be asked."""
    defaults: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    """The settings that this mode has in place of their usual defaults, by section."""
    agent: str = ""
    """The module and function that make its main agent; empty for the agent that pursues goals."""


class Feature(NamedTuple):
    """What one package of the outer ring brings. Each text is a module and a name in it."""

    sections: Mapping[str, str] = MappingProxyType({})
    """Section of the settings -> its dataclass."""
    brains: Mapping[str, str] = MappingProxyType({})
    """Name of a brain -> its class. These brains play only in the mode of the feature."""
    mode: Mode | None = None
    read_servers: str = ""
    """The function that returns the servers whose tools a run may use. It takes the `Config`, and starts nothing."""
    open_servers: str = ""
    """The context manager that starts these servers for a run, and ends them."""


LEARNING = Feature(
    sections={"learn": "autocraft.learning.settings:LearnSettings"},
    brains={
        "oracle": "autocraft.learning.oracle:OracleBrain",
        "novice": "autocraft.learning.novice:NoviceBrain",
        "retrieval": "autocraft.learning.retrieval:RetrievalBrain",
    },
    mode=Mode("learn", "oracle", {"run": {"world": "minecraft"}}, "autocraft.learning.opening:learning_agent"),
)
MCP = Feature(
    sections={"mcp": "autocraft.mcp.settings:McpSettings"},
    read_servers="autocraft.mcp.opening:read_servers_of",
    open_servers="autocraft.mcp.opening:open_other_servers",
)
WEB = Feature(sections={"web_page": "autocraft.web.settings:PageSettings"})
FEATURES = (LEARNING, MCP, WEB)

SECTIONS = {name: kind for feature in FEATURES for name, kind in feature.sections.items()}
LEARNERS = {name: kind for feature in FEATURES for name, kind in feature.brains.items()}
"""The brains that only learn."""
PARTS: Mapping[str, dict[str, str]] = {
    "brain": {
        "planner": "autocraft.brains.planner:PlannerBrain",
        "openai": "autocraft.brains.openai:OpenAIBrain",
        "scripted": "autocraft.brains.scripted:ScriptedBrain",
        **LEARNERS,
    },
    "world": {
        "crafting": "autocraft.worlds.crafting:CraftingWorld",
        "minecraft": "autocraft.worlds.minecraft.world:MinecraftWorld",
    },
    "memory": {
        "local": "autocraft.memory.local:LocalMemory",
        "pinecone": "autocraft.memory.pinecone:PineconeMemory",
        "pgvector": "autocraft.memory.postgres:PostgresMemory",
        "none": "autocraft.memory.none:NoMemory",
    },
}
"""Kind -> name -> module and class of autocraft's own parts. `extensions.py` adds those of installed packages."""
MODES = {mode.verb: mode for mode in (Mode("run", "planner"), *(each.mode for each in FEATURES if each.mode))}
"""Verb -> mode. A mode of its own agent chooses its tasks too, and has the settings of the section of its name."""
