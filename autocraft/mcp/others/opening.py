"""Opens the servers of the settings before a run. It is imported only if there is one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from autocraft.commands.families import CommandSettings
from autocraft.mcp.others.definitions import Definition, Pins
from autocraft.mcp.others.family import OtherServer
from autocraft.mcp.others.servers import Confirm, read_servers, variables_in
from autocraft.mcp.others.shapes import FAMILY
from autocraft.settings.settings import Settings

Change = tuple[Definition | None, Definition | None]
"""A tool before and now. None for one that was not there, or is gone."""
Agree = Callable[[str, Sequence[Change]], bool]
"""Asks the person whether a server's tools may be offered as they are now. False if nobody can be asked."""


def read_servers_of(settings: Settings, root: Path, confirm: Confirm) -> list[OtherServer]:
    """Return the servers of the settings, not started; none if their family is off. Raises UsageError."""
    disabled = settings.fill(CommandSettings, "commands").disabled
    found = [] if FAMILY in map(str.strip, disabled) else read_servers(settings, confirm)
    for header in (value for server in found for value in server.headers.values()):
        for name in variables_in(header):
            settings.mask.add(settings.environment.get(name, ""), name=name)
    pins = Pins(root)
    return [OtherServer(each, pins, settings.environment) for each in found]


async def look_again(servers: Sequence[OtherServer], agree: Agree) -> None:
    """Start the servers that were never seen, and ask about tools that are not what they were when pinned."""
    for each in servers:
        if each.new:
            await each.first_look()
        changes = each.changes()
        if changes and agree(each.server.name, changes):
            each.accept()
