"""The command line of Minecraft's confined Node children.

The bot parses whatever a server sends. If a server takes it over, `--permission` of Node and, below it, the kernel keep
it from the person's files, from starting programs and from other processes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from autocraft.sandbox.confine import confined
from autocraft.worlds.minecraft.packages import NODE_FOLDER


def confined_node(node: Path, modules: Path, arguments: Sequence[str], *, writable: Sequence[Path] = ()) -> list[str]:
    """Return the command that runs Node with these arguments, confined.

    It reads autocraft's JavaScript and the packages, writes in the folders `writable`, which must exist, uses the
    network, and starts no process. A child that may write is not killed together with this process, so that it can
    save; its watchdog ends it soon. Its environment holds only the path of the packages.
    """
    folders = [NODE_FOLDER, modules.resolve()]
    command = [
        str(node),
        "--permission",
        *(f"--allow-fs-read={folder}" for folder in (*folders, *writable)),
        *(f"--allow-fs-write={folder}" for folder in writable),
        "--allow-worker",  # for the watchdog
        "--no-addons",
        f"--openssl-config={os.devnull}",
        *arguments,
    ]
    return confined(
        command,
        [node, node.resolve().parent.parent / "lib", *folders],
        None,
        writable=list(writable),
        network=True,
        environment={"AUTOCRAFT_NODE_MODULES": str(modules.resolve())},
        linger=bool(writable),
    )
