"""`autocraft demo`: the bot at work in the practice world, seen in the browser."""

from __future__ import annotations

from autocraft.cli.options import Flags, GroupedCommand, Words, goals_of, new_app, with_settings
from autocraft.cli.run import demo_request, pursue

app = new_app()
EXAMPLES = """Examples:

\b
  autocraft demo
  autocraft demo get 3 torches --continuous

The first time it fetches about 100 MB of Node packages."""


@app.command(cls=GroupedCommand, epilog=EXAMPLES)
@with_settings("gate.continuous", "minecraft.seed", "minecraft.speed", "web_page.web_port", "session.state_dir")
def demo(flags: Flags, words: Words = None) -> int:
    """Play Minecraft in a practice world, asking here and in your browser."""
    return pursue(demo_request(goals_of(words), flags), web=True)
