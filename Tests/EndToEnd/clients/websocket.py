"""A WebSocket server that sends everything back, and a client that goes through a proxy.

    websocket.py serve PORT
    websocket.py ask PROXY URL        (PROXY may be empty)
"""

import asyncio
import sys

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve


async def answer(connection):
    async for message in connection:
        await connection.send(message)


async def run_server(port):
    async with serve(answer, "127.0.0.1", port, compression=None, max_size=None):
        await asyncio.Future()


async def ask(proxy, url):
    async with connect(url, proxy=proxy or None, open_timeout=30, close_timeout=10, max_size=None) as connection:
        for message in ("hello", b"\0" * 3_000_000, "bye"):
            await connection.send(message)
            if await connection.recv() != message:
                raise SystemExit("another message came back")
        await connection.ping()


if sys.argv[1] == "serve":
    asyncio.run(run_server(int(sys.argv[2])))
else:
    asyncio.run(ask(*sys.argv[2:]))
