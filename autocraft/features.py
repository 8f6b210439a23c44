"""What the outer ring brings to the inner one: the only table that names it.

The inner ring (docs/architecture.md) can be read alone. It takes settings, events, brains, modes and tools from this
table, and the command line takes its verbs. Each is imported when it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

NOTHING: Mapping[str, Any] = MappingProxyType({})


class Verb(NamedTuple):
    """A verb of the command line."""

    help: str
    """Its line in the list of all verbs, short enough for a narrow terminal."""
    app: str
    """The module and name of its commands."""


class Mode(NamedTuple):
    """What a run is for."""

    verb: str
    brain: str
    """The brain if none was named and no model can be asked."""
    defaults: Mapping[str, Mapping[str, Any]] = NOTHING
    """The settings that this mode has in place of their usual defaults, by section."""
    agent: str = ""
    """The module and function that make its main agent; empty for the agent that pursues goals."""
    page: str = ""
    """The module and class of what its live page shows in place of goals, or beside the steps."""


class Feature(NamedTuple):
    """What one part of the outer ring brings. Each text is a module and a name in it."""

    verbs: Mapping[str, Verb] = NOTHING
    sections: Mapping[str, str] = NOTHING
    """Section of the settings -> its dataclass."""
    events: Mapping[str, str] = NOTHING
    """Type of an event -> its class."""
    brains: Mapping[str, str] = NOTHING
    """Name of a brain -> its class. These brains play only in the mode of the feature."""
    mode: Mode | None = None
    read_servers: str = ""
    """The function that returns the servers whose tools a run may use. It takes the `Config`, and starts nothing."""
    open_servers: str = ""
    """The context manager that starts these servers for a run, and ends them."""


RUN = Feature(
    verbs={
        "run": Verb("Pursue a goal, asking before each command.", "autocraft.cli.run:app"),
        "demo": Verb("Play Minecraft while you watch in your browser.", "autocraft.cli.demo:app"),
    },
    mode=Mode("run", "planner"),
)
LEARNING = Feature(
    verbs={"learn": Verb("Learn as Voyager does: tasks, programs, skills.", "autocraft.cli.learn:app")},
    sections={"learn": "autocraft.learning.settings:LearnSettings"},
    events={
        "task": "autocraft.learning.events:Task",
        "attempt": "autocraft.learning.events:Attempt",
        "checkpoint": "autocraft.learning.events:Checkpoint",
    },
    brains={
        "oracle": "autocraft.learning.oracle:OracleBrain",
        "retrieval": "autocraft.learning.retrieval:RetrievalBrain",
    },
    mode=Mode(
        "learn",
        "oracle",
        {"run": {"world": "minecraft"}, "prompt": {"advice": False}},
        "autocraft.learning.opening:learning_agent",
        "autocraft.learning.live:LearningParts",
    ),
)
MCP = Feature(
    verbs={"mcp": Verb("Serve the commands to a client of the protocol MCP.", "autocraft.cli.mcp:app")},
    sections={"mcp": "autocraft.mcp.settings:McpSettings"},
    read_servers="autocraft.mcp.opening:read_servers_of",
    open_servers="autocraft.mcp.opening:open_other_servers",
)
WEB = Feature(sections={"web_page": "autocraft.web.settings:PageSettings"})
PREPARATION = Feature(
    verbs={
        "prompt": Verb("Print exactly what a model would be sent first.", "autocraft.cli.prompt:app"),
        "init": Verb("Choose who plays, and write the settings.", "autocraft.cli.init:app"),
        "config": Verb("Show settings and where they come from.", "autocraft.cli.config:app"),
        "doctor": Verb("Check what a run needs, and how to get it.", "autocraft.cli.doctor:app"),
    }
)
REPORT = Feature(
    verbs={
        "report": Verb("Print the whole story of a run.", "autocraft.cli.report:app"),
        "replay": Verb("Run a kept run again without a model.", "autocraft.cli.replay:app"),
    }
)
LISTS = Feature(
    verbs={
        "commands": Verb("List every command with its arguments and its risk.", "autocraft.cli.commands:app"),
        "models": Verb("List the models that the endpoint offers.", "autocraft.cli.models:app"),
        "plan": Verb("Plan the fewest moves and smelts to a goal.", "autocraft.cli.plan:app"),
    }
)
EVALUATION = Feature(
    verbs={
        "eval": Verb("Play Plancraft's examples and score them.", "autocraft.cli.eval:app"),
        "practice-server": Verb("Run the practice server alone, until Ctrl-C.", "autocraft.cli.practice_server:app"),
    }
)
UPKEEP = Feature(
    verbs={
        "trust": Verb("Confirm the settings files of this folder.", "autocraft.cli.trust:app"),
        "fix-json": Verb("Read the command from a broken answer.", "autocraft.cli.fix_json:app"),
        "sessions": Verb("List, show, undo, copy or delete kept runs.", "autocraft.cli.sessions:app"),
        "skills": Verb("Manage the library of skills.", "autocraft.cli.skills:app"),
        "memory": Verb("Show, search or delete what is remembered.", "autocraft.cli.memory:app"),
    }
)
FEATURES = (RUN, LEARNING, MCP, WEB, PREPARATION, REPORT, LISTS, EVALUATION, UPKEEP)
"""All features, in the order in which their verbs are listed."""

VERBS = {name: verb for feature in FEATURES for name, verb in feature.verbs.items()}
SECTIONS = {name: kind for feature in FEATURES for name, kind in feature.sections.items()}
EVENTS = {name: kind for feature in FEATURES for name, kind in feature.events.items()}
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
MODES = {feature.mode.verb: feature.mode for feature in FEATURES if feature.mode}
"""Verb -> mode. A mode of its own agent chooses its tasks too, and has the settings of the section of its name."""
