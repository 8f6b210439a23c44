"""Runs a session again without a model, and compares each step with what the journal holds.

Each answer is read again. If the session began with a snapshot of its world, each command of the world is carried out
again, in a separate world. For a world that a run joins, this is done only if the caller asks for it: in a new practice
world, whose results are compared by success alone, since things happen there by themselves. Files, memory and programs
are never repeated.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from autocraft.commands.registry import Registry
from autocraft.errors import AutocraftError, InvalidCommand, UsageError
from autocraft.json_fix import read
from autocraft.protocols import Json, LiveWorld, Result, World
from autocraft.session import events
from autocraft.session.events import Answer, End, Event, Expense, Goals, Intent, InvalidReply, Reply
from autocraft.settings.config import Config
from autocraft.settings.run import RunSettings
from autocraft.settings.settings import Settings
from autocraft.text.sanitize import clean_line
from autocraft.worlds.choose import WorldOptions, open_world

SAME, DIFFERS, NOT_REPEATED = "the same", "different", "not repeated"
_NO_ANSWER = ("an interrupted call", "answers that were cut off", "the answer was cut")
"""How the texts of calls begin that were paid for, and gave no answer of a turn."""


@dataclass
class Replay:
    """One replay. `registry` has all commands, for reading the answers."""

    registry: Registry
    act: Path | None = None
    """An empty folder in which a world that one joins is acted again. None if it is not."""
    counts: Counter[tuple[str, str]] = field(default_factory=Counter, init=False)
    """(answer, command or goal; the same, different or not repeated) -> how often."""
    _world: World | None = field(default=None, init=False)
    _commands: Registry | None = field(default=None, init=False)
    _answer: Answer | None = field(default=None, init=False)
    """The last one of the main agent."""
    _done: dict[int, Result] = field(default_factory=dict, init=False)
    _goals: Goals | None = field(default=None, init=False)
    _learns: bool = field(default=False, init=False)

    async def run(self, journal: Iterable[Event]) -> AsyncIterator[tuple[Event, str]]:
        """Repeat each event. Yield it with the differences in words, "" if there are none."""
        try:
            for event in journal:
                yield event, await self._repeat(event)
        finally:
            if self._world is not None:
                await self._world.close()

    async def _repeat(self, event: Event) -> str:
        match event:
            case Goals():
                await self._begin(event)
            case Answer() if event.agent == "main":
                self._answer = event
            case Reply() | InvalidReply():
                return self._read(event)
            case Intent():
                await self._carry_out(event)
            case events.Result():
                return self._compare(event)
            case End() if event.reason == "goal_reached":
                return await self._check(event)
        return ""

    async def _begin(self, event: Goals) -> None:
        self._goals = event
        if event.options is None:
            return
        self._learns = event.mode == "learn"
        if event.world is None and self.act is None:
            return
        names = {each.name for each in fields(RunSettings)}
        options = RunSettings(**{name: value for name, value in event.options.items() if name in names})
        folder = self.act or Path(os.devnull)
        config = Config(Settings(practice_flags(event.options), {}, folder=folder))
        world = open_world(WorldOptions(options, config.section(options.world), config.given, folder, folder))
        if event.world is not None:
            world.restore(event.world)
        self._world, self._commands = world, Registry(world.commands())
        if isinstance(world, LiveWorld):
            await world.open()

    def _read(self, event: Reply | InvalidReply) -> str:
        """Read the answer again, unless a model read it, or another reader than that of a run."""
        answer = self._answer
        by_model = isinstance(event, Reply) and event.stage.startswith("llm")
        if answer is None or by_model or self._learns or event.agent != "main":
            return self._count("answer", NOT_REPEATED)
        try:
            reply = read(answer.answer, registry=self.registry)
            call = self.registry.bind(reply.name, reply.args)
        except AutocraftError as error:
            if isinstance(event, InvalidReply):
                return self._count("answer", SAME)
            return self._count("answer", DIFFERS, f"the answer is refused now: {error}")
        command = (call.name, call.args, reply.stage)
        if isinstance(event, Reply) and command == (event.command, event.args, event.stage):
            return self._count("answer", SAME)
        args = json.dumps(call.args, ensure_ascii=False, default=str)
        return self._count("answer", DIFFERS, f"the answer is read as {call.name} {args} by {reply.stage} now")

    async def _carry_out(self, event: Intent) -> None:
        if self._commands is None or self._commands.find(event.command) is None:
            return
        try:
            call = self._commands.bind(event.command, event.args, agent=event.agent)
            self._done[event.seq] = await self._commands.call(replace(call, id=event.id))
        except InvalidCommand as error:
            self._done[event.seq] = Result(str(error), ok=False)

    def _compare(self, event: events.Result) -> str:
        result = self._done.pop(event.intent, None)
        if result is None or self._world is None:
            if self._world is not None and event.world is not None:
                self._world.restore(event.world)  # such as an undo
            return self._count("command", NOT_REPEATED)
        live = isinstance(self._world, LiveWorld)
        if result.ok != event.ok or (result.text != event.text and not live):
            return self._count("command", DIFFERS, f"the result is now: {result.text}")
        if event.world is not None and event.world != self._world.snapshot():
            return self._count("command", DIFFERS, "the result is the same, but the world is another one now")
        return self._count("command", SAME)

    async def _check(self, event: End) -> str:
        """Ask the world whether the goals of a reached end are met."""
        if self._world is None or self._goals is None:
            return self._count("goal", NOT_REPEATED)
        verdicts = [(await self._world.check(goal)).verdict for goal in self._goals.goals]
        if "not met" in verdicts:
            return self._count("goal", DIFFERS, "the world does not agree now that the goals are met")
        return self._count("goal", SAME)

    def _count(self, what: str, verdict: str, difference: str = "") -> str:
        self.counts[what, verdict] += 1
        return clean_line(difference)


def practice_flags(options: Json) -> Json:
    """Return recorded settings as flags that lead to no server, whatever the person's own file says.

    Raises UsageError for a run that was not on a practice server.
    """
    if options.get("server"):
        raise UsageError("this run was on another server, where nothing is repeated: leave --act out")
    return {name: value for name, value in options.items() if "." not in name} | {"server": ""}


def cassette(journal: Iterable[Event]) -> Iterator[Json]:
    """Yield the answers of a session as the lines of a script for `run --brain scripted`.

    A call that only mended an answer left no text. The command that it found takes its place. The bots of a run have
    numbers in the order in which they began.
    """
    bots: dict[str, tuple[Json, list[Json]]] = {"": ({}, [])}
    for event in journal:
        number, repairs = bots.setdefault(event.bot, ({"bot": len(bots) + 1}, []))
        match event:
            case Answer():
                yield from repairs
                repairs.clear()
                role = event.asked_as
                line: Json = {"text": event.text, "finish_reason": event.finish_reason, "role": role, **number}
                more = {"reasoning": event.reasoning, "refusal": event.refusal, "tool_calls": event.tool_calls}
                yield line | {name: value for name, value in more.items() if value}
            case Expense() if event.role and (event.role == "fast" or not event.text.startswith(_NO_ANSWER)):
                repairs.append({"text": "", "role": event.role, **number})
            case Reply() if repairs:
                command = {"name": event.command, "args": event.args}
                repairs[-1]["text"] = json.dumps({"thoughts": event.thoughts, "command": command}, ensure_ascii=False)
    for _, repairs in bots.values():
        yield from repairs
