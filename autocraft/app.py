"""Opens a run: makes an agent, ready for its first turn, of a request of the command line."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from autocraft.agent.account import PricedBrain
from autocraft.agent.agent import Agent
from autocraft.agent.context import RunContext
from autocraft.agent.families import make_registry
from autocraft.agent.forecast import Forecast, forecast
from autocraft.agent.gate import give_goals
from autocraft.agent.options import RunOptions
from autocraft.agent.plan_only import Foreseen, rehearse
from autocraft.agent.policy import open_policy
from autocraft.agent.recollection import open_memory_of
from autocraft.agent.spec import AgentSpec, Answering
from autocraft.agent.state import State
from autocraft.agent.transcript import Transcript
from autocraft.brains.choose import BrainChoice, check_brain, check_goals, keep_exchange
from autocraft.commands.registry import Registry
from autocraft.commands.schema import command_schema
from autocraft.commands.workspace import Workspace
from autocraft.commands.workspace_folder import open_workspace
from autocraft.console.approver import Person
from autocraft.console.greeting import greeting, weak_secrets
from autocraft.console.opening import open_console
from autocraft.console.settings import ConsoleSettings
from autocraft.errors import UsageError
from autocraft.goals import Goal
from autocraft.learning.settings import LearnSettings
from autocraft.mcp.opening import open_others, read_others
from autocraft.protocols import Json, Message, World, commands_of
from autocraft.sections import confirm_rules, read_settings
from autocraft.session.events import End, Goals, Permission
from autocraft.session.folder import Session, SessionSettings, create, lock_workspace, resume, writable
from autocraft.session.journal import Journal
from autocraft.session.reading import Events
from autocraft.session.snapshot import Fold, Snapshots
from autocraft.settings.fields import kinds
from autocraft.settings.run import RunSettings, check_resume
from autocraft.settings.settings import Settings
from autocraft.worlds.choose import check_world, world_class


@dataclass
class Request:
    """A request of the command line. Goals are None for a run that needs none. A flag that was not given is None."""

    goals: Sequence[str] | None = ()
    flags: Mapping[str, Any] = field(default_factory=dict)
    resume: str = ""
    profile: str = ""
    json: bool = False
    silent: bool = False
    """Whether nothing is shown and no lock is taken, as for a preview."""
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
            result = await run.execute(run.registry.bind("undo", {}, agent="person"))
            return 0 if result.ok else 1

    async def go(self, play: Callable[[], Awaitable[End]] | None = None) -> End:
        """Run to the end, by `play` or by the agent's turns. Return the end event. Always close everything."""
        async with self.context.exits as exits:
            self._listen_to_signals()
            reader = self.person.reader
            reader.on_interrupt = self.agent.loop.interrupt
            exits.push_async_callback(reader.close)
            for line in [*self.greeting, *await self.context.enter()]:
                self.person.view.say(line)
            await reader.open()
            return await (play or self.agent.run)()

    def _listen_to_signals(self) -> None:
        """Let Ctrl-C pause, and a closed terminal or SIGTERM leave. Ignore signals that Windows lacks."""
        running, loop = asyncio.get_running_loop(), self.agent.loop
        for name, action in (("SIGINT", loop.interrupt), ("SIGTERM", loop.leave), ("SIGHUP", loop.leave)):
            if hasattr(signal, name):
                with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                    running.add_signal_handler(getattr(signal, name), action)


async def open_run(request: Request) -> Run:
    """Open everything for the first turn. Raises UsageError, InUse or SessionError, with all locks released."""
    settings = _settings_of(request)
    root = settings.fill(SessionSettings, "session").root
    session = resume(root, request.resume) if request.resume else create(root)
    try:
        if session.options is not None:  # the first settings of the run count unless a flag replaces them
            if session.options.get("profile") and not request.profile:  # the endpoint that the run began with
                request = replace(request, profile=session.options["profile"])
                settings = _settings_of(request)
            check_resume(settings.flags, session.options)
            settings.flags = {**session.options, **settings.flags, "state_dir": root}
        return await _open(request, settings, session)
    except BaseException:
        session.close()
        if session.first is None:
            session.discard()
        raise


def _settings_of(request: Request) -> Settings:
    settings = read_settings(request.flags, request.profile)
    if settings.flags.get("smart_model") and not settings.flags.get("brain"):
        settings.flags["brain"] = "openai"  # a model was named, so it plays
    return settings


async def _open(request: Request, settings: Settings, session: Session) -> Run:
    """Open the parts of a run in `session`, each after the parts that it needs."""
    async with AsyncExitStack() as exits:
        exits.callback(session.close)
        chosen = settings.fill(RunSettings, "run")
        check_world(chosen, settings.flags)
        options = RunOptions.read(settings)
        check_brain(chosen)
        learning = settings.fill(LearnSettings, "learn") if request.learn or settings.flags.get("learn") else None
        kept = settings.fill(SessionSettings, "session")
        root, workspace = kept.root, open_workspace(chosen.workspace, kept.root)
        if not request.silent:
            exits.callback(lock_workspace(root, workspace.root).close)
        resumed = bool(session.resumed)
        world: World = world_class(chosen.world).for_run(chosen, settings, session.folder, root, resumed)
        goals = _read_goals(request.goals, chosen, world.items, needed=not resumed and learning is None)
        journal = Journal(session.folder, durable=kept.durable, mask=settings.mask)
        exits.callback(journal.close)
        texts = [goal.text for goal in (session.first.goals if session.first else goals)]
        memory = await asyncio.to_thread(open_memory_of, settings, durable=kept.durable, goals=texts)
        exits.push_async_callback(asyncio.to_thread, memory.close)
        exits.push_async_callback(world.close)
        shown = settings.fill(ConsoleSettings, "console")
        keep = partial(keep_exchange, session.folder / "debug", settings.mask) if shown.debug else None
        choice = replace(BrainChoice.read(settings, keep), otherwise="oracle" if learning else "planner")
        brain = choice.open(world, state := State(), journal.answers)
        exits.push_async_callback(brain.close)
        priced = PricedBrain(brain, choice.prices(needed=options.limits.max_cost is not None), choice.roles)
        check_goals(brain, () if request.any_goal else goals, world)
        others = await exits.enter_async_context(open_others(settings, start=not request.silent))
        outer = [*world.commands(), *others.commands]
        registry = make_registry(settings, workspace, session.folder, outer)
        settings.mask.keep(*world.items, *(each.name for each in registry.everything()))
        policy = open_policy(settings, options.gate.policy, workspace.root, registry, partial(confirm_rules, settings))
        run = RunContext(journal, world, memory, priced, options, state, registry, policy)
        run.workspace, typed = workspace, root / "input_history"
        run.approver = person = open_console(run, shown, settings.own_mask, typed, as_json=request.json)
        agent, fold = _agent(run, learning, person)
        settings.refuse_unknown()
        exits.callback(_replayed(run, fold).write)
        if request.json and not request.silent:
            journal.viewers.append(person.view.event)
        recorded = _recorded(settings, chosen, options, choice.kind, request.profile)
        recorded |= {} if learning is None else learning.recorded(settings.flags.get("skills_dir"))
        _begin(run, session, goals, recorded)
        if not request.json:
            journal.viewers.append(person.view.event)
        lines = _greeting(request, run, choice, settings, session.title)
        run.exits = exits.pop_all()
        return Run(agent, person, [*lines, *others.lines])


def _agent(run: RunContext, learning: LearnSettings | None, person: Person) -> tuple[Agent, Fold]:
    """Return the main agent of a run, and the fold of events that its prompt is written from."""
    if learning is not None:
        from autocraft.learning.opening import learning_agent
        from autocraft.learning.progress import Progress

        learning.check()
        progress = Progress()
        return learning_agent(run, learning, progress, person.delta), progress
    transcript = Transcript(run.options.prompt, run.registry.describe())
    schema = command_schema(run.registry) if run.priced.brain.metered else None
    answering = Answering(schema=schema, on_delta=person.delta)
    spec = AgentSpec(run.state, run.options.limits, run.registry, transcript, run.world, run.memory, answering)
    return Agent(run, spec), transcript


def _read_goals(texts: Sequence[str] | None, chosen: RunSettings, items: frozenset[str], *, needed: bool) -> list[Goal]:
    """Return the goals, or the goal of an example. Raises UsageError if there is none and one is `needed`."""
    goals = [Goal.parse(text, items) for text in texts or () if text.strip()]
    if goals or texts is None or not needed:
        return goals
    if not chosen.example:
        raise UsageError('no goal: give one with --goal "craft 1 stone_pickaxe"')
    from autocraft.worlds.crafting.examples import load_example

    return [load_example(chosen.example).goal]


def _replayed(run: RunContext, fold: Fold) -> Snapshots:
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
    begun = Goals(session=session.id, goals=tuple(goals), options=recorded, world=world, continuous=continuous)
    run.journal.append(begun, sync=True)


def _recorded(settings: Settings, chosen: RunSettings, options: RunOptions, brain: str, profile: str) -> Json:
    """Return the settings that a resume takes over. Raises UsageError if the journal cannot hold one."""
    recorded = {**asdict(chosen), **asdict(options.limits), "brain": brain, "profile": profile}
    recorded |= {"ai_name": options.prompt.ai_name, "ai_role": options.prompt.ai_role, "continuous_limit": None}
    for kind in kinds([chosen.world]).values():  # the section of the world's name: the same server and bounds
        recorded |= asdict(settings.fill(kind, chosen.world))
    recorded["smart_model"] = settings.flags.get("smart_model")
    recorded["policy"] = options.gate.policy or settings.origins.get(("policy", "rule"))  # a resume keeps its rules
    for name in ("workspace", "script", "policy"):  # the current folder may be another at the resume
        recorded[name] = str(Path(recorded[name]).absolute()) if recorded[name] else None
    return writable({name: value for name, value in recorded.items() if value not in (None, "")}, settings.mask)


def _greeting(request: Request, run: RunContext, choice: BrainChoice, settings: Settings, title: str) -> list[str]:
    """Return the lines before the first turn."""
    named = choice.line(run.priced.brain, settings.own_mask)
    if request.silent:
        return [named] if run.priced.brain.metered else []
    secrets = weak_secrets(settings.mask)
    return secrets if request.json else greeting(run, title, named, secrets)


async def preview(request: Request) -> tuple[list[Message], Forecast]:
    """Return exactly the first prompt of a run, and an estimate of the whole run. Nothing is stored."""
    async with _unkept(request) as run:
        messages = await run.agent.thinker.prompt()
        return messages, await forecast(run.agent.thinker, messages)


async def plan_only(request: Request, say: Callable[[str], None]) -> list[Foreseen]:
    """Return the commands of a run, judged but not carried out. A model is asked once. Nothing is stored.

    `say` gets the name and address of the model.
    """
    async with _unkept(request) as run:
        for line in run.greeting:
            say(line)
        return await rehearse(run.agent.thinker, run.agent.gate)


@contextlib.asynccontextmanager
async def _unkept(request: Request) -> AsyncIterator[Run]:
    """Yield a run whose session is removed afterwards."""
    settings = _settings_of(request)
    with tempfile.TemporaryDirectory() as folder:
        session = create(Path(folder))
        try:
            run = await _open(replace(request, json=True, silent=True), settings, session)
            async with run.context.exits:
                yield run
        finally:
            session.close()


def every_command(settings: Settings) -> Registry:
    """Return the commands of a run with these settings, to be listed. Nothing is opened."""
    chosen, folder = settings.fill(RunSettings, "run"), settings.fill(SessionSettings, "session").root / "sessions"
    outer = [*commands_of(world_class(chosen.world)), *read_others(settings).commands]
    return make_registry(settings, Workspace(chosen.workspace), folder, outer)
