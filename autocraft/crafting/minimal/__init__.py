"""Plans the fewest single moves and smelts, with a certificate of the bound; see `docs/crafting.md`."""
