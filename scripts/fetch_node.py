"""Fetch what the Minecraft world and programs need from npm, with progress; ``make install`` runs it."""

from __future__ import annotations

from autocraft.errors import AutocraftError
from autocraft.node import packages
from autocraft.sandbox.packages import PACKAGES as PROGRAMS
from autocraft.worlds.minecraft.packages import PACKAGES as MINECRAFT

LISTS = (PROGRAMS, MINECRAFT)


def main() -> int:
    try:
        for each in LISTS:
            packages(each, say=print)
    except AutocraftError as error:
        print(f"autocraft: {error}")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
