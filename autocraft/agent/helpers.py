"""Helpers of the main agent: each has turns of the loop, a transcript and a share of the limits, in the same journal.

Every event carries its agent's name. Questions pass the same gate and the same person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from autocraft.agent.effects import Effects
from autocraft.agent.ending import Ending, RunEnded, accepted_end
from autocraft.agent.gate import Gate, GateSettings
from autocraft.agent.helper_states import Helper, Helpers
from autocraft.agent.limits import Limits, exceeded
from autocraft.agent.loop import PATIENCE, Loop
from autocraft.agent.policy import Policy
from autocraft.agent.state import State
from autocraft.agent.thinker import Thinker
from autocraft.agent.transcript import PromptSettings, Transcript
from autocraft.commands.registry import Registry
from autocraft.errors import AutocraftError, CommandError, UsageError
from autocraft.memory.none import NoMemory
from autocraft.protocols import (
    Approver,
    Brain,
    Call,
    Check,
    Command,
    Decision,
    Json,
    Observation,
    Plan,
    Result,
    Risk,
    World,
    command,
    commands_of,
)
from autocraft.session.events import Deleted, Message, Spawn
from autocraft.session.journal import Journal
from autocraft.settings.settings import setting
from autocraft.usage import Price

REPLY = "reply"


@dataclass(frozen=True)
class AgentSettings:
    """How much helpers may use."""

    agents: int = setting(5, doc="helpers at the same time", power=True)
    agent_steps: int = setting(10, doc="turns of a helper before it must have replied", power=True)
    agent_share: int = setting(
        4, doc="a helper may use one part in so many of the tokens and dollars that are left", power=True
    )


class Nowhere:
    """The world of a helper: it has no body, so there is nothing to see but what it looks up."""

    name = "nowhere"
    items: frozenset[str] = frozenset()

    async def observe(self) -> Observation:
        return Observation("You have no body in the world. Look things up with your commands.", {})

    def commands(self) -> list[Command]:
        return []

    async def check(self, goal: object) -> Check:
        return Check("cannot tell", "a helper has no body")

    async def plan(self, goals: object, *, low_level: bool = False) -> Plan:
        return Plan("not found", why="a helper has no body")

    def snapshot(self) -> Json | None:
        return None

    def restore(self, snapshot: Json) -> None:
        return

    async def close(self) -> None:
        return


class Replies:
    """The one command that every helper has of its own."""

    @command(help="Say your answer to the main agent; your work ends until you are spoken to again", risk=Risk.LOOK)
    async def reply(self, call: Call, text: str) -> Result:
        return Result(text, end=REPLY)


class HelperGate(Gate):
    """The same gate; to reply is no effect, and the whole run's continuous mode counts for helpers too.

    What the person says while a helper works is for the main agent: the helper's command is refused, and it stops.
    """

    main: State
    leave: Callable[[RunEnded], None]

    async def decide(self, call: Call, changed: str = "") -> Decision:
        """What the person ends at a helper's question, as with /quit, is the whole run; ``n`` stops the helper.

        Nobody is asked about a reply, and no rule is about it: a policy cannot name it.
        """
        if call.name == REPLY:
            return self._record(Decision("run", call, by=REPLY))
        try:
            return await super().decide(call, changed)
        except RunEnded as ended:
            self.leave(ended)
            raise

    def standing(self, call: Call) -> str:
        return "continuous" if self.main.continuous else super().standing(call)

    def unheard(self) -> bool:
        return bool(self.main.unheard)


@dataclass
class Agents:
    """Lets the helpers of a run work; the leader of `commands/agents.py`."""

    brain: Brain
    prices: Mapping[str, Price | None]
    approver: Callable[[], Approver]
    registry: Callable[[], Registry]
    world: World
    journal: Journal
    main: State
    limits: Limits
    gating: GateSettings
    policy: Callable[[], Policy]
    settings: AgentSettings
    prompt: PromptSettings
    helpers: Helpers = field(init=False)
    left: RunEnded | None = None
    """How the person ended the whole run at a helper's question."""

    def __post_init__(self) -> None:
        self.helpers = Helpers(self.journal, self._transcript)
        for name in ("agents", "agent_steps", "agent_share"):
            if getattr(self.settings, name) < 1:
                raise UsageError(f"agents.{name} must be 1 or more, not {getattr(self.settings, name)}")

    def _transcript(self, name: str, grants: Sequence[str]) -> Transcript:
        prompt = replace(self.prompt, ai_name=name)
        return Transcript(prompt, self._registry(grants).describe(), name, "agent.j2")

    def registry_of(self, name: str) -> Registry | None:
        """What a helper of this name may call; None where there is none."""
        helper = self.helpers.live.get(name)
        return None if helper is None else self._registry(helper.grants)

    # ------------------------------------------------------------ what the commands ask for

    def allowed(self, grants: Sequence[str]) -> list[str]:
        """Commands that only look, then the grants. Raises CommandError for one that is none or cannot be given."""
        registry = self.registry()
        for name in grants:
            found = registry.named(name)
            if found is None or not _can_be_given(found) or registry.off_by(found):
                raise CommandError(f"{name[:60]!r} cannot be granted; grant commands of your own list, by name")
        return [each.name for each in self._given(grants)]

    def _given(self, grants: Sequence[str]) -> list[Command]:
        """Each command once, under whatever names it was granted; what this run has switched off is left out."""
        registry = self.registry()
        known = [each for each in registry.commands() if _can_be_given(each)]
        looks = [each for each in known if each.risk is Risk.LOOK and not each.asks]
        granted = {found.name for name in grants if (found := registry.named(name)) is not None}
        return [*looks, *(each for each in known if each.name in granted and each not in looks)]

    async def start(self, call: Call, name: str, task: str, prompt: str, grants: Sequence[str]) -> tuple[int, str]:
        """Make a helper and hear its first reply; after a kill, the helper that this very call had made."""
        made = self.helpers.of_call(call.id)
        if made is None:
            self._check_room(name)
            self.allowed(grants)
            spawn = Spawn(
                agent=name,
                text=f"agent {name} was started",
                key=self.helpers.made + 1,
                task=task,
                grants=list(grants),
                call=call.id,
                **self._share(),
            )
            self.journal.append(spawn)
            made = self.helpers.live[name]
        return made.key, await self._talk(made, call.id, f"Your task: {task}\n\n{prompt}".strip())

    async def message(self, call: Call, key: int, text: str) -> str:
        return await self._talk(self._found(key), call.id, text)

    def roster(self) -> list[tuple[int, str, str]]:
        return [(each.key, each.name, each.task) for each in self.helpers.live.values()]

    def delete(self, call: Call, key: int) -> str:
        """Once, although a call is carried out again after a kill."""
        name = self.helpers.deleted.get(call.id)
        if name is None:
            name = self._found(key).name
            self.journal.append(Deleted(agent=name, text=f"agent {name} was deleted", key=key, call=call.id))
        return name

    def _found(self, key: int) -> Helper:
        helper = self.helpers.of_key(key)
        if helper is None:
            raise CommandError(f"Agent {key} does not exist. list_agents shows the keys of those that do.")
        return helper

    def _check_room(self, name: str) -> None:
        if not self.brain.reads_prompt and self.brain.name == "planner":
            raise CommandError("the built-in planner leads no helpers; they need a model")
        if name in self.helpers.live:
            raise CommandError(f"there is an agent called {name} already; message it, or choose another name")
        if len(self.roster()) >= self.settings.agents:
            raise CommandError(f"there are {self.settings.agents} agents already; delete one first")

    def _share(self) -> Json:
        """A part of what is left of the run's tokens and dollars; None where there is no limit."""
        part, spent = self.settings.agent_share, self.main.spent
        tokens = None if self.limits.max_tokens is None else (self.limits.max_tokens - spent.tokens) // part
        cost = None if self.limits.max_cost is None else (self.limits.max_cost - spent.cost) / part
        return {"max_tokens": tokens, "max_cost": cost}

    # ------------------------------------------------------------ turns

    async def _talk(self, helper: Helper, id: str, message: str) -> str:
        """Give the message, once, and let the helper take turns until it replies."""
        if id not in helper.asked:
            text = f"to {helper.name}: {message}"
            self.journal.append(Message(agent=helper.name, text=text, message=message, call=id))
        loop = self._loop(helper)
        try:
            while True:
                await loop.turn()
        except RunEnded as ended:
            return ended.why
        except AutocraftError as error:
            return f"Agent {helper.name} could not go on: {error}"

    def _loop(self, helper: Helper) -> Loop:
        registry, state = self._registry(helper.grants), helper.state
        nowhere, nothing = Nowhere(), NoMemory()
        thinker = Thinker(
            self.brain,
            helper.transcript,
            nowhere,
            nothing,
            registry,
            self.journal,
            state,
            helper.limits,
            lambda delta: None,
            self.prices,
            role="fast",
            also=((self.limits, self.main),),
        )
        gate = HelperGate(self.approver(), state, self.journal, self.gating, registry, self.policy())
        gate.main, gate.leave = self.main, self._leave
        effects = Effects(registry, self.world, self.journal, self.main, self.policy().denied)
        ending = Ending(self.journal, state, nowhere, nothing, lambda stopped: "")
        parts = (thinker, gate, effects, ending, self.journal, state, helper.limits)
        return Loop(*parts, rules=lambda: self._check(helper))

    def _leave(self, ended: RunEnded) -> None:
        self.left = ended

    def _check(self, helper: Helper) -> None:
        """Raise RunEnded where a helper's turns are over, with what the main agent is told."""
        replied = accepted_end(helper.state.turn.result)
        if replied is not None:
            raise replied
        if self.main.unheard:
            raise RunEnded("stopped", 4, f"Agent {helper.name} stopped, since the person said something.")
        steps = helper.state.turns - helper.begun
        over = exceeded(helper.limits, helper.state.spent) or exceeded(self.limits, self.main.spent)
        if steps >= self.settings.agent_steps or over is not None:
            why = f"{steps} turns" if over is None else over[0]
            raise RunEnded("limit", 3, f"Agent {helper.name} has not replied within its limits ({why}).")
        if max(helper.state.repetition, helper.state.invalid_in_a_row) >= PATIENCE:
            raise RunEnded("stuck", 3, f"Agent {helper.name} repeats itself or cannot be read; it was stopped.")

    def _registry(self, grants: Sequence[str]) -> Registry:
        return Registry([*self._given(grants), *commands_of(Replies())], mask=self.journal.mask)


def _can_be_given(command: Command) -> bool:
    """Whether a helper may have this command at all."""
    return command.offered and command.family != "agents"
