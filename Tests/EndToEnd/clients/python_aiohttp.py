import asyncio
import sys

import aiohttp


async def main():
    async with aiohttp.ClientSession(trust_env=True) as session:
        for url in sys.argv[1:]:
            method, body = ("POST", b"hello=1") if url.endswith("/post") else ("GET", None)
            async with session.request(method, url, data=body) as response:
                await response.read()
                assert response.status == 200, response.status


asyncio.run(main())
