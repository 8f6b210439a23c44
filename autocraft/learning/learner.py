"""The rules of a learning run: what happens between two turns of the agent.

One turn is one attempt: the brain writes a program, the gate decides, and `run_program` carries it out. Between two
turns the attempt is judged, a program that worked is kept as a skill, and the next task is proposed. Each step ends
with an event, so a killed run goes on with the first missing step.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autocraft.agent.context import RunContext
from autocraft.agent.ending import RunEnded
from autocraft.agent.limits import first_exceeded
from autocraft.agent.state import State, Turn
from autocraft.commands.program_report import EffectRecord
from autocraft.commands.running import effects_of
from autocraft.errors import LimitReached, MemoryFault, UsageError
from autocraft.learning.action import ActionPrompt, shortages
from autocraft.learning.asking import NoRoom
from autocraft.learning.ckpt import add_skills, read_ckpt
from autocraft.learning.ckpt_folder import CkptFolder
from autocraft.learning.critic import Critic, Verdict
from autocraft.learning.curriculum import Curriculum
from autocraft.learning.events import Attempt, Checkpoint, Outcome
from autocraft.learning.keeper import SkillKeeper
from autocraft.learning.progress import FREE, Progress
from autocraft.learning.questions import row_of
from autocraft.learning.settings import LearnSettings
from autocraft.protocols import Check, Observation, SparingWorld, peek
from autocraft.text.phrases import count

EASY_FROM = 16
"""The number of reached tasks at which the rule of difficulty changes the world from peaceful to easy."""
MOST_CUT_OFF = 3
"""After so many programs in a row that are cut off or do not start, the run ends: the fault is not in the programs."""
MOST_CUT = 2
"""After so many answers in a row that are cut off, also with more room, the run ends: the task is not at fault."""
MOST_UNUSED = 12
"""After so many answers in a row without a program that may run, the run ends: no iteration would ever end it."""
STATION_NEAR = 32
"""The most blocks on each axis to a table or furnace that is dug up after a program."""
FACTS = ("position", "biome", "dimension", "health", "food", "chests", "used", "deaths", "cheats")
"""The facts of an observation that are journaled with an attempt."""


@dataclass
class Learner:
    """Voyager's loop as the rules of an agent."""

    run: RunContext
    settings: LearnSettings
    progress: Progress
    prompt: ActionPrompt
    curriculum: Curriculum
    critic: Critic
    keeper: SkillKeeper
    ckpt: CkptFolder | None = None
    """Voyager's folder, which is written again after each task."""
    difficulty: str = ""
    """What the rule of difficulty has set since this process began."""

    async def check(self, state: State) -> None:
        """Judge the attempt that has ended, keep its program, and propose the next task.

        Raises RunEnded at the last iteration and if no program can run, LimitReached, BrainError, and the errors of a
        lost world.
        """
        await self.run.approver.attend()
        progress = self.progress
        if self.ckpt is not None and not self.ckpt.begun:
            await self.ckpt.begin()
        if self.settings.from_ckpt and not progress.taken_over and progress.task is None:
            self.run.journal.append(await asyncio.to_thread(self._take_over, self.settings.from_ckpt))
        judges = state.turn.answer is not None and state.turn.number > progress.judged
        if judges:
            await self._judge(state.turn)
        if progress.keeping and self.settings.library and not self.settings.inference:
            await self.keeper.keep()
        over = first_exceeded(self.run.options.limits, state.spending)
        if over is not None:
            raise LimitReached(*over)
        await self._take_up(state.turn, judged=judges)
        self._check_faults(state.turn)
        if progress.over:
            if self.ckpt is not None and progress.task is not None:
                await self.ckpt.write()
            await self._propose()
        if progress.iteration >= self.settings.iterations:
            if self.settings.inference:
                more = f" --iterations {progress.iteration + self.settings.iterations}"
                raise RunEnded("limit", self._summary(), resume_with=more)
            raise RunEnded("learned", self._summary())
        await self._retrieve()

    def _check_faults(self, turn: Turn) -> None:
        """Raise RunEnded after too many programs or answers of which no task is at fault."""
        progress = self.progress
        if progress.cut_off >= MOST_CUT_OFF:
            text = turn.result.text if turn.result else ""
            raise RunEnded("error", f"{MOST_CUT_OFF} programs in a row did not run to their end: {text}")
        if progress.cut >= MOST_CUT:
            raise NoRoom("action")
        if progress.unused >= MOST_UNUSED and progress.attempt:
            why = progress.attempt.critique or progress.error
            raise RunEnded("unreadable", f"{MOST_UNUSED} answers in a row gave no program that may run: {why}")

    async def _take_up(self, turn: Turn, *, judged: bool) -> None:
        """Dig up the stations that a program placed, or all that it placed if it failed and `give_back` is set.

        Stations are only dug up when the attempt was `judged` just now, since afterwards others may stand there.
        """
        settings, attempt, intent = self.settings, self.progress.attempt, turn.intent
        everything = settings.give_back and attempt is not None and attempt.outcome != "goal"
        stations = settings.take_back and judged and self.run.world.snapshot() is None
        if intent is None or intent.command != "run_program" or not (everything or stations):
            return
        effects = await asyncio.to_thread(effects_of, self.run.journal.folder, intent.id)
        await self.keeper.take_up(effects if everything else await self._stations(effects))

    async def _stations(self, effects: Sequence[EffectRecord]) -> list[EffectRecord]:
        """Return the effects that placed a crafting table or a furnace that can be had back from here."""
        seen = await peek(self.run.world)
        tools = any(name.endswith("_pickaxe") for name in seen.inventory)
        at = seen.facts.get("position", {})
        return [
            each
            for each in effects
            if each.name == "place_item"
            and (each.args["name"] == "crafting_table" or (each.args["name"] == "furnace" and tools))
            and all(abs(each.args[axis] - at.get(axis, math.inf)) <= STATION_NEAR for axis in "xyz")
        ]

    def _take_over(self, folder: Path) -> Checkpoint:
        """Store the answers and skills of a checkpoint. Return the event with the rest. Raises RunEnded."""
        try:
            ckpt = read_ckpt(folder)
            if ckpt.iteration >= self.settings.iterations:
                more, most = f" --iterations {ckpt.iteration + 160}", self.settings.iterations
                why = f"{folder} has {count(ckpt.iteration, 'iteration')}, and --iterations {most} is no more than that"
                raise RunEnded("limit", why, resume_with=more)
            self.run.memory.add_many([row_of(*each) for each in ckpt.questions.items()])
        except (UsageError, MemoryFault) as error:
            raise RunEnded("unreadable", str(error), exit_code=2) from None
        return ckpt.event(str(folder), add_skills(self.keeper.index.library, ckpt.skills))

    async def _propose(self) -> None:
        """Journal the next task, unless the iterations are used up and a solved task could not end the run."""
        if self.progress.iteration >= self.settings.iterations and not self.settings.inference:
            return
        task = await self.curriculum.propose(await self.run.world.observe())
        difficulty = "easy" if len(self.progress.completed) >= EASY_FROM else "peaceful"
        if self.settings.difficulty_rule and difficulty != self.difficulty:
            self.difficulty = difficulty
            await self.keeper.carry_out("chat", {"text": f"/difficulty {difficulty}"})
        self.run.journal.append(task)

    async def _retrieve(self) -> None:
        """Find the skills that the next prompt shows: those near to the context and to what was lacking."""
        world = self.run.world
        if isinstance(world, SparingWorld):
            goals = self.progress.task.goals if self.progress.task else ()
            await world.spare([item for goal in goals for item, _ in goal.items])
        self.prompt.game = str((await peek(self.run.world)).facts.get("game", ""))
        if not self.settings.library:
            return
        task = self.progress.task
        context = task.context if task else ""
        query = f"{self.progress.text}\n{context}\n{shortages(self.progress.said)}".strip()
        self.prompt.skills, self.prompt.names = await asyncio.to_thread(self.keeper.search, query, self.progress.threw)

    async def _judge(self, turn: Turn) -> None:
        """Journal the verdict on the attempt of this turn."""
        observation = await self.run.world.observe()
        if turn.result is None:
            decision = turn.decision
            by_person = decision is not None and decision.by != "policy"
            cut = turn.invalid is not None and bool({"length", "no room"} & {*turn.invalid.flags})
            why = (decision.feedback or decision.why) if decision is not None else ""  # an unreadable answer has none
            verdict = Verdict(False, Check("cannot tell", "no program was run"), None, why)
            self._append("person" if by_person else "cut" if cut else "program", verdict, observation)
            return
        verdict = await self.critic.judge(self.run.state.goals[0], observation, turn.result.program)
        outcome: Outcome = "goal" if verdict.success else "program" if self.progress.error else "critic"
        if turn.result.program is None and not verdict.success:
            outcome = "interrupted"
        self._append(outcome, verdict, observation)
        if self.settings.library and turn.result.program is not None:  # a kill before it loses a count, doubles none
            entered = turn.result.program.get("skills", {})
            await self.keeper.count_uses(self.progress.code, verdict.success, entered)

    def _append(self, outcome: Outcome, verdict: Verdict, observation: Observation) -> None:
        """Journal an attempt with the observation after it."""
        progress = self.progress
        tries = progress.tries + (outcome not in FREE)
        over = outcome == "goal" or tries >= self.settings.tries
        inventory = observation.facts.get("held", observation.inventory)
        words = "reached" if verdict.success else "given up" if over else "not reached yet"
        differ = verdict.model is not None and verdict.model != (verdict.world.verdict == "met")
        says = "reached" if verdict.model else "not reached"
        why = f" The world says {verdict.world.verdict}, the critic says {says}." if differ else ""
        critique = f" {verdict.critique}" if verdict.critique else ""
        unfit = f" The program is no skill: {verdict.unfit}." if verdict.unfit and verdict.success else ""
        attempt = Attempt(
            text=f"Task {words}: {progress.text}.{why}{unfit}{critique}",
            outcome=outcome,
            over=over,
            iteration=progress.iteration,
            world=verdict.world.verdict,
            model=verdict.model,
            critique=verdict.critique,
            unfit=verdict.unfit if verdict.success else "",
            items=sorted(set(inventory) - progress.milestones.keys()),
            facts={name: observation.facts[name] for name in FACTS if name in observation.facts},
        )
        self.run.journal.append(attempt)

    def _summary(self) -> str:
        progress = self.progress
        items, tasks = count(len(progress.milestones), "kind", "kinds"), count(len(progress.completed), "task")
        return (
            f"{count(progress.iteration, 'iteration')}: {items} of items, {tasks} reached, {len(progress.failed)} not"
        )
