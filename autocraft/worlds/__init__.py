"""Where commands have their effect: `crafting/` is a crafting table of Minecraft 1.16, `minecraft/` the game itself."""
