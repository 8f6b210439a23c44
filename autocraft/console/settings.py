"""The settings of what a live run shows."""

from __future__ import annotations

from autocraft.frozen import frozen
from autocraft.settings.fields import setting

WAYS = ("line", "single")
"""How a question may be answered at a terminal."""


@frozen
class ConsoleSettings:
    """How the run is shown."""

    plain: bool = setting(False, "--plain", doc="use no colour, and draw nothing again: for screen readers")
    verbose: bool = setting(False, "--verbose -v", doc="show reasoning, counts of each step and notes in full")
    quiet: bool = setting(False, "--quiet -q", doc="show actions, results and questions only")
    debug: bool = setting(False, "--debug", doc="show raw answers as they come, and keep every request in the session")
    bell: bool = setting(True, "--bell/--no-bell", doc="ring when a question waits")
    keys: str = setting(
        "line", "--keys", words=WAYS, doc="how a question is answered: by a line, or by a single key", power=True
    )
    notify: str = setting(
        "",
        "--notify COMMAND",
        doc="program to start when a question waits and when the run ends, such as notify-send autocraft",
        power=True,
        runs=True,
    )
