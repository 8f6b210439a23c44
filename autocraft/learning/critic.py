"""The critic says whether an attempt reached its task. It asks the world first, then the model or the person."""

from __future__ import annotations

from dataclasses import dataclass, replace

from autocraft.agent.ending import RunEnded
from autocraft.goals import Goal, held
from autocraft.goals.verbs import VERBS
from autocraft.learning.asking import Adviser, Unusable
from autocraft.learning.facts import DEPOSITED, fields_of, lines_of
from autocraft.learning.progress import Progress, is_deposit
from autocraft.protocols import Approver, Check, Json, Observation, World
from autocraft.text.prompts import Data, Prompt

MOST_READ = 2_000
"""Most characters of a verdict that are read, since json-repair can be slow."""


@dataclass(frozen=True)
class Verdict:
    """Whether a task is reached. `world` is the world's verdict; `model` the critic's, None if it was not asked.

    `unfit` is why the program is no skill although the task is reached.
    """

    success: bool
    world: Check
    model: bool | None = None
    critique: str = ""
    unfit: str = ""


@dataclass(frozen=True)
class Critic:
    """Judges the attempts of a run. `mode` is a value of `--critic`."""

    mode: str
    adviser: Adviser
    world: World
    approver: Approver
    progress: Progress

    async def judge(self, goal: Goal, observation: Observation, program: Json | None) -> Verdict:
        """Return the verdict on an attempt at the present task. Raises BrainError, LimitReached and RunEnded.

        `program` is the record of the program that ran. It is None for one that was cut off: then only the world is
        asked, since nobody can judge such a program.
        """
        if program is None:
            world = await self._world_check(goal, observation)
            return Verdict(world.verdict == "met", world, unfit="it was cut off")
        verdict = await self._judge(goal, observation)
        return replace(verdict, unfit=unfit(goal, program)) if verdict.success else verdict

    async def _judge(self, goal: Goal, observation: Observation) -> Verdict:
        if self.mode == "manual":
            return await self._asked_person(goal)
        world = await self._world_check(goal, observation)
        if self.mode == "none":
            return Verdict(not self.progress.error, world)
        met = world.verdict == "met"
        if (met and self.mode != "both") or not self.adviser.asks_model:
            return Verdict(met, world, None, "" if met else world.why)
        success, critique = await self._model_verdict(goal, observation)
        if world.verdict == "not met":  # a critic that is wrong, or says nothing, cannot tell what is lacking
            return Verdict(False, world, success, critique if success is False and critique else world.why)
        return Verdict(met or bool(success), world, success, critique)

    async def _world_check(self, goal: Goal, observation: Observation) -> Check:
        if not is_deposit(goal.text):
            if not goal.checkable:
                return Check("cannot tell", "the world cannot check this task")
            check, uncounted = await self.world.check(goal), self.progress.uncounted
            return check._replace(why=f"{check.why}; {uncounted}") if uncounted else check
        slots = observation.facts.get("used", 0)
        why = f"{slots} slots are used, at most {DEPOSITED} should be"
        return Check("met" if slots <= DEPOSITED else "not met", why)

    async def _model_verdict(self, goal: Goal, observation: Observation) -> tuple[bool | None, str]:
        """Return the model's verdict and its critique. The verdict is None if no answer could be read."""
        fields = {name: text for name, text in fields_of(observation, self.progress).items() if name not in _HIDDEN}
        fields |= {"what the bot did by itself": "; ".join(self.progress.reflexes) or "nothing"}
        context = self.progress.task.context if self.progress.task else ""
        parts = {
            "observation": Data("world", lines_of(fields)),
            "task": Data("task", self.progress.wording),
            "context": Data("context", context) if context else Prompt("none"),
        }
        try:
            return await self.adviser.ask("critic", "learn_critic.j2", _read, parts)
        except Unusable:
            return None, "The critic's answers could not be read."

    async def _asked_person(self, goal: Goal) -> Verdict:
        question = f"Is the task reached: {goal.text}? Answer y, or n and what was wrong."
        while True:
            words = await self.approver.answer(question)
            if words is None:
                raise RunEnded("stopped", "nobody is there to judge the task")
            first, _, rest = words.strip().partition(" ")
            if first.lower().rstrip(",.:;") in ("y", "yes", "n", "no"):
                success = first.lower().startswith("y")
                return Verdict(success, Check("cannot tell", "you judge"), None, rest.strip())


_HIDDEN = (
    "game",
    "places remembered",
    "nearby entities",
    "other blocks",
    "completed tasks so far",
    "failed tasks that are too hard",
)
"""What the critic of Voyager does not see."""


def unfit(goal: Goal, program: Json) -> str:
    """Return why a program that reached a goal is no skill: it failed, or gained nothing. Return '' if it is one.

    `program` is its record: its error, what was held before and after it, and what it did.
    """
    if program["error"]:
        return "it ended with an error"
    before, after, did = (program.get(part, {}) for part in ("before", "after", "did"))
    gains = [held(item, after) > held(item, before) for item, _ in goal.items if held(item, after)]
    gains += [deed.times(did) > 0 for deed in goal.deeds if not VERBS[deed.verb].state]
    return "" if any(gains) or not gains else "its own effects did not gain what the task asks for"


async def _read(text: str) -> tuple[bool, str]:
    """Return success and critique of an answer. Raises Unusable."""
    from json_repair import repair_json

    try:
        value = repair_json(text[text.find("{") : text.rfind("}") + 1][:MOST_READ], return_objects=True)
    except (RecursionError, ValueError, IndexError, KeyError, TypeError, AttributeError):
        value = None
    if not isinstance(value, dict):
        raise Unusable('it holds no JSON object such as {"reasoning": "...", "success": false, "critique": "..."}')
    if not isinstance(value.get("success"), bool):
        raise Unusable('its "success" is not true or false')
    critique = value.get("critique")
    return value["success"], critique.strip() if isinstance(critique, str) else ""
