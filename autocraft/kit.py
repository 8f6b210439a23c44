"""The commands of a run: every family with what it needs, and what is switched off."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autocraft.agent.helpers import Replies
from autocraft.agent.limits import Limits, check_affordable
from autocraft.agent.state import State
from autocraft.brains.endpoint import OpenAISettings
from autocraft.commands.agents import AgentCommands, Leader
from autocraft.commands.ask import AskCommands
from autocraft.commands.code import CodeCommands
from autocraft.commands.control import Ask as AskPerson
from autocraft.commands.control import ControlCommands
from autocraft.commands.families import CommandSettings, switched_off
from autocraft.commands.files import FileCommands
from autocraft.commands.image import ImageCommands, ImageSettings
from autocraft.commands.memory import MemoryCommands, PlanCommands
from autocraft.commands.programs import ProgramCommands
from autocraft.commands.registry import Registry
from autocraft.commands.running import Runner, Supervisor
from autocraft.commands.skills import SkillCommands
from autocraft.commands.undo import UndoCommands
from autocraft.commands.web import WebCommands, WebSettings
from autocraft.errors import CommandError, LimitReached, NodeMissing
from autocraft.node import find_node
from autocraft.parts import open_programs, open_skills
from autocraft.protocols import Call, Command, Json, Memory, World, commands_of
from autocraft.sandbox.settings import CodeSettings, ProgramSettings
from autocraft.session.events import Expense
from autocraft.session.folder import Session, SessionSettings
from autocraft.session.journal import Journal
from autocraft.settings.settings import Settings
from autocraft.skills import SkillSettings
from autocraft.skills.index import Index
from autocraft.text.prompts import Ask
from autocraft.usage import Usage

if TYPE_CHECKING:
    from autocraft.commands.workspace import Workspace


@dataclass(frozen=True)
class Kit:
    """What the families are made of. `ask_model` is None where there is no model to ask."""

    settings: Settings
    session: Session
    world: World
    workspace: Workspace
    memory: Memory
    journal: Journal
    state: State
    leader: Leader
    ask_person: AskPerson
    ask_model: Ask | None
    objection: Callable[[Call, Call], str]
    """Why the policy does not let a running call go on as another one; empty where it does."""
    open_client: Callable[[], Any]
    supervisor: Supervisor
    """Who decides about the effects of programs."""
    closing: list[Callable[[], Awaitable[None]]] = field(default_factory=list)
    """What must be done at the end of the run."""
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Purse:
    """The run's money, for what is bought from others than the chat model."""

    limits: Limits
    journal: Journal
    state: State

    def afford(self, cost: float | None) -> None:
        """Raises CommandError where --max-cost leaves too little for it, or cannot count it."""
        if cost is None and self.limits.max_cost is not None:
            raise CommandError("--max-cost cannot count a picture of unknown price: set IMAGE_PRICE to what one costs")
        try:
            check_affordable(self.limits, self.state.spent, 0, cost)
        except LimitReached as error:
            raise CommandError(str(error)) from None

    def paid(self, agent: str, cost: float | None) -> None:
        """Counted like a call to a model that takes no tokens; None is a price that nobody knows."""
        if cost == 0:
            return
        text = "a picture was paid for" + (", at a price that is not known" if cost is None else "")
        self.journal.append(Expense(agent=agent, text=text, usage=Usage(), cost=cost))


def families_off(settings: Settings, commands: CommandSettings, memory: str) -> dict[str, str]:
    """Family of commands -> what switched it off."""
    source = settings.sources.get(("commands", "disabled"), "")
    off = {"memory": "the memory 'none'"} if memory == "none" else {}
    try:
        find_node(settings.environment)
    except NodeMissing as error:
        off["programs"] = f"the missing Node ({error})"
    return off | switched_off(commands.disabled, source)


def own_commands(commands: CommandSettings, off: Mapping[str, str], workspace: Path) -> list[Command]:
    """The person's own commands; nothing of them is imported where they are switched off."""
    if "own" in off:
        return []
    from autocraft.commands.own import load_folder, load_packages

    folder = commands.commands_folder
    return [*(load_folder(folder, workspace) if folder is not None else []), *load_packages()]


def make_registry(kit: Kit) -> Registry:
    """Every command of the run: the world's, the families', the person's; those that are off are only named.

    Raises UsageError for settings of a family that cannot be used, and for a broken command of the person's own.
    """
    commands = kit.settings.fill(CommandSettings, "commands")
    off = families_off(kit.settings, commands, kit.memory.name)
    own = own_commands(commands, off, kit.workspace.root)
    undo = UndoCommands(kit.world, kit.journal, lambda name, seen: registry.undo(name, seen))
    replays = PlanCommands(
        kit.memory,
        kit.world,
        lambda name, args: registry.bind(name, args),
        lambda call: registry.call(call),
    )
    families = [*_families(kit, lambda: registry), replays, undo]
    worlds = kit.world.commands()
    names = {each.name for each in worlds}  # a world's own `wait` goes before the one that waits without a world
    ours = [*worlds, *(each for family in families for each in commands_of(family) if each.name not in names)]
    if own:
        from autocraft.commands.own import refuse_collisions

        refuse_collisions(own, [*ours, *commands_of(Replies())])
    registry = Registry([*ours, *own], off, kit.settings.mask)
    return registry


def _image_settings(settings: Settings) -> ImageSettings:
    """A local server draws for nothing, unless a price is set. Raises UsageError."""
    images = settings.fill(ImageSettings, "image")
    images.check()
    free = images.image_price is None and settings.fill(OpenAISettings, "openai").local
    return replace(images, image_price=0.0) if free else images


def _families(kit: Kit, registry: Callable[[], Registry]) -> Sequence[object]:
    """All of ours, in the order of the prompt."""
    durable, kept = kit.journal.durable, kit.settings.fill(SessionSettings, "session")
    web = kit.settings.fill(WebSettings, "web")
    web.check()
    files = FileCommands(kit.workspace, kit.session.folder / "undo", sync=durable, undo_mb=kept.undo_mb)
    code = kit.settings.fill(CodeSettings, "code")
    runner = _runner(kit, registry)
    purse = Purse(kit.limits, kit.journal, kit.state)
    return [
        ControlCommands(kit.world, lambda: kit.state.goals, kit.ask_person),
        files,
        MemoryCommands(kit.memory, kit.session.id, lambda: _about(kit)),
        WebCommands(web, kit.ask_model, kit.objection),
        ImageCommands(_image_settings(kit.settings), kit.workspace, files.copies, kit.open_client, purse),
        AskCommands(kit.ask_model),
        CodeCommands(files, kit.session.folder / "runs", code, sync=durable, runs_mb=kept.runs_mb),
        _skills(kit, runner),
        ProgramCommands(runner, lambda: kit.state.wanted),
        AgentCommands(kit.leader),
    ]


def _about(kit: Kit) -> Json:
    """The goal and the place that a note belongs to."""
    return {"goal": kit.state.wanted, "place": kit.world.name}


def _runner(kit: Kit, registry: Callable[[], Registry]) -> Runner:
    """What runs programs, on the skill library of this run."""
    root = kit.session.folder.parent.parent
    library = open_skills(kit.settings.fill(SkillSettings, "skills"), root, kit.workspace.root)
    settings = kit.settings.fill(ProgramSettings, "programs")
    runner = Runner(
        kit.world, registry, library, kit.supervisor, settings, kit.session.folder, partial(open_programs, kit.settings)
    )
    kit.closing.append(runner.close)
    return runner


def _skills(kit: Kit, runner: Runner) -> SkillCommands:
    """The family of skills, which notes who approved a program and what for."""
    state, library = kit.state, runner.library

    def approved_by(call: Call) -> str:
        return "person" if call.agent == "person" else state.turn.decision.by if state.turn.decision else ""

    return SkillCommands(library, Index(library), kit.session.id, approved_by, lambda: state.wanted, runner)
