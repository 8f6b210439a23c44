"""The crafting world: Plancraft's rules on Minecraft 1.16 facts. Start with `world.py`; README.md names the files."""
