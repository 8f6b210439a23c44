"""A loopback proxy between a bot and a server, which delays, drops, repeats or cuts the bytes of their connection.

It can also kick the bot in the server's name.
"""

from __future__ import annotations

import asyncio
import contextlib
import json

KICK = 0x19
"""The id of the packet that disconnects a player, in 1.16.2 to 1.16.5."""
DIG = 0x1B
"""The id of the packet that begins or ends digging, in 1.16.2 to 1.16.5."""


class Proxy:
    """Passes everything on, except after an order. An order holds once, for one direction: `up` to the server or
    `down` to the bot."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: list[asyncio.StreamWriter] = []
        self.delay = 0.0
        """Seconds by which every byte is late."""
        self.piece = 0
        """How many bytes are passed on at a time; 0 passes them on as they come."""
        self.drop = {"up": 0, "down": 0}
        """Bytes that are left out of what comes next."""
        self.repeat = {"up": 0, "down": 0}
        """Pieces that are sent twice, of what comes next."""
        self.kick = ""
        """Why the bot is kicked, at the end of the packet that is on its way."""
        self.digs = 0
        """How many packets about digging were passed on to the server."""
        self.silent = False
        """Whether nothing is passed on any more, though the connection stays."""

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def spent(self) -> bool:
        """Tell whether all orders are carried out."""
        return not (self.kick or any(self.drop.values()) or any(self.repeat.values()))

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        """End every connection."""
        for writer in self._writers:
            writer.close()
        self._writers.clear()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            to_server, from_server = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            writer.close()
            return
        self._writers += [writer, from_server]
        for way, source, target in (("up", reader, from_server), ("down", to_server, writer)):
            task = asyncio.create_task(self._pass(way, source, target, from_server if way == "down" else writer))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pass(
        self, way: str, source: asyncio.StreamReader, target: asyncio.StreamWriter, other: asyncio.StreamWriter
    ) -> None:
        packets = Packets()
        with contextlib.suppress(OSError):
            while data := await source.read(65536):
                if self.delay:
                    await asyncio.sleep(self.delay)
                if self.silent:
                    continue
                if self.drop[way]:
                    gone = min(len(data), self.drop[way])
                    self.drop[way] -= gone
                    data = data[gone:]
                if self.repeat[way]:
                    self.repeat[way] -= 1
                    data += data
                if way == "down" and self.kick and (end := packets.after(data)) is not None:
                    target.write(data[:end] + kick_packet(self.kick))
                    self.kick = ""
                    target.write_eof()  # read what the bot still sends, or a reset would overtake the packet
                    return
                whole = packets.take(data)
                size = self.piece or len(data) or 1
                for at in range(0, len(data), size):
                    target.write(data[at : at + size])
                    await target.drain()
                    await asyncio.sleep(0)
                if way == "up":
                    self.digs += sum(packet[1:3] == bytes([0, DIG]) for packet in whole)
        target.close()
        other.close()


class Packets:
    """Finds the ends of packets in a stream. A packet is its length as a varint, then so many bytes."""

    def __init__(self) -> None:
        self._rest = b""

    def take(self, data: bytes) -> list[bytes]:
        """Take the next piece of the stream. Return the packets that end in it."""
        data = self._rest + data
        at, whole = 0, []
        while (end := _packet_end(data, at)) is not None:
            whole.append(data[at:end])
            at = end
        self._rest = data[at:]
        return whole

    def after(self, data: bytes) -> int | None:
        """Return how many bytes of this piece belong to the unfinished packet. Return None if it ends later."""
        end = _packet_end(self._rest + data, 0)
        return None if end is None else end - len(self._rest)


def _packet_end(data: bytes, at: int) -> int | None:
    length = shift = 0
    for i, byte in enumerate(data[at : at + 5]):
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            end = at + i + 1 + length
            return end if end <= len(data) else None
    return None


def kick_packet(why: str) -> bytes:
    """Return the packet of 1.16.5 that disconnects a player, in the form of a compressed connection."""
    text = json.dumps({"text": why}).encode()
    body = b"\x00" + bytes([KICK]) + _varint(len(text)) + text
    return _varint(len(body)) + body


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
