"""Prints every item of a version of Minecraft with its price and first step, from nothing in the overworld.

``python -m benchmarks.ways`` looks from open grass, with nothing else in sight; ``python -m benchmarks.ways 1.21.4``
takes another version. It needs no server. The planner's own figures follow: how many items it knows a way to, and the
processor time of one plan.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from autocraft.goals.wording import KIND
from autocraft.node import child_environment, find_node, packages
from autocraft.worlds.minecraft.facts import PRACTICE_VERSION
from autocraft.worlds.minecraft.packages import NODE_FOLDER, PACKAGES
from benchmarks.measure import ROOT

AIM = 560
"""Items of 1.16.5 that a planner for the overworld should reach, of 975."""
LONGEST = 50.0
"""Milliseconds of the processor that one plan should take at most."""


def survey(version: str = PRACTICE_VERSION) -> dict[str, Any]:
    """Return all items, and the price, the first step and the planning time of each that can be had."""
    script = ROOT / "tests/worlds/minecraft/node/planning.js"
    environment = child_environment(AUTOCRAFT_NODE_MODULES=str(packages(PACKAGES)))
    scene = {"each": True, "kinds": KIND.pattern, "version": version}
    command = [find_node(), script, NODE_FOLDER / "bot"]
    text = json.dumps(scene) + "\n"
    done = subprocess.run(command, env=environment, input=text, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main(version: str = PRACTICE_VERSION) -> None:
    """Print the table, cheapest first, and what has no way."""
    seen = survey(version)
    found = seen["found"]
    for name, each in sorted(found.items(), key=lambda one: one[1]["price"]):
        step = each["step"]
        words = " ".join(str(value) for value in step["args"].values()) if step else "no step"
        print(f"{name:32} {each['price']:8.0f} s  {step['name'] if step else ''} {words}")
    print("no way:", " ".join(name for name in seen["all"] if name not in found))
    times = sorted(each["ms"] for each in found.values())
    print(
        f"Minecraft {version}: {len(found)} of {len(seen['all'])} items have a way (aim for {PRACTICE_VERSION}: {AIM})"
    )
    print(f"a plan takes {times[len(times) // 2]:.0f} ms in the middle, {times[-1]:.0f} at most (aim: {LONGEST:.0f})")


if __name__ == "__main__":
    main(*sys.argv[1:])
