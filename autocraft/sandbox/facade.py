"""What a program sees of a world: Voyager's names, and the command that each of its effects means.

The JavaScript of `node/facade/` makes bot, mcData, Vec3, the goals and the primitives out of plain reads and effects;
here the reads go to the world, and every effect becomes a command of the registry by the one table below.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

from autocraft.errors import CommandError, InvalidCommand
from autocraft.protocols import Args, Call

PARTS = ("vec3", "state", "data", "values", "goals", "body", "acts", "primitives", "globals")
"""The files of `node/facade/`, in the order in which they are joined."""

_SAME = {
    "craftItem": "name count",
    "smeltItem": "name fuel count",
    "mineBlock": "name count",
    "placeItem": "name x y z",
    "killMob": "name seconds",
    "shoot": "weapon target",
}
"""Effects that are a command of the same name, with its arguments."""
_OTHERS = {
    "exploreUntil": ("walk_towards", "direction seconds"),
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
    "bot.pathfinder.goto": ("walk_to_goal", "goal"),
    "bot.collectBlock.collect": ("collect", "name"),
}
"""Effects whose command is called otherwise, with the names of the arguments in the order that the JavaScript gives."""
_ALSO = {
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
"""What other functions of the façade may cause, which are made of the effects above."""
_CRAFTING = frozenset({"craftItem", "smeltItem"})


def _snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


EFFECTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    **{name: (_snake(name), tuple(args.split())) for name, args in _SAME.items()},
    **{name: (command, tuple(args.split())) for name, (command, args) in _OTHERS.items()},
}
"""Each effect with its command and the names of the arguments."""
CAUSES: Mapping[str, frozenset[str]] = {name: frozenset({command}) for name, (command, _) in EFFECTS.items()} | {
    name: frozenset(commands.split()) for name, commands in _ALSO.items()
}
"""Each function of the façade that has an effect, with all commands that it may cause."""


def commands_called(primitives: Iterable[str], bot_paths: Iterable[str]) -> frozenset[str]:
    """The commands that a program may cause which uses these free names and paths of bot (of `skills.parse.Program`).

    A path that is handed on before its end, such as ``pathfinder``, stands for everything below it.
    """
    called: set[str] = set()
    for name in primitives:
        called |= CAUSES.get(name, frozenset())
    for path in bot_paths:
        used = f"bot.{path}"
        for name, commands in CAUSES.items():
            if f"{used}.".startswith(f"{name}.") or name.startswith(f"{used}."):
                called |= commands
    return frozenset(called)


class Facade:
    """The reads and effects of one program in one world.

    `bind` makes a command's Call of its name and arguments, `read` is the world's, `skills` are the saved programs
    that the program calls, name to code: those that these call included.
    """

    def __init__(
        self,
        bind: Callable[[str, Args], Call],
        read: Callable[[str, list[Any]], Awaitable[Any]],
        skills: Mapping[str, str],
        world: Literal["minecraft", "crafting"],
    ) -> None:
        self._bind = bind
        self._read = read
        self.world = world
        self.prelude = prelude(world, skills)

    async def read(self, name: str, args: list[Any]) -> Any:
        """What a program looks at. Raises CommandError."""
        if not isinstance(name, str):
            raise CommandError("a read is named by a text")
        return await self._read(name, args)

    def bind(self, name: str, args: list[Any]) -> Call:
        """The command that an effect means. Raises InvalidCommand, and CommandError for what this world has not."""
        if name not in EFFECTS:
            raise InvalidCommand(f"programs have no effect called {name[:80]!r}")
        if self.world == "crafting" and name not in _CRAFTING:
            raise CommandError(
                f"the crafting world has no {name}: programs have craftItem, smeltItem, bot.inventory and bot.chat here"
            )
        command, names = EFFECTS[name]
        if len(args) > len(names):
            raise InvalidCommand(f"{name} takes {len(names)} arguments, not {len(args)}")
        return self._bind(command, {key: value for key, value in zip(names, args, strict=False) if value is not None})


def prelude(world: str, skills: Mapping[str, str]) -> str:
    """The JavaScript, strict throughout, that makes what a program sees out of `host`, which is gone afterwards."""
    added = f"addSkills({json.dumps(dict(skills))})\n" if skills else ""
    inside = f"const WORLD = {json.dumps(world)}\n{_joined()}{added}"
    return f"(function (host) {{\n'use strict'\n{inside}}})(host);\ndelete globalThis.host;\n"


@cache
def _joined() -> str:
    folder = Path(__file__).parent / "node" / "facade"
    return "".join((folder / f"{part}.js").read_text(encoding="utf-8") for part in PARTS)
