"""Grid moves a second: the minimal plans of all 480 solvable test examples replayed, beside plancraft's environment.

Every pass begins cold: the recipe book is built again and each example has a new table, so no pass uses the results of
another. Each action makes its message. A move counts if it touches the grid or takes the output, so that a grid is
matched; the few other actions are part of the time. One process, one core. The package is measured twice: unchanged
(its `step` draws the window and returns it), and with its drawing replaced by nothing, for which it has no option. It
makes no messages. The time excludes making its environment, which opens 976 files.
"""

from __future__ import annotations

import gc
import importlib.util
import time
from collections.abc import Callable, Sequence

from autocraft.crafting.examples import Example, load_examples
from autocraft.crafting.minimal.planner import minimal_plan
from autocraft.crafting.plancraft import MoveAction, PlancraftEnvironment, SmeltAction, inventory_of
from autocraft.crafting.recipes import load_book
from autocraft.crafting.slots import GRID, OUTPUT
from autocraft.crafting.table import Action
from benchmarks.measure import Json, Row, change, keep, kept, machine, print_machine, print_table, spread

Plans = list[tuple[Example, Sequence[Action]]]
PASSES = {"ours": 25, "package": 3}
AIM = 100_000
"""Grid moves a second."""
TABLE, STEP = "autocraft, table", "autocraft, step of its plancraft API"
PEER, DRAWN = "plancraft, drawing left out", "plancraft as it comes"


def plans() -> Plans:
    solvable = [each for each in load_examples("test").values() if not each.impossible]
    return [(each, minimal_plan(each.table(), [each.goal]).actions) for each in solvable]


def on_table(chosen: Plans) -> Callable[[], None]:
    """Return a pass over the plans with the table alone."""
    load_book.cache_clear()
    ready = [(each.table(), each.target, actions) for each, actions in chosen]

    def run() -> None:
        characters = 0
        for table, target, actions in ready:
            for action in actions:
                act = table.move if action.kind == "move" else table.smelt
                characters += len(act(action.source, action.target, action.quantity))
            assert table.counts()[target], target
        assert characters > 30 * sum(len(actions) for _, actions in chosen)

    return run


def on_step(chosen: Plans) -> Callable[[], None]:
    """Return a pass with `PlancraftEnvironment.step`. It reads every inventory, and no image."""
    load_book.cache_clear()
    ready = [
        (
            PlancraftEnvironment(inventory_of(each.table())),
            [
                (MoveAction if a.kind == "move" else SmeltAction)(a.source, a.target, a.quantity)  # as a program would
                for a in actions
            ],
        )
        for each, actions in chosen
    ]

    def run() -> None:
        for env, actions in ready:
            for action in actions:
                seen = env.step(action)
                assert seen["inventory"]
                assert seen["message"]

    return run


class NoDrawing:
    """Takes the place of the package's drawing."""

    frame = None

    def clear(self) -> None: ...

    def add_item_to_slot(self, *_: object) -> None: ...

    def remove_item_from_slot(self, *_: object) -> None: ...


def on_package(chosen: Plans, *, drawn: bool) -> Callable[[], None]:
    """Return a pass with the package's environment, which is reset for each example."""
    from plancraft.environment import actions as theirs
    from plancraft.environment.env import PlancraftEnvironment as Package

    env = Package()
    if not drawn:
        env.table = NoDrawing()
    ready = [
        (
            each,
            inventory_of(each.table()),
            [
                (theirs.MoveAction if a.kind == "move" else theirs.SmeltAction)(
                    slot_from=a.source, slot_to=a.target, quantity=a.quantity
                )
                for a in actions
            ],
        )
        for each, actions in chosen
    ]

    def run() -> None:
        for each, start, actions in ready:
            env.reset(start)
            for action in actions:
                env.step(action)
            assert any(item["type"] == each.target for slot, item in env.state.items() if slot != OUTPUT), each.id

    return run


def rate(prepare: Callable[[], Callable[[], None]], passes: int, moves: int) -> Json:
    """Return the grid moves a second over `passes` cold passes, by the clock and by CPU seconds.

    Other work on the machine does not slow CPU seconds.
    """
    wall, cpu = [], []
    for number in range(-1, passes):  # the first only warms up the interpreter
        run = prepare()
        gc.collect()
        began, used = time.perf_counter(), time.process_time()
        run()
        if number >= 0:
            wall.append(moves / (time.perf_counter() - began))
            cpu.append(moves / (time.process_time() - used))
    return {"rate": spread(wall), "cpu_rate": spread(cpu), "passes": passes}


def distinct_grids(chosen: Plans) -> int:
    """Count the different contents of the nine cells in a pass."""
    seen = set()
    for example, actions in chosen:
        table = example.table()
        for action in actions:
            (table.move if action.kind == "move" else table.smelt)(action.source, action.target, action.quantity)
            seen.add(tuple((slot, stack[0]) for slot, stack in table.stacks(GRID)))
    return len(seen)


def measure(chosen: Plans, moves: int) -> dict[str, Json | None]:
    ours, theirs = PASSES["ours"], PASSES["package"]
    rows: dict[str, Json | None] = {
        TABLE: rate(lambda: on_table(chosen), ours, moves),
        STEP: rate(lambda: on_step(chosen), ours, moves),
        PEER: None,
        DRAWN: None,
    }
    if importlib.util.find_spec("plancraft"):
        rows[PEER] = rate(lambda: on_package(chosen, drawn=False), theirs, moves)
        rows[DRAWN] = rate(lambda: on_package(chosen, drawn=True), theirs, moves)
    return rows


def show(rows: dict[str, Json | None], before: Row, title: str) -> None:
    head = ["grid moves a second", "wall", "min..max", "by CPU time", "ours is", "change"]
    ours, shown = rows[TABLE], []
    assert ours is not None
    for name, row in rows.items():
        if row is None:
            shown.append([f"{name}: not installed, which requirements-plancraft.lock does", *[""] * 5])
            continue
        middle, least, most = row["rate"]
        ratio = f"{ours['cpu_rate'][0] / row['cpu_rate'][0]:,.0f} x" if name.startswith("plancraft") else ""
        figures = [f"{middle:,.0f}", f"{least:,.0f}..{most:,.0f}", f"{row['cpu_rate'][0]:,.0f}", ratio]
        shown.append([name, *figures, change(row["rate"], before.get(name), "rate")])
    print_table(title, head, shown)
    reached = "reached" if ours["rate"][0] >= AIM else "missed"
    print(f"\nAim of {AIM:,} grid moves a second: {reached}. Ratios are of CPU time.")


def main() -> None:
    about, before = machine(), kept("moves")
    chosen = plans()
    actions = [action for _, each in chosen for action in each]
    moves = sum(action.source <= GRID[-1] or action.target <= GRID[-1] for action in actions)
    grids = distinct_grids(chosen)
    rows = measure(chosen, moves)
    show(rows, before, f"{len(chosen)} plans, {len(actions):,} actions, {moves:,} of them at the grid, {grids:,} grids")
    print_machine(about)
    keep("moves", {**about, "plans": len(chosen), "grid_moves": moves, "distinct_grids": grids}, rows)


if __name__ == "__main__":
    main()
