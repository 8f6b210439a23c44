"""The commands of a run: those of the families, the world and the person, and the families that are off.

The constructor of a family takes what a run never changes. A family takes live parts of the run from its call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from autocraft.agent.helper_states import Replies
from autocraft.agent.helpers import AgentCommands
from autocraft.agent.programs import ProgramGate
from autocraft.brains.endpoint import open_client
from autocraft.commands.advice import AdviceCommands
from autocraft.commands.ask import AskCommands
from autocraft.commands.code import CodeCommands
from autocraft.commands.control import ControlCommands
from autocraft.commands.files import FileCommands
from autocraft.commands.image import ImageCommands
from autocraft.commands.memory import MemoryCommands, PlanCommands
from autocraft.commands.own import own_commands
from autocraft.commands.programs import ProgramCommands
from autocraft.commands.registry import Registry
from autocraft.commands.running import Runner
from autocraft.commands.settings import CommandSettings
from autocraft.commands.skills import SkillCommands
from autocraft.commands.undo import UndoCommands
from autocraft.commands.web import WebCommands
from autocraft.commands.workspace import Workspace
from autocraft.errors import NodeMissing
from autocraft.memory import remembers
from autocraft.node import find_node
from autocraft.protocols import Command, commands_of
from autocraft.settings.config import Config
from autocraft.skills.index import Index
from autocraft.skills.store import open_skills


def make_registry(config: Config, workspace: Workspace, session: Path, outer: Sequence[Command]) -> Registry:
    """Return all commands: the `outer` ones, of the world and of servers, the families' and the person's own.

    Families that are off are only named, with what switched them off. Raises UsageError for settings of a family that
    cannot be used, and for a broken command of the person. `session` is the folder of the session.
    """
    choice, storage, endpoint = config.commands, config.session, config.openai
    off = _switched_off(choice, config.source_of("commands", "disabled"), config.run.memory, config.environment)
    files = FileCommands(workspace, session / "undo", sync=storage.durable, undo_mb=storage.undo_mb)
    library = open_skills(config.skills, storage.root)
    runner = Runner(library, config.programs, ProgramGate, config.environment)
    families = [  # in the order of the prompt
        ControlCommands(),
        AdviceCommands(),
        files,
        MemoryCommands(),
        WebCommands(config.web),
        ImageCommands(config.image, workspace, files.copies, partial(open_client, endpoint), free=endpoint.free),
        AskCommands(),
        CodeCommands(files, session / "runs", config.code, sync=storage.durable, runs_mb=storage.runs_mb),
        SkillCommands(library, Index(library, config.memory.skill_embedder), runner),
        ProgramCommands(runner),
        AgentCommands(),
        PlanCommands(),
        UndoCommands(),
    ]
    if any(command.name == "lay_blocks" for command in outer):  # the world can build
        from autocraft.building.commands import BuildingCommands

        families.insert(0, BuildingCommands(workspace, ProgramGate))
    names = {command.name for command in outer}  # `wait` of a world replaces the one that needs no world
    base = [*outer, *(c for family in families for c in commands_of(family) if c.name not in names)]
    others = [*base, *commands_of(Replies())]
    own = [] if "own" in off else own_commands(choice.commands_folder, others)
    return Registry([*base, *own], off, config.mask)


def _switched_off(
    choice: CommandSettings, source: str, memory: str, environment: Mapping[str, str]
) -> Mapping[str, str]:
    """Return each family that is off, with what switched it off. `source` is the setting that names families."""
    choice.check(source)
    off = {} if remembers(memory) else {"memory": f"the memory '{memory}'"}
    try:
        find_node(environment)
    except NodeMissing as error:
        off["programs"] = f"the missing Node ({error})"
    return off | dict.fromkeys(choice.disabled, source)
