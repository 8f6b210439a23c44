"""The façade of a world for programs: Voyager's names, and the command for each effect.

The JavaScript of `node/facade/` builds bot, mcData, Vec3, the goals and the primitives from plain reads and effects.
This module passes reads to the world, and turns each effect into a command of the registry, by one table.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from autocraft.errors import CommandError, InvalidCommand
from autocraft.protocols import Args, Call

PARTS = ("vec3", "state", "data", "values", "goals", "body", "acts", "primitives", "globals")
"""The files of `node/facade/`, in the order in which they are joined."""

_SAME_NAME = {
    "craftItem": "name count",
    "smeltItem": "name fuel count",
    "mineBlock": "name count",
    "placeItem": "name x y z",
    "killMob": "name seconds",
    "shoot": "weapon target",
    "shelter": "",
    "gotoBlock": "name",
    "fillBucket": "name",
}
"""Effects with a command of the same name, and the command's arguments."""
_OTHER_NAME = {
    "exploreUntil": ("walk_towards", "direction seconds"),
    "collectItem": ("collect", "name"),
    "getItemFromChest": ("withdraw", "name count x y z"),
    "depositItemIntoChest": ("deposit", "name count x y z"),
    "checkItemInsideChest": ("check_chest", "x y z"),
    "setTimeout": ("wait", "seconds"),
    "bot.chat": ("chat", "text"),
    "bot.dig": ("dig", "x y z"),
    "bot.placeBlock": ("place_item", "name x y z"),
    "bot.equip": ("equip", "name slot"),
    "bot.unequip": ("unequip", "slot"),
    "bot.consume": ("eat", "name"),
    "bot.activateBlock": ("activate", "x y z"),
    "bot.activateItem": ("use_item", "off_hand"),
    "bot.deactivateItem": ("release_item", ""),
    "bot.useOn": ("use_on", "name entity"),
    "bot.attack": ("attack", "name entity"),
    "bot.lookAt": ("look_at", "x y z"),
    "bot.setControlState": ("steer", "controls seconds"),
    "bot.waitForTicks": ("wait", "seconds"),
    "bot.sleep": ("sleep", ""),
    "bot.wake": ("wake", ""),
    "bot.fish": ("fish", ""),
    "bot.toss": ("toss", "name count"),
    "bot.pathfinder.goto": ("walk_to_goal", "goal rules"),
    "bot.collectBlock.collect": ("collect", "name"),
}
"""Effects whose command has another name, and its arguments in the order of the JavaScript's."""
_COMPOSED = {
    "moveToChest": "walk_to_goal",
    "waitForMobRemoved": "wait steer",
    "waitForMobShot": "wait steer",
    "setInterval": "wait",
    "setImmediate": "wait",
    "bot.whisper": "chat",
    "bot.craft": "craft_item",
    "bot.look": "look_at",
    "bot.waitForTicks": "wait steer",
    "bot.tossStack": "toss",
    "bot.openChest": "check_chest deposit withdraw",
    "bot.openContainer": "check_chest deposit withdraw",
    "bot.openFurnace": "smelt_item",
    "bot.pathfinder.setGoal": "walk_to_goal",
    "bot.collectBlock.collect": "dig collect",
    "bot.pvp.attack": "kill_mob",
    "bot.hawkEye.oneShot": "shoot",
    "bot.hawkEye.autoAttack": "shoot",
    "bot.tool.equipForBlock": "equip",
}
"""Other functions of the façade that have effects -> the commands that they may cause."""
_OFFERED = {"crafting": frozenset({"craftItem", "smeltItem"})}
"""World -> its effects, for a world without some of them."""


EFFECTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    **{name: (re.sub("(?=[A-Z])", "_", name).lower(), tuple(args.split())) for name, args in _SAME_NAME.items()},
    **{name: (command, tuple(args.split())) for name, (command, args) in _OTHER_NAME.items()},
}
"""Each effect with its command and the names of the arguments."""
CAUSES: Mapping[str, frozenset[str]] = {name: frozenset({command}) for name, (command, _) in EFFECTS.items()} | {
    name: frozenset(commands.split()) for name, commands in _COMPOSED.items()
}
"""Each function of the façade that has effects -> all commands that it may cause."""


def commands_called(primitives: Iterable[str], bot_paths: Iterable[str]) -> frozenset[str]:
    """Return the commands that a program may cause, by its free names and its paths of bot.

    A path may be the beginning of others: ``pathfinder`` counts as everything below it.
    """
    names: set[str] = set()
    for name in primitives:
        names |= CAUSES.get(name, frozenset())
    for path in bot_paths:
        full_path = f"bot.{path}"
        for name, commands in CAUSES.items():
            if f"{full_path}.".startswith(f"{name}.") or name.startswith(f"{full_path}."):
                names |= commands
    return frozenset(names)


class Facade:
    """The reads and effects of one program in one world.

    `bind` returns the call of a command by its name and arguments. `read` is the world's. `skills` maps the names of
    all skills that the program calls, directly or through others, to their code.
    """

    def __init__(
        self,
        bind: Callable[[str, Args], Call],
        read: Callable[[str, list[Any]], Awaitable[Any]],
        skills: Mapping[str, str],
        world: str,
    ) -> None:
        self._bind = bind
        self.read = read
        self.world = world
        self.prelude = prelude(world, skills)

    def bind(self, name: str, args: list[Any]) -> Call:
        """Return the call for an effect. Raises InvalidCommand, or CommandError if this world lacks the effect."""
        if name not in EFFECTS:
            raise InvalidCommand(f"programs have no effect called {name[:80]!r}")
        if name not in _OFFERED.get(self.world, EFFECTS):
            raise CommandError(
                f"the crafting world has no {name}: programs have craftItem, smeltItem, bot.inventory, bot.chat, "
                "a crafting_table and a furnace here"
            )
        command, names = EFFECTS[name]
        if len(args) > len(names):
            raise InvalidCommand(f"{name} takes {len(names)} arguments, not {len(args)}")
        return self._bind(command, {key: value for key, value in zip(names, args, strict=False) if value is not None})


def prelude(world: str, skills: Mapping[str, str]) -> str:
    """Return the strict JavaScript that builds the façade from `host`, and then deletes `host`."""
    skills_text = f"addSkills({json.dumps(dict(skills))})\n" if skills else ""
    inside = f"const WORLD = {json.dumps(world)}\n{_source()}{skills_text}"
    return f"(function (host) {{\n'use strict'\n{inside}}})(host);\ndelete globalThis.host;\n"


@cache
def _source() -> str:
    folder = Path(__file__).parent / "node" / "facade"
    return "".join((folder / f"{part}.js").read_text(encoding="utf-8") for part in PARTS)
