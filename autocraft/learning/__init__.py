"""Voyager's lifelong learning: a curriculum proposes tasks, and the programs that do them are kept as skills."""
