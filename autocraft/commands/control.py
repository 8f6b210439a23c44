"""Commands that control the run: finish, give up with a proof, wait, ask the person."""

from __future__ import annotations

import asyncio
from typing import Protocol

from autocraft.commands.run_protocols import HasApprover, HasClock, HasJournal, HasState, HasWorld
from autocraft.errors import CommandError
from autocraft.goals import Goal, check_goals
from autocraft.goals.revisions import read_goal, revise, spoken_by
from autocraft.protocols import Call, Check, Result, Risk, command, peek
from autocraft.session.events import Goals

MAX_WAIT = 600.0
"""Most seconds of one `wait`."""
NOBODY = "Nobody is there to answer. The question is in the report; go on with something else."
MOST_SHOWN = 2_000
"""Most characters of an observation that the person sees when asked whether a goal is reached."""
YES, NO = ("y", "yes"), ("n", "no")


LONGEST_GOAL = 500
"""Most characters of a goal that a model proposes."""


class HasGoals(HasWorld, HasState, HasJournal, Protocol):
    """The parts of a run that new goals need."""


class _Run(HasGoals, HasApprover, HasClock, Protocol):
    """The goals of a run, its world, and the person, who judges what the world cannot check."""


def set_goal(run: HasGoals, text: str, *, add: bool = False, asks_model: bool = True) -> None:
    """Replace the goals of a run by one that begins now, or add it. Raises UsageError for one that none can pursue."""
    goal = read_goal(text, run.world.items).from_now(run.world.deeds, turn=run.state.turns)
    check_goals([goal], run.world.items, asks_model=asks_model)
    run.journal.append(Goals(goals=(*run.state.goals, goal) if add else (goal,)))


async def revise_goals(run: HasGoals, words: str, by: str = "") -> str:
    """Change the goals of a run by a person's words, such as "make it 2". Return what became of them.

    `by` is the player who said them in the world, and is "me" in them. Goals to which the planner finds no way change
    nothing. Return "" if the words are not understood.
    """
    new = revise(words, run.state.goals, run.world.items)
    if new is None:
        return ""
    goals = run.state.begin((spoken_by(goal, by) if by else goal for goal in new), run.world.deeds)
    plan = await run.world.plan(goals)
    text = "; ".join(goal.text for goal in goals)
    if plan.verdict != "found":
        return f"The goal stays as it is. For {text!r}: {plan.why}"
    run.journal.append(Goals(goals=goals))
    return f"The goal is now: {text}"


class ControlCommands:
    """The family that cannot be switched off."""

    family = "control"
    repeatable = True  # no command here has an effect outside the journal

    @command(
        help="Task complete (shutdown)", risk=Risk.CHANGE, cancellable=True, synonyms=("goals_accomplished", "finish")
    )
    async def task_complete(self, call: Call, reason: str = "") -> Result:
        """End the run if every goal is met. If the world cannot tell, ask the person."""
        run: _Run = call.run
        checks = [(goal, await run.world.check(goal)) for goal in run.state.goals]
        unmet = [f"{goal.text!r}: {check.why}" for goal, check in checks if check.verdict == "not met"]
        if unmet:
            raise CommandError("Refused: the goal is not reached. " + "; ".join(unmet))
        why = "; ".join(check.why for _, check in checks) or reason
        if any(check.verdict == "cannot tell" for _, check in checks):
            return await self._ask_whether_done(run, checks, why)
        return Result(why, end="goal_reached")

    async def _ask_whether_done(self, run: _Run, checks: list[tuple[Goal, Check]], why: str) -> Result:
        """Ask the person whether the goals are reached. Without an answer, the run ends as ``claimed``."""
        observation = (await peek(run.world)).text[:MOST_SHOWN]
        goals = "\n".join(f"{goal.text!r}: {check.why}" for goal, check in checks)
        question = f"The world shows:\n{observation}\nThe model says that this is done:\n{goals}"
        question += "\nIs it done? y, n, or what is missing"
        with run.clock.pause():
            answer = await run.approver.answer(question)
        if answer is None:
            text = f"claimed by the model, and nobody said whether it is done: {why}"
            return Result(text, end="claimed", seconds=0.0)
        if answer.lower() in YES:
            return Result(f"the person says that it is done; {why}", end="goal_reached", seconds=0.0)
        missing = "" if answer.lower() in NO else f": {answer}"
        return Result(f"The person says that it is not done{missing}", ok=False, seconds=0.0)

    @command(help="Ask the person to replace the goal", risk=Risk.LOOK, cancellable=True, asks=True)
    async def propose_goal(self, call: Call, goal: str) -> Result:
        """Replace the goals by the model's wording if the person confirms it."""
        text = " ".join(goal.split())
        if not text or len(text) > LONGEST_GOAL:
            raise CommandError(f"give the goal in the argument goal, in at most {LONGEST_GOAL} characters")
        run: _Run = call.run
        old = "; ".join(each.text for each in run.state.goals) or "none"
        question = f"The model proposes another goal: {text}\nThe goal until now: {old}"
        question += "\nShall it be the goal? y, n, or words"
        answer = await run.approver.answer(question)
        if answer is None:
            return Result("Nobody is there to confirm it, so the goal stays as it is.", ok=False)
        if answer.lower() in YES:
            set_goal(run, text)
            return Result(f"The person agrees. The goal is now: {text}")
        words = "" if answer.lower() in NO else f": {answer}"
        return Result(f"The person does not agree, so the goal stays as it is{words}", ok=False)

    @command(help="The goal cannot be reached, and why", risk=Risk.CHANGE)
    async def impossible(self, call: Call, reason: str = "") -> Result:
        """End the run if the world's planner proves that a goal is impossible."""
        run: _Run = call.run
        plan = await run.world.plan(run.state.goals)
        if plan.verdict == "impossible":
            return Result(plan.why, end="impossible", proof={"missing": dict(plan.missing), **plan.proof})
        why = plan.why
        if plan.steps:
            why = f"there is a plan that begins with {plan.steps[0].name} {plan.steps[0].args}"
        elif plan.verdict == "found":
            why = "the goal is already reached; use task_complete"
        raise CommandError(f"Refused: this is not proven impossible ({why}).")

    @command(help="Do nothing", risk=Risk.LOOK)
    async def do_nothing(self, call: Call, reason: str = "") -> str:
        return "No action performed."

    @command(help="Wait", risk=Risk.LOOK, cancellable=True)
    async def wait(self, call: Call, seconds: float) -> str:
        if not 0 <= seconds <= MAX_WAIT:
            raise CommandError(f"seconds must be between 0 and {MAX_WAIT:g}, not {seconds:g}")
        await asyncio.sleep(seconds)
        return f"Waited {seconds:g} s."

    @command(
        help="Ask the person what only they can know; they may be away",
        risk=Risk.LOOK,
        cancellable=True,
        synonyms=("ask_user",),
        asks=True,
    )
    async def ask_human(self, call: Call, question: str) -> Result:
        if not question.strip():
            raise CommandError("there is no question; give it in the argument question")
        run: HasApprover = call.run
        answer = await run.approver.answer(question)
        return Result(NOBODY if answer is None else answer, answered=answer is not None)
