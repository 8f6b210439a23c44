"""Finds a world that is open to the LAN. The game announces it by multicast every 1.5 seconds.

Source: wiki.vg, "Server List Ping", LAN world: `[MOTD]…[/MOTD][AD]port[/AD]` to 224.0.2.60:4445.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import struct

from autocraft.errors import UsageError

GROUP, PORT = "224.0.2.60", 4445
LISTEN = 5.0
"""Seconds to listen, long enough for three announcements."""


async def find_lan_world(port: int = PORT, seconds: float = LISTEN, last: tuple[str, int] = ("", 0)) -> tuple[str, int]:
    """Return host and port of the first world that announces itself, else of the `last` one. Raises UsageError."""
    try:
        with _listener(port) as listener:
            async with asyncio.timeout(seconds):
                while True:
                    await asyncio.sleep(0)  # else a flood would hold up the run, and its end
                    data, (host, *_) = await asyncio.get_running_loop().sock_recvfrom(listener, 65536)
                    match = re.search(rb"\[AD\](?:[^\[\]]*:)?(\d{1,5})\[/AD\]", data[:1000])
                    if match and 0 < int(match[1]) < 65536:
                        return host, int(match[1])
    except TimeoutError:
        if last[0]:
            return last
        raise UsageError(
            "no LAN world announced itself: open yours with Esc, Open to LAN, or give --server HOST:PORT"
        ) from None
    except OSError as error:
        raise UsageError(f"cannot listen for LAN worlds ({error.strerror}); give --server HOST:PORT") from None


def _listener(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("", port))
    group = struct.pack("4sl", socket.inet_aton(GROUP), socket.INADDR_ANY)
    with contextlib.suppress(OSError):  # without multicast, messages to this computer still arrive
        listener.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
    listener.setblocking(False)
    return listener
