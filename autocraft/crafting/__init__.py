"""The crafting engine: Plancraft's rules on the data of Minecraft 1.16. Start with `table.py`."""
