"""Samples of the process over time, and whether its memory is level."""

import asyncio
import dataclasses
import statistics

import clock

COUNT = 200
# Growth that is no leak: bodies in flight with slow readers hold up to 128 KiB each, and the allocator's arenas settle
# while rare mixtures of them come for the first time. In half an hour a leak of 8 bytes an exchange grows beyond it.
BOUND_KIB = 2048


@dataclasses.dataclass
class Sample:
    at: float
    resident: int
    anonymous: int
    threads: int
    descriptors: int
    cpu: float
    downstream: int
    upstream: int


class Samples:
    def __init__(self, proxy):
        self.proxy = proxy
        self.samples = []

    async def run(self, seconds):
        begin = clock.now()
        while True:
            await self._take(begin)
            await asyncio.sleep(seconds / COUNT)

    async def _take(self, begin):
        downstream, upstream = await self.proxy.connections()
        resident, anonymous, threads = self.proxy.memory()
        self.samples.append(Sample(
            clock.now() - begin, resident, anonymous, threads, len(self.proxy.descriptors()), self.proxy.cpu_seconds(),
            downstream, upstream))

    def tenth(self, number):
        """The samples of the tenth of that number, from 0."""
        count = len(self.samples)
        return self.samples[count * number // 10:max(count * (number + 1) // 10, count * number // 10 + 1)]

    def growth(self):
        """KiB of anonymous memory between the second and the last tenth, by their medians."""
        median = lambda number: statistics.median(sample.anonymous for sample in self.tenth(number))
        return median(9) - median(1)

    def table(self):
        lines = ["   until s  resident  anonymous  threads  descriptors  downstream  upstream  CPU %"]
        before = Sample(0, 0, 0, 0, 0, self.samples[0].cpu, 0, 0)
        for number in range(10):
            tenth = self.tenth(number)
            last = tenth[-1]
            median = lambda name: statistics.median(getattr(sample, name) for sample in tenth)
            share = 100 * (last.cpu - before.cpu) / max(last.at - before.at, 0.001)
            lines.append(
                f"{last.at:10.0f}{median('resident'):10.0f}{median('anonymous'):11.0f}{median('threads'):9.0f}"
                f"{median('descriptors'):13.0f}{median('downstream'):12.0f}{median('upstream'):10.0f}{share:7.1f}")
            before = last
        return "\n".join(lines)
