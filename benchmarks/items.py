"""Single items from nothing: 66 goals such as `get 1 cake`, each in a practice world of its own with 60 commands.

`python -m benchmarks.items --seed 501 --out runs/items` plays them with the planner and prints a table. `--resume`
plays what is missing, and `--only cake,clock` plays some of them. The page, the rows and the journals are those of
`autocraft eval --suite` (docs/evaluation.md).
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from autocraft.cli.suite import progress_words, suite_lines
from autocraft.evaluation.durable import TaskRunner
from autocraft.evaluation.players import PlannerPlayer
from autocraft.evaluation.suites.evaluation import SuiteEvaluation
from autocraft.evaluation.suites.rows import SuiteResult
from autocraft.evaluation.suites.suite import Suite, SuiteTask

COMMANDS = 60
GAME_MINUTES = 600.0
"""Longer than any of the tasks should take, since crops grow for days: the commands are the limit."""
ITEMS = {
    "water": "bucket water_bucket lava_bucket milk_bucket obsidian paper book bookshelf map cauldron",
    "earth": "pumpkin cartography_table bricks stone_bricks glass glass_pane glass_bottle smooth_stone sandstone flint "
    "polished_granite",
    "iron": "shield shears flint_and_steel hopper rail minecart iron_door iron_bars lantern blast_furnace "
    "smithing_table",
    "gold": "clock compass powered_rail piston dispenser repeater lectern item_frame enchanting_table crossbow anvil",
    "food": "cooked_mutton cooked_chicken sugar egg green_dye apple golden_apple pumpkin_pie bread cake carrot "
    "golden_carrot",
    "mobs": "white_wool bow arrow fishing_rod leather_boots bone_meal tnt painting white_bed red_carpet white_banner",
}
"""Group -> the names of its items."""


def item_suite(only: Sequence[str] = ()) -> Suite:
    """Return the suite of all items, or of those that `only` names."""
    tasks = [
        SuiteTask(item, group, f"get 1 {item}", GAME_MINUTES, turns=COMMANDS + 1)
        for group, items in ITEMS.items()
        for item in items.split()
        if not only or item in only
    ]
    return Suite("items", f"single items from nothing, {COMMANDS} commands each", tasks, {}, "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=501, help="seed of the world of each item")
    parser.add_argument("--out", type=Path, help="folder of the results")
    parser.add_argument("--resume", action="store_true", help="play what is missing in --out")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", default="", help="names of items, with commas between")
    options = parser.parse_args()
    suite = item_suite([name for name in options.only.split(",") if name])
    runner = TaskRunner(options.out, options.workers, resume=options.resume)
    evaluation = SuiteEvaluation(suite, runner, PlannerPlayer(), first_seed=options.seed)

    def show(result: SuiteResult, done: int, total: int) -> None:
        print(progress_words(result, done, total), file=sys.stderr, flush=True)

    outcome = asyncio.run(evaluation.play(show))
    print("\n".join(suite_lines(outcome.summary)) + f"\nAll tasks: {outcome.folder / 'page.html'}")


if __name__ == "__main__":
    main()
