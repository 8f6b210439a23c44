"""The families of commands that the person has switched off. Their commands are neither offered nor accepted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autocraft.errors import UsageError
from autocraft.protocols import FAMILIES
from autocraft.settings.fields import setting
from autocraft.text.phrases import did_you_mean


@dataclass(frozen=True)
class CommandSettings:
    """The choice of commands."""

    disabled: tuple[str, ...] = setting(
        (), env="DISABLED_COMMAND_CATEGORIES", doc="families of commands that are off, such as web, code"
    )
    commands_folder: Path | None = setting(
        None, env="AUTOCRAFT_COMMANDS", doc="folder of your own commands", power=True
    )


def switched_off(names: Sequence[object], source: str) -> dict[str, str]:
    """Return family -> what switched it off. Raises UsageError for an unknown family, and for one that is never off."""
    given = [name for name in (str(each).strip() for each in names) if name]
    for name in given:
        if name not in FAMILIES:
            hint = did_you_mean(name, FAMILIES)
            raise UsageError(f"{source}: {name[:40]!r} is no family of commands: {hint}choose {_choice()}")
        if name == "control":
            raise UsageError(f"{source}: control cannot be switched off, for without it no run could end")
    return dict.fromkeys(given, source)


def _choice() -> str:
    return ", ".join(name for name in FAMILIES if name != "control")
