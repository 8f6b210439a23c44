"""`autocraft practice-server`: the practice server of the Minecraft world, without a run."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from autocraft.cli.options import Flags, new_app, root_folder, with_settings

app = new_app()


@app.command()
@with_settings("session.state_dir")
def practice_server(
    flags: Flags,
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1; 0 takes a free one.")] = 25565,
    seed: Annotated[int, typer.Option(help="Seed of the world.")] = 1,
    speed: Annotated[float, typer.Option(help="1 is the speed of Minecraft, 0 is no limit.")] = 1.0,
    folder: Annotated[Path | None, typer.Option(help="Folder for the world; without it, nothing is saved.")] = None,
    mobs: Annotated[bool, typer.Option("--mobs/--no-mobs", help="Let animals and monsters appear.")] = True,
    cheats: Annotated[bool, typer.Option("--cheats", help="Allow server commands such as /give.")] = False,
) -> int:
    """Run the practice server alone, for your own client or bots, until Ctrl-C."""
    from autocraft.console.pages import print_page
    from autocraft.worlds.minecraft.server import serve

    options: dict[str, object] = {"port": port, "seed": seed, "speed": speed, "mobs": mobs, "cheats": cheats}
    options["folder"] = str(folder.absolute()) if folder else None
    return asyncio.run(serve(options, root_folder(flags) / "practice-server.log", print_page))
