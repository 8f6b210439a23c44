"""Opens other MCP servers for a run. Nothing of them is imported if the settings name none."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from autocraft.console.attended import is_attended
from autocraft.errors import CommandError
from autocraft.mcp.settings import McpSettings
from autocraft.settings.config import Config
from autocraft.text.redact import Mask

if TYPE_CHECKING:
    from autocraft.mcp.client.family import OtherServer

MOST_CHANGES = 50
"""The most changed tools in one question. More would scroll important ones away."""


@asynccontextmanager
async def open_other_servers(
    servers: Sequence[OtherServer], mask: Mask, *, start: bool
) -> AsyncIterator[Sequence[OtherServer]]:
    """Yield the other servers, and end those that run when the run ends.

    With `start`, start servers that were never seen, and ask how to start them, and about tools that have changed.
    `mask` cuts the person's own secrets out of these questions.
    """
    try:
        for each in servers if start else ():
            if each.tools is None:
                try:
                    await each.first_look(_how_to_start(mask, each))
                except CommandError as error:
                    each.lines.append(f"{each.server.name}: {error}")
            if _agrees(mask, each):
                each.accept()
        yield servers
    finally:
        for each in servers:
            await each.close()


def read_servers_of(config: Config) -> Sequence[OtherServer]:
    """Return the servers of the settings; none if their family is off. Nothing is started. Raises UsageError."""
    own = config.of(McpSettings)
    if "mcp" in config.commands.disabled or (not own.servers and own.servers_file is None):
        return ()
    from autocraft.mcp.client.definitions import Pins
    from autocraft.mcp.client.family import OtherServer
    from autocraft.mcp.client.servers import read_servers, secrets_of

    servers = read_servers(own, config.folder, config.confirms)
    for server in servers:
        for secret, name in secrets_of(server, config.environment).items():
            config.mask.add(secret, name=name)
    pins = Pins(config.session.root)
    return [OtherServer(each, pins, config.environment) for each in servers]


def _how_to_start(mask: Mask, server: OtherServer) -> bool | None:
    """Ask whether a server that was never seen is to be confined. Return None where its settings or nobody can say.

    The person is not asked where nothing can be confined. Raises CommandError if it is not to be started.
    """
    own = server.server
    if own.url or own.confine is not None or not is_attended():
        return None
    from autocraft.console.consent import typed_line
    from autocraft.console.pages import print_page
    from autocraft.sandbox.confinement import seen_by
    from autocraft.sandbox.protection import check_confining
    from autocraft.text.sanitize import clean_line

    try:
        check_confining(network=own.reach.network)
        seen = seen_by([own.command, *own.args], own.cwd, own.reach)
    except CommandError:
        return None
    paths = ", ".join(f"{path}{' (it may change it)' * writable}" for path, writable in seen)
    rows = [
        f"The server {own.name} is new: {own.where}",
        "  free:      it can do everything that you can.",
        f"  confined:  it sees the system's programs, {paths or 'none of your files'}, and an empty home folder; "
        f"{'it has the network' if own.reach.network else 'it has no network'}.",
        f"read, write and network of mcp.servers.{own.name} let it see more (docs/mcp.md).",
    ]
    print_page("\n".join(map(clean_line, rows)), mask)
    answer = typed_line("Type confined or free; anything else does not start it")
    if answer not in ("confined", "free"):
        raise CommandError("it is not started, as you said neither confined nor free: none of its tools is offered")
    return answer == "confined"


def _agrees(mask: Mask, server: OtherServer) -> bool:
    """Show how a server's tools changed, and ask whether to offer them. Return False without a terminal."""
    changes = server.changes()
    if not changes or not is_attended():
        return False
    from autocraft.console.consent import typed_yes
    from autocraft.console.pages import print_page
    from autocraft.text.sanitize import exact_json

    name = server.server.name
    if len(changes) > MOST_CHANGES:
        print_page(f"The server {name} changed {len(changes):,} tools, too many to be shown: they are left out.")
        return False
    rows = [f"The server {name} describes its tools differently than when you agreed to them."]
    for before, after in changes:
        rows += ["  before:  " + (exact_json(before.text) if before else "it was not there")]
        rows += ["  now:     " + (exact_json(after.text) if after else "it is gone")]
    rows += ["The model reads the descriptions of tools, and may follow them like orders."]
    print_page("\n".join(rows), mask)
    return typed_yes("Type yes to offer them as they are now; anything else leaves them out")
