"""The settings of the live page."""

from __future__ import annotations

from autocraft.frozen import frozen
from autocraft.settings.fields import setting


@frozen
class PageSettings:
    """Where `autocraft run --web` serves the run."""

    web_port: int = setting(
        0,
        "--web-port PORT",
        least=0,
        most=65535,
        doc="with --web: port of the page on 127.0.0.1; 0 takes a free one",
        power=True,
    )

    web_open: bool = setting(
        False, "--web-open", doc="with --web: open the page in your browser, with the view through the player's eyes"
    )
