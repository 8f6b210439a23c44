"""The commands of the Minecraft world: names, arguments and risks. The bot's process executes them."""

from __future__ import annotations

import functools
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from autocraft.building.layers import survey_text
from autocraft.building.plans import Plan, Plans
from autocraft.errors import CommandError
from autocraft.protocols import Args, Call, Observation, Reach, Result, Risk, command
from autocraft.text.phrases import beginning, count
from autocraft.worlds.minecraft.changes import Changes
from autocraft.worlds.minecraft.facts import other_names, plain_name

LONGEST = 1200
"""Most seconds of the game for a command."""
TRAVEL = 300
"""Seconds of the game for commands that walk and have no argument for it."""
NIGHT = 700
"""Seconds of the game in which a long command may wait for the day."""
FRIENDS = frozenset((
    "player", "villager", "wandering_trader", "iron_golem", "snow_golem", "wolf", "cat", "parrot", "horse", "donkey",
    "mule", "llama", "trader_llama", "fox", "axolotl", "allay", "camel", "strider",
))  # fmt: skip
"""Players, villagers, and animals that may be somebody's pet. Only the person can allow to attack them."""
_FIELD = 289
"""Most blocks of one field: 17 x 17 around the first."""
NOTHING_BUILT = "nothing that the bot built in this session stands, so there is nothing to tear down"
_THINGS = ("name", "block", "fuel", "weapon", "target")
"""Arguments that name a thing of the game. The bot reads them in many spellings."""
_OF_PLAYERS = ("follow", "find_entity", "explore_until")
"""Commands whose names may be those of players, which have one spelling."""


def _risk_of_attack(world: object, **args: Any) -> Risk:
    name = plain_name(str(args.get("target") or args.get("name") or ""))
    return Risk.DESTROY if name.partition(":")[0] in FRIENDS else Risk.CHANGE


def acts(
    help: str,
    *,
    risk: Risk | Callable[..., Risk] = Risk.CHANGE,
    seconds: float = TRAVEL,
    offered: bool = True,
) -> Callable[[Callable[..., float | None]], Callable[..., Awaitable[Result | str]]]:
    """Declare a command that the bot carries out within `seconds` of the game, or at once if they are 0.

    The method has its name and arguments. It may refuse them by CommandError, and return other seconds.
    """

    def declare(check: Callable[..., float | None]) -> Callable[..., Awaitable[Result | str]]:
        @functools.wraps(check)
        async def run(world: MinecraftCommands, call: Call, **args: Any) -> Result:
            limit = check(world, call, **args) or seconds
            return await (world.act(call, limit) if limit else world.look(call))

        return command(help=help, risk=risk, cancellable=bool(seconds), offered=offered)(run)

    return declare


class MinecraftCommands:
    """The commands that the person, the model and programs have for the bot."""

    look: Callable[[Call], Awaitable[Result]]
    """Read from the bot, which takes no time of the game."""

    def warning(self, call: Call) -> str:
        """Say what a call of the highest risk destroys."""
        target = call.args.get("target") or call.args.get("name")
        if call.name == "tear_down":
            return "takes a building away"
        if call.name == "give":
            return f"gives items to {beginning(str(call.args.get('player')), 80)}"
        return "throws items away" if call.name == "toss" else f"attacks {beginning(str(target), 80)}"

    plans: Plans
    """The buildings that were planned in this session."""
    changes: Changes
    """What the bot changed in this session."""
    did: Callable[[str, int], None]
    """Record a deed that goals count."""
    ask: Callable[[str, Args], Awaitable[Any]]
    """Return what the bot reads. Raises BotFault and WorldLost."""
    past_danger: Callable[[Callable[[], Awaitable[Any]]], Awaitable[Any]]
    """Do something, and do it again after each time that a monster has ended it."""
    act: Callable[[Call, float], Awaitable[Result]]
    """Let the bot execute the command, within so many seconds of the game."""
    observe: Callable[[], Awaitable[Observation]]
    """Return the world as it is now."""

    def reach(self, call: Call) -> Reach:
        """Return the arguments, with all spellings and other names of a thing: a rule that stops one stops them all."""
        things = ("block",) if call.name in _OF_PLAYERS else _THINGS
        read = {key: _spellings(call.args[key]) for key in things if isinstance(call.args.get(key), str)}
        others = {key: [other for name in names for other in other_names(name)] for key, names in read.items()}
        return Reach(call.args | read, names=others)

    # ------------------------------------------------------------ looking

    @command(name="observe", help="Show all: health, place, blocks, entities, inventory, chests", risk=Risk.LOOK)
    async def show_all(self, call: Call) -> Result:
        return Result((await self.observe()).text)

    @acts("List kinds of blocks and entities within so many blocks", risk=Risk.LOOK, seconds=0)
    def look_around(self, call: Call, radius: int = 16) -> None: ...

    @acts("Show what the bot carries", risk=Risk.LOOK, seconds=0)
    def show_inventory(self, call: Call) -> None: ...

    @acts("Find blocks of a kind, with their positions", risk=Risk.LOOK, seconds=0)
    def find_block(self, call: Call, name: str, radius: int = 32) -> None: ...

    @acts("Find mobs of a kind, or a player, with their positions", risk=Risk.LOOK, seconds=0)
    def find_entity(self, call: Call, name: str, radius: int = 32) -> None: ...

    @command(help="Show a box of blocks as letters, a line for each layer, with counts", risk=Risk.LOOK)
    async def survey(self, call: Call, x1: int, y1: int, z1: int, x2: int, y2: int, z2: int) -> Result:
        return Result(survey_text(**await self.ask("survey", call.args)))

    @acts("Find flat, dry ground without trees that the bot can walk to", risk=Risk.LOOK, seconds=0)
    def find_site(self, call: Call, width: int, depth: int, radius: int = 32) -> None:
        if not (min(width, depth) >= 1 and max(width, depth) <= 48 and 1 <= radius <= 64):
            raise CommandError("width and depth must be between 1 and 48, and radius between 1 and 64")

    @acts("Show the recipes of an item", risk=Risk.LOOK, seconds=0)
    def search_recipe(self, call: Call, name: str) -> None: ...

    # ------------------------------------------------------------ walking

    @acts("Walk to a place")
    def goto(self, call: Call, x: float, y: float, z: float) -> None: ...

    @acts("Walk to the nearest block of a kind")
    def goto_block(self, call: Call, name: str) -> None: ...

    @acts("Walk after a player or mob")
    def follow(self, call: Call, name: str, seconds: float = 30) -> float:
        return _seconds(seconds) + 10

    @acts("Walk in a direction (north, southeast, up, …) until a kind of block or entity is in sight")
    def explore_until(
        self, call: Call, direction: str, seconds: float = 60, block: str | None = None, entity: str | None = None
    ) -> float:
        if not block and not entity:
            raise CommandError("explore_until needs a block or an entity to look for")
        return _seconds(seconds) + 30

    @acts("Remember the place where the bot is, by a name such as home")
    def remember_place(self, call: Call, name: str) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,29}", plain_name(name)):
            raise CommandError("name must be at most 30 letters, digits and low lines, such as home")

    # ------------------------------------------------------------ gathering

    @acts("Mine blocks of a kind nearby (crops if ripe), and pick up what they drop")
    def mine_block(self, call: Call, name: str, count: int = 1) -> float:
        return min(LONGEST, 60 * _count(count) + 120)

    @acts("Pick up items of a kind that lie near")
    def collect(self, call: Call, name: str) -> None: ...

    @acts("Dig one block")
    def dig(self, call: Call, x: int, y: int, z: int) -> None: ...

    # ------------------------------------------------------------ making

    @acts("Make at least `count` of an item with one recipe; ingredients first; a crafting_table is near or carried")
    def craft_item(self, call: Call, name: str, count: int = 1) -> float:
        return TRAVEL + _count(count)

    @acts("Smelt `count` of the input item `name` in a furnace, near or carried; fuel such as coal or oak_planks")
    def smelt_item(self, call: Call, name: str, fuel: str | None = None, count: int = 1) -> float:
        return TRAVEL + 12 * _count(count, 64)

    # ------------------------------------------------------------ placing and using

    @acts("Place an item as a block")
    def place_item(self, call: Call, name: str, x: int, y: int, z: int) -> None: ...

    @command(help="Place the blocks of a plan", risk=Risk.CHANGE, cancellable=True, offered=False)
    async def lay_blocks(self, call: Call, plan: str) -> Result:
        stored = self.plans.load(plan)
        self.changes.record({"call": call.id, "plan": stored.whole or plan})
        seconds = 300 + 4 * stored.seconds + NIGHT
        result = await self.act(replace(call, args=dict(stored.parts)), seconds)
        if not stored.whole:
            self.did(f"build {stored.name}", 1)
            self.changes.record({"built": stored.name, "text": result.text.splitlines()[-1]})
        return result

    @command(
        help="Take a building of this session away, and put the ground back: the last one, or that of a plan",
        risk=Risk.DESTROY,
        cancellable=True,
    )
    async def tear_down(self, call: Call, plan: str = "") -> Result:
        stored = self._built(plan)
        result = await self.put_back(call, self.changes.calls_of(stored.id), building=True)
        self.did(f"demolish {stored.kind}", 1)
        return replace(result, text=f"Tore down {stored.name}: {result.text}")

    @tear_down.preview
    def _what_is_torn_down(self, call: Call) -> str:
        stored = self._built(call.args["plan"])
        changes = self.changes.of_plan(stored.id)
        return f"{stored.name} at {stored.box[0]}: {count(len(changes), 'changed block')} as before"

    def _built(self, plan: str) -> Plan:
        """Return a plan that stands, by default the last one. Raises CommandError."""
        built = self.changes.built()
        if not built or (plan and plan not in built):
            raise CommandError(NOTHING_BUILT)
        return self.plans.load(plan or built[0])

    async def put_back(self, call: Call, calls: Sequence[str], *, building: bool) -> Result:
        """Put back what some calls have changed, for a `call` that takes it back. Raises BotFault and WorldLost.

        What is changed meanwhile, such as scaffold, belongs to `call`, so that it is known after a kill too.
        """
        changes = self.changes.net(calls)
        args = {"changes": changes, "building": building}
        back = replace(call, command=replace(call.command, name="put_back"), args=args)
        seconds = TRAVEL + 6 * len(changes) + NIGHT
        result: Result = await self.past_danger(lambda: self.act(back, seconds))
        self.changes.put_back(calls)
        return result

    @acts("Use a block: open a door, press a button, pull a lever")
    def activate(self, call: Call, x: int, y: int, z: int) -> None: ...

    @acts("Till dirt or grass with a hoe: `count` blocks from this one on")
    def till(self, call: Call, x: int, y: int, z: int, count: int = 1) -> float:
        return TRAVEL + 5 * _count(count, _FIELD)

    @acts("Sow seeds, carrots or potatoes on farmland: `count` from this place on")
    def sow(self, call: Call, name: str, x: int, y: int, z: int, count: int = 1) -> float:
        return TRAVEL + 5 * _count(count, _FIELD)

    @acts("Sleep in a bed that is near", seconds=LONGEST)
    def sleep(self, call: Call) -> None: ...

    @acts("Fill a bucket with water, lava, or milk of a cow, that is near")
    def fill_bucket(self, call: Call, name: str = "water") -> None: ...
    @acts("Wait in safety until it is day: in a bed that is near, or closed in by blocks", seconds=LONGEST)
    def shelter(self, call: Call) -> None: ...

    @acts("Fish once, with a fishing_rod at water")
    def fish(self, call: Call) -> None: ...

    # ------------------------------------------------------------ hands and chests

    @acts("Take an item in a hand or put it on: hand, head, torso, legs, feet or off-hand", seconds=30)
    def equip(self, call: Call, name: str, slot: str = "hand") -> None: ...

    @acts("Eat an item", seconds=30)
    def eat(self, call: Call, name: str) -> None: ...

    @acts("Throw items away, up to `count` of each name; write commas between names", risk=Risk.DESTROY, seconds=30)
    def toss(self, call: Call, name: str, count: int = 1) -> None:
        _count(count)

    @acts("Go to a player and hand over items", risk=Risk.DESTROY)
    def give(self, call: Call, player: str, name: str, count: int = 1) -> None:
        _count(count)

    @acts("Walk to a chest and see what is in it")
    def check_chest(self, call: Call, x: int, y: int, z: int) -> None: ...

    @acts("Put items into a chest, up to `count` of each name; write commas between names")
    def deposit(self, call: Call, name: str, count: int, x: int, y: int, z: int) -> None:
        _count(count)

    @acts("Take items out of a chest")
    def withdraw(self, call: Call, name: str, count: int, x: int, y: int, z: int) -> None:
        _count(count)

    # ------------------------------------------------------------ fighting and talking

    @acts("Kill mobs of a kind that are near, and pick up what they drop", risk=_risk_of_attack)
    def kill_mob(self, call: Call, name: str, seconds: float = 300, count: int = 1) -> float:
        _count(count)
        return _seconds(seconds) + 30

    @acts("Guard this place, or a player, for some seconds: kill each monster that comes near")
    def guard(self, call: Call, seconds: float = 60, player: str | None = None) -> float:
        return _seconds(seconds) + 60

    @acts("Shoot at a mob with a bow, a snowball, a trident, …", risk=_risk_of_attack, seconds=120)
    def shoot(self, call: Call, weapon: str, target: str) -> None: ...

    @acts("Send a chat message to everybody on the server", seconds=10)
    def chat(self, call: Call, text: str) -> None: ...

    @acts("Let time pass in the game", risk=Risk.LOOK)
    def wait(self, call: Call, seconds: float) -> float:
        return _seconds(seconds) + 10

    # ------------------------------------------------------------ only for programs

    @acts("Walk to a goal such as `near 1 64 -3 2`", offered=False)
    def walk_to_goal(self, call: Call, goal: str, rules: str = "") -> None: ...

    @acts("Walk in a direction for some seconds", offered=False)
    def walk_towards(self, call: Call, direction: str, seconds: float) -> float:
        return _seconds(seconds) + 30

    @acts("Hold controls such as `forward jump` down", offered=False)
    def steer(self, call: Call, controls: str, seconds: float) -> float:
        return _seconds(seconds) + 10

    @acts("Turn the head to a place", seconds=10, offered=False)
    def look_at(self, call: Call, x: float, y: float, z: float) -> None: ...

    @acts("Hit one entity once", risk=_risk_of_attack, seconds=30, offered=False)
    def attack(self, call: Call, name: str, entity: int) -> None: ...

    @acts("Use what is held on one entity", seconds=30, offered=False)
    def use_on(self, call: Call, name: str, entity: int) -> None: ...

    @acts("Use what is held", seconds=30, offered=False)
    def use_item(self, call: Call, off_hand: bool = False) -> None: ...

    @acts("Let go of what is being used", seconds=10, offered=False)
    def release_item(self, call: Call) -> None: ...

    @acts("Take off what is worn or held", seconds=30, offered=False)
    def unequip(self, call: Call, slot: str = "hand") -> None: ...

    @acts("Get up from a bed", seconds=10, offered=False)
    def wake(self, call: Call) -> None: ...


def _spellings(name: str) -> list[str]:
    """Return a name, and each name in it as the bot reads it. The name of a player has one spelling."""
    return [name] if name.startswith("player:") else list(dict.fromkeys([name, *map(plain_name, name.split(","))]))


def _seconds(seconds: float) -> float:
    if not 0 < seconds <= LONGEST:
        raise CommandError(f"seconds must be more than 0 and at most {LONGEST}, not {seconds:g}")
    return seconds


def _count(count: int, most: int = 2304) -> int:
    if not 1 <= count <= most:
        raise CommandError(f"count must be between 1 and {most}, not {count}")
    return count
