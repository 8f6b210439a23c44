"""Plays one example to its end with the agent's own loop, and returns its result as a value."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter, deque
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from autocraft.agent.context import RunContext
from autocraft.agent.ending import RunEnded
from autocraft.agent.loop import Agent
from autocraft.agent.options import GateSettings, RunOptions
from autocraft.agent.policy import Policy
from autocraft.agent.spec import AgentSpec
from autocraft.agent.state import State
from autocraft.agent.transcript import PromptSettings, Transcript
from autocraft.commands.registry import Registry
from autocraft.commands.schema import command_schema
from autocraft.crafting.examples import Example, load_example
from autocraft.evaluation.conditions import STUCK_AFTER, Conditions
from autocraft.evaluation.dialogue import Dialogue
from autocraft.evaluation.engines import Task
from autocraft.evaluation.fewshot import opening
from autocraft.evaluation.lines import line_of, read_line
from autocraft.evaluation.players import Player
from autocraft.evaluation.published import package_actions
from autocraft.evaluation.results import Ended, EpisodeResult, StepResult
from autocraft.evaluation.tools import EpisodeWorld, example_words, fewest, search_reply
from autocraft.memory.none import NoMemory
from autocraft.protocols import Decision, Json, Proposal
from autocraft.session import events
from autocraft.session.folder import private_folder
from autocraft.session.journal import Journal

LINE_TOKENS = 256
"""The most tokens of an answer of one line, as in the package."""
_ENDS: dict[str, Ended] = {
    "goal_reached": "success",
    "impossible": "impossible",
    "limit": "max_steps",
    "repetition": "stuck",
    "error": "infrastructure",
}
_PROMPT = PromptSettings(advice=False)  # an EpisodeWorld writes its own


class Unattended:
    """The approver of an evaluation. It stops at a question, since no person watches."""

    attended = False

    async def decide(self, proposal: Proposal) -> Decision:
        return Decision("stop", by="nobody", why="an evaluation asks nobody")

    async def answer(self, question: str) -> str | None:
        return None

    async def attend(self) -> None:
        return


@dataclass
class EpisodeRules:
    """The conditions that end an episode."""

    world: EpisodeWorld
    conditions: Conditions
    _held: deque[Counter[str]] = field(init=False, default_factory=lambda: deque(maxlen=STUCK_AFTER + 1))

    async def check(self, state: State) -> None:
        """Raise RunEnded if the episode is over. The loop calls it once before every turn."""
        if state.turn.result is not None and state.turn.result.end == "impossible":
            raise RunEnded("impossible", "the model said that it is impossible")
        if self.world.won:
            raise RunEnded("goal_reached", f"{self.world.example.target} is held")
        if state.turns >= self.conditions.max_steps:
            raise RunEnded("limit", f"{self.conditions.max_steps} steps are used up")
        self._held.append(Counter(self.world.table.counts()))
        unchanged = len(self._held) > STUCK_AFTER and all(counts == self._held[0] for counts in self._held)
        if unchanged and self.conditions.protocol == "paper":
            raise RunEnded("repetition", f"nothing that is held has changed in {STUCK_AFTER} steps")


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
        """Return the dialogue of an episode without a few-shot dialogue."""
        messages = [{"role": "user", "content": opening}]
        for step in self.steps:
            messages += [{"role": "assistant", "content": step.answer}, {"role": "user", "content": step.text}]
        return messages


@dataclass(frozen=True)
class Episodes:
    """Plays examples with one player under the same conditions."""

    conditions: Conditions
    player: Player

    async def play(self, task: Task) -> EpisodeResult:
        return await play(load_example(task.id), task.seed, self.conditions, self.player, task.folder)

    async def close(self) -> None:
        await self.player.close()


async def play(example: Example, seed: int, conditions: Conditions, player: Player, folder: Path) -> EpisodeResult:
    """Play one episode to its end. Its minimum is planned first, so that an interrupt loses no answer."""
    began, world = time.monotonic(), EpisodeWorld(example, conditions, seed)
    start, first_observation = world.snapshot()["slots"], (await world.observe()).text
    plan = None if example.impossible else await asyncio.to_thread(fewest, example.id)
    plan = plan if plan and plan.verdict == "found" else None
    state, recorder = State(), Recorder(world)
    priced = player.brain(world, state)
    world.doubts = conditions.feedback and priced.brain.reads_prompt
    try:
        journal = Journal(_fresh(folder), mask=player.mask)
        options = RunOptions(gate=GateSettings(continuous=True), prompt=_PROMPT)
        registry = Registry(world.commands(), mask=journal.mask)
        parts = (journal, world, NoMemory(), priced, options, state, registry, Policy())
        run = RunContext(*parts, make_approver=lambda run: Unattended())
        spec = _player_spec(run, conditions)
        journal.listeners += [state.apply, spec.prompter.apply, recorder.apply]
        goals, options_shown = (example.goal,), conditions.to_json()
        journal.append(events.Goals(goals=goals, options=options_shown, world=world.snapshot(), continuous=True))
        end = await Agent(run, spec, EpisodeRules(world, conditions)).run()
        journal.close()
    finally:
        player.end()
    ending = _ENDS[end.reason]
    messages = spec.prompter.own_messages if isinstance(spec.prompter, Dialogue) else []
    dialogue = [{"role": each.role, "content": each.content} for each in messages]
    return EpisodeResult(
        example_id=example.id,
        seed=seed,
        target=example.target,
        complexity=example.level,
        recipe_type=example.recipe_type,
        impossible=example.impossible,
        success=ending == "success" or (ending == "impossible" and example.impossible),
        ended=ending,
        number_of_steps=state.turns,
        actions=world.moves,
        minimum=len(plan.actions) if plan else None,
        minimum_proven=plan is not None and plan.minimal,
        package_actions=package_actions().get(example.id),
        start=start,
        steps=recorder.steps,
        dialogue=dialogue or recorder.dialogue(first_observation),
        prompt_tokens=state.totals.usage.prompt_tokens,
        completion_tokens=state.totals.usage.completion_tokens,
        cost=state.totals.known_cost,
        seconds=round(time.monotonic() - began, 3),
        final_inventory=dict(world.table.counts()),
        error=end.why if ending == "infrastructure" else "",
    )


def _player_spec(run: RunContext, conditions: Conditions) -> AgentSpec:
    """Return the spec of an episode's player: its prompt, and how its answers are read, as lines or as JSON."""
    brain, registry = run.priced.brain, run.registry
    shared = (run.state, run.options.limits, registry)
    if conditions.prompt == "paper" and brain.reads_prompt:
        tools = conditions.commands
        search = partial(search_reply, conditions, random.Random(0))
        few_shot = opening(tools, search=search, observe=example_words(conditions), advice=conditions.advice)
        settings = replace(_PROMPT, reply_tokens=LINE_TOKENS)
        dialogue = Dialogue(settings, few_shot, tools, feedback=conditions.feedback)
        reader = partial(read_line, tools=tools, items=conditions.feedback)
        return AgentSpec(*shared, dialogue, run.memory, reader=reader, varied=conditions.feedback)
    schema = command_schema(registry) if brain.metered else None
    transcript = Transcript(run.options.prompt, registry.describe)
    return AgentSpec(*shared, transcript, run.memory, schema=schema, varied=conditions.feedback)


def _fresh(folder: Path) -> Path:
    """Create the folder for one episode's journal. Delete the journal of an interrupted episode."""
    private_folder(folder)
    (folder / "events.jsonl").unlink(missing_ok=True)
    return folder
