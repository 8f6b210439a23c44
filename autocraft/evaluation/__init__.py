"""Plancraft's evaluation: `Evaluator` plays a split with a `Model`, or with a brain; see docs/evaluation.md.

Start with `episode.py` (one example to its end) and `evaluator.py` (all of them).
"""
