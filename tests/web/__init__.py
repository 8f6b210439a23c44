"""The live page of a run: `autocraft run --web`."""
