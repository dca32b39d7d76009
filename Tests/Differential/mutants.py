"""Messages made from others by small changes: the same ones for the same seed."""

import random

# Bytes and lines that mean something somewhere in a message.
BYTES = b"\r\n\t :,;/@[]%#\0\x0b\x7f\x80\xa0\xff\"'\\0159afxHTPc*.-+=?"
LINES = [
    b"\r\n", b"\n", b"\r", b" \r\n", b"\r\n\r\n", b"Host: b\r\n", b"Content-Length: 5\r\n", b"Content-Length: 0\r\n",
    b"Content-Length: 05\r\n", b"Content-Length: 5, 5\r\n", b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding: x\r\n",
    b"Connection: close\r\n", b"Connection: keep-alive\r\n", b"Connection: upgrade\r\nUpgrade: x\r\n", b"X: y\r\n", b"X:\r\n",
    b"X : y\r\n", b" y\r\n", b"5\r\nhello\r\n", b"0\r\n\r\n", b"0\r\nX: y\r\n\r\n", b"5;a=b\r\nhello\r\n", b"HTTP/1.0", b"HTTP/1.1 200 OK\r\n",
    b"GET / HTTP/1.1\r\n", b"http://", b"chunked", b"Expect: 100-continue\r\n", b"Trailer: X\r\n",
]
LONGEST = 600


def mutants(sources, seed, count):
    """Yields so many pairs of a kind and a message."""
    chance = random.Random(seed)
    sources = [(kind, data) for kind, data in sources if len(data) <= LONGEST]
    for _ in range(count):
        kind, data = chance.choice(sources)
        for _ in range(chance.randint(1, 3)):
            data = mutated(data, chance, sources)
        yield kind, data


def mutated(data, chance, sources):
    place = chance.randint(0, len(data))
    change = chance.randrange(8)
    if change == 0:
        return data[:place] + bytes([chance.choice(BYTES)]) + data[place:]
    if change == 1:
        return data[:place] + bytes([chance.choice(BYTES)]) + data[place + 1:]
    if change == 2:
        return data[:place] + data[place + chance.randint(1, 4):]
    if change == 3:
        return data[:place] + data[place:place + chance.randint(1, 20)] + data[place:]
    lines = data.split(b"\r\n")
    line = chance.randrange(len(lines))
    if change == 4:
        lines.insert(chance.randint(0, len(lines)), lines[line])
        return b"\r\n".join(lines)
    if change == 5:
        lines[line] += chance.choice(LINES).removesuffix(b"\r\n")
        return b"\r\n".join(lines)
    if change == 6:
        start = sum(len(text) + 2 for text in lines[:line])
        return data[:start] + chance.choice(LINES) + data[start:]
    other = chance.choice(sources)[1]
    return data[:place] + other[chance.randint(0, len(other)):]
