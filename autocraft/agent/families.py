"""The commands of a run: those of the families, the world and the person, and the families that are off.

The constructor of a family takes what a run never changes. A family takes live parts of the run from its call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from autocraft.agent.helper_states import Replies
from autocraft.agent.helpers import HelperTeam
from autocraft.agent.programs import ProgramEffects
from autocraft.brains.endpoint import OpenAISettings, open_client
from autocraft.commands.advice import AdviceCommands
from autocraft.commands.agents import AgentCommands
from autocraft.commands.ask import AskCommands
from autocraft.commands.code import CodeCommands
from autocraft.commands.control import ControlCommands
from autocraft.commands.families import CommandSettings, switched_off
from autocraft.commands.files import FileCommands
from autocraft.commands.image import ImageCommands, ImageSettings
from autocraft.commands.memory import MemoryCommands, PlanCommands
from autocraft.commands.programs import ProgramCommands
from autocraft.commands.registry import Registry
from autocraft.commands.running import Runner
from autocraft.commands.skills import SkillCommands
from autocraft.commands.undo import UndoCommands
from autocraft.commands.web import WebCommands, WebSettings
from autocraft.commands.workspace import Workspace
from autocraft.errors import NodeMissing
from autocraft.memory import remembers
from autocraft.node import find_node
from autocraft.protocols import Command, commands_of
from autocraft.sandbox.opening import open_programs
from autocraft.sandbox.settings import CodeSettings, ProgramSettings
from autocraft.session.folder import SessionSettings
from autocraft.settings.settings import Settings
from autocraft.skills import SkillSettings
from autocraft.skills.index import Index
from autocraft.skills.store import open_skills


@dataclass(frozen=True)
class Places:
    """The folders that the commands of a run work in."""

    workspace: Workspace
    session: Path
    root: Path
    """The folder of all sessions, of memory and of skills."""


def make_registry(settings: Settings, places: Places, world: Sequence[Command], memory: str) -> Registry:
    """Return all commands: those of the world, the families and the person. Families that are off are only named.

    Raises UsageError for settings of a family that cannot be used, and for a broken command of the person.
    """
    chosen = settings.fill(CommandSettings, "commands")
    off = _families_off(settings, chosen, memory)
    names = {command.name for command in world}  # `wait` of a world replaces the one that needs no world
    ours = [c for family in _families(settings, places) for c in commands_of(family) if c.name not in names]
    own = _own_commands(chosen, off, places.workspace.root, [*world, *ours])
    return Registry([*world, *ours, *own], off, settings.mask)


def _families(settings: Settings, places: Places) -> Sequence[object]:
    """Return all families in the order of the prompt."""
    kept, web = settings.fill(SessionSettings, "session"), settings.fill(WebSettings, "web")
    web.check()
    code, session = settings.fill(CodeSettings, "code"), places.session
    workspace, endpoint = places.workspace, settings.fill(OpenAISettings, "openai")
    files = FileCommands(workspace, session / "undo", sync=kept.durable, undo_mb=kept.undo_mb)
    library = open_skills(settings.fill(SkillSettings, "skills"), places.root, workspace.root)
    programs = settings.fill(ProgramSettings, "programs")
    runner = Runner(library, programs, ProgramEffects, partial(open_programs, settings.environment))
    return [
        ControlCommands(),
        AdviceCommands(),
        files,
        MemoryCommands(),
        WebCommands(web),
        ImageCommands(_image_settings(settings, endpoint), workspace, files.copies, partial(open_client, endpoint)),
        AskCommands(),
        CodeCommands(files, session / "runs", code, sync=kept.durable, runs_mb=kept.runs_mb),
        SkillCommands(library, Index(library), runner),
        ProgramCommands(runner),
        AgentCommands(HelperTeam()),
        PlanCommands(),
        UndoCommands(),
    ]


def _image_settings(settings: Settings, endpoint: OpenAISettings) -> ImageSettings:
    """Return the settings of pictures. A local server is free unless a price is set. Raises UsageError."""
    images = settings.fill(ImageSettings, "image")
    images.check()
    return replace(images, image_price=0.0) if images.image_price is None and endpoint.local else images


def _families_off(settings: Settings, chosen: CommandSettings, memory: str) -> dict[str, str]:
    """Return the families that are off -> what switched them off."""
    source = settings.sources.get(("commands", "disabled"), "")
    off = {} if remembers(memory) else {"memory": f"the memory '{memory}'"}
    try:
        find_node(settings.environment)
    except NodeMissing as error:
        off["programs"] = f"the missing Node ({error})"
    return off | switched_off(chosen.disabled, source)


def _own_commands(
    chosen: CommandSettings, off: Mapping[str, str], workspace: Path, ours: Sequence[Command]
) -> list[Command]:
    """Return the person's own commands. Their modules are not imported if the family is off."""
    if "own" in off:
        return []
    from autocraft.commands.own import load_folder, load_packages, refuse_collisions

    folder = chosen.commands_folder
    own = [*(load_folder(folder, workspace) if folder is not None else []), *load_packages()]
    if own:
        refuse_collisions(own, [*ours, *commands_of(Replies())])
    return own
