"""Bodies that can be made again from a number, and checked without being kept."""

import random
import zlib

_BLOCK = random.Random(0).randbytes(1 << 16) * 2
_MASK = (1 << 16) - 1
PIECE = 1 << 14


class Digest:
    """Length and checksum of a body as it passes."""

    def __init__(self):
        self.length = 0
        self.checksum = 0

    def add(self, data):
        self.length += len(data)
        self.checksum = zlib.crc32(data, self.checksum)

    def __str__(self):
        return f"{self.length}-{self.checksum:08x}"


def pieces(number, size):
    """The body of that number and size, in pieces of at most PIECE bytes; no two numbers nearby begin alike."""
    at = 0
    while at < size:
        begin = (number * 7919 + at) & _MASK
        count = min(PIECE, size - at)
        yield _BLOCK[begin:begin + count]
        at += count


def digest(number, size):
    whole = Digest()
    for piece in pieces(number, size):
        whole.add(piece)
    return str(whole)
