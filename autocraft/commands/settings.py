"""The settings of commands: the families that are off, neither offered nor accepted, and the folder of own commands."""

from __future__ import annotations

from pathlib import Path

from autocraft.errors import UsageError
from autocraft.frozen import frozen
from autocraft.protocols import FAMILIES
from autocraft.settings.fields import setting
from autocraft.text.phrases import did_you_mean


@frozen
class CommandSettings:
    """The choice of commands."""

    disabled: tuple[str, ...] = setting(
        (), env="DISABLED_COMMAND_CATEGORIES", doc="families to switch off, as web,code", names=True
    )
    commands_folder: Path | None = setting(
        None, env="AUTOCRAFT_COMMANDS", doc="folder of your commands", power=True, runs=True
    )

    def check(self, source: str) -> None:
        """Raise UsageError for an unknown family, and for `control`, which is always on. `source` is the setting."""
        for name in self.disabled:
            if name not in FAMILIES:
                hint, choice = did_you_mean(name, FAMILIES), ", ".join(each for each in FAMILIES if each != "control")
                raise UsageError(f"{source}: {name[:40]!r} is not a family of commands: {hint}choose {choice}")
            if name == "control":
                raise UsageError(f"{source}: control cannot be switched off, since no run could end without it")
