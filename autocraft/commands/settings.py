"""The settings of commands: the families that are off, neither offered nor accepted, and the folder of own commands."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from autocraft.errors import UsageError
from autocraft.frozen import frozen
from autocraft.protocols import FAMILIES
from autocraft.settings.fields import setting
from autocraft.text.phrases import did_you_mean

SMALL_WINDOW = 8_192
"""The largest window, in tokens, of a model that is told only the commands of its world, unless told otherwise."""


@frozen
class CommandSettings:
    """The choice of commands."""

    disabled: tuple[str, ...] = setting(
        (), env="DISABLED_COMMAND_CATEGORIES", doc="families to switch off, as web,code", names=True
    )
    commands: str = setting(
        "",
        "--commands",
        env="AUTOCRAFT_OFFERED_COMMANDS",
        doc="commands that a model is told: world (with control), all, or families, such as world,files; without it, "
        "world for a model with a window of at most 8192 tokens, else all",
    )
    commands_folder: Path | None = setting(
        None, env="AUTOCRAFT_COMMANDS", doc="folder of your commands", power=True, runs=True
    )

    def families(self, window: int) -> Collection[str] | None:
        """Return the families that a model with this window (0 if unknown) is told, None for all. Raises UsageError."""
        offered = self.commands or ("world" if 0 < window <= SMALL_WINDOW else "all")
        if offered == "all":
            return None
        names = [name.strip() for name in offered.split(",") if name.strip()]
        for name in names:
            if name not in FAMILIES:
                hint, choice = did_you_mean(name, FAMILIES), ", ".join(FAMILIES)
                raise UsageError(f"--commands {name[:40]!r} is not a family of commands: {hint}choose all or {choice}")
        return {*names, "control"}

    def check(self, source: str) -> None:
        """Raise UsageError for an unknown family, and for `control`, which is always on. `source` is the setting."""
        for name in self.disabled:
            if name not in FAMILIES:
                hint, choice = did_you_mean(name, FAMILIES), ", ".join(each for each in FAMILIES if each != "control")
                raise UsageError(f"{source}: {name[:40]!r} is not a family of commands: {hint}choose {choice}")
            if name == "control":
                raise UsageError(f"{source}: control cannot be switched off, since no run could end without it")
