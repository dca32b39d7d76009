"""Doors that are no backends: a relay that lets new connections wait, one that babbles, one that stays shut."""

import asyncio
import contextlib
import socket

import wire


class LateDoor:
    """Relays bytes to another port; a new connection waits a little for its first one."""

    # Longer than what is left of many a token: it is the one at the time of the connection that must be sent.
    WAITS = [0, 0.2, 1, 3]

    def __init__(self, rng, port):
        self.rng = rng
        self.to = port
        self.port = 0
        # asyncio itself holds no task whose connection is lost.
        self._tasks = set()

    async def open(self):
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]

    async def _serve(self, reader, writer):
        task = asyncio.current_task()
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await asyncio.sleep(self.rng.choice(self.WAITS))
        there = None
        try:
            from_there, there = await asyncio.open_connection("127.0.0.1", self.to)
            await asyncio.gather(self._relay(reader, there), self._relay(from_there, writer))
        except (OSError, wire.Cut):
            # What one side does is done to the other.
            wire.reset(writer)
            if there is not None:
                wire.reset(there)
        finally:
            for end in (writer, there):
                if end is not None:
                    end.close()

    async def _relay(self, reader, writer):
        while data := await wire.read_some(reader, 1 << 16):
            writer.write(data)
            await writer.drain()
        with contextlib.suppress(OSError):
            writer.write_eof()


class Babbler:
    def __init__(self):
        self.port = 0

    async def open(self):
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]

    async def _serve(self, reader, writer):
        with contextlib.suppress(OSError):
            writer.write(b"220 ready\r\n")
            await reader.read()
        writer.close()


class ShutDoor:
    """A port that refuses connections, and that nobody else on the machine can open."""

    def __init__(self):
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
