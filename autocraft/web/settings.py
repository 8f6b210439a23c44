"""The settings of the live page."""

from __future__ import annotations

from autocraft.errors import UsageError
from autocraft.frozen import frozen
from autocraft.settings.fields import setting


@frozen
class PageSettings:
    """Where `autocraft run --web` serves the run."""

    web_port: int = setting(
        0, "--web-port PORT", doc="with --web: port of the page on 127.0.0.1; 0 takes a free one", power=True
    )

    web_open: bool = setting(
        False, "--web-open", doc="with --web: open the page in your browser, with the view through the player's eyes"
    )

    def check(self) -> None:
        """Raise UsageError for an impossible value."""
        if not 0 <= self.web_port < 65536:
            raise UsageError(f"--web-port must be between 0 and 65535, not {self.web_port}")
