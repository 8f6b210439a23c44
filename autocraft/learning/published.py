"""The figures of Voyager's paper (arXiv 2305.16291, version 2): three trials each, at most 160 iterations."""

from __future__ import annotations

from collections.abc import Mapping

SOURCE = "Voyager's paper, arXiv 2305.16291, three trials of at most 160 iterations"
ITEMS: Mapping[str, tuple[int, int, int]] = {
    "Voyager": (63, 58, 67),
    "AutoGPT": (11, 22, 25),
    "Reflexion": (5, 5, 5),
    "ReAct": (4, 4, 2),
}
"""Method -> the kinds of items of each trial after 160 iterations. The paper shows the way there as a picture only."""
ITERATIONS = 160
TECH_TREE: Mapping[str, tuple[str, str, str, str]] = {
    "ReAct": ("–", "–", "–", "–"),
    "Reflexion": ("–", "–", "–", "–"),
    "AutoGPT": ("92 ± 72 (3/3)", "94 ± 72 (3/3)", "135 ± 103 (3/3)", "–"),
    "Voyager, no library": ("7 ± 2 (3/3)", "9 ± 4 (3/3)", "29 ± 11 (3/3)", "–"),
    "Voyager": ("6 ± 2 (3/3)", "11 ± 2 (3/3)", "21 ± 7 (3/3)", "102 (1/3)"),
}
"""Method -> iterations to a wooden, stone, iron and diamond tool, and the trials that got there."""
