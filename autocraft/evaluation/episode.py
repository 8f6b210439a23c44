"""One example played to its end by the loop's own turn, and what came of it as a value."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from autocraft.agent.effects import Effects
from autocraft.agent.ending import Ending, RunEnded
from autocraft.agent.gate import Gate, GateSettings
from autocraft.agent.limits import Limits
from autocraft.agent.loop import Loop
from autocraft.agent.state import State
from autocraft.agent.thinker import Thinker
from autocraft.agent.transcript import PromptSettings, Transcript
from autocraft.commands.registry import Registry
from autocraft.commands.schema import command_schema
from autocraft.evaluation.conditions import STUCK_AFTER, Conditions
from autocraft.evaluation.dialogue import Dialogue
from autocraft.evaluation.fewshot import opening
from autocraft.evaluation.lines import line_of, read_line
from autocraft.evaluation.minima import minimum
from autocraft.evaluation.players import Player
from autocraft.evaluation.published import package_actions
from autocraft.evaluation.results import Ended, EpisodeResult, StepResult
from autocraft.evaluation.search import similar_recipes
from autocraft.evaluation.tools import EpisodeWorld, seen_text
from autocraft.memory.none import NoMemory
from autocraft.protocols import Brain, Decision, Json, Message, Proposal
from autocraft.session import events
from autocraft.session.folder import private_folder
from autocraft.session.journal import Journal
from autocraft.worlds.crafting.examples import Example
from autocraft.worlds.crafting.recipes import load_book

LINE_TOKENS = 256
"""Room for an answer of one line, as in the package."""
_ENDS: dict[str, Ended] = {
    "goal_reached": "success",
    "impossible": "impossible",
    "limit": "max_steps",
    "repetition": "stuck",
    "error": "infrastructure",
}


class Nobody:
    """The approver of an evaluation: nobody is asked, since every command only touches the example's own world."""

    attended = False

    async def decide(self, proposal: Proposal) -> Decision:
        return Decision("stop", by="nobody", why="an evaluation asks nobody")

    async def answer(self, question: str) -> str | None:
        return None

    async def attend(self) -> None:
        return


@dataclass
class EpisodeRules:
    """When an episode is over."""

    world: EpisodeWorld
    conditions: Conditions
    _held: list[Counter[str]] = field(default_factory=list)

    def check(self, state: State) -> None:
        """Raise RunEnded at the protocol's end; called once before every turn."""
        if state.turn.result is not None and state.turn.result.end == "impossible":
            raise RunEnded("impossible", 5, "the model said that it is impossible")
        if self.world.won:
            raise RunEnded("goal_reached", 0, f"{self.world.example.target} is held")
        if state.turns >= self.conditions.max_steps:
            raise RunEnded("limit", 3, f"{self.conditions.max_steps} steps are used up")
        self._held.append(Counter(self.world.table.counts()))
        last = self._held[-STUCK_AFTER - 1 :]
        if self.conditions.protocol == "paper" and len(last) > STUCK_AFTER and all(each == last[0] for each in last):
            raise RunEnded("repetition", 3, f"nothing that is held has changed in {STUCK_AFTER} steps")


class Recorder:
    """Folds the journal's events into the steps of a result."""

    def __init__(self, world: EpisodeWorld) -> None:
        self.world = world
        self.steps: list[StepResult] = []
        self._answer = ""
        self._args: Json = {}
        self._moves = 0

    def apply(self, event: events.Event) -> None:
        """Fold one event in."""
        match event:
            case events.Answer():
                self._answer = event.text
            case events.InvalidReply():
                self._add("unreadable", "", event.error, ok=False)
            case events.Intent():
                self._args = event.args
            case events.Result():
                self._add(event.command, line_of(event.command, self._args), event.text, ok=event.ok)

    def _add(self, kind: Any, action: str, text: str, *, ok: bool) -> None:
        moves = self.world.moves - self._moves
        self._moves = self.world.moves
        slots = self.world.snapshot()["slots"]
        self.steps.append(StepResult(kind, action, ok, text, self._answer, slots, moves))

    def dialogue(self, opening: str) -> list[Json]:
        """What was said, where no few-shot dialogue kept it."""
        said = [{"role": "user", "content": opening}]
        for step in self.steps:
            said += [{"role": "assistant", "content": step.answer}, {"role": "user", "content": step.text}]
        return said


async def play(example: Example, seed: int, conditions: Conditions, player: Player, folder: Path) -> EpisodeResult:
    """Play one episode, journaled in `folder`, to its end under `conditions`."""
    started = time.monotonic()
    world = EpisodeWorld(example, conditions, seed)
    start = world.snapshot()["slots"]
    opened = (await world.observe()).text
    state, recorder = State(), Recorder(world)
    brain, prices = player.brain(world, state)
    try:
        journal = Journal(_fresh(folder), mask=player.mask)
        loop, prompter = _loop(brain, prices, world, state, journal, conditions)
        journal.listeners += [state.apply, prompter.apply, recorder.apply]
        begun = events.Goals(
            goals=(example.goal,), options=conditions.to_json(), world=world.snapshot(), continuous=True
        )
        journal.append(begun)
        end = await loop.run()
        journal.close()
    finally:
        player.end()
    ended = _ENDS[end.reason]
    said = prompter.said if isinstance(prompter, Dialogue) else None
    dialogue = [_said(message) for message in said] if said else recorder.dialogue(opened)
    least, proven = (None, False) if example.impossible else await asyncio.to_thread(minimum, example.id)
    return EpisodeResult(
        example.id,
        seed,
        example.target,
        example.level,
        example.recipe_type,
        example.impossible,
        ended == "success" or (ended == "impossible" and example.impossible),
        ended,
        state.turns,
        world.moves,
        least,
        proven,
        package_actions().get(example.id),
        start,
        recorder.steps,
        dialogue,
        state.usage.prompt_tokens,
        state.usage.completion_tokens,
        state.cost if state.cost_known else None,
        round(time.monotonic() - started, 3),
        dict(world.table.counts()),
        end.why if ended == "infrastructure" else "",
    )


def _loop(
    brain: Brain, prices: Any, world: EpisodeWorld, state: State, journal: Journal, conditions: Conditions
) -> tuple[Loop, Dialogue | Transcript]:
    """The parts of one episode, joined."""
    registry, memory, limits = Registry(world.commands(), mask=journal.mask), NoMemory(), Limits()
    lines = conditions.prompt == "paper" and brain.reads_prompt
    prompter: Dialogue | Transcript
    if lines:
        allowed = conditions.commands
        settings = PromptSettings(reply_tokens=LINE_TOKENS)
        opened = opening(allowed, search=_example_search(conditions), observe=seen_text(conditions))
        prompter = Dialogue(settings, opened, allowed, feedback=conditions.feedback)
        reader = partial(read_line, allowed=allowed)
    else:
        prompter, reader = Transcript(PromptSettings(), registry.describe()), None
    schema = command_schema(registry) if brain.metered and not lines else None
    shared = (brain, prompter, world, memory, registry, journal, state, limits, lambda delta: None, prices)
    rules = EpisodeRules(world, conditions)
    loop = Loop(
        Thinker(*shared, schema, reader),
        Gate(Nobody(), state, journal, GateSettings(continuous=True), registry),
        Effects(registry, world, journal, state),
        Ending(journal, state, world, memory, lambda stopped: ""),
        journal,
        state,
        limits,
        rules=lambda: rules.check(state),
    )
    return loop, prompter


def _example_search(conditions: Conditions) -> Callable[[str], str] | None:
    """The search of the few-shot example, where it is not the gold one."""
    return partial(similar_recipes, load_book()) if conditions.search == "similar" else None


def _fresh(folder: Path) -> Path:
    """An empty folder for one episode's journal; what an interrupted one left is replaced."""
    private_folder(folder)
    (folder / "events.jsonl").unlink(missing_ok=True)
    return folder


def _said(message: Message) -> Json:
    return {"role": message.role, "content": message.content}
