"""The commands of the Minecraft world: names, arguments and risks. The bot's process executes them."""

from __future__ import annotations

from typing import Any

from autocraft.errors import CommandError
from autocraft.protocols import Call, Observation, Result, Risk, command

LONGEST = 1200
"""Most seconds of the game for a command."""
TRAVEL = 300
"""Seconds of the game for commands that walk and have no argument for it."""
FRIENDS = frozenset((
    "player", "villager", "wandering_trader", "iron_golem", "snow_golem", "wolf", "cat", "parrot", "horse", "donkey",
    "mule", "llama", "trader_llama", "fox", "axolotl", "allay", "camel", "strider",
))  # fmt: skip
"""Players, villagers, and animals that may be somebody's pet. Only the person can allow to attack them."""


def _risk_of_attack(world: object, **args: Any) -> Risk:
    name = str(args.get("target") or args.get("name") or "").strip().lower().removeprefix("minecraft:")
    return Risk.DESTROY if name.partition(":")[0].replace(" ", "_") in FRIENDS else Risk.CHANGE


class MinecraftCommands:
    """The commands that the person, the model and programs have for the bot."""

    async def look(self, call: Call) -> Result:
        """Read from the bot, which takes no time of the game."""
        raise NotImplementedError

    async def act(self, call: Call, seconds: float = TRAVEL) -> Result:
        """Let the bot execute the command, within `seconds` of the game."""
        raise NotImplementedError

    async def observe(self) -> Observation:
        """Return the world as it is now."""
        raise NotImplementedError

    # ------------------------------------------------------------ looking

    @command(name="observe", help="Show all: health, place, blocks, entities, inventory, chests", risk=Risk.LOOK)
    async def show_all(self, call: Call) -> Result:
        return Result((await self.observe()).text)

    @command(help="List kinds of blocks and entities within so many blocks", risk=Risk.LOOK)
    async def look_around(self, call: Call, radius: int = 16) -> Result:
        return await self.look(call)

    @command(help="Show what the bot carries", risk=Risk.LOOK)
    async def show_inventory(self, call: Call) -> Result:
        return await self.look(call)

    @command(help="Find blocks of a kind, with their positions", risk=Risk.LOOK)
    async def find_block(self, call: Call, name: str, radius: int = 32) -> Result:
        return await self.look(call)

    @command(help="Find mobs of a kind, or a player, with their positions", risk=Risk.LOOK)
    async def find_entity(self, call: Call, name: str, radius: int = 32) -> Result:
        return await self.look(call)

    @command(help="Show the recipes of an item", risk=Risk.LOOK)
    async def search_recipe(self, call: Call, name: str) -> Result:
        return await self.look(call)

    # ------------------------------------------------------------ walking

    @command(help="Walk to a place", risk=Risk.CHANGE, cancellable=True)
    async def goto(self, call: Call, x: float, y: float, z: float) -> Result:
        return await self.act(call)

    @command(help="Walk to the nearest block of a kind", risk=Risk.CHANGE, cancellable=True)
    async def goto_block(self, call: Call, name: str) -> Result:
        return await self.act(call)

    @command(help="Walk after a player or mob", risk=Risk.CHANGE, cancellable=True)
    async def follow(self, call: Call, name: str, seconds: float = 30) -> Result:
        return await self.act(call, _seconds(seconds) + 10)

    @command(
        help="Walk in a direction (north, southeast, up, …) until a kind of block or entity is in sight",
        risk=Risk.CHANGE,
        cancellable=True,
    )
    async def explore_until(
        self, call: Call, direction: str, seconds: float = 60, block: str | None = None, entity: str | None = None
    ) -> Result:
        if not block and not entity:
            raise CommandError("explore_until needs a block or an entity to look for")
        return await self.act(call, _seconds(seconds) + 30)

    # ------------------------------------------------------------ gathering

    @command(help="Mine blocks of a kind that are near, and pick up what they drop", risk=Risk.CHANGE, cancellable=True)
    async def mine_block(self, call: Call, name: str, count: int = 1) -> Result:
        return await self.act(call, min(LONGEST, 60 * _count(count) + 120))

    @command(help="Pick up items of a kind that lie near", risk=Risk.CHANGE, cancellable=True)
    async def collect(self, call: Call, name: str) -> Result:
        return await self.act(call)

    @command(help="Dig one block", risk=Risk.CHANGE, cancellable=True)
    async def dig(self, call: Call, x: int, y: int, z: int) -> Result:
        return await self.act(call)

    # ------------------------------------------------------------ making

    @command(
        help="Make at least `count` of an item by one recipe; ingredients come first, a crafting_table must be near",
        risk=Risk.CHANGE,
        cancellable=True,
    )
    async def craft_item(self, call: Call, name: str, count: int = 1) -> Result:
        return await self.act(call, TRAVEL + _count(count))

    @command(
        help="Smelt `count` of the input item `name` in a furnace that is near; fuel such as coal or oak_planks",
        risk=Risk.CHANGE,
        cancellable=True,
    )
    async def smelt_item(self, call: Call, name: str, fuel: str | None = None, count: int = 1) -> Result:
        return await self.act(call, TRAVEL + 12 * _count(count, 64))

    # ------------------------------------------------------------ placing and using

    @command(help="Place an item as a block", risk=Risk.CHANGE, cancellable=True)
    async def place_item(self, call: Call, name: str, x: int, y: int, z: int) -> Result:
        return await self.act(call)

    @command(help="Use a block: open a door, press a button, pull a lever", risk=Risk.CHANGE, cancellable=True)
    async def activate(self, call: Call, x: int, y: int, z: int) -> Result:
        return await self.act(call)

    @command(help="Till a block of dirt or grass with a hoe", risk=Risk.CHANGE, cancellable=True)
    async def till(self, call: Call, x: int, y: int, z: int) -> Result:
        return await self.act(call)

    @command(help="Sow seeds, a carrot or a potato on farmland", risk=Risk.CHANGE, cancellable=True)
    async def sow(self, call: Call, name: str, x: int, y: int, z: int) -> Result:
        return await self.act(call)

    @command(help="Sleep in a bed that is near", risk=Risk.CHANGE, cancellable=True)
    async def sleep(self, call: Call) -> Result:
        return await self.act(call, LONGEST)

    @command(help="Fish once, with a fishing_rod at water", risk=Risk.CHANGE, cancellable=True)
    async def fish(self, call: Call) -> Result:
        return await self.act(call)

    # ------------------------------------------------------------ hands and chests

    @command(help="Put an item on: hand, head, torso, legs, feet or off-hand", risk=Risk.CHANGE, cancellable=True)
    async def equip(self, call: Call, name: str, slot: str = "hand") -> Result:
        return await self.act(call, 30)

    @command(help="Eat an item", risk=Risk.CHANGE, cancellable=True)
    async def eat(self, call: Call, name: str) -> Result:
        return await self.act(call, 30)

    @command(help="Throw items away", risk=Risk.DESTROY, cancellable=True)
    async def toss(self, call: Call, name: str, count: int = 1) -> Result:
        _count(count)
        return await self.act(call, 30)

    @command(help="Walk to a chest and see what is in it", risk=Risk.CHANGE, cancellable=True)
    async def check_chest(self, call: Call, x: int, y: int, z: int) -> Result:
        return await self.act(call)

    @command(help="Put items into a chest", risk=Risk.CHANGE, cancellable=True)
    async def deposit(self, call: Call, name: str, count: int, x: int, y: int, z: int) -> Result:
        _count(count)
        return await self.act(call)

    @command(help="Take items out of a chest", risk=Risk.CHANGE, cancellable=True)
    async def withdraw(self, call: Call, name: str, count: int, x: int, y: int, z: int) -> Result:
        _count(count)
        return await self.act(call)

    # ------------------------------------------------------------ fighting and talking

    @command(help="Kill a mob that is near, and pick up what it drops", risk=_risk_of_attack, cancellable=True)
    async def kill_mob(self, call: Call, name: str, seconds: float = 300) -> Result:
        return await self.act(call, _seconds(seconds) + 30)

    @command(help="Shoot at a mob with a bow, a snowball, a trident, …", risk=_risk_of_attack, cancellable=True)
    async def shoot(self, call: Call, weapon: str, target: str) -> Result:
        return await self.act(call, 120)

    @command(help="Say something to everybody on the server", risk=Risk.CHANGE, cancellable=True)
    async def chat(self, call: Call, text: str) -> Result:
        return await self.act(call, 10)

    @command(help="Let time pass in the game", risk=Risk.LOOK, cancellable=True)
    async def wait(self, call: Call, seconds: float) -> Result:
        return await self.act(call, _seconds(seconds) + 10)

    # ------------------------------------------------------------ only for programs

    @command(help="Walk to a goal such as `near 1 64 -3 2`", risk=Risk.CHANGE, cancellable=True, offered=False)
    async def walk_to_goal(self, call: Call, goal: str) -> Result:
        return await self.act(call)

    @command(help="Walk in a direction for some seconds", risk=Risk.CHANGE, cancellable=True, offered=False)
    async def walk_towards(self, call: Call, direction: str, seconds: float) -> Result:
        return await self.act(call, _seconds(seconds) + 30)

    @command(help="Hold controls such as `forward jump` down", risk=Risk.CHANGE, cancellable=True, offered=False)
    async def steer(self, call: Call, controls: str, seconds: float) -> Result:
        return await self.act(call, _seconds(seconds) + 10)

    @command(help="Turn the head to a place", risk=Risk.CHANGE, cancellable=True, offered=False)
    async def look_at(self, call: Call, x: float, y: float, z: float) -> Result:
        return await self.act(call, 10)

    @command(help="Hit one entity once", risk=_risk_of_attack, cancellable=True, offered=False)
    async def attack(self, call: Call, name: str, entity: int) -> Result:
        return await self.act(call, 30)

    @command(help="Use what is held on one entity", risk=Risk.CHANGE, cancellable=True, offered=False)
    async def use_on(self, call: Call, name: str, entity: int) -> Result:
        return await self.act(call, 30)

    @command(help="Use what is held", risk=Risk.CHANGE, cancellable=True, offered=False)
    async def use_item(self, call: Call, off_hand: bool = False) -> Result:
        return await self.act(call, 30)

    @command(help="Let go of what is being used", risk=Risk.CHANGE, cancellable=True, offered=False)
    async def release_item(self, call: Call) -> Result:
        return await self.act(call, 10)

    @command(help="Take off what is worn or held", risk=Risk.CHANGE, cancellable=True, offered=False)
    async def unequip(self, call: Call, slot: str = "hand") -> Result:
        return await self.act(call, 30)

    @command(help="Get up from a bed", risk=Risk.CHANGE, cancellable=True, offered=False)
    async def wake(self, call: Call) -> Result:
        return await self.act(call, 10)


def _seconds(seconds: float) -> float:
    if not 0 < seconds <= LONGEST:
        raise CommandError(f"seconds must be more than 0 and at most {LONGEST}, not {seconds:g}")
    return seconds


def _count(count: int, most: int = 2304) -> int:
    if not 1 <= count <= most:
        raise CommandError(f"count must be between 1 and {most}, not {count}")
    return count
