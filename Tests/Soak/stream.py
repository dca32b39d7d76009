"""A client's connection on a bare socket.

asyncio's streams forget what has come when a write fails; a client that reads on gets every byte that came before a reset.
"""

import asyncio
import socket
import struct


class Stream:
    def __init__(self, sock):
        self._socket = sock
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray()

    @classmethod
    async def connect(cls, port):
        sock = socket.socket()
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", port))
        return cls(sock)

    # Reading

    async def read(self, count):
        """At most that many bytes, none at the end of the stream."""
        if not self._buffer:
            return await self._loop.sock_recv(self._socket, count)
        data = bytes(self._buffer[:count])
        del self._buffer[:count]
        return data

    async def readuntil(self, separator):
        searched = 0
        while (end := self._buffer.find(separator, searched)) < 0:
            searched = max(0, len(self._buffer) - len(separator))
            data = await self._loop.sock_recv(self._socket, 1 << 16)
            if not data:
                raise asyncio.IncompleteReadError(bytes(self._buffer), None)
            self._buffer += data
        end += len(separator)
        found = bytes(self._buffer[:end])
        del self._buffer[:end]
        return found

    # Writing

    async def write(self, data):
        await self._loop.sock_sendall(self._socket, data)

    def end_writing(self):
        self._socket.shutdown(socket.SHUT_WR)

    def close(self):
        if self._socket.fileno() >= 0:
            # Whoever waits for the socket must not wait for another one of its number.
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)
            self._socket.close()

    def reset(self):
        if self._socket.fileno() >= 0:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close()
