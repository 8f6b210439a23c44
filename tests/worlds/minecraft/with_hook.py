"""Runs autocraft with a hook in its bot: ``python -m tests.worlds.minecraft.with_hook HOOK.js ARGUMENTS``.

The bot is confined as usual, but its Node loads the hook first and may read it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autocraft.cli import main
from autocraft.worlds.minecraft import bridge
from autocraft.worlds.minecraft.confined import confined_node


def lay(hook: str) -> None:
    """Start every bot of this process with the hook."""

    def hooked(node: Path, modules: Path, arguments: Sequence[str], **more: Any) -> list[str]:
        line = confined_node(node, modules, ["--require", hook, f"--allow-fs-read={hook}", *arguments], **more)
        asked = json.loads(line[-1])
        return [*line[:-1], json.dumps(asked | {"readable": [*asked["readable"], hook]})]

    bridge.confined_node = hooked  # type: ignore[attr-defined]


if __name__ == "__main__":
    lay(sys.argv.pop(1))
    main()
