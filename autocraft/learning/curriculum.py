"""The automatic curriculum: it proposes the next task from the state of the run."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass

from autocraft.agent.ending import RunEnded
from autocraft.goals import Goal, held
from autocraft.goals.faults import fault_of
from autocraft.learning.asking import TRIES, Adviser, Unusable
from autocraft.learning.events import By, Task
from autocraft.learning.facts import DEPOSITED, NEARLY_FULL, WarmUp, fields_of, held_in, lines_of
from autocraft.learning.progress import DEPOSIT, Progress
from autocraft.learning.questions import Questions
from autocraft.learning.settings import LearnSettings
from autocraft.protocols import Approver, Observation, World
from autocraft.text.phrases import count, near_ending
from autocraft.text.prompts import Data, Prompt

MOST_SUB_GOALS = 50
MOST_TASK = 200
"""The most characters of a task."""
FIRST_CONTEXT = "You can mine one of oak, birch, spruce, jungle, acacia, dark oak, or mangrove logs."
_TASK = re.compile(r"^[ \t#>*]*Task:[\s*`]*(\S.*)$", re.MULTILINE | re.IGNORECASE)
_NAMING = re.compile(r"(?:mine|craft|smelt|cook) (?:\d+ |an? )?[a-z_ ]+")
"""A task that makes an item. If the game has none of this name, such as a copper sword, nobody can do it."""


@dataclass(frozen=True)
class Curriculum:
    """The source of the tasks of a run: rules, the brain, or the person."""

    settings: LearnSettings
    adviser: Adviser
    questions: Questions
    world: World
    approver: Approver
    progress: Progress

    async def propose(self, observation: Observation) -> Task:
        """Return the next task. Raises BrainError, LimitReached, and RunEnded if there is none."""
        if self.settings.inference:
            return await self._sub_goal(observation)
        if self.settings.curriculum == "manual":
            return await self._of_person(observation)
        due = None if self.progress.rule_failed else self._emptying(observation)
        if due is not None:
            return due
        first = self.settings.first_task
        if first and not (self.progress.completed or self.progress.failed) and not await self.objection(first):
            return self._task(first, observation, FIRST_CONTEXT, "rule")
        if self.settings.curriculum == "random":
            item = self._chance().choice(sorted(self.world.items - observation.inventory.keys()))
            return self._task(f"Obtain 1 {item}", observation, "", "curriculum")
        text = await self._of_brain(observation)
        return self._task(text, observation, await self.questions.context(text), "curriculum")

    async def objection(self, task: str, *, later: bool = False) -> str:
        """Return why a task is no task: it names no item of the game, or it is reached already or proven impossible.

        Return '' if nothing is wrong with it. A task for `later` may be reached now.
        """
        goal = Goal.parse(task, self.world.items)
        if not (goal.items or goal.deeds):
            return self._not_understood(task)
        if not later and (met := await self._reached(goal)):
            return f"it is reached already ({met})"
        plan = await self.world.plan([goal]) if goal.checkable else None
        return f"it is impossible: {plan.why}" if plan is not None and plan.verdict == "impossible" else ""

    async def _reached(self, goal: Goal) -> str:
        """Return what shows that a goal is reached before anybody tries it. Deeds count from now. Return '' if not."""
        if not goal.checkable:
            return ""
        check = await self.world.check(goal.from_now(self.world.deeds))
        return check.why if check.verdict == "met" else ""

    def _not_understood(self, task: str) -> str:
        """Return why a task without an item and a deed cannot be tried. Return '' if a model may understand it."""
        if self.adviser.asks_model and not _NAMING.fullmatch(task.strip().lower()):
            return ""
        items = self.world.items
        return f"{fault_of(task.lower(), items)[0]}; {near_ending(task, items)}".rstrip("; ")

    def _task(self, text: str, observation: Observation, context: str, by: By) -> Task:
        """Return a task that begins now: what is held already does not count for it."""
        inventory = held_in(observation)
        goal = Goal.parse(text, self.world.items)
        before = {item: often for item, _ in goal.items if (often := held(item, inventory))}
        goals = (goal.from_now(self.world.deeds, inventory),)
        return Task(text=f"Task: {text}", goals=goals, context=context, by=by, held=before)

    async def _sub_goal(self, observation: Observation) -> Task:
        """Return the next sub-goal. Raises RunEnded after the last.

        One that was given up is tried again, or else the model decomposes the task again, or the run ends.
        """
        task, attempt = self.progress.task, self.progress.attempt
        if self.settings.give_up and attempt is not None and attempt.outcome != "goal":
            why = f"{self.progress.text!r} was given up after {count(self.progress.tries, 'try', 'tries')}"
            raise RunEnded("limit", why)
        if task is None and self.settings.sub_goal:
            texts = [await self._usable(text) for text in self.settings.sub_goal]
        elif task is None or (self._decomposes and attempt is not None and attempt.outcome != "goal"):
            texts = await self.decompose(observation)
        elif attempt is not None and attempt.outcome == "goal":
            texts = task.remaining
        else:
            texts = [self.progress.text, *task.remaining]
        reached: list[str] = []
        while texts and await self._reached(Goal.parse(texts[0], self.world.items)):
            reached.append(texts.pop(0))
        if not texts:
            raise RunEnded("goal_reached", f"all sub-goals are reached: {self.settings.task or 'as given'}")
        text, *rest = texts
        goal = Goal.parse(text, self.world.items)
        already = f" (reached already: {', '.join(reached)})" if reached else ""
        context = self.settings.context or await self.questions.context(text)
        goals = (goal.from_now(self.world.deeds),)
        return Task(text=f"Task: {text}{already}", goals=goals, context=context, by="sub-goal", remaining=rest)

    @property
    def _decomposes(self) -> bool:
        """Return whether the model makes the sub-goals."""
        return self.adviser.asks_model and not self.settings.sub_goal

    async def _usable(self, text: str) -> str:
        """Return a sub-goal to which there is no objection. Raises RunEnded."""
        if why := await self.objection(text, later=True):
            raise RunEnded("unreadable", f"{text!r} cannot be a sub-goal: {why}")
        return text

    async def decompose(self, observation: Observation) -> list[str]:
        """Return the sub-goals of the task, by the model. Without a model the task is its own sub-goal.

        Each is checked as a proposal is. Raises RunEnded if none of the answers can be used.
        """
        task = self.settings.task
        if not self.adviser.asks_model:
            return [await self._usable(task)]

        async def read(text: str) -> list[str]:
            texts = _texts_in(text)
            if not texts:
                raise Unusable("it held no JSON list of texts")
            for each in texts:
                if why := await self.objection(each, later=True):
                    raise Unusable(f"{each!r} cannot be a sub-goal: {why}")
            return texts

        seen = lines_of(fields_of(observation, self.progress))
        parts = {"observation": Data("world", seen), "task": Data("task", task)}
        try:
            return await self.adviser.ask("curriculum", "learn_sub_goals.j2", read, parts)
        except Unusable as error:
            why = f"{TRIES} lists of sub-goals for {task!r} could not be used; the last one: {error}"
            raise RunEnded("unreadable", why) from None

    def _chance(self) -> random.Random:
        """Return the chance of this proposal. It is the same on a resume."""
        progress = self.progress
        return random.Random(f"{self.settings.chance_seed} {progress.iteration} {len(progress.completed)}")

    async def _of_brain(self, observation: Observation) -> str:
        """Return a task that the brain proposes and to which there is no objection."""
        shown = WarmUp(self.settings, self.progress, self._chance())
        fields = shown.fields(observation)
        answers = ""
        if shown.shows("context"):
            answers = await self.questions.about(lines_of(fields), str(observation.facts.get("biome", "")))
        parts = {
            "questions": Data("questions", answers) if answers else Prompt(),
            "observation": Data("world", lines_of(fields)),
        }

        async def read(text: str) -> str:
            task = task_of(text)
            if not task:
                raise Unusable('it had no line "Task: ..."')
            if why := await self.objection(task):
                raise Unusable(f"{task!r} cannot be the task: {why}")
            return task[:MOST_TASK]

        try:
            return await self.adviser.ask("curriculum", "learn_task.j2", read, parts)
        except Unusable as error:
            why = f"{TRIES} proposals of a task could not be used; the last one: {error}"
            raise RunEnded("unreadable", why) from None

    async def _of_person(self, observation: Observation) -> Task:
        text = await self.approver.answer("Which task shall be tried next?")
        if not text or not text.strip():
            raise RunEnded("stopped", "you gave no further task")
        context = await self.approver.answer("What should be known about it? (- for nothing)") or ""
        return self._task(text.strip(), observation, "" if context.strip() == "-" else context.strip(), "person")

    def _emptying(self, observation: Observation) -> Task | None:
        """Return the task that makes room in a nearly full inventory. Return None if there is room."""
        if observation.facts.get("used", 0) < NEARLY_FULL:
            return None
        chests = {**self.progress.chests, **observation.facts.get("chests", {})}
        usable = [at for at, content in chests.items() if content in ("Unknown", {})]
        if usable:
            context = (
                f"The inventory has {observation.facts['used']} used slots of 36. Afterwards at most {DEPOSITED} "
                "should be used, as bot.inventoryUsed() counts them. Deposit what is useless, such as dirt, "
                "cobblestone and other blocks, and keep tools, food and rare things. Use depositItemIntoChest."
            )
            return self._task(f"{DEPOSIT.capitalize()} into the chest at {usable[0]}", observation, context, "rule")
        if observation.inventory.get("chest"):
            context = "Place a chest on a free block near you. If its position is not known, look for a free place."
            return self._task("Place 1 chest", observation, context, "rule")
        return self._task("Craft 1 chest", observation, "Craft 1 chest with 8 planks of any kind of wood.", "rule")


def task_of(text: str) -> str:
    """Return the task that the last line "Task: ..." names, without its marks. Return '' if no line names a task."""
    lines: list[str] = _TASK.findall(text)
    return lines[-1].rstrip().rstrip("*`").removesuffix(".").rstrip("*`") if lines else ""


def _texts_in(text: str) -> list[str]:
    """Return the texts of the JSON list in an answer. Return none if there is no such list."""
    try:
        value = json.loads(text[text.find("[") : text.rfind("]") + 1])
    except (ValueError, RecursionError):
        return []
    texts = [each.strip() for each in value if isinstance(each, str)] if isinstance(value, list) else []
    return [each[:MOST_TASK] for each in texts if each][:MOST_SUB_GOALS]
