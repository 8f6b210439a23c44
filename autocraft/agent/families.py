"""The commands of a run: those of the families, the world and the person, and the families that are off.

The constructor of a family takes what a run never changes. A family takes live parts of the run from its call.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from autocraft.agent.helper_states import Replies
from autocraft.agent.helpers import AgentCommands
from autocraft.agent.programs import ProgramGate
from autocraft.brains.endpoint import OpenAISettings, open_client
from autocraft.commands.advice import AdviceCommands
from autocraft.commands.ask import AskCommands
from autocraft.commands.code import CodeCommands
from autocraft.commands.control import ControlCommands
from autocraft.commands.families import CommandSettings
from autocraft.commands.files import FileCommands
from autocraft.commands.image import ImageCommands, ImageSettings
from autocraft.commands.memory import MemoryCommands, PlanCommands
from autocraft.commands.own import own_commands
from autocraft.commands.programs import ProgramCommands
from autocraft.commands.registry import Registry
from autocraft.commands.running import Runner
from autocraft.commands.skills import SkillCommands
from autocraft.commands.undo import UndoCommands
from autocraft.commands.web import WebCommands, WebSettings
from autocraft.commands.workspace import Workspace
from autocraft.errors import NodeMissing
from autocraft.memory import remembers
from autocraft.memory.choose import MemorySettings
from autocraft.node import find_node
from autocraft.protocols import Command, commands_of
from autocraft.sandbox.settings import CodeSettings, ProgramSettings
from autocraft.session.folder import SessionSettings
from autocraft.settings.run import RunSettings
from autocraft.settings.settings import Settings
from autocraft.skills import SkillSettings
from autocraft.skills.index import Index
from autocraft.skills.store import open_skills


def make_registry(settings: Settings, workspace: Workspace, session: Path, outer: Sequence[Command]) -> Registry:
    """Return all commands: the `outer` ones, of the world and of servers, the families' and the person's own.

    Families that are off are only named, with what switched them off. Raises UsageError for settings of a family that
    cannot be used, and for a broken command of the person. `session` is the folder of the session.
    """
    choice, memory = settings.fill(CommandSettings, "commands"), settings.fill(RunSettings, "run").memory
    source = settings.sources.get(("commands", "disabled"), "")
    choice.check(source)
    off = {} if remembers(memory) else {"memory": f"the memory '{memory}'"}
    try:
        find_node(settings.environment)
    except NodeMissing as error:
        off["programs"] = f"the missing Node ({error})"
    off |= dict.fromkeys(choice.disabled, source)
    names = {command.name for command in outer}  # `wait` of a world replaces the one that needs no world
    families = _families(settings, workspace, session)
    base = [*outer, *(c for family in families for c in commands_of(family) if c.name not in names)]
    own = [] if "own" in off else own_commands(choice.commands_folder, workspace.root, [*base, *commands_of(Replies())])
    return Registry([*base, *own], off, settings.mask)


def _families(settings: Settings, workspace: Workspace, session: Path) -> Sequence[object]:
    """Return all families in the order of the prompt."""
    storage, endpoint = settings.fill(SessionSettings, "session"), settings.fill(OpenAISettings, "openai")
    code, images = settings.fill(CodeSettings, "code"), settings.fill(ImageSettings, "image")
    files = FileCommands(workspace, session / "undo", sync=storage.durable, undo_mb=storage.undo_mb)
    library = open_skills(settings.fill(SkillSettings, "skills"), storage.root, workspace.root)
    runner = Runner(library, settings.fill(ProgramSettings, "programs"), ProgramGate, settings.environment)
    return [
        ControlCommands(),
        AdviceCommands(),
        files,
        MemoryCommands(),
        WebCommands(settings.fill(WebSettings, "web")),
        ImageCommands(images, workspace, files.copies, partial(open_client, endpoint), free=endpoint.local),
        AskCommands(),
        CodeCommands(files, session / "runs", code, sync=storage.durable, runs_mb=storage.runs_mb),
        SkillCommands(library, Index(library, settings.fill(MemorySettings, "memory").skill_embedder), runner),
        ProgramCommands(runner),
        AgentCommands(),
        PlanCommands(),
        UndoCommands(),
    ]
