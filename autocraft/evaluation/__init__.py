"""Plancraft's evaluation: `Evaluator` plays a split with a `Model`, or with a brain; see docs/evaluation.md.

Start with `episode.py` (one example to its end) and `evaluator.py` (all of them).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autocraft.evaluation.evaluator import Evaluator as Evaluator
    from autocraft.evaluation.model import Model as Model

__all__ = ["Evaluator", "Model"]


def __getattr__(name: str) -> Any:
    """Import a name when it is used, so that one module of this package does not load all others."""
    if name == "Evaluator":
        from autocraft.evaluation.evaluator import Evaluator

        return Evaluator
    if name == "Model":
        from autocraft.evaluation.model import Model

        return Model
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
