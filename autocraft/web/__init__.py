"""The live page of a run: `autocraft run --web` serves it on loopback, and takes answers from it."""
