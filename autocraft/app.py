"""Joins the parts of a run by name, importing what is chosen.

`open_run` makes or resumes a session and hands every part what it needs; `Run.go` runs it to its end.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autocraft import parts
from autocraft.agent.effects import Effects
from autocraft.agent.ending import Ending
from autocraft.agent.forecast import Forecast, forecast
from autocraft.agent.gate import Gate, GateSettings
from autocraft.agent.helpers import Agents, AgentSettings
from autocraft.agent.limits import Limits
from autocraft.agent.loop import Loop
from autocraft.agent.plan_only import Foreseen, rehearse
from autocraft.agent.program_gate import Granted
from autocraft.agent.state import State
from autocraft.agent.thinker import Thinker
from autocraft.agent.transcript import PromptSettings, Transcript
from autocraft.brains.endpoint import OpenAISettings, open_client
from autocraft.commands.registry import Registry
from autocraft.commands.schema import command_schema
from autocraft.console.approver import Person
from autocraft.console.render import ConsoleSettings
from autocraft.console.slash import Desk
from autocraft.errors import UsageError
from autocraft.goals import Goal
from autocraft.kit import Kit, make_registry
from autocraft.parts import RunSettings
from autocraft.protocols import Args, Brain, Call, Json, Memory, Message, World
from autocraft.sections import read_settings
from autocraft.session.atomic import write_atomic
from autocraft.session.events import End, Goals, Permission
from autocraft.session.folder import Session, SessionSettings, create, lock_workspace, private_folder, resume, writable
from autocraft.session.journal import Journal, encode
from autocraft.session.snapshot import Snapshots
from autocraft.settings.settings import Settings

if TYPE_CHECKING:
    from autocraft.evaluation.players import Player


@dataclass
class Request:
    """What the command line asked for; `flags` are settings, None where not given."""

    goals: Sequence[str] = ()
    flags: Mapping[str, Any] = field(default_factory=dict)
    resume: str = ""
    profile: str = ""
    json: bool = False
    silent: bool = False
    """Nothing is shown and no lock is taken, as for a preview."""


@dataclass
class Run:
    """An open run: the loop, and what must be closed after it."""

    session: Session
    loop: Loop
    person: Person
    brain: Brain
    world: World
    memory: Memory
    journal: Journal
    snapshots: Snapshots
    greeting: list[str]
    closing: Sequence[Callable[[], Awaitable[None]]] = ()
    """What commands opened and must be closed."""

    async def undo(self) -> int:
        """Take back the last change instead of going on; returns the exit code."""
        try:
            await parts.enter(self.world, self.journal)
            await self.loop.effects.settle()
            result = await self.loop.effects.act(self.loop.effects.registry.bind("undo", {}, agent="person"))
            return 0 if result.ok else 1
        finally:
            await self._close()

    async def go(self) -> End:
        """Run to the end; returns the end event. Everything is closed whatever happens."""
        self._listen_to_signals()
        self.person.reader.on_interrupt = self.loop.interrupt
        try:
            for line in [*self.greeting, *await parts.enter(self.world, self.journal)]:
                self.person.view.say(line)
            await self.person.reader.open()
            return await self.loop.run()
        finally:
            await self._close()

    async def _close(self) -> None:
        await self.person.reader.close()
        await self.brain.close()
        for close in self.closing:
            await close()
        await self.world.close()
        self.memory.close()
        self.snapshots.write()
        self.journal.close()
        self.session.close()

    def _listen_to_signals(self) -> None:
        """Ctrl-C pauses; a closed terminal or a polite kill leaves. What Windows lacks is passed over."""
        running = asyncio.get_running_loop()
        for name, action in (
            ("SIGINT", self.loop.interrupt),
            ("SIGTERM", self.loop.leave),
            ("SIGHUP", self.loop.leave),
        ):
            if hasattr(signal, name):
                with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                    running.add_signal_handler(getattr(signal, name), action)


def open_run(request: Request) -> Run:
    """Everything up to the first turn. Raises UsageError, InUse or SessionError with nothing left locked."""
    settings = read_settings(request.flags, request.profile)
    root = settings.fill(SessionSettings, "session").root
    session = resume(root, request.resume) if request.resume else create(root)
    try:
        begun = (session.options or {}).get("profile")
        if begun and not request.profile:  # the endpoint that the run began with
            request = replace(request, profile=begun)
            settings = read_settings(request.flags, request.profile)
        return _Assembly(request, settings, session, root).run()
    except BaseException:
        session.close()
        if session.first is None:
            session.discard()
        raise


def open_player(flags: Mapping[str, Any], profile: str) -> Player:
    """Who plays in an evaluation. Raises UsageError."""
    from autocraft.evaluation.players import OpenAIPlayer, PlannerPlayer

    settings = read_settings(flags, profile)
    options, endpoint = settings.fill(RunSettings, "run"), settings.fill(OpenAISettings, "openai")
    kind = parts.brain_kind(options, endpoint)
    if kind == "planner":
        if flags.get("smart_model"):
            raise UsageError("--model belongs to a brain that asks one, and the planner would play: add --brain openai")
        return PlannerPlayer()
    if kind != "openai":
        raise UsageError(f"an evaluation is played by planner or openai, not by {kind[:60]!r}")
    parts.check_flags(options, Limits(), GateSettings())
    parts.check_endpoint(endpoint)
    root = settings.fill(SessionSettings, "session").root
    settings.refuse_unknown(sections_too=False)
    return OpenAIPlayer(endpoint, root / "abilities.json", options.price_in, options.price_out, settings.mask)


async def preview(request: Request) -> tuple[list[Message], Forecast]:
    """Exactly the first prompt that a run would send, and an estimate of the whole run; nothing is kept."""
    with _unkept(request) as run:
        try:
            messages = await run.loop.thinker.prompt()
            return messages, await forecast(run.loop.thinker, messages)
        finally:
            await run.world.close()


async def plan_only(request: Request, say: Callable[[str], None]) -> list[Foreseen]:
    """What would be asked, allowed and denied; a model is asked once, nothing is carried out and nothing kept.

    `say` is told which model that is and at what address.
    """
    with _unkept(request) as run:
        try:
            for line in run.greeting:
                say(line)
            return await rehearse(run.loop.thinker, run.loop.gate)
        finally:
            await run.brain.close()
            await run.world.close()


@contextlib.contextmanager
def _unkept(request: Request) -> Iterator[Run]:
    """A run whose session is gone afterwards."""
    settings = read_settings(request.flags, request.profile)
    root = settings.fill(SessionSettings, "session").root
    with tempfile.TemporaryDirectory() as folder:
        session = create(Path(folder))
        try:
            yield _Assembly(replace(request, json=True, silent=True), settings, session, root).run()
        finally:
            session.close()


def every_command(settings: Settings) -> Registry:
    """The commands of a run with these settings, to be listed; nothing is made or opened for good."""
    from autocraft.commands.agents import NoLeader
    from autocraft.commands.control import nobody
    from autocraft.commands.running import Unattended
    from autocraft.commands.workspace import Workspace
    from autocraft.memory import open_memory

    options = settings.fill(RunSettings, "run")
    with tempfile.TemporaryDirectory() as folder:
        session = create(Path(folder))
        world = parts.open_world(replace(options, inventory="", example=""), settings, session.folder)
        journal = Journal(session.folder)
        try:
            workspace, memory = Workspace(options.workspace), open_memory("none")
            memory.name = options.memory  # so that a memory that is switched off is listed as such
            kept = (settings, session, world, workspace, memory, journal, State())
            return make_registry(Kit(*kept, NoLeader(), nobody, None, lambda *_: "", object, Unattended()))
        finally:
            journal.close()
            session.close()


class _Assembly:
    """The parts of one run while they are being joined."""

    def __init__(self, request: Request, settings: Settings, session: Session, root: Path) -> None:
        self.request = request
        self.session = session
        self.root = root
        old = session.options
        if old is not None:  # what the run began with stands unless a flag says otherwise
            parts.check_resume(settings.flags, old)
            settings.flags = {**old, **settings.flags}
        self.settings = settings
        self.resumed = old is not None
        self.kind = ""
        self.options = settings.fill(RunSettings, "run")
        self.limits = settings.fill(Limits, "limits")
        self.gating = settings.fill(GateSettings, "gate")
        self.prompt = settings.fill(PromptSettings, "prompt")
        self.shown = settings.fill(ConsoleSettings, "console")
        parts.check_flags(self.options, self.limits, self.gating, settings.flags)

    def run(self) -> Run:
        """Make every part, in the order in which they need each other."""
        state = State()
        workspace = parts.open_workspace(self.options.workspace, self.root)
        if not self.request.silent:
            self.session.locks.append(lock_workspace(self.root, workspace.root))
        world = parts.open_world(self.options, self.settings, self.session.folder, resumed=self.resumed)
        goals = parts.read_goals(self.request.goals, self.options, world, resumed=self.resumed)
        durable = self.settings.fill(SessionSettings, "session").durable
        begun = self.session.first.goals if self.session.first else goals
        memory = parts.open_memory_of(self.options, self.root, durable=durable, settings=self.settings, goals=begun)
        journal = Journal(self.session.folder, durable=durable, mask=self.settings.mask)
        endpoint = self.settings.fill(OpenAISettings, "openai")
        self.kind = parts.brain_kind(self.options, endpoint)
        brain, prices = parts.open_brain(
            self.options, endpoint, world, state, journal, self.limits, self.root / "abilities.json", self._keeper()
        )
        if brain.name == "planner":
            parts.check_plannable(goals, world)
        agents = Agents(
            brain, prices, lambda: person, lambda: registry, world, journal, state, self.limits, self.gating,
            lambda: policy, self.settings.fill(AgentSettings, "agents"), self.prompt,
        )  # fmt: skip
        granted = Granted(
            lambda: effects, lambda: person, journal, state, self.gating, lambda: policy, lambda: loop.waiting()
        )
        kit = Kit(
            self.settings, self.session, world, workspace, memory, journal, state, agents,
            lambda question: person.answer(question),
            None if brain.name == "planner" else lambda prompt, role: thinker.ask(prompt, role),
            lambda call, onward: policy.objection(call, onward),
            partial(open_client, endpoint), granted, limits=self.limits,
        )  # fmt: skip
        registry = make_registry(kit)
        self.settings.mask.keep(*world.items, *(each.name for each in registry.everything()))
        policy = parts.open_policy(self.settings, self.gating.policy, workspace.root, registry)
        known = (registry, world, journal, state, policy.denied, agents.registry_of)
        effects = Effects(*known, lambda: agents.left or granted.left)
        transcript = Transcript(self.prompt, registry.describe())
        accept = partial(parts.accept_goal, brain, world)
        desk = Desk(state, journal, registry, effects, world, memory, accept, self.settings.own_mask)
        person = self._person(desk, brain.name)
        schema = command_schema(registry) if brain.metered else None
        shared = (brain, transcript, world, memory, registry, journal, state, self.limits, person.view.delta, prices)
        thinker = Thinker(*shared, schema)
        loop = Loop(
            thinker,
            Gate(person, state, journal, self.gating, registry, policy),
            effects,
            Ending(journal, state, world, memory, workspace.digest),
            journal,
            state,
            self.limits,
        )
        self.settings.refuse_unknown()
        snapshots = Snapshots(journal, {"state": state, "transcript": transcript, "helpers": agents.helpers})
        self._replay(snapshots, state, world, memory)
        if self.request.json and not self.request.silent:
            journal.viewers.append(person.view.event)
        self._begin(journal, world, goals)
        if not self.request.json:
            journal.viewers.append(person.view.event)
        greeting = self._greeting(brain, endpoint, memory, state)
        return Run(self.session, loop, person, brain, world, memory, journal, snapshots, greeting, kit.closing)

    def _replay(self, snapshots: Snapshots, state: State, world: World, memory: Memory) -> None:
        """Bring the folds and the world to where the run stood. Raises SessionError with nothing left open."""
        try:
            snapshots.replay(lambda: state.open_intents)
            parts.restore_world(world, state.world, self.session.folder)
        except BaseException:
            memory.close()
            snapshots.journal.close()
            raise

    def _begin(self, journal: Journal, world: World, goals: tuple[Goal, ...]) -> None:
        """The first event of a new session, or what a resume changes."""
        if self.resumed:
            continuous, session = self.gating.continuous, self.session.id
            journal.append(Permission(text=self._resumed(), session=session, continuous=continuous, budget=0))
            if goals:
                journal.append(Goals(goals=goals))
            return
        begun = Goals(
            session=self.session.id,
            goals=goals,
            options=self._kept(),
            world=world.snapshot(),
            continuous=self.gating.continuous,
        )
        journal.append(begun, sync=True)

    def _kept(self) -> Json:
        """Return the settings that a resume takes over. Raises UsageError where the journal could not hold one."""
        kept = {**asdict(self.options), **asdict(self.limits)}
        kept |= {"brain": self.kind, "profile": self.request.profile}
        kept |= {"ai_name": self.prompt.ai_name, "ai_role": self.prompt.ai_role, "continuous_limit": None}
        if self.options.world == "minecraft":  # the same server, account and bounds
            kept |= parts.minecraft_settings(self.settings)
        kept["policy"] = self.gating.policy or self.settings.origins.get(("policy", "rule"))  # a resume keeps its rules
        for name in ("workspace", "script", "policy"):  # another folder may be the current one when it is resumed
            kept[name] = str(Path(kept[name]).absolute()) if kept[name] else None
        return writable({name: value for name, value in kept.items() if value not in (None, "")}, self.settings.mask)

    def _person(self, desk: Desk, brain: str) -> Person:
        reader, view, typed = parts.open_console(
            self.request.json, self.prompt.ai_name, brain, self.shown, desk, self.limits, self.root / "input_history"
        )
        attended = typed or not self.gating.continuous

        def bind(name: str, args: Args, agent: str) -> Call:
            return desk.registry.bind(name, args, agent=agent)

        return Person(reader, view, desk, bind, attended=attended)

    def _keeper(self) -> Callable[[Json], None] | None:
        """With --debug, keeps every request and answer in the session, one file each."""
        if not self.shown.debug:
            return None
        folder = private_folder(self.session.folder / "debug")

        def keep(exchange: Json) -> None:
            write_atomic(
                folder / f"{len(list(folder.iterdir())) + 1:04}.json",
                encode(self.settings.mask.value(exchange)),
                sync=False,
            )

        return keep

    def _resumed(self) -> str:
        torn = f"; a torn last line of {self.session.torn} bytes was dropped" if self.session.torn else ""
        return f"resumed{torn}"

    def _greeting(self, brain: Brain, endpoint: OpenAISettings, memory: Memory, state: State) -> list[str]:
        named = parts.brain_line(brain, endpoint, self.settings.own_mask)
        if self.request.silent:
            return [named] if brain.metered else []
        if self.request.json:
            return parts.weak_secrets(self.settings.mask)
        lines = [f"Session {self.session.id}{' ' + self._resumed() if self.resumed else ''}"]
        if brain.name == "planner" and not self.options.brain:
            lines.append("Brain: the built-in planner, since neither OPENAI_API_KEY nor OPENAI_BASE_URL is set")
        else:
            lines.append(named)
        lines += [f"Using memory of type:  {memory.name}", *parts.weak_secrets(self.settings.mask)]
        lines += [f"Goal: {parts.shown(goal.text)}" for goal in state.goals]
        if self.gating.continuous:
            lines.append("Continuous mode: every command runs without a question. Ctrl-C stops it.")
        return lines
