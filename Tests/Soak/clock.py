"""The time that all judge by, and how late this process itself runs where others take the processor."""

import asyncio
import collections
import time

BEAT = 0.02
REMEMBERED = 5.0
# Lateness below this is what any process has.
USUAL = 0.1

now = time.monotonic


class Lag:
    """How long something may have waited for this process before it was looked at."""

    def __init__(self):
        self._gaps = collections.deque()
        self._last = now()
        self.worst = 0.0
        # (when it ended, how long it was) of each gap that was more than usual.
        self._late = []

    async def run(self):
        while True:
            await asyncio.sleep(BEAT)
            beat = now()
            gap = beat - self._last
            self._last = beat
            self.worst = max(self.worst, gap)
            self._gaps.append((beat, gap))
            if gap > USUAL:
                self._late.append((beat, gap))
            while self._gaps[0][0] < beat - REMEMBERED:
                self._gaps.popleft()

    def between(self, begin, end):
        """Seconds of lateness within a time."""
        return sum(gap for beat, gap in self._late if beat >= begin and beat - gap <= end)

    def recent(self):
        """The longest gap of late, the one under way included."""
        return max([now() - self._last, *(gap for _, gap in self._gaps)])
