"""Finding a world that somebody opened to the LAN: the game announces it by multicast every 1.5 seconds.

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
"""Seconds; at least three announcements fit in."""


async def find_lan_world(port: int = PORT, seconds: float = LISTEN) -> tuple[str, int]:
    """Host and port of the first world that announces itself. Raises UsageError where none does."""
    heard: asyncio.Future[tuple[str, int]] = asyncio.get_running_loop().create_future()
    try:
        ear = _listener(port)
    except OSError as error:
        raise UsageError(f"cannot listen for LAN worlds ({error.strerror}); give --server HOST:PORT") from None
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(lambda: _Ear(heard), sock=ear)
    try:
        async with asyncio.timeout(seconds):
            return await heard
    except TimeoutError:
        raise UsageError(
            "no LAN world announced itself: open yours with Esc, Open to LAN, or give --server HOST:PORT"
        ) from None
    finally:
        transport.close()


def _listener(port: int) -> socket.socket:
    ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    ear.bind(("", port))
    group = struct.pack("4sl", socket.inet_aton(GROUP), socket.INADDR_ANY)
    with contextlib.suppress(OSError):  # without multicast, what is sent to this machine itself is still heard
        ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
    ear.setblocking(False)
    return ear


class _Ear(asyncio.DatagramProtocol):
    def __init__(self, heard: asyncio.Future[tuple[str, int]]) -> None:
        self.heard = heard

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        found = re.search(rb"\[AD\](?:[^\[\]]*:)?(\d{1,5})\[/AD\]", data[:1000])
        if found and 0 < int(found[1]) < 65536 and not self.heard.done():
            self.heard.set_result((addr[0], int(found[1])))
