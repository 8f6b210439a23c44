"""Checks plans and proofs from their certificates alone.

This package imports only the rules (`table.py`, `recipes.py`, `slots.py`), and no planner. `files.py` reads plans and
replays them. `question.py` restates the question and limits the work. `bound.py` checks, with `takes.py` and
`cells.py`, the two bounds that `docs/crafting.md` proves; `sharing.py` counts for them and `weights.py` keeps their
searches small. `impossible.py` checks proofs of impossibility.
"""
