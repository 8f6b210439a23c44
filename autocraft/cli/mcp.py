"""`autocraft mcp`: let a client of the Model Context Protocol call the commands."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

from autocraft.cli import completion
from autocraft.cli.options import (
    RUN,
    Flags,
    Goals,
    GroupedCommand,
    Profile,
    Resume,
    Words,
    goals_of,
    new_app,
    root_folder,
    with_settings,
)
from autocraft.errors import UsageError

EXAMPLES = """Examples:

\b
  autocraft mcp
  autocraft mcp craft 1 stone_pickaxe --inventory oak_log=3,cobblestone=3
  autocraft mcp --world minecraft --auto-look --port 8765
  autocraft mcp --resume last
  autocraft mcp --attach last

docs/mcp.md has the line for each client."""

app = new_app()


@app.command(cls=GroupedCommand, epilog=EXAMPLES)
@with_settings("mcp", *RUN)
def mcp(
    flags: Flags,
    words: Words = None,
    goal: Goals = None,
    resume: Resume = "",
    attach: Annotated[
        str,
        typer.Option(help="Answer the questions of this session at this terminal.", autocompletion=completion.sessions),
    ] = "",
    profile: Profile = "",
) -> int:
    """Serve the commands to a client, asking before each one."""
    if find_spec("mcp") is None:
        from autocraft.installation import install_line

        raise UsageError(f"the SDK of the protocol is missing: {install_line('mcp')}")
    import asyncio

    if attach:
        from autocraft.mcp.attach import attach as attach_to
        from autocraft.session.folder import find

        return asyncio.run(attach_to(find(root_folder(flags), attach)))
    from autocraft.app import Request
    from autocraft.cli.sessions import pick_session, warn_over_quota
    from autocraft.mcp.serve import serve

    code = asyncio.run(serve(Request([*goals_of(words), *(goal or [])], flags, pick_session(resume, flags), profile)))
    warn_over_quota(flags, profile)
    return code
