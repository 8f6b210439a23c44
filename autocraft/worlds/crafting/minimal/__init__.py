"""Plans of single moves and smelts, as few as possible, each with a certificate; see `docs/crafting.md`."""
