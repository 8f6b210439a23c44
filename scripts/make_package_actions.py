"""Write `autocraft/evaluation/data/package_actions.json`: the actions that plancraft 0.4.9's own planner takes.

    PYTHONHASHSEED=0 python scripts/make_package_actions.py [test val train]

Needs plancraft 0.4.9 to be importable. Every plan is carried out in the package's environment and must end with the
target outside [0]. If an example does not, the script names it and writes nothing. Impossible examples are left out.
`autocraft/evaluation/published.py` reads the file.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

VERSION = "0.4.9"
OUT = Path(__file__).resolve().parent.parent / "autocraft" / "evaluation" / "data" / "package_actions.json"
SPLITS = ("test", "val", "train")


def count(example: Any, environment: Any) -> int | None:
    """Return the number of actions carried out. Return None if the target was missing at the end."""
    from plancraft.environment.actions import MoveActionHandler, SmeltActionHandler
    from plancraft.environment.planner import get_subplans

    handlers = (MoveActionHandler(), SmeltActionHandler())
    start = copy.deepcopy(example.slotted_inventory)  # the package changes its argument
    subplans, _ = get_subplans({"inventory": copy.deepcopy(start), "target": example.target})
    environment.reset(start)
    lines = [line for subplan in subplans for line in subplan]
    for line in lines:
        action = next((found for handler in handlers if (found := handler.match(line))), None)
        if action is None or isinstance(action, str):
            return None
        environment.step(action)
    held = any(stack["type"] == example.target for slot, stack in environment.state.items() if slot != 0)
    return len(lines) if held else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("splits", nargs="*", default=SPLITS, help="which splits, all three by default")
    splits = parser.parse_args().splits
    try:
        found = version("plancraft")
    except PackageNotFoundError:
        found = "none"
    if found != VERSION or set(splits) - set(SPLITS):
        print(f"this needs plancraft {VERSION} (found: {found}) and splits out of {', '.join(SPLITS)}", file=sys.stderr)
        return 2
    from plancraft.environment.env import PlancraftEnvironment
    from plancraft.simple import get_plancraft_examples

    environment = PlancraftEnvironment(resolution="low")
    actions: dict[str, int] = {}
    for split in splits:
        solvable = [example for example in get_plancraft_examples(split) if not example.impossible]
        counts = {example.id: count(example, environment) for example in solvable}
        if gaps := [name for name, number in counts.items() if number is None]:
            print(f"the package's plan does not reach the target of {', '.join(gaps)}", file=sys.stderr)
            return 1
        actions |= {name: number for name, number in counts.items() if number is not None}
        print(f"{split}: {len(counts)} examples, {sum(actions[name] for name in counts)} actions")
    rows = json.dumps(dict(sorted(actions.items())), separators=(",", ":"))
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(f'{{"version":1,"package":"plancraft {VERSION}","actions":{rows}}}\n', encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
