"""Where the JavaScript of the Minecraft world is, and the npm packages that it needs."""

from __future__ import annotations

from pathlib import Path

from autocraft.node import PackageList

NODE_FOLDER = Path(__file__).parent / "node"
SURPLUS = (
    "minecraft-data/minecraft-data/data/bedrock/[0-9]*",  # of another edition; its list of versions stays
    "**/*.map",
    "**/*.d.ts",
    "**/*.md",
    "**/test",
    "**/docs",
)
PACKAGES = PackageList(NODE_FOLDER, "mineflayer", "AUTOCRAFT_NODE_MODULES", "Minecraft, about 120 MB", SURPLUS)
