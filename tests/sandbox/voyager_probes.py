"""A probe for each symbol that Voyager's programs use. The probes are in the files of `probes/`.

`looks.js` only reads. `deeds.js` has effects, in its order. `test_voyager_api.py` sets what they begin with.
"""

from __future__ import annotations

import re
from pathlib import Path

SYMBOLS = (
    "bot.chat", "placeItem", "bot.entity.position", "bot.entity.position.offset", "bot.entity.position.x",
    "bot.entity.position.y", "bot.entity.position.z", "bot.entity.position.distanceTo", "craftItem",
    "bot.inventory.count", "bot.inventory.findInventoryItem", "mineBlock", "bot.equip", "bot.equip head",
    "bot.equip torso", "bot.equip legs", "bot.equip feet", "bot.equip off-hand", "mcData.itemsByName",
    "mcData.blocksByName", "Vec3", "bot.findBlock id", "bot.findBlock ids", "bot.findBlock predicate", "exploreUntil",
    "smeltItem", "bot.nearestEntity", "killMob", "bot.pathfinder.goto", "GoalBlock", "bot.blockAt", "bot.findBlocks",
    "bot.consume", "bot.lookAt", "bot.placeBlock", "bot.inventory.items", "bot.fish", "bot.dig", "bot.activateItem",
    "bot.food", "bot.activateBlock", "bot.waitForTicks", "getItemFromChest", "checkItemInsideChest", "GoalGetToBlock",
    "other skills", "Math", "console.log", "bot.isABed", "bot.sleep", "bot.attack", "bot.useOn", "GoalNear", "GoalXZ",
    "GoalFollow", "GoalPlaceBlock", "GoalLookAtBlock", "depositItemIntoChest",
)  # fmt: skip
"""What Voyager's 172 published skills call, and what its prompts show besides: counted over the programs themselves."""


def probes(name: str) -> dict[str, str]:
    """Symbol -> body, of one file of `probes/`."""
    text = (Path(__file__).parent / "probes" / f"{name}.js").read_text(encoding="utf-8")
    parts = re.split(r"^//: (.+)$", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


LOOKS, DEEDS = probes("looks"), probes("deeds")
