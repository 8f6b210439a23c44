"""Plancraft's evaluation: `Evaluator` runs a `Model` over a split; see docs/evaluation.md."""
