"""autocraft: a terminal agent that plays Minecraft under a person's eye.

Start reading at `agent/loop.py` (one turn, on one screen); `docs/architecture.md` has the picture.
Importing this package does no work: parts are imported by name in `app.py` when chosen.
"""

__version__ = "0.2.0"
