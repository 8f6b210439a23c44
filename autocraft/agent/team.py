"""The bots of a run beside the first one. Each is an agent with a body of its own, and all work at the same time.

A bot has its own state, permissions, budget and helpers, in the same journal: its events name it. All have the goals
of the run and one person, who is asked one question at a time. Only the first bot writes how the run ended.
With a model each asks it for itself, and the costs of all count for the run.
"""

from __future__ import annotations

import asyncio
import contextlib
import traceback
from collections.abc import Sequence
from functools import partial

from autocraft.agent.context import RunContext
from autocraft.agent.ending import OWN_ENDS, RunEnded
from autocraft.agent.loop import Agent
from autocraft.errors import AutocraftError, LimitReached, SessionError
from autocraft.protocols import SharedWorld
from autocraft.session.events import End, Event, Feedback, Goals, Note, Permission


class Team:
    """Lets the `others` work beside the `first` agent of a run, until that one ends."""

    def __init__(self, first: Agent, others: Sequence[Agent]) -> None:
        self.first = first
        self.others = others
        self._tasks: list[asyncio.Task[None]] = []

    def begin(self, *, continuous: bool, resumed: str = "") -> None:
        """Journal that the others play too, for the goals of the run. From then on they hear what holds for all.

        `resumed` is the session's id if the run is resumed, else "". Words that the first bot has not answered either
        reach the others now, if a kill came before they heard them.
        """
        for other in self.others:
            journal, state = other.context.journal, other.state
            text = f"bot {journal.bot} plays too"
            journal.append(Permission(text=text, session=resumed, continuous=continuous, budget=0))
            if state.goals != self.first.state.goals:
                journal.append(Goals(goals=self.first.state.goals))
            heard = max((event.seq for event in (state.turn.answer, *state.pending_feedback) if event), default=0)
            for words in self.first.state.pending_feedback:
                if words.seq > heard:  # the run was killed before this bot heard them
                    _follow(other.context, words)
        self.first.context.journal.listeners.append(self._hear)

    async def enter(self) -> list[str]:
        """Let the others join. Return lines for the person."""
        return [line for other in self.others for line in await other.context.enter()]

    async def run(self) -> End:
        """Let all take turns until the first one ends. Return the end event."""
        self._tasks = [asyncio.create_task(self._work(other)) for other in self.others]
        return await self.first.repeat(self._step)

    async def _step(self) -> None:
        """Let the first bot take a turn. If it ends, the others end before the end of the run is written."""
        try:
            await self._step_of_first()
        except BaseException:
            await self._end_others()
            raise

    async def _step_of_first(self) -> None:
        try:
            await self.first.interruptible()
        except (LimitReached, SessionError):
            raise
        except RunEnded as ended:
            if ended.reason not in OWN_ENDS:
                raise
            await self._outlive(ended, ended.why)
        except AutocraftError as error:
            await self._outlive(error, str(error))

    async def _outlive(self, end: Exception, why: str) -> None:
        """Let the others do the rest, since the first bot cannot go on. Raises what `_wait` does."""
        if not all(task.done() for task in self._tasks):
            text = f"the first bot goes no further: {why}; the others do the rest"
            self.first.context.journal.append(Note(text=text))
            await _leave(self.first)
        while True:  # until it raises; a pause begins it anew
            await self.first.interruptible(partial(self._wait, end))

    async def _wait(self, end: Exception) -> None:
        """Wait until the others have ended, and carry out what the person types. To cancel it ends none of them.

        Raises RunEnded if the person ends the run or the goals are reached, also if the first bot left words without
        an answer. Raises `end` otherwise.
        """
        while (await asyncio.wait(self._tasks, timeout=1))[1]:
            await self.first.context.approver.attend()
        await self.first.end_if_reached()
        raise end

    async def _end_others(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _work(self, other: Agent) -> None:
        """Let another bot take turns until it ends. An end to which its brain came alone ends nobody else."""
        journal, why, trace = other.context.journal, "", ""
        try:
            while not why:
                why = await self._turn(other)
        except RunEnded as ended:
            why = ended.why
            if ended.reason not in OWN_ENDS:
                self.first.end(ended)
        except AutocraftError as error:
            why = str(error)
        except Exception as error:  # noqa: BLE001 - a bug must not end the others
            why, trace = f"a fault in autocraft itself, {type(error).__name__}: {error}", traceback.format_exc()
        finally:
            await _leave(other)
        journal.append(Note(text=f"bot {journal.bot} goes no further: {why}", trace=trace))

    async def _turn(self, other: Agent) -> str:
        """Take a turn. Return why the bot has nothing more to do, or "". Raises what `Agent.step` raises."""
        try:
            await other.step()
        except RunEnded as ended:
            goals = self.first.state.goals
            if ended.reason != "goal_reached":
                raise
            if other.state.goals != goals:  # a player had given it a goal of its own
                other.context.journal.append(Goals(goals=goals))
            elif all(goal.checkable for goal in goals):  # the first one finds this too
                return ended.why
            else:
                raise  # only the person can have said that it is done
        return ""

    def _hear(self, event: Event) -> None:
        """Let the others follow an event of the first bot, once it is written and shown."""
        for other in self.others:
            asyncio.get_running_loop().call_soon(_follow, other.context, event)


async def _leave(agent: Agent) -> None:
    """Let a bot leave the world, so that the others do its part."""
    if isinstance(agent.context.world, SharedWorld):
        await agent.context.world.leave()


def _follow(other: RunContext, event: Event) -> None:
    """Give another bot what holds for all: new goals of the run, the end of permissions, and the person's words.

    A model reads the words. A planner cannot, and only ends what is running at "stop".
    """
    with contextlib.suppress(SessionError):  # the next event of a turn meets the same fault, and ends the run
        if isinstance(event, Goals):
            other.journal.append(Goals(goals=event.goals))
        elif isinstance(event, Feedback) and other.priced.brain.asks_model and not event.alone:
            other.journal.append(Feedback(text=event.text, by=event.by))
        elif isinstance(event, Feedback) and event.stops and not event.by:
            other.executor.stop()
        elif isinstance(event, Permission) and (event.budget == 0 or event.continuous is False):
            continuous = False if event.continuous is False else None
            other.journal.append(Permission(text=event.text, budget=0, forget=event.forget, continuous=continuous))
