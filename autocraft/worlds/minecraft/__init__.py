"""Minecraft itself, played by a bot in a Node child. Start with `world.py`; `node/README.md` describes the rest."""
