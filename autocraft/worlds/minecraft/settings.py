"""The section `[minecraft]`: where to play and within which bounds."""

from __future__ import annotations

import re
from dataclasses import replace

from autocraft.errors import UsageError
from autocraft.frozen import frozen
from autocraft.protocols import Json
from autocraft.settings.fields import SEED, setting
from autocraft.worlds.minecraft.facts import PRACTICE_VERSION

MOST_BOTS = 4
"""Most bots of one run."""
SIGHT = ("chest", "trapped_chest", "barrel", "*shulker_box", "*_bed", "*sign", "spawner")
_NAME = re.compile(r"[A-Za-z0-9_]{1,16}")
_OF_BOT = re.compile(r"(\d+): *(.*)")
"""What is for one of several bots alone."""


@frozen
class MinecraftSettings:
    """The server, the account, the bounds and the reflexes. Raises UsageError for invalid values."""

    server: str = setting(
        "", "--server HOST:PORT|lan", env="AUTOCRAFT_SERVER", doc="your server; without it, a practice one", power=True
    )
    mc_version: str = setting("", "--mc-version", doc="its version, such as 1.20.4; if empty, the server is asked")
    username: str = setting("autocraft", "--username", doc="the bot's name", power=True)
    bots: int = setting(
        1,
        "--bots",
        least=1,
        most=MOST_BOTS,
        doc="how many bots pursue the goal together; the second is called NAME2; with a model each asks for "
        "itself, so two may cost twice as much",
    )
    auth: str = setting(
        "offline",
        "--auth",
        words=("offline", "microsoft"),
        doc="how to sign in: offline, or microsoft with a code; the token is stored, and only you can read it",
        power=True,
    )
    seed: int = setting(1, "--seed", doc="seed of the practice world", least=-SEED, most=SEED)
    speed: float = setting(
        1.0, "--speed", least=0, most=1000, doc="speed of the practice server: 1 is that of Minecraft, 0 is no limit"
    )
    freeze: bool = setting(
        True, "--freeze/--no-freeze", doc="stop the practice world while the model thinks and while you are asked"
    )
    mobs: bool = setting(True, doc="let animals and monsters appear on the practice server")
    cheats: bool = setting(
        False,
        "--cheats",
        doc="allow server commands such as /give; a run that uses them counts as assisted",
        power=True,
    )
    begin: tuple[str, ...] = setting(
        (),
        "--begin COMMAND",
        doc="server command that begins a new run, such as '/give @s bread 3'; needs --cheats; repeat it for several; "
        "'2: /give @s bread 3' is for the second bot alone",
        power=True,
    )
    unknown: tuple[str, ...] = setting(
        (),
        "--unknown ITEM",
        doc="item that the bots do not know how to craft or smelt; '2: cake' is for the second bot alone; repeat it "
        "for several",
    )
    fence: str = setting("", doc="x1,z1,x2,z2: the bot stays inside, and changes nothing outside", power=True)
    heights: str = setting("", doc="low,high: the same for the height y", power=True)
    protected: tuple[str, ...] = setting(
        SIGHT,
        doc="blocks that the bot never breaks unless it placed them; * stands for any letters",
        power=True,
        names=True,
    )
    never_attack: tuple[str, ...] = setting(
        ("player",), doc="whom the bot never attacks: mobs, player, player:NAME", power=True, names=True
    )
    listen_to: tuple[str, ...] = setting(
        (),
        "--listen-to PLAYER",
        doc="player whose chat counts as your feedback; repeat it for several",
        power=True,
        names=True,
    )
    eat: bool = setting(True, doc="let the bot eat by itself when it is hungry")
    air: bool = setting(True, doc="let the bot come up for air by itself")
    fire: bool = setting(True, doc="let the bot step out of fire and lava by itself")
    fight: str = setting(
        "back",
        words=("back", "flee", "off"),
        doc="what the bot does when a monster attacks: back (it fights back), flee or off",
    )
    sight: str = setting(
        "",
        words=("seen", "loaded"),
        doc="which blocks the bot knows of: seen (those that were in its view) or loaded (all that the server sent it, "
        "also inside rock); if empty, loaded in your own network and seen on other servers",
        power=True,
    )
    node_memory_mb: int = setting(768, least=128, most=1 << 20, doc="memory of the bot's process, in MB", power=True)

    def __post_init__(self) -> None:
        if self.auth == "offline" and not all(map(_NAME.fullmatch, self.names)):
            most = 16 if self.bots == 1 else 15
            raise UsageError(f"minecraft.username {self.username[:40]!r}: give 1 to {most} letters, digits and _")
        if self.auth != "offline" and self.bots > 1:
            raise UsageError(
                f"--bots {self.bots} needs an account for each bot: leave --auth {self.auth} or --bots out"
            )
        if self.mc_version and not re.fullmatch(r"[0-9][0-9A-Za-z.\-]{0,19}", self.mc_version):
            raise UsageError(f"minecraft.mc_version {self.mc_version[:40]!r} is not a version such as 1.20.4")
        if self.mc_version not in ("", PRACTICE_VERSION) and not self.server:
            raise UsageError(
                f"--mc-version {self.mc_version}: the practice server is {PRACTICE_VERSION} alone; name your own with "
                "--server HOST:PORT, or leave --mc-version out"
            )
        for line in (*self.begin, *self.unknown):
            if (own := _OF_BOT.fullmatch(line)) and not 1 <= int(own[1]) <= self.bots:
                raise UsageError(f"{line[:60]!r} is for bot {own[1]}: add --bots {own[1]}, or leave the number out")
        for name in self.listen_to:
            if not re.fullmatch(r"\S{1,32}", name):
                raise UsageError(f"minecraft.listen_to {name[:40]!r} is not a player's name: give one name each")
        if self.server not in ("", "lan"):
            address(self.server)
        _ = self.bounds

    @property
    def names(self) -> list[str]:
        """Return the names of the bots."""
        return [self.username, *(f"{self.username}{number}" for number in range(2, self.bots + 1))]

    def of_bot(self, number: int) -> MinecraftSettings:
        """Return the settings of the first bot (1) or another one of the run, with its name and what is for it."""
        begin, unknown = (
            tuple(
                own[2] if own else line
                for line in lines
                if not (own := _OF_BOT.fullmatch(line)) or int(own[1]) == number
            )
            for lines in (self.begin, self.unknown)
        )
        return replace(self, username=self.names[number - 1], bots=1, begin=begin, unknown=unknown)

    @property
    def bounds(self) -> Json:
        """Return the bounds that the bot's process checks every packet against."""
        x1, z1, x2, z2 = _numbers(self.fence, 4, "fence", "x1,z1,x2,z2") or (0, 0, 0, 0)
        low, high = _numbers(self.heights, 2, "heights", "low,high") or (0, 0)
        return {
            "fence": [min(x1, x2), min(z1, z2), max(x1, x2), max(z1, z2)] if self.fence else None,
            "heights": [min(low, high), max(low, high)] if self.heights else None,
            "protected": list(self.protected),
            "never_attack": list(self.never_attack),
            "cheats": self.cheats,
        }

    @property
    def reflexes(self) -> Json:
        return {"eat": self.eat, "air": self.air, "fire": self.fire, "fight": self.fight}


def address(text: str) -> tuple[str, int]:
    """Return host and port of "host:port", "host" or "[::1]:port". Raises UsageError."""
    match = re.fullmatch(r"(?:\[([0-9a-fA-F:]+)\]|([^\s:/\[\]]+))(?::(\d{1,5}))?", text.strip())
    port = int(match[3] or 25565) if match else 0
    if not match or not 0 < port < 65536:
        raise UsageError(f"minecraft.server {text[:60]!r} is not a server: give HOST:PORT, or lan")
    return match[1] or match[2], port


def _numbers(text: str, count: int, name: str, shape: str) -> tuple[int, ...] | None:
    if not text:
        return None
    try:
        numbers = tuple(int(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) != count:
        raise UsageError(f"minecraft.{name} {text[:60]!r}: give {shape} as whole numbers")
    return numbers
