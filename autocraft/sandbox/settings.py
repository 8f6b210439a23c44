"""How much a program may take, and what protects from it: `[code]` for Python, `[programs]` for JavaScript that acts in
the world."""

from __future__ import annotations

import sys

from autocraft.frozen import frozen
from autocraft.sandbox.program import Grant, ProgramLimits
from autocraft.settings.fields import ANY, setting


@frozen
class CodeSettings:
    """The limits of one program."""

    seconds: float = setting(30.0, env="AUTOCRAFT_CODE_SECONDS", doc="seconds that a program may run", power=True)
    memory_mb: int = setting(
        512, env="AUTOCRAFT_CODE_MEMORY_MB", doc="MB of memory for a program and all its processes", power=True
    )
    processes: int = setting(32, env="AUTOCRAFT_CODE_PROCESSES", doc="most processes and threads at once", power=True)
    file_mb: int = setting(
        50, env="AUTOCRAFT_CODE_FILE_MB", doc="MB of the largest file, and most that a program may print", power=True
    )
    total_mb: int = setting(
        100, env="AUTOCRAFT_CODE_TOTAL_MB", doc="MB of disk that a program may use, its copy included", power=True
    )
    files: int = setting(
        10_000, env="AUTOCRAFT_CODE_FILES", doc="how many files a program may have, its copy included", power=True
    )
    output_chars: int = setting(8_000, env="AUTOCRAFT_CODE_OUTPUT_CHARS", doc="characters of output for the model")
    network: bool = setting(False, env="AUTOCRAFT_CODE_NETWORK", doc="let programs reach the network", power=True)
    protection: str = setting(
        "auto",
        env="AUTOCRAFT_CODE_PROTECTION",
        words=("auto", "none"),
        doc="auto; or none, to run programs that can do what you can",
        power=True,
    )

    @property
    def off_by(self) -> str:
        """Return what rules out programs on this system, or ''. On Linux only a trial tells (`protection.find`)."""
        if sys.platform == "win32":
            return "Windows, where nothing can limit a program"
        if sys.platform != "linux" and self.protection != "none":
            return "this system, where nothing keeps a program from your files (code.protection none runs it anyway)"
        return ""


@frozen
class ProgramSettings:
    """What the approval of one JavaScript program covers, and how much the program may take."""

    effects: int = setting(
        500, env="AUTOCRAFT_PROGRAMS_EFFECTS", doc="effects that the approval of a program covers", power=True
    )
    minutes: float = setting(30.0, env="AUTOCRAFT_PROGRAMS_MINUTES", doc="minutes that the approval covers", power=True)
    seconds: float = setting(
        10.0,
        env="AUTOCRAFT_PROGRAMS_SECONDS",
        doc="seconds that a program itself may run, without waiting for the world",
        power=True,
    )
    steps: int = setting(
        50_000_000, env="AUTOCRAFT_PROGRAMS_STEPS", most=ANY, doc="most steps of the interpreter", power=True
    )
    memory_mb: int = setting(64, env="AUTOCRAFT_PROGRAMS_MEMORY_MB", doc="MB of memory for a program", power=True)
    calls: int = setting(20_000, env="AUTOCRAFT_PROGRAMS_CALLS", doc="most reads and effects together", power=True)
    output: int = setting(
        65_536, env="AUTOCRAFT_PROGRAMS_OUTPUT", doc="characters that a program may say and return", power=True
    )
    queue_mb: float = setting(
        8.0,
        env="AUTOCRAFT_PROGRAMS_QUEUE_MB",
        doc="MB of effects that a program asks for, with their results",
        power=True,
    )

    @property
    def limits(self) -> ProgramLimits:
        return ProgramLimits(
            self.seconds, self.steps, self.memory_mb, calls=self.calls, output=self.output, queue_mb=self.queue_mb
        )

    def grant(self, sha256: str, names: frozenset[str]) -> Grant:
        """Return what the approval of the program with this hash covers, which was seen to call the commands
        `names`."""
        return Grant(sha256, names, effects=self.effects, seconds=60 * self.minutes)
