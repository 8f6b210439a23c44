"""Opens a run: from a request of the command line to an agent that is ready for its first turn."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple

from autocraft import extensions
from autocraft.agent.context import RunContext
from autocraft.agent.families import make_registry
from autocraft.agent.gate import resume_with_goals
from autocraft.agent.loop import Agent
from autocraft.agent.open_memory import open_memory_of
from autocraft.agent.options import RunOptions
from autocraft.agent.policy import PolicyRules, read_policy, read_policy_file
from autocraft.agent.signals import on_signals
from autocraft.agent.spec import AgentSpec
from autocraft.agent.state import State
from autocraft.agent.team import Team
from autocraft.agent.thinker import HasWindow
from autocraft.agent.threads import run_in_thread
from autocraft.agent.transcript import Transcript
from autocraft.brains.choose import BrainChoice, store_exchange
from autocraft.commands.registry import Registry
from autocraft.commands.schema import command_schema
from autocraft.commands.workspace_folder import open_workspace
from autocraft.console.approver import HumanApprover, View
from autocraft.console.greeting import greeting, weak_secrets
from autocraft.console.opening import open_console
from autocraft.console.read import Reader
from autocraft.console.slash import run_slash
from autocraft.errors import UsageError
from autocraft.features import MCP, MODES, Mode
from autocraft.goals import Goal, check_goals
from autocraft.goals.revisions import read_goal
from autocraft.memory.none import NoMemory
from autocraft.protocols import Approver, Brain, Delta, Json, Memory, SharedWorld, World, commands_of
from autocraft.session.events import End, Goals, Permission
from autocraft.session.folder import Session, create, lock_workspace, resume
from autocraft.session.journal import BotJournal, Journal
from autocraft.session.reading import Events
from autocraft.session.snapshot import Fold, Snapshots
from autocraft.settings.config import Config, read_run_config
from autocraft.settings.recorded import RecordedSettings
from autocraft.text.redact.words import is_weak
from autocraft.worlds.choose import WorldOptions, open_world, world_class


class Own(NamedTuple):
    """The parts that a program brings to a run, in place of those that the settings name."""

    brain: Brain | None = None
    world: World | None = None
    memory: Memory | None = None

    def names(self) -> Mapping[str, str]:
        """Return the name of each part, by its kind. Raises UsageError for a part that cannot be one."""
        return {kind: extensions.name_of(kind, part) for kind, part in self._asdict().items() if part is not None}


@dataclass
class Request:
    """A request for a run. Goals are None for a run that needs none. A flag that was not given is None."""

    goals: Sequence[str] | None = ()
    flags: Mapping[str, Any] = field(default_factory=dict)
    resume: str = ""
    profile: str = ""
    json: bool = False
    trial: bool = False
    """Whether the run only shows what it would do: nothing is stored, and no lock is taken."""
    recall: bool = True
    """Whether the memory is opened. That makes its files, and to recall may send the goal to a server."""
    any_goal: bool = False
    """Accept a goal that the brain cannot pursue. Set if the brain is never asked, as for an MCP client."""
    mode: Mode = MODES["run"]
    """What the run is for: to pursue goals, or another of `MODES`. A resumed session keeps its own."""
    own: Own = field(default_factory=Own)
    console: tuple[Reader, View] | None = None
    """What asks and shows in place of the terminal. It gets every event, as with `json`."""


@dataclass
class Run:
    """An open run: its agent, the person, and its first lines."""

    agent: Agent
    person: HumanApprover
    greeting: list[str]
    team: Team | None = None
    """The other bots of the run. None if there are none."""

    @property
    def context(self) -> RunContext:
        return self.agent.context

    async def undo(self, files: str = "") -> int:
        """Take back the last change instead of going on. Return the exit code.

        `files` names, as a shell does, files that other programs obey and that may change.
        """
        run = self.context
        async with run.exits:
            await run.enter()
            await run.executor.settle()
            if fault := await run_slash(run, self.person.reader, "undo", files):
                self.person.view.say(fault)
            return 1 if fault else 0

    async def go(self, play: Callable[[], Awaitable[End]] | None = None, *, signals: bool = True) -> End:
        """Run to the end, by `play` or by the agent's turns. Return the end event. Always close everything.

        Without `signals`, those of the process are left to the program that opened the run.
        """
        async with self.context.exits as exits:
            reader, agent = self.person.reader, self.agent
            lines = [*self.greeting, *await self.context.enter(), *(await self.team.enter() if self.team else ())]
            if signals:  # earlier, they end the program
                on_signals(SIGINT=agent.interrupt, SIGTERM=agent.leave, SIGHUP=agent.leave)
            for line in lines:
                self.person.view.say(line)
            reader.on_interrupt = agent.interrupt
            exits.push_async_callback(reader.close)
            await reader.open()
            return await (play or (self.team or agent).run)()


def _person(run: RunContext, person: HumanApprover) -> Approver:
    """Return the person, who decides unless a program opens the run for somebody else."""
    return person


async def open_request(request: Request, approver_of: Callable[[RunContext, HumanApprover], Approver] = _person) -> Run:
    """Open everything for the first turn. Raises UsageError, InUse or SessionError, with all locks released.

    `approver_of` gets the run and the person at its terminal, and returns who decides about calls.
    """
    person: HumanApprover

    def make_approver(run: RunContext) -> Approver:
        nonlocal person
        if run.first is not None:
            return approver_of(run, person.of_bot(run))
        history, as_json = config.session.root / "input_history", request.json or request.trial
        person = open_console(run, config.console, history, config.own_mask, request.console, as_json=as_json)
        return approver_of(run, person)

    async with AsyncExitStack() as exits:
        config, mode, session = _open_session(request, exits)
        context, beside, goals = await _open_context(request, config, mode, session, make_approver, exits)
        agent, fold = _main_agent(context, mode, config.section(mode.verb), person)
        config.refuse_unknown()
        others = [_agent_of(each, Transcript(each.options.prompt, each.registry.describe)) for each in beside]
        exits.callback(_replay(context, fold, others).write)
        team = Team(agent, others) if others else None
        views = [] if request.trial else [person.view.event]
        from_first = request.json or request.console is not None
        context.journal.viewers += views if from_first else []
        recorded = RecordedSettings.of(config, mode, context.priced.kind, request.profile)
        _begin(context, session, goals, recorded.values)
        if team is not None:
            resumed = session.id if session.resumed else ""
            team.begin(continuous=context.options.gate.continuous, resumed=resumed)
        context.journal.viewers += [] if from_first else views
        lines = weak_secrets(config.mask) if from_first else greeting(context, session.resumed)
        await context.exits.enter_async_context(exits.pop_all())
        return Run(agent, person, [*lines, *context.notices], team)


def _open_session(request: Request, exits: AsyncExitStack) -> tuple[Config, Mode, Session]:
    """Return the settings and the mode, with a new session or with the one to resume.

    The first settings of a resumed run count, its profile too, unless a flag replaces them.
    """
    flags = {**request.flags, **request.own.names()}
    config = read_run_config(flags, request.profile, request.mode)
    root = config.session.root
    folder = Path(exits.enter_context(tempfile.TemporaryDirectory())) if request.trial else root
    session = resume(root, request.resume) if request.resume and not request.trial else create(folder)
    exits.callback(session.close)
    if session.options is None:
        return config, request.mode, session
    recorded = RecordedSettings(session.options)
    if recorded.profile and not request.profile:
        config = read_run_config(flags, recorded.profile, request.mode)
    recorded.check(request.mode, config.given, request.goals)
    return config.with_given({**recorded.under(config.given), "state_dir": root}), recorded.mode, session


async def _open_context(
    request: Request,
    config: Config,
    mode: Mode,
    session: Session,
    make_approver: Callable[[RunContext], Approver],
    exits: AsyncExitStack,
) -> tuple[RunContext, list[RunContext], list[Goal]]:
    """Open what the agents of a run share, each part after those that it needs.

    Return it with the contexts of the other bots, and with the request's goals.
    """
    stored, state_dir = config.session, config.session.root if request.flags.get("state_dir") else None
    options = RunOptions(config.limits, config.gate, config.prompt, config.agents, mode.verb, state_dir)
    debug = partial(store_exchange, session.folder / "debug", config.mask) if config.console.debug else None
    owns = request.own
    choice = BrainChoice.of(config.run, config.openai, config.models, stored.root, debug, mode.brain, owns.brain)
    choice.check()
    if config.openai.local and is_weak(config.openai.key):  # a key of plain words at a local server is no secret
        config.mask.keep(config.openai.key)
    servers = resolve_name(MCP.read_servers)(config)
    workspace = open_workspace(config, mode.verb, [each.started for each in servers])
    if not request.trial:
        exits.callback(lock_workspace(stored.root, workspace.root).close)
    own, resumed = config.section(config.run.world), bool(session.resumed)
    world = open_world(WorldOptions(config.run, own, config.given, session.folder, stored.root, resumed), owns.world)
    items = await run_in_thread(lambda: world.items)  # what knows them may have to be fetched
    goals = _read_goals(request.goals, config.run.example, items, needed=not (resumed or mode.agent))
    journal = Journal(session.folder, durable=stored.durable, mask=config.mask)
    exits.callback(journal.close)
    texts = [goal.text for goal in (session.first.goals if session.first else goals)]
    backend = config.run.memory if request.recall else "none"
    remembered = (backend, config.memory, config.openai, stored.root)
    memory = await asyncio.to_thread(
        open_memory_of, *remembered, durable=stored.durable, goals=texts, given=owns.memory
    )
    exits.push_async_callback(asyncio.to_thread, memory.close)
    exits.push_async_callback(world.close)
    bots = _worlds_beside(world, request, mode)
    for each in bots:
        exits.push_async_callback(each.close)
    state, capped = State(), options.limits.max_cost is not None
    journal.payers.append(state.pay)
    brain = choice.open(world, state, journal.answers, config.own_mask, needs_prices=capped)
    exits.push_async_callback(brain.brain.close)
    check_goals(() if request.any_goal else goals, items, asks_model=brain.brain.asks_model)
    opening = resolve_name(MCP.open_servers)(servers, config.own_mask, start=not request.trial)
    others = await exits.enter_async_context(opening)
    tools = [command for server in others for command in server.commands()]
    registry = make_registry(config, workspace, session.folder, [*world.commands(), *tools])
    config.mask.keep(*items, *(command.name for command in registry.everything()))
    rules = PolicyRules(config.policy.rule, config.source_of("policy", "rule"))
    if options.gate.policy is not None:
        rules = read_policy_file(options.gate.policy, config.sources.check_confirmed)
    policy = read_policy(rules.tables, rules.source, registry)
    families = config.commands.families(await _window(config, brain.brain))
    registry.list_only(families, policy.denied())
    unused = config.openai.unused_address(config.environment)
    notices = [*config.sources.misspelt(), *unused, *(line for server in others for line in server.lines)]
    parts = (journal, world, memory, brain, _named(options, world) if bots else options, state, registry, policy)
    context = RunContext(*parts, make_approver, workspace, notices)
    beside = []
    for each in bots:
        own_journal, own_state = BotJournal(journal, each.bot), State()
        own_brain = replace(brain, brain=choice.make(each, own_state, own_journal.answers))
        exits.push_async_callback(own_brain.brain.close)
        own_registry = make_registry(config, workspace, session.folder, [*each.commands(), *tools])
        own_registry.list_only(families, policy.denied())
        own_memory = memory if brain.brain.reads_prompt else NoMemory()
        parts = (own_journal, each, own_memory, own_brain, _named(options, each), own_state, own_registry, policy)
        beside.append(RunContext(*parts, make_approver, workspace, first=context))
    return context, beside, goals


def _worlds_beside(world: World, request: Request, mode: Mode) -> Sequence[SharedWorld]:
    """Return the worlds of the bots beside the first one. Raises UsageError where a run can have one bot alone."""
    worlds: Sequence[SharedWorld] = world.bots if isinstance(world, SharedWorld) else ()
    if len(worlds) > 1:
        if mode.agent or request.any_goal:
            raise UsageError(f"--bots {len(worlds)}: only 'autocraft run' lets several bots play; leave --bots out")
        if request.own.brain is not None:
            why = f"--bots {len(worlds)} needs a brain for each bot, and a program brings one"
            raise UsageError(f"{why}: give its class a name by an entry point, or leave --bots out")
    return worlds[1:]


def _named(options: RunOptions, world: Any) -> RunOptions:
    """Return the options of one of several bots, whose agent has the name of its player in the world."""
    return replace(options, prompt=replace(options.prompt, ai_name=world.player))


async def _window(config: Config, brain: Brain) -> int:
    """Return the window of the model that plays, 0 if it is unknown or if it does not matter."""
    if config.commands.commands or config.prompt.window or not isinstance(brain, HasWindow):
        return config.prompt.window
    return await brain.window("smart")


def _read_goals(texts: Sequence[str] | None, example: str, items: frozenset[str], *, needed: bool) -> list[Goal]:
    """Return the goals, or the goal of an example. Raises UsageError if there is none and one is `needed`."""
    goals = [read_goal(text, items) for text in texts or () if text.strip()]
    if goals or texts is None or not needed:
        return goals
    if not example:
        raise UsageError('no goal: give one with --goal "craft 1 stone_pickaxe"')
    from autocraft.crafting.examples import load_example

    return [load_example(example).goal]


def _main_agent(run: RunContext, mode: Mode, own: Any, person: HumanApprover) -> tuple[Agent, Fold]:
    """Return the main agent of a run, and the fold of events that its prompt is written from.

    `own` are the settings of the mode, if it makes its agent itself.
    """
    if mode.agent:
        made: tuple[Agent, Fold] = resolve_name(mode.agent)(run, own, person.delta)
        return made
    transcript = Transcript(run.options.prompt, run.registry.describe)
    return _agent_of(run, transcript, person.delta), transcript


def _agent_of(run: RunContext, transcript: Transcript, on_delta: Callable[[Delta], None] | None = None) -> Agent:
    """Return the agent of a bot, which pursues the goals of the run."""
    schema = command_schema(run.registry) if run.priced.brain.metered else None
    parts = (run.state, run.options.limits, run.registry, transcript, run.memory)
    return Agent(run, AgentSpec(*parts, schema=schema, on_delta=on_delta))


def _replay(run: RunContext, fold: Fold, others: Sequence[Agent]) -> Snapshots:
    """Restore the folds and the world of the run. Raises SessionError."""
    folds = {each.context.journal.bot: _folds(each.context, each.spec.prompter) for each in others}
    snapshots = Snapshots(run.journal, _folds(run, fold), folds)
    snapshots.replay(
        lambda: [seq for each in (run, *(one.context for one in others)) for seq in each.state.open_intents]
    )
    if run.state.world is not None:
        try:
            run.world.restore(run.state.world)
        except UsageError as error:
            Events(run.journal.folder).damaged_world(str(error))
    return snapshots


def _folds(run: RunContext, fold: Any) -> dict[str, Fold]:
    return {"state": run.state, "transcript": fold, "helpers": run.helpers}


def _begin(run: RunContext, session: Session, goals: Sequence[Goal], recorded: Json) -> None:
    """Journal the first event of a new session, or the changes of a resume."""
    continuous = run.options.gate.continuous
    if session.resumed:
        run.journal.append(Permission(text=session.resumed, session=session.id, continuous=continuous, budget=0))
        resume_with_goals(run, goals)
        return
    world = run.world.snapshot()
    first = Goals(session=session.id, goals=tuple(goals), options=recorded, world=world, continuous=continuous)
    run.journal.append(first, sync=True)


def every_command(config: Config) -> Registry:
    """Return the commands of a run with these settings, to be listed. Nothing is opened."""
    servers = resolve_name(MCP.read_servers)(config)
    workspace = open_workspace(config, started=[each.started for each in servers])
    tools = [command for server in servers for command in server.commands()]
    outer = [*commands_of(world_class(config.run.world)), *tools]
    return make_registry(config, workspace, config.session.root / "sessions", outer)
