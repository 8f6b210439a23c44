"""The folder with the sandbox's JavaScript, and the npm package that it needs."""

from __future__ import annotations

from pathlib import Path

from autocraft.node import PackageList

NODE_FOLDER = Path(__file__).parent / "node"
PACKAGES = PackageList(
    NODE_FOLDER,
    "@jitl/quickjs-wasmfile-release-sync",
    "AUTOCRAFT_SANDBOX_MODULES",
    "programs, about 2 MB",
)
