"""HTTP/1.1 messages from a stream, read strictly: whatever is not exactly right is an error."""

import asyncio
import contextlib
import socket
import struct

from content import Digest

LIMIT = 1 << 17


class Ended(Exception):
    """The peer closed before the first byte of a message."""


class Cut(Exception):
    """The peer closed, or reset the connection, inside a message."""


class Malformed(Exception):
    """The bytes are not the message that they should be."""


class Head:
    def __init__(self, text):
        self.start, *lines = text.decode("latin-1").split("\r\n")[:-2]
        self.fields = []
        for line in lines:
            name, colon, value = line.partition(":")
            if not colon or not name or name.strip() != name:
                raise Malformed(f"field line {line!r}")
            self.fields.append((name.lower(), value.strip()))

    def all(self, name):
        return [value for field, value in self.fields if field == name]

    def one(self, name):
        values = self.all(name)
        if len(values) > 1:
            raise Malformed(f"{len(values)} fields {name}")
        return values[0] if values else None

    def says(self, name, word):
        return any(word == option.strip().lower() for value in self.all(name) for option in value.split(","))


async def read_head(reader):
    try:
        return Head(await reader.readuntil(b"\r\n\r\n"))
    except asyncio.IncompleteReadError as error:
        raise (Cut("in the head") if error.partial else Ended("closed")) from None
    except OSError as error:
        raise Ended(str(error)) from None


async def read_some(reader, count):
    try:
        return await reader.read(count)
    except OSError as error:
        raise Cut(str(error)) from None


async def read_exactly(reader, count, digest, pause):
    while count:
        data = await read_some(reader, min(count, LIMIT))
        if not data:
            raise Cut(f"with {count} bytes of the body to come")
        digest.add(data)
        count -= len(data)
        if pause:
            await pause()


async def read_line(reader):
    try:
        return (await reader.readuntil(b"\r\n"))[:-2]
    except (asyncio.IncompleteReadError, OSError):
        raise Cut("in the chunked framing") from None


async def read_body(reader, framing, pause=None):
    """Reads a body that is a number of bytes long, "chunked", or "close" where the end of the stream ends it."""
    digest = Digest()
    if framing == "close":
        while data := await read_some(reader, LIMIT):
            digest.add(data)
            if pause:
                await pause()
    elif framing == "chunked":
        while size := int(await read_line(reader), 16):
            await read_exactly(reader, size, digest, pause)
            if await read_line(reader):
                raise Malformed("bytes behind a chunk")
        if await read_line(reader):
            raise Malformed("trailers that nobody sent")
    else:
        await read_exactly(reader, framing, digest, pause)
    return digest


def framing(head, default):
    """How the body behind a head ends."""
    coding, length = head.one("transfer-encoding"), head.one("content-length")
    if coding is not None and (coding.lower() != "chunked" or length is not None):
        raise Malformed(f"Transfer-Encoding {coding!r} with Content-Length {length!r}")
    if coding is not None:
        return "chunked"
    return default if length is None else int(length)


def chunk(data):
    return b"%x\r\n%b\r\n" % (len(data), data)


def reset(writer):
    """Ends a connection by a reset, in place of an orderly end."""
    sock = writer.get_extra_info("socket")
    # Over TLS there is none any more where the peer was first.
    if sock is not None:
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
