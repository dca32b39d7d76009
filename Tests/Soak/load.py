"""The mixed load: clients that each do one thing after the other, so that a slow machine only makes it less."""

import asyncio
import random

import clock
import plan
from client import Connection

KEPT = 20_000


class Load:
    def __init__(self, port, judge, exchanges, seed, clients):
        self.port = port
        self.judge = judge
        self.exchanges = exchanges
        self.seed = seed
        self.clients = clients
        self.sent = 0

    async def run(self, name, seconds, fault_share, rounds=None):
        """Runs all clients for some seconds, or for a number of rounds each; all have gone at the end."""
        end = clock.now() + seconds
        await asyncio.gather(*(self._client(name, index, end, fault_share, rounds) for index in range(self.clients)))

    async def _client(self, name, index, end, fault_share, rounds):
        rng = random.Random(f"{self.seed}/{name}/{index}")
        client = index + (1000 if name == "warm-up" else 0)
        number, connection = 0, None
        while clock.now() < end and (rounds is None or number < rounds):
            count = rng.choice([2, 3, 5]) if rng.random() < 0.15 else 1
            batch = [plan.exchange(rng, client, number + place, fault_share) for place in range(count)]
            number += count
            if count > 1:
                # What needs the whole connection cannot stand in a pipeline. Nor can HTTP/1.0: a body that only the
                # connection's end ends is cut by a reset, which takes answers before it that were not read yet.
                batch = [x for x in batch if self._can_be_ahead(x)] or batch[:1]
            starts_anew = rng.random() < 0.1
            pause = rng.choice([0, 0, 0.005, 0.02, 0.1]) * 2 * rng.random()
            if connection is None or not connection.is_open or starts_anew:
                if connection is not None:
                    connection.close()
                connection = await Connection.open(self.port, self.judge)
            self._register(batch)
            await connection.run(batch)
            await asyncio.sleep(pause)
        if connection is not None:
            connection.close()

    def _can_be_ahead(self, x):
        return x.version == "1.1" and not x.expects and (x.fault is None or x.fault.side == "backend")

    def _register(self, batch):
        """Lets backends know the exchanges, and forget those of long ago."""
        self.sent += len(batch)
        for x in batch:
            self.exchanges[x.id] = x
        while len(self.exchanges) > KEPT:
            del self.exchanges[next(iter(self.exchanges))]
