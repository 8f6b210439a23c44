"""Where commands have their effect: `crafting/` is the crafting table of Minecraft 1.16, headless."""
