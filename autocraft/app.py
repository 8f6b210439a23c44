"""Opens a run: from a request of the command line to an agent that is ready for its first turn."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autocraft.agent.context import RunContext
from autocraft.agent.families import make_registry
from autocraft.agent.gate import give_goals
from autocraft.agent.loop import Agent
from autocraft.agent.options import RunOptions
from autocraft.agent.policy import open_policy
from autocraft.agent.recollection import open_memory_of
from autocraft.agent.signals import on_signals
from autocraft.agent.spec import AgentSpec
from autocraft.agent.state import State
from autocraft.agent.transcript import Transcript
from autocraft.brains.choose import BrainChoice
from autocraft.commands.registry import Registry
from autocraft.commands.schema import command_schema
from autocraft.commands.workspace import Workspace
from autocraft.commands.workspace_folder import open_workspace
from autocraft.console.approver import Person
from autocraft.console.greeting import greeting, weak_secrets
from autocraft.console.opening import open_console
from autocraft.console.settings import ConsoleSettings
from autocraft.console.slash import run_slash
from autocraft.errors import UsageError
from autocraft.goals import Goal, check_goals
from autocraft.learning.settings import LearnSettings
from autocraft.mcp.opening import open_other_servers, read_servers_of
from autocraft.protocols import Json, commands_of
from autocraft.sections import read_run_settings
from autocraft.session.events import End, Goals, Permission
from autocraft.session.folder import Session, SessionSettings, create, lock_workspace, resume
from autocraft.session.journal import Journal
from autocraft.session.reading import Events
from autocraft.session.snapshot import Fold, Snapshots
from autocraft.settings.run import RunSettings, check_resume
from autocraft.settings.settings import Settings
from autocraft.worlds.choose import open_world, world_class


@dataclass
class Request:
    """A request of the command line. Goals are None for a run that needs none. A flag that was not given is None."""

    goals: Sequence[str] | None = ()
    flags: Mapping[str, Any] = field(default_factory=dict)
    resume: str = ""
    profile: str = ""
    json: bool = False
    trial: bool = False
    """Whether the run only shows what it would do: nothing is stored, and no lock is taken."""
    any_goal: bool = False
    """Whether the brain may be unable to pursue the goal, since it is not asked to."""
    learn: bool = False
    """Whether the run learns from tasks of its own, instead of pursuing goals."""


@dataclass
class Run:
    """An open run: its agent, the person, and its first lines."""

    agent: Agent
    person: Person
    greeting: list[str]

    @property
    def context(self) -> RunContext:
        return self.agent.context

    async def undo(self) -> int:
        """Take back the last change instead of going on. Return the exit code."""
        run = self.context
        async with run.exits:
            await run.enter()
            await run.executor.settle()
            if fault := await run_slash(run, "undo", ""):
                self.person.view.say(fault)
            return 1 if fault else 0

    async def go(self, play: Callable[[], Awaitable[End]] | None = None) -> End:
        """Run to the end, by `play` or by the agent's turns. Return the end event. Always close everything."""
        async with self.context.exits as exits:
            reader, agent = self.person.reader, self.agent
            lines = [*self.greeting, *await self.context.enter()]
            on_signals(SIGINT=agent.interrupt, SIGTERM=agent.leave, SIGHUP=agent.leave)  # earlier, they end the program
            for line in lines:
                self.person.view.say(line)
            reader.on_interrupt = agent.interrupt
            exits.push_async_callback(reader.close)
            await reader.open()
            return await (play or agent.run)()


async def open_run(request: Request) -> Run:
    """Open everything for the first turn. Raises UsageError, InUse or SessionError, with all locks released."""
    async with AsyncExitStack() as exits:
        settings, session = _open_session(request, exits)
        context, goals = await _open_context(request, settings, session, exits)
        context.approver = person = open_console(context, settings, as_json=request.json or request.trial)
        agent, fold = _main_agent(context, settings, person)
        settings.refuse_unknown()
        exits.callback(_replay(context, fold).write)
        views = [] if request.trial else [person.view.event]
        context.journal.viewers += views if request.json else []
        _begin(context, session, goals, context.options.recorded(settings, context.priced.kind, request.profile))
        context.journal.viewers += [] if request.json else views
        lines = weak_secrets(settings.mask) if request.json else greeting(context, session.resumed)
        context.exits = exits.pop_all()
        return Run(agent, person, [*lines, *context.notices])


def _open_session(request: Request, exits: AsyncExitStack) -> tuple[Settings, Session]:
    """Return the settings with a new session, or with the one to resume.

    The first settings of a resumed run count, its profile too, unless a flag replaces them.
    """
    settings = read_run_settings(request.flags, request.profile, learn=request.learn)
    root = settings.fill(SessionSettings, "session").root
    folder = Path(exits.enter_context(tempfile.TemporaryDirectory())) if request.trial else root
    session = resume(root, request.resume) if request.resume and not request.trial else create(folder)
    exits.callback(session.close)
    if session.options is not None:
        if session.options.get("profile") and not request.profile:
            settings = read_run_settings(request.flags, session.options["profile"], learn=request.learn)
        check_resume(settings.flags, request.goals, session.options)
        settings.flags = {**session.options, **settings.flags, "state_dir": root}
    return settings, session


async def _open_context(
    request: Request, settings: Settings, session: Session, exits: AsyncExitStack
) -> tuple[RunContext, list[Goal]]:
    """Open what the agents of a run share, each part after those that it needs. Return it with the request's goals."""
    options, stored = RunOptions.read(settings, request.flags), settings.fill(SessionSettings, "session")
    debug = session.folder / "debug" if settings.fill(ConsoleSettings, "console").debug else None
    choice = BrainChoice.read(settings, debug)
    choice.check()
    workspace = open_workspace(choice.options.workspace, stored.root)
    if not request.trial:
        exits.callback(lock_workspace(stored.root, workspace.root).close)
    world = open_world(settings, session.folder, stored.root, resumed=bool(session.resumed))
    needed = not session.resumed and not settings.flags.get("learn")
    goals = _read_goals(request.goals, choice.options.example, world.items, needed=needed)
    journal = Journal(session.folder, durable=stored.durable, mask=settings.mask)
    exits.callback(journal.close)
    texts = [goal.text for goal in (session.first.goals if session.first else goals)]
    memory = await asyncio.to_thread(open_memory_of, settings, durable=stored.durable, goals=texts)
    exits.push_async_callback(asyncio.to_thread, memory.close)
    exits.push_async_callback(world.close)
    state, capped = State(), options.limits.max_cost is not None
    brain = choice.open(world, state, journal.answers, settings.own_mask, needs_prices=capped)
    exits.push_async_callback(brain.brain.close)
    check_goals(() if request.any_goal else goals, world.items, asks_model=brain.brain.asks_model)
    others = await exits.enter_async_context(open_other_servers(settings, start=not request.trial))
    outer = [*world.commands(), *(command for server in others for command in server.commands())]
    registry = make_registry(settings, workspace, session.folder, outer)
    settings.mask.keep(*world.items, *(command.name for command in registry.everything()))
    policy = open_policy(settings, options.gate.policy, workspace.root, registry)
    run = RunContext(journal, world, memory, brain, options, state, registry, policy)
    run.workspace = workspace
    run.notices = [*settings.misspelt(), *(line for server in others for line in server.lines)]
    return run, goals


def _read_goals(texts: Sequence[str] | None, example: str, items: frozenset[str], *, needed: bool) -> list[Goal]:
    """Return the goals, or the goal of an example. Raises UsageError if there is none and one is `needed`."""
    goals = [Goal.parse(text, items) for text in texts or () if text.strip()]
    if goals or texts is None or not needed:
        return goals
    if not example:
        raise UsageError('no goal: give one with --goal "craft 1 stone_pickaxe"')
    from autocraft.worlds.crafting.examples import load_example

    return [load_example(example).goal]


def _main_agent(run: RunContext, settings: Settings, person: Person) -> tuple[Agent, Fold]:
    """Return the main agent of a run, and the fold of events that its prompt is written from."""
    if settings.flags.get("learn"):
        from autocraft.learning.opening import learning_agent

        return learning_agent(run, settings.fill(LearnSettings, "learn"), person.delta)
    transcript = Transcript(run.options.prompt, run.registry.describe())
    schema = command_schema(run.registry) if run.priced.brain.metered else None
    parts = (run.state, run.options.limits, run.registry, transcript, run.memory)
    return Agent(run, AgentSpec(*parts, schema=schema, on_delta=person.delta)), transcript


def _replay(run: RunContext, fold: Fold) -> Snapshots:
    """Restore the folds and the world of the run. Raises SessionError."""
    snapshots = Snapshots(run.journal, {"state": run.state, "transcript": fold, "helpers": run.helpers})
    snapshots.replay(lambda: run.state.open_intents)
    if run.state.world is not None:
        try:
            run.world.restore(run.state.world)
        except UsageError as error:
            Events(run.journal.folder).damaged_world(str(error))
    return snapshots


def _begin(run: RunContext, session: Session, goals: Sequence[Goal], recorded: Json) -> None:
    """Journal the first event of a new session, or the changes of a resume."""
    continuous = run.options.gate.continuous
    if session.resumed:
        run.journal.append(Permission(text=session.resumed, session=session.id, continuous=continuous, budget=0))
        give_goals(run, goals)
        return
    world = run.world.snapshot()
    first = Goals(session=session.id, goals=tuple(goals), options=recorded, world=world, continuous=continuous)
    run.journal.append(first, sync=True)


def every_command(settings: Settings) -> Registry:
    """Return the commands of a run with these settings, to be listed. Nothing is opened."""
    chosen, folder = settings.fill(RunSettings, "run"), settings.fill(SessionSettings, "session").root / "sessions"
    tools = [command for server in read_servers_of(settings) for command in server.commands()]
    outer = [*commands_of(world_class(chosen.world)), *tools]
    return make_registry(settings, Workspace(chosen.workspace), folder, outer)
