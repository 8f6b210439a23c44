"""How much a program may take, and which protection it runs under: the section `[code]`.

Neighbours: `protection.py` reads the names, `child.py` and `launcher.py` hold programs to the numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from autocraft.errors import UsageError
from autocraft.settings import setting

PARTS = ("namespaces", "uid", "landlock", "seccomp")
"""What the system may offer, in the order in which the launcher puts it on."""
_MOST = 1 << 20


@dataclass(frozen=True)
class CodeSettings:
    """The limits of one program. Raises UsageError for a number that is no limit and for an unknown protection."""

    seconds: float = setting(30.0, env="AUTOCRAFT_CODE_SECONDS", doc="seconds that a program may run")
    memory_mb: int = setting(512, env="AUTOCRAFT_CODE_MEMORY_MB", doc="memory of a program with all its processes")
    processes: int = setting(32, env="AUTOCRAFT_CODE_PROCESSES", doc="processes and threads of a program")
    file_mb: int = setting(
        50, env="AUTOCRAFT_CODE_FILE_MB", doc="largest file of a program, and most that it may print"
    )
    total_mb: int = setting(100, env="AUTOCRAFT_CODE_TOTAL_MB", doc="disk that a program may take, its copy included")
    files: int = setting(10_000, env="AUTOCRAFT_CODE_FILES", doc="files that a program may have, its copy included")
    output_chars: int = setting(8_000, env="AUTOCRAFT_CODE_OUTPUT_CHARS", doc="characters of output the model is shown")
    network: bool = setting(False, env="AUTOCRAFT_CODE_NETWORK", doc="let programs reach the network")
    protection: str = setting(
        "auto",
        env="AUTOCRAFT_CODE_PROTECTION",
        doc=f"auto, none, or the parts to insist on: {', '.join(PARTS)} (with commas)",
    )

    def __post_init__(self) -> None:
        for name in ("seconds", "memory_mb", "processes", "file_mb", "total_mb", "files", "output_chars"):
            value = getattr(self, name)
            if not (math.isfinite(value) and 0 < value <= _MOST):
                raise UsageError(f"code.{name} must be more than 0 and at most {_MOST:,}, not {value:g}")
        for part in self.parts or ():
            if part not in PARTS:
                raise UsageError(f"code.protection {part!r} is unknown: give auto, none or some of {', '.join(PARTS)}")

    @property
    def parts(self) -> tuple[str, ...] | None:
        """What was insisted on, in the order of PARTS; None for auto."""
        named = {part.strip().lower() for part in self.protection.split(",")} - {""}
        if named == {"auto"}:
            return None
        named -= {"none"} if len(named) == 1 else set()
        return (*(part for part in PARTS if part in named), *sorted(named - set(PARTS)))
