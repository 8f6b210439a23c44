"""Makes the single parts of a run from its settings; each function imports only what it chooses."""

from __future__ import annotations

import contextlib
import difflib
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autocraft.agent.gate import GateSettings
from autocraft.agent.limits import Limits
from autocraft.agent.policy import Policy, PolicySettings, read_policy, read_policy_file
from autocraft.agent.state import State
from autocraft.commands.registry import Registry
from autocraft.errors import SessionError, UsageError
from autocraft.goals import Goal
from autocraft.protocols import Brain, Json, LiveWorld, Memory, World
from autocraft.sections import confirm_rules
from autocraft.session.events import Feedback, Note
from autocraft.session.folder import SessionSettings, private_folder
from autocraft.session.journal import Journal
from autocraft.session.reading import Events
from autocraft.settings.settings import Settings, setting
from autocraft.settings.sources import FOLDER_FILES, own_file
from autocraft.skills import SkillSettings
from autocraft.text.characters import well_formed
from autocraft.text.prompts import prompt_folder
from autocraft.text.redact import Mask
from autocraft.usage import FREE, Price, price_of

if TYPE_CHECKING:
    from autocraft.brains.endpoint import OpenAISettings
    from autocraft.commands.workspace import Workspace
    from autocraft.console.approver import View
    from autocraft.console.read import Reader
    from autocraft.console.render import ConsoleSettings
    from autocraft.console.slash import Desk
    from autocraft.sandbox.programs import Programs
    from autocraft.skills.store import Library

BRAINS = ("planner", "openai", "scripted")
WORLDS = ("crafting", "minecraft")
_MINECRAFT = ("server", "mc_version", "username", "auth", "seed", "speed", "freeze", "cheats", "listen_to")
"""Flags of a run that mean nothing in another world."""


@dataclass(frozen=True)
class RunSettings:
    """What a run is made of."""

    brain: str = setting(
        "", doc="planner, openai or scripted; planner when there is neither key nor base URL", power=True
    )
    script: Path | None = setting(None, doc="answers of the scripted brain", power=True)
    world: str = setting("crafting", doc="the world to play in", power=True)
    inventory: str = setting("", doc='what the world holds at the start, such as "oak_log=4,cobblestone=8"')
    example: str = setting("", doc="start from a Plancraft example, such as TEST0018")
    workspace: Path = setting(Path("workspace"), doc="the folder that file commands may touch", power=True)
    memory: str = setting("local", env="MEMORY_BACKEND", doc="local, pinecone, pgvector or none", power=True)
    low_level: bool = setting(False, doc="the planner answers with single moves and smelts, as few as can be")
    images: bool = setting(False, doc="send models that see a picture of what the world shows")
    price_in: float | None = setting(None, doc="US dollars for a million tokens sent", power=True)
    price_out: float | None = setting(None, doc="US dollars for a million tokens received", power=True)


def check_flags(
    options: RunSettings, limits: Limits, gating: GateSettings, flags: Mapping[str, Any] | None = None
) -> None:
    """What contradicts itself is refused before anything is made."""
    lost = [name for name in _MINECRAFT if (flags or {}).get(name) is not None and options.world == "crafting"]
    if lost:
        raise UsageError(f"--{lost[0].replace('_', '-')} belongs to Minecraft: add --world minecraft, or leave it out")
    if limits.continuous_limit is not None and not gating.continuous:
        raise UsageError("--continuous-limit needs --continuous")
    if options.world != "crafting" and (options.example or options.inventory or options.low_level):
        raise UsageError("--example, --inventory and --low-level belong to the crafting world: leave --world out")
    if options.example and options.inventory:
        raise UsageError("--example brings its own inventory: give either --example or --inventory")
    for name in ("max_steps", "max_seconds", "max_tokens", "max_cost", "max_errors", "continuous_limit"):
        value = getattr(limits, name)
        if value is not None and not 0 < value < math.inf:
            raise UsageError(f"--{name.replace('_', '-')} must be more than 0, not {value:g}")
        if value is not None and value > sys.float_info.max:
            raise UsageError(f"--{name.replace('_', '-')} is a number of {len(str(value))} digits: give a smaller one")
    if options.brain not in ("", *BRAINS):
        raise UsageError(f"unknown brain {options.brain[:40]!r}: choose {', '.join(BRAINS)}")
    if options.world not in WORLDS:
        raise UsageError(f"unknown world {options.world[:40]!r}: choose {', '.join(WORLDS)}")
    if (options.price_in is None) != (options.price_out is None):
        raise UsageError("--price-in and --price-out go together: give both")
    for name in ("price_in", "price_out"):
        price = getattr(options, name)
        if price is not None and not 0 <= price < math.inf:
            raise UsageError(f"--{name.replace('_', '-')} must be 0 or more, not {price:g}")
    if options.brain == "scripted" and options.script is None:
        raise UsageError("--brain scripted needs --script FILE with its answers")


def brain_kind(options: RunSettings, endpoint: OpenAISettings) -> str:
    """The brain that was named, else a model where one can be asked, else the planner."""
    return options.brain or ("openai" if endpoint.usable else "planner")


def brain_line(brain: Brain, endpoint: OpenAISettings, mask: Mask) -> str:
    """Name the brain for the header of a run, and the address that a model is asked at."""
    name = f"{brain.name.removesuffix(')')} at {endpoint.address})" if brain.metered else brain.name
    return shown(mask.text(f"Brain: {name}"))


def check_resume(flags: Mapping[str, Any], old: Json) -> None:
    """A resumed run keeps its world and its files."""
    for name in ("inventory", "example", "world"):
        if flags.get(name) not in (None, old.get(name)):
            raise UsageError(f"--{name} belongs to a new run: a resumed one keeps its world")
    asked = flags.get("workspace")
    if "workspace" not in old:
        raise SessionError("the first line of the journal is damaged (it names no workspace); start a new run")
    if asked is not None and Path(asked).absolute() != Path(old["workspace"]):
        raise UsageError(f"this session's workspace is {old['workspace']}: a resumed run keeps it")
    if flags.get("memory") not in (None, old.get("memory")):
        raise UsageError(f"this session's memory is {old.get('memory')}: a resumed run keeps it")


def current_folder() -> Path:
    """The current folder. Raises UsageError when somebody has deleted it."""
    try:
        return Path.cwd()
    except OSError:
        raise UsageError("the current folder is gone: change to one that exists") from None


def open_workspace(path: Path, state_root: Path) -> Workspace:
    """The folder of the file commands, made if it is missing; it may hold nothing that steers autocraft."""
    from autocraft.commands.workspace import Workspace

    current_folder()
    root = path.expanduser().absolute()
    if well_formed(str(root)) != str(root):
        raise UsageError(f"the workspace {str(root)!r} is no UTF-8: rename that folder, or choose another")
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot make the workspace {root}: {error.strerror}; choose another with --workspace"
        ) from None
    root = root.resolve()
    ours = {"the state folder": state_root, "autocraft itself": Path(__file__).parent, "our prompts": prompt_folder()}
    ours["your own configuration"] = own_file()
    for name, kept in ours.items():
        if kept.resolve().is_relative_to(root):
            raise UsageError(f"the workspace {root} would hold {name}: choose another with --workspace")
        if root.is_relative_to(kept.resolve()):
            raise UsageError(f"the workspace {root} lies in {name}: choose another with --workspace")
    here = current_folder()
    if any(each.resolve().is_relative_to(root) for each in (here, *(here / name for name in FOLDER_FILES))):
        raise UsageError(
            f"the workspace {root} would hold .env and autocraft.toml of this folder: choose another with --workspace"
        )
    return Workspace(root)


def open_world(options: RunSettings, settings: Settings, folder: Path, *, resumed: bool = False) -> World:
    """The world in its starting state; a resumed run restores it from its journal afterwards. `folder` is the
    session's own."""
    if options.world == "minecraft":
        return open_minecraft(settings, folder)
    from autocraft.worlds.crafting.inventory import parse_inventory
    from autocraft.worlds.crafting.world import CraftingWorld

    if resumed:
        return CraftingWorld(images=options.images)
    if options.example:
        from autocraft.worlds.crafting.examples import load_example

        return CraftingWorld(load_example(options.example).table(), images=options.images)
    return CraftingWorld(parse_inventory(options.inventory) if options.inventory else None, images=options.images)


def restore_world(world: World, state: Json | None, folder: Path) -> None:
    """Put the world of a resumed run into the state that its journal ends with. Raises SessionError."""
    if state is None:
        return
    try:
        world.restore(state)
    except UsageError as error:
        Events(folder).damaged_world(str(error))


def open_minecraft(settings: Settings, folder: Path) -> World:
    """A bot that has not joined yet; `MinecraftWorld.open` joins."""
    from autocraft.node import show_progress
    from autocraft.worlds.minecraft.settings import MinecraftSettings
    from autocraft.worlds.minecraft.world import MinecraftWorld

    root = settings.fill(SessionSettings, "session").root
    chosen = settings.fill(MinecraftSettings, "minecraft")
    return MinecraftWorld(chosen, folder / "minecraft", root / "accounts", say=show_progress)


def minecraft_settings(settings: Settings) -> Json:
    """The server, the account, the bounds, as the journal keeps them for a resume."""
    from autocraft.worlds.minecraft.settings import MinecraftSettings

    return asdict(settings.fill(MinecraftSettings, "minecraft"))


async def enter(world: World, journal: Journal) -> list[str]:
    """Go into a world that one has to join; returns what the person should know. What happens there by itself is
    written into the journal, and what a player says whom the person named is their feedback, but never consent."""
    if not isinstance(world, LiveWorld):
        return []

    # where the journal cannot be written, its next event of a turn ends the run; the world's own reader must go on
    def note(text: str) -> None:
        with contextlib.suppress(SessionError):
            journal.append(Note(text=text))

    def hear(who: str, text: str) -> None:
        with contextlib.suppress(SessionError):
            journal.append(Feedback(text=text, by=who))

    world.note, world.hear = note, hear
    journal.clock = lambda: world.ticks
    return await world.open()


def read_goals(texts: Sequence[str], options: RunSettings, world: World, *, resumed: bool = False) -> tuple[Goal, ...]:
    """The goals of the run; a resumed run needs none, an example brings its own."""
    goals = [Goal.parse(text, world.items) for text in texts if text.strip()]
    if not goals and options.example and not resumed:
        from autocraft.worlds.crafting.examples import load_example

        goals = [load_example(options.example).goal]
    if not goals and not resumed:
        raise UsageError('no goal: give one with --goal "craft 1 stone_pickaxe"')
    return tuple(goals)


def check_plannable(goals: Sequence[Goal], world: World) -> None:
    """The planner takes only goals that name items; a slip of the pen gets the nearest name."""
    for goal in goals:
        if not goal.items:
            words = goal.text.lower().replace(" ", "_").split("_")
            tails = ["_".join(words[i:]) for i in range(len(words))]
            near = [m for tail in tails for m in difflib.get_close_matches(tail, world.items, 1, 0.8)]
            hint = f"did you mean {near[0]}? " if near else ""
            raise UsageError(
                f"the built-in planner does not understand the goal {shown(goal.text)!r}: {hint}say it like "
                "'craft 2 stick', or set OPENAI_API_KEY or OPENAI_BASE_URL to use a model"
            )


def accept_goal(brain: Brain, world: World, goal: Goal) -> None:
    """Raise UsageError for a goal that this brain cannot pursue."""
    if brain.name == "planner":
        check_plannable([goal], world)


def open_memory_of(
    options: RunSettings,
    state_root: Path,
    *,
    durable: bool,
    settings: Settings | None = None,
    goals: Sequence[Goal] = (),
) -> Memory:
    """The memory chosen by MEMORY_BACKEND; without `settings` the environment and `.env` say the rest."""
    from autocraft.brains.endpoint import OpenAISettings
    from autocraft.memory.choose import MemorySettings, open_chosen

    settings = settings or Settings({}, os.environ)
    chosen, endpoint = settings.fill(MemorySettings, "memory"), settings.fill(OpenAISettings, "openai")
    return open_chosen(
        options.memory,
        chosen,
        folder=private_folder(state_root / "memory") if options.memory == "local" else state_root / "memory",
        durable=durable,
        goals=[goal.text for goal in goals],
        api_key=endpoint.api_key,
        base_url=endpoint.base_url,
    )


def open_brain(
    options: RunSettings,
    endpoint: OpenAISettings,
    world: World,
    state: State,
    journal: Journal,
    limits: Limits,
    abilities: Path,
    on_exchange: Callable[[Json], None] | None,
) -> tuple[Brain, Mapping[str, Price | None]]:
    """The brain and what its roles cost; None for an unknown price, which --max-cost cannot work with."""
    name = brain_kind(options, endpoint)
    if name == "scripted":
        from autocraft.brains.scripted import ScriptedBrain

        return ScriptedBrain(options.script or Path(), journal.answers), _both(FREE)
    if name == "planner":
        from autocraft.brains.planner import PlannerBrain

        heard = (lambda: state.goals, lambda: state.told)
        return PlannerBrain(world, *heard, options.low_level, lambda: state.untried), _both(FREE)
    check_endpoint(endpoint)
    from autocraft.brains.openai import OpenAIBrain

    def price(role: str) -> Price | None:
        return price_of(endpoint.model(role), options.price_in, options.price_out, local=endpoint.local)

    prices = {role: price(role) for role in ("smart", "fast")}
    unknown = [endpoint.model(role) for role, known in prices.items() if known is None]
    if unknown and limits.max_cost is not None:
        raise UsageError(f"--max-cost: the price of {unknown[0]} is unknown; give --price-in and --price-out")
    return OpenAIBrain(endpoint, abilities_file=abilities, on_exchange=on_exchange), prices


def check_endpoint(endpoint: OpenAISettings) -> None:
    """Raise UsageError when there is nothing to ask."""
    if not endpoint.usable:
        raise UsageError("--brain openai needs OPENAI_API_KEY, or OPENAI_BASE_URL or --profile for a local server")


def _both(price: Price) -> Mapping[str, Price | None]:
    return {"smart": price, "fast": price}


def open_policy(settings: Settings, file: Path | None, workspace: Path, registry: Registry) -> Policy:
    """The person's rules: those of `file`, else those of the settings. They may not lie where the agent writes."""
    rules: Sequence[object] = settings.fill(PolicySettings, "policy").rule
    source, path = settings.sources.get(("policy", "rule"), ""), settings.origins.get(("policy", "rule"))
    if file is not None:
        rules, source, path = read_policy_file(file, partial(confirm_rules, settings)), str(file), file
    if path is not None and any(each.is_relative_to(workspace) for each in (path.absolute(), path.resolve())):
        raise UsageError(f"the policy {path} lies in the workspace, where the agent could change it: move it elsewhere")
    return read_policy(rules, source, registry)


def open_skills(settings: SkillSettings, state_root: Path, workspace: Path | None = None) -> Library:
    """The skill library; a `workspace`, where the model may write, may not hold it."""
    from autocraft.skills.store import Library

    folder = settings.folder(state_root)
    real = folder.resolve()
    if workspace is not None and (real.is_relative_to(workspace) or workspace.is_relative_to(real)):
        raise UsageError(f"the skills in {folder} and the workspace lie in each other: choose another --skills-dir")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"the skill library {folder} is not a folder: choose another with --skills-dir")
    return Library(folder)


def open_programs(settings: Settings, prelude: str, log: Path) -> Programs:
    """What runs JavaScript programs, with one child kept ready. Raises NodeMissing."""
    from autocraft.node import find_node, packages, show_progress
    from autocraft.sandbox.packages import PACKAGES
    from autocraft.sandbox.programs import Programs

    modules = packages(PACKAGES, settings.environment, show_progress)
    return Programs(find_node(settings.environment), modules, log, prelude=prelude)


def open_console(
    as_json: bool, ai_name: str, brain: str, settings: ConsoleSettings, desk: Desk, limits: Limits, history: Path
) -> tuple[Reader, View, bool]:
    """Reader and screen for a terminal, a pipe or a machine; the last value tells whether a person types."""
    typing, watching = (stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
    if as_json:
        from autocraft.console.events import JsonScreen

        return _line_reader(typing, prompt=False), JsonScreen(), typing
    from autocraft.console.render import Screen

    if settings.plain or not (typing and watching) or os.environ.get("TERM") == "dumb":
        reader = _line_reader(typing)
        colour = watching and not settings.plain
        screen = Screen(reader.write, ai_name, desk.state, settings, terminal=colour, window=watching)
        return reader, screen, typing
    from autocraft.console.terminal import open_terminal

    return *open_terminal(ai_name, brain, settings, desk, limits, history), True


def _line_reader(typing: bool, *, prompt: bool = True) -> Reader:
    """The reader of whole lines, from a terminal where a person types, or from a pipe."""
    from autocraft.console.read import LineReader
    from autocraft.console.typed import PlainReader

    return PlainReader(prompt=prompt) if typing and os.name != "nt" else LineReader(prompt=prompt)


def weak_secrets(mask: Mask) -> list[str]:
    """One line that names the secrets which cannot be told from ordinary words; none where there are none."""
    if not mask.weak:
        return []
    names = ", ".join(map(shown, mask.weak))
    return [f"Weak secrets: {names}. A single word is not removed from texts, a few only where nothing touches "
            "them. Choose random values."]  # fmt: skip


def shown(text: str) -> str:
    """Return a goal, or a name that somebody else chose, as it is printed."""
    from autocraft.text.sanitize import clean_line

    return clean_line(text)
