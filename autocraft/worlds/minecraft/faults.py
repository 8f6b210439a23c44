"""Errors between Python, its Node children and a Minecraft server."""

from __future__ import annotations

from autocraft.errors import AutocraftError, CommandError


class WorldLost(AutocraftError):
    """The world cannot be reached, or not any more, and every attempt to rejoin has failed."""


class BotFault(CommandError):
    """A command was not executed, or not to its end.

    `kind` is failed (by the world or the rules), cancelled, bounds, dead (the bot died), danger (it hid from one who
    attacked), kicked, lost (the connection), hung, gone (the bot's process), limit (its time), invalid or bug.
    `said` are lines about what was done before.
    """

    def __init__(self, text: str, kind: str = "failed", said: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.kind = kind
        self.said = said
