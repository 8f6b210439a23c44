"""The practice server and the bot of the Minecraft tests, for programs that act there."""

from tests.worlds.conftest import stage

__all__ = ["stage"]
