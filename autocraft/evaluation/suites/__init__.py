"""Suites of tasks in Minecraft: each task is a run of its own in a new world; see docs/evaluation.md."""
