"""Skills: named JavaScript programs that outlive a run, in plain files that people read, compare and share.

`store.py` stores them and `skill.py` has the values. `parse.py` reads a program without running it, `known.py` lists
the names of Voyager's API, `graph.py` finds which skill calls which, `index.py` finds a skill by meaning, `uses.py`
counts uses, `voyager.py` imports other libraries and `export.py` writes one. Nothing here runs a program.
"""

from __future__ import annotations

from pathlib import Path

from autocraft.frozen import frozen
from autocraft.settings.fields import setting


@frozen
class SkillSettings:
    """Where the skills are."""

    skills_dir: Path | None = setting(
        None,
        "--skills-dir --skills",
        doc="folder of the skill library; `skills` in the state folder by default",
        power=True,
        runs=True,
    )
