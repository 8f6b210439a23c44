"""Draws a question whole, for what is no terminal."""

from __future__ import annotations

from autocraft.console.render import Screen


class WholeScreen(Screen):
    """Draws a question without the keys of a terminal, and shortens nothing."""

    choices = hint = ""

    def _fold(self, text: str, most: int) -> str:
        return text
