"""Checks plans and proofs from their certificates alone.

Nothing here imports the planners: only the rules (`table.py`, `recipes.py`, `slots.py`) and arithmetic of its own.
`files.py` reads plans and replays them, `question.py` restates what was asked, `takes.py` and `cells.py` check the two
bounds that `docs/crafting.md` proves, `weights.py` what keeps their searches small, `impossible.py` proofs that there is
no way.
"""
