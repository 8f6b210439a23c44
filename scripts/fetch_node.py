"""Fetch the npm packages that programs and the Minecraft world need, and show the progress.

`python -m scripts.fetch_node [programs] [minecraft] [view] [tests] [fork] [browser] [conformance]`; the first two are
the default. `view` draws the world through the player's eyes. `tests` and `fork` are foreign servers that some tests
play on, `browser` the Chromium that some tests open pages in, `conformance` the tool that tests the Model Context
Protocol.
"""

from __future__ import annotations

import sys

from autocraft.errors import AutocraftError
from autocraft.node import PackageList, packages, show_progress
from autocraft.sandbox.packages import PACKAGES as PROGRAMS
from autocraft.worlds.minecraft.packages import PACKAGES as MINECRAFT
from autocraft.worlds.minecraft.view import PACKAGES as VIEW

OURS = {"programs": PROGRAMS, "minecraft": MINECRAFT, "view": VIEW}


def of_tests() -> dict[str, PackageList]:
    """Return the lists that only tests need, which no installation brings."""
    from tests.browser.chromium import BROWSER
    from tests.mcp.conformance.tool import CONFORMANCE
    from tests.worlds.minecraft.versions import FORK, SQUID

    return {"tests": SQUID, "fork": FORK, "browser": BROWSER, "conformance": CONFORMANCE}


def main(names: list[str]) -> int:
    try:
        for name in names or ("programs", "minecraft"):
            packages(OURS.get(name) or of_tests()[name], say=show_progress)
    except AutocraftError as error:
        print(f"autocraft: {error}")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
