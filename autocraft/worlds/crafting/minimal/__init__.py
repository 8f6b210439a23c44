"""Plans of single moves and smelts, as few as can be, each with a certificate; see `docs/crafting.md`."""
