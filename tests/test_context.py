"""The context of a run: what commands take from it, who is asked off the loop, and who owns what is open."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path
from threading import Semaphore
from typing import Any

import pytest

from autocraft.agent.clock import Clock
from autocraft.agent.context import RunContext
from autocraft.agent.ending import Ending, RunEnded
from autocraft.agent.options import RunOptions
from autocraft.agent.policy import Policy
from autocraft.agent.state import State
from autocraft.app import Request, every_command, open_request
from autocraft.brains.planner import PlannerBrain
from autocraft.brains.priced import PricedBrain
from autocraft.commands.registry import Registry
from autocraft.commands.run_protocols import (
    HasApprover,
    HasExits,
    HasJournal,
    HasMemory,
    HasModel,
    HasPayer,
    HasRegistry,
    HasRules,
    HasSession,
    HasState,
    HasWorld,
)
from autocraft.console.read import Reader
from autocraft.console.slash import run_slash
from autocraft.errors import InUse, SessionError, UsageError
from autocraft.evaluation.episode import Unattended
from autocraft.mcp.approver import ClientApprover
from autocraft.mcp.caller import Caller
from autocraft.mcp.pending import Pending
from autocraft.mcp.serve import _play
from autocraft.memory.none import NoMemory
from autocraft.protocols import Call, Json, Memory, MemoryRecord, Observation, Risk, Settled, command, commands_of
from autocraft.session.atomic import lock_file
from autocraft.session.journal import Journal
from autocraft.settings.config import Config
from autocraft.settings.settings import Settings
from autocraft.worlds.crafting import CraftingWorld
from autocraft.worlds.minecraft.faults import WorldLost
from tests.conftest import Place
from tests.waiting import PATIENCE


def context(folder: Path, memory: Memory | None = None, world: CraftingWorld | None = None) -> RunContext:
    """A run in the crafting world, played by the planner."""
    world, state = world or CraftingWorld(), State()
    priced = PricedBrain(PlannerBrain(world, state), {})
    registry = Registry([*world.commands(), *commands_of(Slow())])
    parts = (Journal(folder), world, memory or NoMemory(), priced, RunOptions(), state, registry, Policy())
    return RunContext(*parts, make_approver=lambda run: Unattended())


class Slow:
    """A family whose command takes a moment, and cannot be cancelled."""

    family = "own"

    def __init__(self) -> None:
        self.done = False

    @command(help="Work", risk=Risk.CHANGE)
    async def work(self, call: Call) -> str:
        await asyncio.sleep(0.3)
        self.done = True
        return "done"

    @command(help="Fail", risk=Risk.CHANGE)
    async def break_down(self, call: Call) -> str:
        raise KeyError("a fault")


def test_a_second_ctrl_c_does_not_cut_off_the_result_of_the_first(tmp_path: Path) -> None:
    async def scene() -> list[str]:
        run = context(tmp_path)
        task = asyncio.create_task(run.executor.execute(run.registry.bind("work", {})))
        begun = asyncio.Event()
        run.journal.viewers.append(lambda event: begun.set())
        await begun.wait()
        for _ in range(3):
            task.cancel()
            await asyncio.sleep(0.02)
        with pytest.raises(asyncio.CancelledError):
            await task
        return types_in(tmp_path)

    assert asyncio.run(scene()) == ["intent", "result"]


def test_a_change_that_was_interrupted_is_not_said_to_be_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> None:
        run = context(tmp_path)
        task = asyncio.create_task(run.executor.execute(run.registry.bind("work", {})))
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.wait([task])

    monkeypatch.setattr("autocraft.agent.executor.GRACE", 0.01)
    asyncio.run(scene())
    assert journaled(tmp_path)[-1]["text"] == "Interrupted; whether it took effect is unknown."


def test_a_fault_of_our_own_is_a_note_with_its_place(tmp_path: Path) -> None:
    run = context(tmp_path)
    result = asyncio.run(run.executor.execute(run.registry.bind("break_down", {})))
    note = journaled(tmp_path)[1]
    assert not result.ok and note["text"] == f"a fault of autocraft's own in break_down: {result.text}"
    assert "in break_down" in note["trace"]


def journaled(folder: Path) -> list[Json]:
    return [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]


def types_in(folder: Path) -> list[str]:
    return [each["type"] for each in journaled(folder)]


class Gone(CraftingWorld):
    """A world that is lost when it is observed, as a server that goes away."""

    async def observe(self) -> Observation:
        raise WorldLost("the server went away")


def test_a_world_that_is_lost_at_the_end_does_not_cost_the_end_event(tmp_path: Path) -> None:
    run = context(tmp_path, world=Gone())
    end = asyncio.run(Ending(run).write(RunEnded("stopped", "you stopped the run")))
    assert (end.exit, end.inventory) == (4, {})
    assert types_in(tmp_path) == ["note", "end"]


def test_clients_do_not_wait_for_a_run_that_failed(place: Place) -> None:
    async def scene() -> None:
        run = await open_request(Request(None, flags(place), json=True))
        approver = ClientApprover(run.context, run.person.own_mask, None, forms=False)
        os.close(run.context.journal._file)  # the disk is gone
        caller, clients = Caller(run, approver), asyncio.sleep(600)
        caller.submit(Pending("do_nothing", {}, "client", asks=False, patience=5))
        with pytest.raises(SessionError):
            await asyncio.wait_for(_play(run, caller, clients), 60)

    asyncio.run(scene())


def test_a_context_has_what_families_ask_for(tmp_path: Path) -> None:
    run = context(tmp_path)
    live: tuple[HasWorld, HasMemory, HasState, HasSession, HasJournal, HasRegistry, HasPayer, HasExits] = (
        *(run, run, run, run),
        *(run, run, run, run),
    )
    asked: tuple[HasModel, HasRules] = (run, run)
    assert {id(each) for each in (*live, *asked)} == {id(run)}
    assert run.asker("main") is None, "the planner answers no questions"
    deciding: HasApprover = run
    assert not deciding.approver.attended, "the control: nobody watches an evaluation"


def test_the_run_of_a_call_is_no_part_of_what_is_approved(tmp_path: Path) -> None:
    run = context(tmp_path)
    bound = run.registry.bind("craft_item", {"name": "stick"})
    assert bound.run is run
    bare = Call(bound.command, bound.args, bound.risk)
    assert bound == bare and repr(bound) == repr(bare)


def test_commands_are_listed_without_anything_being_opened(tmp_path: Path) -> None:
    flags = {"state_dir": tmp_path / "state", "workspace": tmp_path / "workspace"}
    registry = every_command(Config(Settings(flags, {}, folder=tmp_path)))
    assert {"craft_item", "write_to_file", "replay_plan"} <= set(registry.names())
    assert list(tmp_path.iterdir()) == []
    off = every_command(Config(Settings({**flags, "memory": "none"}, {}, folder=tmp_path)))
    found = off.find("memory_add")
    assert found is not None and off.off_by(found) == "the memory 'none'"


class Plain:
    """A family without hooks of its own."""

    family = "own"

    @command(help="Own", risk=Risk.CHANGE)
    async def with_hooks(self, call: Call, size: int) -> str:
        return "done"


class Marked:
    """A family with hooks of its own, and one command that has others."""

    family = "own"

    @command(help="Own", risk=Risk.CHANGE)
    async def with_hooks(self, call: Call, size: int) -> str:
        return "done"

    @command(help="Shared", risk=Risk.CHANGE)
    async def without(self, call: Call) -> str:
        return "done"

    @with_hooks.risk
    def _risk(self, call: Call) -> Risk:
        return Risk.DESTROY if call.args["size"] > 1 else Risk.LOOK

    @with_hooks.undo
    def _undo(self, call: Call, evidence: Json) -> str:
        return f"own undo of {evidence} for {call.agent}"

    @with_hooks.preview
    def _preview(self, call: Call) -> str:
        return "own preview"

    def preview(self, call: Call) -> str:
        return "preview of the family"

    @with_hooks.settle
    def _settle(self, call: Call, evidence: Json) -> Settled:
        return Settled("done", f"by the command, {call.args['size']}")

    def settle(self, call: Call, evidence: Json) -> Settled:
        return Settled("done", "by the family")

    def undo(self, evidence: Json) -> str:
        return "undo of the family"


def test_a_hook_of_a_command_goes_before_that_of_its_family() -> None:
    registry = Registry(commands_of(Marked()))
    own, shared = registry.bind("with_hooks", {"size": 2}), registry.bind("without", {})
    assert own.risk is Risk.DESTROY and registry.bind("with_hooks", {"size": 1}).risk is Risk.LOOK
    assert own.command.tier is None and shared.command.tier is Risk.CHANGE
    assert (registry.preview(own), registry.preview(shared)) == ("own preview", "preview of the family")
    assert (registry.settle(own, {}).text, registry.settle(shared, {}).text) == ("by the command, 2", "by the family")
    assert registry.undo("with_hooks", {}, own) == "own undo of {} for main"
    assert registry.undo("without", {}, own) == "undo of the family"
    for repeatable, outcomes in {
        None: ("not done", "done", "unknown"),
        True: ("not done", "done", "not done"),
        False: ("done", "done", "unknown"),
    }.items():
        changes = {} if repeatable is None else {"repeatable": repeatable}
        settled, plain = (Registry(commands_of(type("Own", (kind,), changes)())) for kind in (Marked, Plain))
        calls = [(settled, {"size": 1}), (settled, {"size": 2}), (plain, {"size": 2})]
        found = [each.settle(each.bind("with_hooks", args), {}).outcome for each, args in calls]
        assert tuple(found) == outcomes, repeatable
    said: Any = Marked().with_hooks(own, size=1)
    assert asyncio.run(said) == "done", "it is called as it was written"


class FarMemory(NoMemory):
    """A store far away: a call to it ends once the event loop has had its turn."""

    def __init__(self) -> None:
        self.asked, self.may_answer = Semaphore(0), Semaphore(0)

    def _reach(self) -> None:
        self.asked.release()
        assert self.may_answer.acquire(timeout=PATIENCE), "the loop is held up"

    def get_stats(self) -> Json:
        self._reach()
        return super().get_stats()

    def get_relevant(
        self, text: str, k: int = 5, *, where: Mapping[str, str] | None = None, exact: bool = False
    ) -> list[MemoryRecord]:
        self._reach()
        return []


def test_slash_memory_does_not_hold_the_loop_up(tmp_path: Path) -> None:
    async def scene() -> str:
        memory = FarMemory()
        task = asyncio.create_task(run_slash(context(tmp_path, memory), Reader(), "memory", "stick"))
        for _ in ("get_stats", "get_relevant"):
            while not memory.asked.acquire(blocking=False):  # noqa: ASYNC110 - a thread asks
                await asyncio.sleep(0.001)
            memory.may_answer.release()
        return await task

    assert "nothing is similar enough" in asyncio.run(scene())


def test_the_clock_stands_still_while_the_person_is_asked() -> None:
    async def step(*, asked: bool) -> bool:
        clock, timeout = Clock(), asyncio.timeout(0.1)
        try:
            async with timeout:
                with clock.step(timeout):
                    if asked:
                        with clock.pause():
                            await asyncio.sleep(0.3)
                    else:
                        await asyncio.sleep(0.3)
        except TimeoutError:
            return False
        return True

    assert asyncio.run(step(asked=True))
    assert not asyncio.run(step(asked=False)), "the control"


def flags(place: Place, **more: Any) -> dict[str, Any]:
    return {"state_dir": place.state, "workspace": place.folder / "workspace", "brain": "planner", **more}


def test_one_stack_closes_all_that_was_opened(place: Place) -> None:
    async def scene() -> None:
        run = (await open_request(Request(["craft 1 stick"], flags(place), json=True))).context
        lock = run.journal.folder / "lock"
        with pytest.raises(InUse):
            lock_file(lock, "the session")
        await run.exits.aclose()
        lock_file(lock, "the session").close()
        with pytest.raises(ValueError, match="negative"):  # its file is closed
            run.journal.sync()

    asyncio.run(scene())


def test_what_fails_while_a_run_is_opened_leaves_nothing_behind(place: Place) -> None:
    """The goal is refused after memory, journal and world are open."""
    with pytest.raises(UsageError, match="does not understand the goal"):
        asyncio.run(open_request(Request(["be nice"], flags(place), json=True)))
    assert list((place.state / "sessions").iterdir()) == []
    run = asyncio.run(open_request(Request(["craft 1 stick"], flags(place), json=True)))
    asyncio.run(run.context.exits.aclose())
