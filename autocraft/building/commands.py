"""The commands that plan a building, build it, and compare what stands with its plan."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Protocol

from autocraft.building.blueprint import Blueprint, Cell, corners
from autocraft.building.checks import check
from autocraft.building.layers import layer_line, letters_for
from autocraft.building.plans import Plan, Plans
from autocraft.building.wishes import FILES, SHIPPED, blueprint_of, read_wish
from autocraft.commands.run_protocols import HasRegistry
from autocraft.commands.running import EffectGate
from autocraft.commands.workspace import Workspace
from autocraft.errors import CommandError, InvalidCommand
from autocraft.goals import Deed, Goal
from autocraft.goals.wording import WOODS
from autocraft.protocols import PROGRAM, Call, Json, Reach, Result, Risk, Settled, World, command, peek
from autocraft.session.events import Event, Planned
from autocraft.text.phrases import count, items, join_words

RADIUS = 32
"""Blocks around the bot in which a place is looked for."""
MOST_STEPS = 400
"""Most commands that gather for one building."""
MOST_FAILURES = 12
"""Most of them that fail before less is missing, and most steps on the way to the place."""
BESIDE = 8
"""Blocks from a building within which building begins."""


class BuildingWorld(World, Protocol):
    """A world in which buildings stand (Minecraft)."""

    plans: Plans
    deeds: Mapping[str, int]
    """How often each deed was done."""
    report: Callable[[Event], None]
    """Writes an event into the journal."""
    did: Callable[[str, int], None]
    """Records a deed that goals count."""

    async def ask(self, method: str, params: Mapping[str, object]) -> Any:
        """Return what the bot sees. Raises BotFault and WorldLost."""
        ...

    async def prices(self) -> Mapping[str, float]: ...


class _Run(HasRegistry, Protocol):
    world: BuildingWorld


class BuildingCommands:
    """Plans, builds and compares. `begin` opens the gate for the effects of one building."""

    family = "world"

    def __init__(self, workspace: Workspace, begin: Callable[[Any], AbstractContextManager[EffectGate]]) -> None:
        self.workspace = workspace
        self.begin = begin

    @command(
        help=(
            "Plan a building near, or with the north-west corner of its ground at x, y, z: 'house 7x5, gable roof, 2 "
            "windows, bed, torch', a name (cabin, tower, bridge, pen, farm fence, nether portal), a file, or layers of "
            "letters"
        ),
        risk=Risk.LOOK,
    )
    async def plan_build(
        self, call: Call, blueprint: str, x: int | None = None, y: int | None = None, z: int | None = None
    ) -> Result:
        run: _Run = call.run
        inventory = (await peek(run.world)).inventory
        value = await self._blueprint(run.world, blueprint, inventory)
        remarks = check(value, run.world.items)
        place = await _place(run.world, value, (x, y, z))
        plan = Plan.at(value, place)
        seen = await run.world.ask("look_at_site", plan.parts)
        if seen["faults"]:
            raise CommandError(f"it cannot stand there: {'; '.join(seen['faults'])}")
        plan = Plan(plan.name, plan.blocks, plan.free, tuple(tuple(each) for each in seen["clears"]))
        needs = Counter[str](seen["missing"])
        lines = [
            *_described(plan, value),
            *await _bill(run.world, needs, inventory),
            *(f"Note: {each}." for each in remarks),
        ]
        plan = Plan(plan.name, plan.blocks, plan.free, plan.clears, "\n".join(lines))
        run.world.plans.save(plan)
        low = corners((x, y, z) for x, y, z, *_ in plan.blocks)[0]
        ground = place[1] + 1 - value.sunk
        run.world.report(Planned(plan=plan.id, blueprint=value.text(), at=(low[0], ground, low[2])))
        return Result(f"{plan.text}\nbuild with plan {plan.id} gathers what is missing and builds it.")

    @command(
        help="Build what plan_build has planned: gather what is missing, dig, place, compare; again, it goes on",
        risk=Risk.CHANGE,
        cancellable=True,
        nested=True,
    )
    async def build(self, call: Call, plan: str) -> Result:
        run: _Run = call.run
        stored = run.world.plans.load(plan)
        least = len(stored.blocks) + 1
        with self.begin(run) as gate:
            while True:
                await _go_there(run, gate, stored, await _gather(run, gate, stored))
                result = await gate.act(run.registry.bind("lay_blocks", {"plan": plan}, agent=PROGRAM), "")
                missing = _needs(await _look(run, gate, stored)).total()
                if result.ok or missing >= least:
                    break
                least = missing  # more stands than before, so a monster or a lack of items has ended it
        if not stored.whole:
            return result
        run.world.did(f"build {stored.name}", 1)  # who builds the rest of the plan compares it, and mends it
        return replace(result, ok=True)

    @command(help="Compare what stands with a plan, block by block", risk=Risk.LOOK)
    async def verify_build(self, call: Call, plan: str) -> Result:
        run: _Run = call.run
        seen = await run.world.ask("look_at_site", run.world.plans.load(plan).parts)
        return Result(seen["text"], ok=bool(seen["whole"]))

    @build.preview
    def _preview(self, call: Call) -> str:
        run: _Run = call.run
        return run.world.plans.load(call.args["plan"]).text

    @build.reach
    def _reach(self, call: Call) -> Reach:
        """Return what it digs away and places, one call for each kind, for the rules of a policy."""
        run: _Run = call.run
        plan, bind = run.world.plans.load(call.args["plan"]), run.registry.bind
        placed = {item: (x, y, z) for x, y, z, _, _, item in plan.blocks if item}
        dug = {name: (x, y, z) for x, y, z, name in plan.clears}
        calls = [bind("place_item", {"name": item, **_axes(cell)}, agent=call.agent) for item, cell in placed.items()]
        calls += [bind("dig", _axes(cell), agent=call.agent) for cell in dug.values()]
        calls += [bind("mine_block", {"name": name}, agent=call.agent) for name in dug]
        return Reach(call.args, calls=tuple(calls))

    @build.settle
    def _settle(self, call: Call, evidence: Json) -> Settled:
        """Let an interrupted build run again. It reads from the world what stands, so nothing is built twice."""
        return Settled("not done")

    async def _blueprint(self, world: BuildingWorld, text: str, inventory: Mapping[str, int]) -> Blueprint:
        """Return the blueprint that a text names or writes. Raises CommandError."""
        plain = text.strip()
        if "\n" in plain:
            return Blueprint.read(text)
        if plain.lower().endswith(FILES):
            return await self._file(world, plain)
        wish = read_wish(plain)
        if wish is None:
            raise CommandError(
                f"{plain[:60]!r} is no building: say 'house 7x5, torch', {join_words(SHIPPED, 'or')}, name "
                f"a file of the workspace ({', '.join(FILES)}), or write layers of letters"
            )
        return blueprint_of(wish, await _wood(world, inventory))

    async def _file(self, world: BuildingWorld, name: str) -> Blueprint:
        """Return the blueprint of a file, with the name of the file, by which a goal finds its plan."""
        path = self.workspace.resolve(name)
        data = await asyncio.to_thread(self.workspace.read, path)
        if data is None:
            raise CommandError(f"the workspace has no file {name[:80]!r}")
        if name.lower().endswith(".txt"):
            return replace(Blueprint.read(data.decode("utf-8", "replace")), name=name)
        from autocraft.building.schematics import read_schematic

        return await read_schematic(data, name, world.ask)


async def _place(world: BuildingWorld, blueprint: Blueprint, at: Sequence[int | None]) -> Cell:
    """Return where the ground of a blueprint begins: as given, or the best place near the bot. Raises CommandError."""
    x, y, z = at
    if x is not None and y is not None and z is not None:
        return x, y, z
    if any(each is not None for each in at):
        raise InvalidCommand("plan_build takes x, y and z together, or none of them")
    (west, _, north), (east, _, south) = blueprint.box
    size = {"width": east - west + 1, "depth": south - north + 1, "radius": RADIUS}
    site = (await world.ask("find_site", size))["sites"][0]
    return int(site["x"]), int(site["y"]), int(site["z"])


async def _wood(world: BuildingWorld, inventory: Mapping[str, int]) -> str:
    """Return the wood of which the bot has the most, else the one that is the easiest to get."""
    held = {wood: inventory.get(f"{wood}_planks", 0) + 4 * inventory.get(f"{wood}_log", 0) for wood in WOODS}
    if any(held.values()):
        return max(held, key=lambda wood: held[wood])
    prices = await world.prices()
    return min(WOODS, key=lambda wood: prices.get(f"{wood}_planks", float("inf")))


def _described(plan: Plan, blueprint: Blueprint) -> list[str]:
    """Return what would stand where, layer by layer, and what is dug away."""
    (x, y, z), (east, top, south) = blueprint.box
    low, high = plan.box
    letters = letters_for(dict.fromkeys(block.name for block in blueprint.blocks.values()))
    rows = []
    for level in range(y, top + 1):
        row = (
            "".join(_letter(blueprint, (at, level, line), letters) for at in range(x, east + 1))
            for line in range(z, south + 1)
        )
        rows.append(layer_line(low[1] + level - y, row))
    place = f"from {low} to {high}"
    dug = Counter(name for *_, name in plan.clears)
    away = _words(dict(dug.most_common())) or "nothing"
    return [
        f"{plan.name}: {len(plan.blocks)} blocks {place}; it digs away {away}.",
        f"Layers, rows from north to south: {', '.join(f'{sign} {name}' for name, sign in letters.items())}",
        *rows,
        f"Building takes about {max(1, round(plan.seconds / 60))} minutes of the game. An animal that stays in the way "
        "is killed.",
    ]


def _letter(blueprint: Blueprint, cell: Cell, letters: Mapping[str, str]) -> str:
    block = blueprint.blocks.get(cell)
    return letters[block.name] if block else "." if cell in blueprint.free else "_"


async def _bill(world: BuildingWorld, needs: Mapping[str, int], inventory: Mapping[str, int]) -> list[str]:
    """Return what is needed beside what stands, how much of it is held, and how the rest is got."""
    missing = _missing(needs, inventory)
    if not needs:
        return ["All of it stands already."]
    line = f"It needs {_words(needs)}"
    if not missing:
        return [f"{line}; all of it is held."]
    plan = await world.plan([_goal(needs)])
    rest = _words(missing)
    if plan.steps:
        first = plan.steps[0]
        args = " ".join(str(value) for value in first.args.values())
        return [
            f"{line}. Missing: {rest}; it can be had in {count(len(plan.steps), 'step')}, first {first.name} {args}."
        ]
    return [f"{line}. Missing: {rest}; no way is known: {plan.why}."]


def _words(counts: Mapping[str, int]) -> str:
    """Return items with their numbers: ``1 stick, 2 torches and 4 oak_planks``."""
    return join_words([items(n, name) for name, n in counts.items()])


def _missing(needs: Mapping[str, int], inventory: Mapping[str, int]) -> dict[str, int]:
    return {name: n - inventory.get(name, 0) for name, n in needs.items() if n > inventory.get(name, 0)}


def _goal(needs: Mapping[str, int]) -> Goal:
    return Goal("the materials of the building", tuple(needs.items()))


async def _gather(run: _Run, gate: EffectGate, plan: Plan) -> Json:
    """Get what is missing by the world's own planner, step by step. Return what is then seen at the place.

    Raises CommandError if there is no way.
    """
    failures: list[str] = []
    seen = await _look(run, gate, plan)
    needs = _needs(seen)
    least = sum(needs.values()) + 1
    for turn in range(MOST_STEPS):
        missing = _missing(needs, (await peek(run.world)).inventory)
        if not missing:
            return await run.world.ask("look_at_site", plan.parts) if turn else seen
        if sum(missing.values()) < least:
            least, failures = sum(missing.values()), []  # what failed before was no obstacle
        found = await run.world.plan([_goal(needs)])
        rest = _words(missing)
        if not found.steps or len(failures) > MOST_FAILURES:
            why = found.why or f"too many steps failed, the last one: {failures[-1]}"
            raise CommandError(f"nothing was placed, since {rest} cannot be gathered: {why}")
        step = found.steps[0]
        result = await gate.act(run.registry.bind(step.name, step.args, agent=PROGRAM), "")
        if not result.ok:
            failures.append(result.text)
    raise CommandError(f"gathering took more than {MOST_STEPS} steps; build goes on from here")


async def _look(run: _Run, gate: EffectGate, plan: Plan) -> Json:
    """Return what is seen at the place. If it is too far away to be seen, walk there first."""
    seen: Json = await run.world.ask("look_at_site", plan.parts)
    return seen if seen["loaded"] else await _go_there(run, gate, plan, seen)


def _needs(seen: Json) -> Counter[str]:
    """Return the items of the blocks that do not stand yet, the most needed first."""
    return Counter(dict(Counter[str](seen["missing"]).most_common()))


async def _go_there(run: _Run, gate: EffectGate, plan: Plan, seen: Json) -> Json:
    """Walk to the place as the planner walks, which waits in safety at night. Return what is seen there.

    `seen` is what is seen of it before the walk. An undo of the building puts nothing back that this walk changes.
    """
    (x, y, z), _ = plan.box
    goal = Goal("the place of the building", deeds=(Deed("go", f"{x} {y + 1} {z}"),)).from_now(run.world.deeds)
    for _ in range(MOST_FAILURES):
        steps = (await run.world.plan([goal])).steps if seen["far"] > BESIDE else ()
        if not steps:
            break
        await gate.act(run.registry.bind(steps[0].name, steps[0].args, agent=PROGRAM), "")
        seen = await run.world.ask("look_at_site", plan.parts)
    return seen


def _axes(cell: Cell) -> Json:
    return dict(zip("xyz", cell, strict=True))
