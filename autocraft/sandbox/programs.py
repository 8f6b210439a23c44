"""Runs a JavaScript program that a model wrote, by QuickJS in a Node child. All its calls come to this process.

Reads are answered at once. Effects are queued in the order of the calls. The next one begins when the child says that
the program waits. So `Promise.all` is deterministic, and no read sees a half-done effect.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from collections import deque
from pathlib import Path
from typing import Any, Literal

from autocraft.errors import CommandError, InvalidCommand, NodeMissing, UsageError
from autocraft.protocols import Json
from autocraft.sandbox.engine import ChildBroken, ProgramChild, message_of, purpose_of
from autocraft.sandbox.program import Api, Grant, Outcome, ProgramLimits, Refused

_LONGEST_CODE = 256 * 1024
_MOST_MEMORY = 2048
_STACKS = 32, 1024
"""The least and the most KB. Above about 500, V8's own stack may overflow first, which a program cannot catch."""
_LONGEST_REPLY = 8 << 20
_LONGEST_MESSAGE = 16_384
_NO_CALLS = "the program has had all reads and effects that its limit allows"
_LONGEST_NAME = 64
_MOST_SKILLS, _DEEPEST = 2_000, 20
"""The most skills of one program, and the most that one error may leave."""
_CHILD_SAYS = ("steps", "seconds", "memory", "process", "nothing left to wait for")


class Programs:
    """Runs each program in a new child. The child for the next program is started in advance.

    `log` is the file for other output of the children.
    """

    def __init__(self, node: Path, modules: Path, log: Path) -> None:
        self._node, self._modules, self._log = node, modules, log
        self._next: asyncio.Task[ProgramChild] | None = None
        self._closed = False

    async def run(self, code: str, main: str, api: Api, limits: ProgramLimits, grant: Grant) -> Outcome:
        """Run `code`, then call its function `main` with `bot`. Effects go through `api`.

        Raises InvalidCommand if there is nothing to run, UsageError for impossible limits, NodeMissing, and any
        AutocraftError of the api except CommandError. If cancelled, it ends the child and the current effect. Then
        `outcome_of` returns what was done, by the exception.
        """
        _check(code, main, limits)
        self._closed = False
        engine = await self._engine(api.prelude, limits)
        try:
            return await _run(engine, code, main, api, limits, grant)
        finally:
            if self._next is None and not self._closed:
                self._next = asyncio.create_task(self._start(api.prelude, limits))
                self._next.add_done_callback(lambda task: task.cancelled() or task.exception())  # `_start` is repeated

    async def close(self) -> None:
        """End the child for the next program. To end a running program, cancel it."""
        self._closed = True
        child, self._next = self._next, None
        if child is not None:
            child.cancel()
            with contextlib.suppress(asyncio.CancelledError, NodeMissing):
                await (await child).kill()

    async def _start(self, prelude: str, limits: ProgramLimits) -> ProgramChild:
        return await ProgramChild.start(self._node, self._modules, self._log, prelude, limits)

    async def _engine(self, prelude: str, limits: ProgramLimits) -> ProgramChild:
        """Return the prepared child if it fits, otherwise a new one."""
        waiting, self._next = self._next, None
        if waiting is not None:
            with contextlib.suppress(NodeMissing):
                engine = await waiting
                if engine.alive and engine.purpose == purpose_of(prelude, limits):
                    return engine
                await engine.kill()
        return await self._start(prelude, limits)


async def _run(engine: ProgramChild, code: str, main: str, api: Api, limits: ProgramLimits, grant: Grant) -> Outcome:
    """Run the one program of a child, and end the child."""
    run = _Run(engine, api, limits, grant, code.count("\n") + 1)
    try:
        return await run.to_end(code, main)
    except BaseException as error:
        error.outcome = run.outcome("cancelled")  # type: ignore[attr-defined]
        raise
    finally:
        await engine.kill()


def outcome_of(error: BaseException) -> Outcome | None:
    """Return what a program had done when `run` raised this exception. Return None if no program had begun."""
    outcome = getattr(error, "outcome", None)
    return outcome if isinstance(outcome, Outcome) else None


def _check(code: str, main: str, limits: ProgramLimits) -> None:
    if not (1 <= limits.memory_mb <= _MOST_MEMORY and _STACKS[0] <= limits.stack_kb <= _STACKS[1]):
        raise UsageError(
            f"a program can have 1 to {_MOST_MEMORY} MB of memory and {_STACKS[0]} to {_STACKS[1]} KB of stack, "
            f"not {limits.memory_mb} and {limits.stack_kb}"
        )
    if len(code) > _LONGEST_CODE:
        raise InvalidCommand(
            f"the program has {len(code):,} characters; the most is {_LONGEST_CODE:,}: make it shorter"
        )
    if not re.fullmatch(r"[^\W\d][\w$]*|\$[\w$]*", main):
        raise InvalidCommand("the program has no main function: end it with an async function of one argument, bot")


class _Run:
    """One program from its start to its end."""

    def __init__(self, engine: ProgramChild, api: Api, limits: ProgramLimits, grant: Grant, lines: int) -> None:
        self.engine, self.api, self.limits, self.grant, self.lines = engine, api, limits, grant, lines
        self.started = time.monotonic()
        self.queue: deque[tuple[str, bytes]] = deque()
        """(name, line) of each effect. The line is parsed later, since its value may need twenty times the memory."""
        self.asked = self.answered = 0
        self.carried_out = 0
        self.calls = self.output = self.queued = 0
        self.said: list[str] = []
        self.skills: dict[str, bool] = {}
        self.refused: list[str] = []
        self.missed: list[str] = []

    async def to_end(self, code: str, main: str) -> Outcome:
        self.engine.seconds = 0.0
        start = {"code": code, "main": main, "steps": self.limits.steps, "seconds": self.limits.seconds}
        self.engine.send(json.dumps(start))
        try:
            while True:
                outcome = await self._answer(*await self.engine.receive(self.limits.seconds))
                if outcome is not None:
                    return outcome
                await asyncio.sleep(0)  # a program that never waits must not block Ctrl-C
        except ChildBroken as broken:
            return self.outcome("limit", which=broken.which, message=str(broken))

    def outcome(
        self,
        kind: Literal["returned", "threw", "limit", "refused", "cancelled"],
        *,
        value: Any = None,
        message: str = "",
        line: int = 0,
        which: str = "",
        inside: str = "",
        places: tuple[tuple[str, int], ...] = (),
    ) -> Outcome:
        """Return how the program ended. Effects that are still queued will not be carried out."""
        said, skills = tuple(self.said), dict(self.skills)
        return Outcome(kind, value, message, line, which, said, self.engine.seconds, self.calls, inside, places, skills)

    async def _answer(self, message: Json, line: bytes) -> Outcome | None:
        """Answer one line of the child. Return the outcome after the last line, otherwise None. Raises ChildBroken."""
        match message:
            case {"read": str(name), "args": list(args)}:
                self.engine.send(await self._read(name, args) if self._has_calls() else f"e{_json(_NO_CALLS)}")
            case {"act": str(name), "args": list(), "id": int(id)} if id == self.asked + 1:
                if not self._has_calls():
                    raise ChildBroken("calls")
                self._count_queue(len(line))
                self.asked += 1
                self.queue.append((name, line))
            case {"say": str(text)}:
                self._count_output(len(text) + 1)
                self.said.append(text)
                self.api.say(text)
            case {"skill": str(name), "threw": bool(threw)}:
                self._has_calls()
                if name in self.skills or len(self.skills) < _MOST_SKILLS:
                    self.skills[name[:_LONGEST_NAME]] = self.skills.get(name, True) and not threw
            case {"wait": True, "ended": bool(ended)} if self.queue:
                self.answered += 1
                kind, reply = await self._next_effect(ended)
                self.engine.send(f"{self.answered} {kind} {reply}")
            case {"end": dict(end)}:
                return self._outcome_of_end(end)
            case _:
                raise ChildBroken("process", "it said a line that means nothing here")
        return None

    # ------------------------------------------------------------ its calls

    async def _read(self, name: str, args: list[Any]) -> str:
        try:
            return f"v{_json(await self.api.read(name, args))}"
        except (CommandError, InvalidCommand) as error:
            return f"e{_json(str(error))}"

    async def _next_effect(self, after_end: bool) -> tuple[str, str]:
        """Carry out the first effect of the queue. Return the kind of reply (v, e or r), and the reply."""
        self._count_queue(0)  # the previous result counts as well
        name, line = self.queue.popleft()
        try:
            call = self.api.bind(name, message_of(line)["args"])
        except (CommandError, InvalidCommand) as error:
            return "e", self._failure(name, str(error), after_end)
        beyond = self.grant.beyond(call, self.carried_out, self._seconds())
        work = asyncio.ensure_future(self.api.act(call, beyond))
        try:
            reply = _json(await self._beside(work))
        except Refused as error:
            self.refused.append(call.name)
            return "r", self._failure(call.name, str(error), after_end)
        except (CommandError, InvalidCommand) as error:
            self.carried_out += 1
            return "e", self._failure(call.name, str(error), after_end)
        self.carried_out += 1
        self.queued += len(reply)
        return "v", reply

    def _seconds(self) -> float:
        """Return the wall-clock time since the start, without the time of questions to the person."""
        return time.monotonic() - self.started - self.api.question_seconds

    def _failure(self, name: str, why: str, after_end: bool) -> str:
        """Return the reply to an effect that failed. After the end of the program, nobody waits for it."""
        self.queued += len(why)
        if after_end:
            self.missed.append(f"{name}: {why}")
        return _json(why)

    async def _beside(self, work: asyncio.Future[Any]) -> Any:
        """Return what `work` returns, or raise its exception. Raises ChildBroken if the child ends first."""
        limit = await self.engine.run_alongside(work)
        try:
            return work.result()
        except asyncio.CancelledError:
            if limit:
                raise ChildBroken(limit, "its process ended") from None
            raise

    def _has_calls(self) -> bool:
        """Count a call. Return whether it is within the limit. Raises ChildBroken at the second one that is not.

        The first read beyond the limit fails inside the program, whose end then tells its line.
        """
        self.calls += 1
        if self.calls > self.limits.calls + 1:
            raise ChildBroken("calls")
        return self.calls <= self.limits.calls

    def _count_queue(self, size: int) -> None:
        self.queued += size
        if self.queued > self.limits.queue_mb * (1 << 20):
            raise ChildBroken("queue")

    def _count_output(self, characters: int) -> None:
        self.output += characters
        if self.output > self.limits.output:
            raise ChildBroken("output")

    # ------------------------------------------------------------ its end

    def _outcome_of_end(self, end: Json) -> Outcome:
        line, message = end.get("line", 0), end.get("message", "")
        if not isinstance(line, int) or not 0 <= line <= self.lines:
            line = 0
        message = message[:_LONGEST_MESSAGE] if isinstance(message, str) else ""
        match end:
            case {"kind": "returned", "value": str(text)} if not self.queue:
                self._count_output(len(text))
                late = f"After its end, and with nobody waiting, failed {'; '.join(self.missed)}" if self.missed else ""
                return self.outcome("returned", value=_value(text), message=late[:_LONGEST_MESSAGE])
            case {"kind": "refused"} if self.refused:
                return self.outcome("refused", message=message, line=line, which=self.refused[-1])
            case {"kind": "threw"} if self.calls > self.limits.calls:
                return self.outcome("limit", line=line, which="calls")
            case {"kind": "threw" | "refused"}:
                inside = end.get("inside")
                inside = inside if isinstance(inside, str) and re.fullmatch(r"[\w$]{1,64}", inside) else ""
                return self.outcome("threw", message=message, line=line, inside=inside, places=_places(end))
            case {"kind": "limit", "which": str(which)} if which in _CHILD_SAYS:
                return self.outcome("limit", message=message, line=line, which=which)
        raise ChildBroken("process", "it said an end that cannot be")


def _places(end: Json) -> tuple[tuple[str, int], ...]:
    """Return the skills that an error left, as the child says, within bounds."""
    said = end.get("skills")
    rows = [each for each in said if isinstance(each, dict)] if isinstance(said, list) else []
    pairs = [(each.get("skill"), each.get("line")) for each in rows[:_DEEPEST]]
    return tuple(
        (name[:_LONGEST_NAME], line if type(line) is int and line > 0 else 0)
        for name, line in pairs
        if isinstance(name, str)
    )


def _json(value: Any) -> str:
    """Return a value as one line of JSON. Raises CommandError if it is not JSON, or too long."""
    try:
        text = "" if value is None else json.dumps(value, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        raise CommandError("the answer is not JSON, so the program cannot have it") from None
    if len(text) > _LONGEST_REPLY:
        raise CommandError(f"the answer has {len(text):,} characters, which is too long for a program: ask for less")
    return text


def _value(text: str) -> Any:
    """Parse the result of the main function. Raises ChildBroken."""
    import orjson

    try:
        return orjson.loads(text) if text else None
    except ValueError:
        raise ChildBroken("process", "it said a value that is not JSON") from None
